"""Recipes as the program write_recipe (STACKX_WRITE_RECIPE) writes them, and containers to try them in."""

import json
import os
import pathlib
import re
import resource
import subprocess

from harness import KEPT, ROOT, BlackBox

DATA = ROOT / "specs" / "data"
GPU_CATALOGS = ["gpus.json", "cuda.json", "cudnn.json", "nccl.json", "gpu-tensorflow.json", "gpu-pytorch.json", "gpu-jax.json", "ngc.json"]
UNREACHABLE = re.compile(r"No matching distribution|connection|Temporary failure|Could not (fetch|find)|Failed to fetch|error sending request|"
                         r"unable to download|could not resolve", re.IGNORECASE)
PARAMETERS = {"m": 64, "n": 64, "k": 64, "dtype": "float32", "threads": 1, "repetitions": 3, "min_sample_ms": 1, "warmup_ms": 1}


class Recipes(BlackBox):
    def setUp(self):
        super().setUp()
        self.program = os.environ.get("STACKX_WRITE_RECIPE")
        if not self.program:
            self.skipTest("STACKX_WRITE_RECIPE names no program")

    def recipe(self, form, project, exit_code=0):
        done = subprocess.run([self.program, form, project, DATA], capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, exit_code, done.stderr)
        return done.stdout if exit_code == 0 else done.stderr

    def gpu(self, requires, model="v100-sxm2-16gb", **changes):
        return self.project("-".join([*requires, "gpu.json"]), catalogs=GPU_CATALOGS, requires=requires, hardware={"gpu": model},
                            workload={"pi": "matmul", "params": {"m": 4096, "n": 4096, "k": 4096, "dtype": "float16", "suite": "train"}}, **changes)

    def gpu_projects(self):
        yield "torch", self.gpu({"torch": "*"})
        yield "tensorflow", self.gpu({"tensorflow": "==1.14.0"})
        yield "jax", self.gpu({"jax": "*"}, "h100-sxm5-80gb")
        yield "ngc", self.gpu({"ngc": "==pytorch-19.05"})
        yield "cublas", self.gpu({"cublas": "*"})

    def numpy(self):
        return self.project("numpy.json", catalogs=["images.json", "frameworks.json", "framework-settings.json"], workload={"pi": "matmul", "params": PARAMETERS},
                            requires={"image": "==bookworm", "framework": "==numpy"})

    def run_tool(self, *words, **options):
        """Skips where the tool cannot reach what it needs."""
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=900, **options)
        if done.returncode != 0 and UNREACHABLE.search(done.stdout + done.stderr):
            self.skipTest("not to be fetched here: " + (done.stdout + done.stderr)[-400:])
        self.assertEqual(done.returncode, 0, f"{words}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def check_result(self, text, component="numpy"):
        result = json.loads(text.splitlines()[-1])
        self.assertEqual(result["component"], component)
        self.assertTrue(result["check"]["pass"])
        self.assertGreaterEqual(len(result["samples_ns"]), 3)
        return result


class Containers(Recipes):
    """Bases that a registry would bring are made here, under their public names; how podman is told to keep to this machine's limits."""

    def bring(self, base, packages=("ca-certificates", "python3", "python3-distutils")):
        """The base image under its public name: no registry is asked. Taken away again, unless it was there before."""
        if subprocess.run(["podman", "image", "exists", base]).returncode == 0:
            return
        self.run_tool("podman", "tag", self.suite(list(packages)), base)
        self.addCleanup(subprocess.run, ["podman", "untag", base, base], capture_output=True)

    def suite(self, packages):
        """The id of an image that stackx itself makes, of the suite that the other tests of containers need, too. With ca-certificates,
        which cannot be installed where settings() mounts this machine's."""
        artifacts = [{"type": "debootstrap", "file": "bookworm"}, *({"type": "system", "package": package} for package in packages)]
        artifacts[2]["program"] = "/usr/bin/python3.11"
        self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": {
            "python": {"kind": "runtime", "versions": {"3.11": {}}},
            "image": {"kind": "image", "versioning": "opaque", "versions": {"slim": {"requires": {"python": "==3.11"}, "artifacts": artifacts}}}}})
        project = self.project("suite.json", requires={"image": "*"}, workload={"pi": "hello", "params": {}},
                               campaign={"sampler": {"kind": "all"}, "rounds": 1, "runner": "container", "limits": {"seconds": 60, "memory_gib": 1}})
        pi = self.write("hello.py", 'print(\'{"name": "hello", "component": "python", "parameters": {}, "samples_ns": [1000, 1001]}\')\n')
        self.environment["XDG_CACHE_HOME"] = str(KEPT)
        self.stackx("inspect", project, "--pi", pi, exit_code=None)
        for manifest in (KEPT / "stackx" / "images").glob("*.json"):
            image = json.loads(manifest.read_text())
            if (image["base"], image["packages"]) == ("bookworm", packages):
                return image["id"]
        document = json.loads(self.stackx("export").stdout.splitlines()[-1])
        self.assertRegex(document.get("reason", "") + document.get("stderr_tail", ""), UNREACHABLE.pattern + "|could not be made|not found")
        self.skipTest("not to be fetched here: " + document["reason"])

    def limits(self):
        """No higher than this process may go: a nested container may not raise them."""
        words = []
        for name, number, most in (("nofile", resource.RLIMIT_NOFILE, 1024), ("nproc", resource.RLIMIT_NPROC, 4096)):
            hard = resource.getrlimit(number)[1]
            value = most if hard == resource.RLIM_INFINITY else min(most, hard)
            words += ["--ulimit", f"{name}={value}:{value}"]
        return words

    def settings(self):
        """How pip and apt reach their servers from here: configuration of this machine, mounted while the image is built."""
        words = ["--network=host"]
        for path in ("/etc/pip.conf", "/etc/apt/apt.conf.d", "/etc/apt/auth.conf.d", "/etc/ssl/certs"):
            if pathlib.Path(path).exists():
                words += ["--volume", f"{path}:{path}:ro"]
        for name in ("http_proxy", "https_proxy", "no_proxy", "PIP_INDEX_URL", "PIP_CERT", "PIP_TRUSTED_HOST"):
            for variable in {name, name.upper()}:
                if variable in os.environ:
                    words += ["--env", variable]
        return words
