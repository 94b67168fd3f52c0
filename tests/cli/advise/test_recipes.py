"""What recipes are to the tools they are for: parsers of each format, and for CPU stacks pip, uv, bash and podman themselves.

Reads the recipe of a project's latest stack from the program write_recipe (STACKX_WRITE_RECIPE), which is what `stackx advise
--format` prints for a recommendation."""

import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib

from harness import KEPT, ROOT, STACKX
from python_stack import HERE, container_engine, wheel
from recipe_base import PARAMETERS, Containers, Recipes

ODD = "a'b\"c$(touch${IFS}pwned)`touch;pwned`\\;#%{x}[\U0001f600]"  # parameters hold no commas, spaces, controls
HOSTILE = "a'b\"c$(touch pwned)`touch pwned`\\ #x\nRUN touch pwned\n- evil: [\t\x7f\u0085\u2028\U0001f600"


class Syntax(Recipes):
    def odd(self):
        """A CPU stack whose settings and parameters hold what would end any quoting."""
        name, content = wheel("victim", "1.0")
        self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": {
            "python": {"kind": "runtime", "versions": {HERE: {}}},
            "victim": {"kind": "package", "ecosystem": "pypi", "versions": {"1.0": {"requires": {"python": "*", "odd": "*"}, "artifacts": [
                {"type": "wheel", "file": name, "sha256": hashlib.sha256(content).hexdigest()}]}}},
            "odd": {"kind": "setting", "versioning": "opaque", "versions": {"x'\"$(y)`z`\\;#": {"environment": {"PI_ODD": HOSTILE}}}}}})
        return self.project("odd.json", requires={"victim": "*"}, workload={"pi": "look", "params": {"odd": ODD}}), name, content

    def instructions(self, text):
        """(word, rest) of each instruction; a Containerfile that podman's parser would refuse is none."""
        joined = re.sub(r"\\\n", "", "\n".join(line for line in text.split("\n") if not line.startswith("#")))
        found = [tuple(line.split(" ", 1)) for line in joined.split("\n") if line]
        self.assertEqual(found[0][0], "FROM")
        self.assertRegex(found[0][1], r"^[a-z0-9.]+/[a-z0-9./_-]+:[A-Za-z0-9._-]+$")
        for word, rest in found:
            self.assertIn(word, ("FROM", "ENV", "RUN", "COPY", "ARG", "ENTRYPOINT"))
            if word in ("RUN", "ENTRYPOINT"):
                self.assertTrue(all(isinstance(one, str) for one in json.loads(rest)))
        self.assertEqual(found[-1][0], "ENTRYPOINT")
        return found

    def test_requirements(self):
        from packaging.requirements import Requirement
        for name, project in [*self.gpu_projects(), ("numpy", self.numpy())]:
            if name == "ngc":
                said = "inside nvcr.io/nvidia/pytorch:19.05-py3"
                self.assertIn(said, self.recipe("requirements", project, exit_code=2))
                continue
            text = self.recipe("requirements", project)
            if name == "cublas":
                self.assertIn("nvidia-cublas", text)
            pinned = [Requirement(line.split(" --hash")[0]) for line in re.sub(r" \\\n", "", text).splitlines()
                      if not line.startswith(("#", "--extra-index-url https://download.pytorch.org/whl/cu"))]
            self.assertTrue(pinned)
            for one in pinned:
                self.assertRegex(str(one.specifier), r"^==[0-9]")
            self.assertEqual("--hash=sha256:" in re.sub(r"(?m)^#.*", "", text), name in ("numpy", "cublas"), text)

    def test_pipfile(self):
        for name, project in [*self.gpu_projects(), ("numpy", self.numpy())]:
            if name in ("ngc", "cublas"):
                continue
            document = tomllib.loads(self.recipe("pipfile", project))
            self.assertLessEqual(set(document) - {"source"}, {"packages", "dev-packages", "requires"})
            self.assertRegex(document["requires"]["python_version"], r"^\d\.\d+$")
            pipfile = self.scratch / "Pipfile"
            pipfile.write_text(self.recipe("pipfile", project))
            self.assertEqual(json.dumps(document["packages"]).count("=="), len(document["packages"]))

    def test_pylock(self):
        from packaging.pylock import Pylock
        for project in (self.numpy(), self.odd()[0]):
            document = tomllib.loads(self.recipe("pylock", project))
            lock = Pylock.from_dict(document)
            lock.validate()
            self.assertEqual(str(lock.lock_version), "1.0")
            for package in lock.packages:
                self.assertTrue(package.wheels or package.sdist)
                for one in package.wheels or []:
                    self.assertRegex(one.hashes["sha256"], r"^[0-9a-f]{64}$")
        for name, project in self.gpu_projects():
            if name not in ("ngc", "cublas"):
                self.assertIn("--format requirements", self.recipe("pylock", project, exit_code=2))

    def test_containerfiles(self):
        bases = {"torch": "docker.io/library/python:", "tensorflow": "docker.io/nvidia/cuda:10.0-cudnn7-runtime-ubuntu18.04",
                 "jax": "docker.io/library/python:", "ngc": "nvcr.io/nvidia/pytorch:19.05-py3", "cublas": "docker.io/library/debian:bookworm-slim"}
        for name, project in self.gpu_projects():
            found = self.instructions(self.recipe("containerfile", project))
            self.assertTrue(found[0][1].startswith(bases[name]), found[0])
            entry = json.loads(found[-1][1])
            self.assertIn("matmul", entry)
            self.assertIn("m=4096", entry)
            self.assertNotIn("suite=train", entry)
        self.instructions(self.recipe("containerfile", self.numpy()))
        found = self.instructions(self.recipe("containerfile", self.odd()[0]))
        self.assertIn("PI_ODD=" + HOSTILE, json.loads(found[-1][1]))
        self.assertIn("odd=" + ODD, json.loads(found[-1][1]))

    def test_pods(self):
        try:
            import yaml
        except ImportError:
            self.skipTest(f"no PyYAML in {sys.executable}")
        for name, project in [*self.gpu_projects(), ("numpy", self.numpy()), ("odd", self.odd()[0])]:
            pod = yaml.safe_load(self.recipe("pod", project))
            self.assertEqual((pod["apiVersion"], pod["kind"]), ("v1", "Pod"))
            self.assertRegex(pod["metadata"]["name"], r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
            container, = pod["spec"]["containers"]
            limits = container["resources"]["limits"]
            if name in ("numpy", "odd"):
                self.assertNotIn("nvidia.com/gpu", limits)
            else:
                self.assertEqual(limits["nvidia.com/gpu"], 1)
            if name == "torch":
                self.assertEqual(pod["spec"]["nodeSelector"], {"nvidia.com/gpu.product": "Tesla-V100-SXM2-16GB"})
            if name == "odd":
                self.assertEqual(container["env"], [{"name": "PI_ODD", "value": HOSTILE.replace("$", "$$")}])

    def test_batch_scripts(self):
        for name, project in [*self.gpu_projects(), ("numpy", self.numpy()), ("odd", self.odd()[0])]:
            script = self.write(f"{name}.sbatch", self.recipe("sbatch", project))
            subprocess.run(["bash", "-n", script], check=True)
            lines = script.read_text().split("\n")
            self.assertEqual(lines[0], "#!/usr/bin/env bash")
            directives = [line for line in lines if line.startswith("#SBATCH ")]
            self.assertEqual("#SBATCH --gres=gpu:v100:1" in directives, name not in ("numpy", "odd", "jax"))
            self.assertIn("set -euo pipefail", lines)

    def test_projects_of_uv_and_conda(self):
        try:
            import yaml
        except ImportError:
            self.skipTest(f"no PyYAML in {sys.executable}")
        for name, project in [*self.gpu_projects(), ("numpy", self.numpy()), ("odd", self.odd()[0])]:
            if name == "ngc":
                self.assertIn("inside nvcr.io", self.recipe("uv", project, exit_code=2))
                continue
            document = tomllib.loads(self.recipe("uv", project))
            environment = yaml.safe_load(self.recipe("conda", project))
            asked = [line for line in environment["dependencies"][-1]["pip"] if not line.startswith("--extra-index-url ")]
            self.assertEqual(sorted(asked), sorted(document["project"]["dependencies"]))
            self.assertEqual(environment.get("variables"), {"PI_ODD": HOSTILE} if name == "odd" else environment.get("variables"))

    def test_accelerators_whose_stacks_are_packages_alone(self):
        """No catalog of libraries has stacks for the GPUs of AMD and Intel and for TPUs. What cannot be said is refused with what does."""
        formats = ("requirements", "pipfile", "uv", "conda", "containerfile", "docker", "sbatch", "pod")
        tpus, images, alone = "not written for TPUs; --format containerfile makes the image", "no image that holds the driver", "require is there alone"
        for hw, package, refused in (("mi300x", "torch==2.14.1+rocm7.2", {"pipfile": alone}),
                                     ("arc-b580", "torch==2.14.1+xpu", {"pipfile": alone} | dict.fromkeys(("containerfile", "docker", "pod"), images)),
                                     ("trn2", "torch-neuronx==", {"pipfile": alone} | dict.fromkeys(("containerfile", "docker", "pod"), "not written for Trainium")),
                                     ("tpu-v5e", "jax[tpu]==", dict.fromkeys(("docker", "sbatch", "pod"), tpus))):
            for name in formats:
                with self.subTest(hw=hw, format=name):
                    done = self.stackx("advise", "--hw", hw, "--workload", "matmul", "--format", name, exit_code=2 if name in refused else 0)
                    if name in refused:
                        self.assertIn(refused[name], done.stderr)
                    elif name not in ("pod", "pipfile"):
                        self.assertIn(package, done.stdout)
        for hw in ("RX 7900 XTX", "v5litepod-8", "max-1550"):
            done = self.stackx("advise", "--hw", hw, "--workload", "matmul", "--settle", self.scratch / "s.json", exit_code=2)
            self.assertIn("stackx measures on processors and NVIDIA's GPUs, not on ", done.stderr)
        self.assertIn("glibc 2.31 or newer", self.stackx("advise", "--hw", "tpu-v5e", "--format", "requirements").stdout)  # libtpu's wheel
        self.assertIn("amd.com/gpu: 1", self.stackx("advise", "--hw", "mi300x", "--format", "pod").stdout)

    def test_what_a_docker_line_says(self):
        """To a program `docker` that keeps its words."""
        kept = self.write("docker", f"#!{sys.executable}\nimport json, sys\njson.dump(sys.argv[1:], open('said', 'w'))\n")
        kept.chmod(0o755)
        environment = dict(os.environ, PATH=f"{self.scratch}:{os.environ['PATH']}", STACKX_PI="/there")
        for name, project in [*self.gpu_projects(), ("numpy", self.numpy()), ("odd", self.odd()[0])]:
            line = self.write("line.sh", self.recipe("docker", project))
            subprocess.run(["bash", line], check=True, env=environment, cwd=self.scratch)
            words = json.loads((self.scratch / "said").read_text())
            self.assertEqual("--gpus" in words, name not in ("numpy", "odd"))
            self.assertEqual(words[words.index("--entrypoint") + 1], "sh")
            script = words[-1]
            subprocess.run(["sh", "-n"], input=script, text=True, check=True)
            in_there = shlex.split(script)
            self.assertIn("matmul" if name != "odd" else "odd=" + ODD, in_there)
            self.assertEqual("PI_ODD=" + HOSTILE in in_there, name == "odd")
        self.assertEqual(list(self.scratch.glob("pwned")), [])

    def test_what_a_batch_script_runs(self):
        """Run as Slurm would, with a look-alike PI that says what it was given."""
        project, name, content = self.odd()
        (self.scratch / "wheels").mkdir()
        (self.scratch / "wheels" / name).write_bytes(content)
        place = self.scratch / "pi" / "python"
        place.mkdir(parents=True)
        (place / "bootstrap.py").write_text("import json, os, sys\nprint(json.dumps([sys.argv[1:], os.environ['PI_ODD'], os.listdir(sys.argv[1])]))\n")
        script = self.write("odd.sbatch", self.recipe("sbatch", project))
        environment = dict(os.environ, STACKX_PI=str(place.parent), PIP_NO_INDEX="1", PIP_FIND_LINKS=str(self.scratch / "wheels"),
                           STACKX_PYTHON=sys.executable, PIP_CONFIG_FILE=os.devnull)
        done = subprocess.run(["bash", script], capture_output=True, text=True, env=environment, cwd=self.scratch, timeout=900)
        self.assertEqual(done.returncode, 0, done.stderr)
        words, odd, packages = json.loads(done.stdout)
        self.assertEqual(words[2:], ["look", "odd=" + ODD])
        self.assertEqual(odd, HOSTILE)
        self.assertIn("victim", packages)
        self.assertEqual(sorted(path.name for path in self.scratch.iterdir() if path.name == "pwned"), [])


class Settling(Recipes):
    def test_a_campaign_for_a_machine_that_is_not_here(self):
        text = self.recipe("settling", self.gpu({"ngc": "*"}))
        file = self.write("settle.json", text)
        document = json.loads(text)
        self.assertEqual(document["hardware"]["driver"], "host")
        self.assertIn('name a version instead of "host"', self.stackx("resolve", file, "--count", exit_code=3).stderr)
        there = self.write("there.json", text.replace('"host"', '"580.95.05"'))
        self.assertGreaterEqual(int(self.json("resolve", there, "--count")["valid_stacks"]), 1)
        plan = self.json("inspect", file, "--dry-run")
        self.assertEqual(len(plan["arms"]), len(document["campaign"]["stacks"]) + 1)
        self.assertEqual(plan["campaign"]["rounds"], document["campaign"]["rounds"])
        for arm in plan["arms"]:
            self.assertEqual(arm["stack"]["gpu"], "v100-sxm2-16gb")
            self.assertEqual(arm["workload"]["params"]["m"], "4096")
        self.assertEqual(text, self.recipe("settling", self.gpu({"ngc": "*"})))
        if self.json("hw")["gpus"]:
            self.skipTest("this machine has a GPU")
        said = self.stackx("inspect", file, exit_code=2).stderr
        self.assertIn("/hardware/gpu: asks for v100-sxm2-16gb, but this machine has none", said)


class Installed(Containers):
    """What is written is installed and run here."""

    @classmethod
    def setUpClass(cls):
        """One virtual environment with pip, which takes seconds to make."""
        super().setUpClass()
        shared = tempfile.TemporaryDirectory(prefix="stackx-test-")
        cls.addClassCleanup(shared.cleanup)
        cls.venv = pathlib.Path(shared.name) / "venv"
        subprocess.run([sys.executable, "-m", "venv", cls.venv], check=True)

    def setUp(self):
        super().setUp()
        (KEPT / "pip").mkdir(parents=True, exist_ok=True)
        self.environment.update(PIP_CACHE_DIR=str(KEPT / "pip"), PIP_DISABLE_PIP_VERSION_CHECK="1")

    def test_requirements_of_a_native_library(self):
        project = self.project(catalogs=["blas.json"], requires={"scipy-openblas64": "*"}, hardware={"cpu": "host"},
                               workload={"pi": "matmul", "params": PARAMETERS}, pins={"threads": "==1", "openblas-coretype": "*"})
        text = self.recipe("requirements", project)
        self.assertIn("--hash=sha256:", text)
        requirements = self.write("requirements.txt", text)
        site = self.scratch / "site"
        self.run_tool(self.venv / "bin" / "python", "-m", "pip", "install", "--require-hashes", "--no-deps", "--target", site,
                      "-r", requirements, env=self.environment)
        library, = site.glob("scipy_openblas64/lib/libscipy_openblas64*.so*")
        pi = pathlib.Path(STACKX).with_name("stackx-pi")
        self.check_result(self.run_tool(pi, "matmul", "--library", library, "--component", "scipy-openblas64",
                                        *(f"{name}={value}" for name, value in PARAMETERS.items())), "scipy-openblas64")

    def test_requirements_lock_and_batch_script_of_a_python_stack(self):
        if HERE != "3.11":
            self.skipTest(f"the stack is for Python 3.11; the tests run under {HERE}")
        project = self.numpy()
        requirements = self.write("requirements.txt", self.recipe("requirements", project))
        python = self.venv / "bin" / "python"
        self.run_tool(python, "-m", "pip", "install", "--require-hashes", "-r", requirements, env=self.environment)
        words = [f"{name}={value}" for name, value in PARAMETERS.items()]
        result = self.check_result(self.run_tool(python, "-s", ROOT / "kernels/python/bootstrap.py", "-", ROOT / "kernels/python/pi.py", "matmul", *words))
        self.assertIn(f"numpy=={result['loaded']['numpy']} ", requirements.read_text())

        # The lock, with what the requirements brought: uv reads PEP 751.
        uv = pathlib.Path(sys.executable).with_name("uv")
        lock = self.write("pylock.toml", self.recipe("pylock", project))
        self.run_tool(python, "-m", "pip", "download", "--require-hashes", "--no-deps", "-d", self.scratch / "wheels", "-r", requirements,
                      env=self.environment)
        if uv.exists():
            self.run_tool(uv, "pip", "install", "--offline", "--no-cache", "--target", self.scratch / "locked", "--python", python, "-r", lock)
            self.assertTrue((self.scratch / "locked" / "numpy").is_dir())

        # The batch script is a bash script: it installs into a directory of its own and runs the PI.
        script = self.write("job.sbatch", self.recipe("sbatch", project))
        environment = dict(self.environment, STACKX_PI=str(ROOT / "kernels"), STACKX_PYTHON=sys.executable)
        again = self.check_result(self.run_tool("bash", script, env=environment))
        self.assertEqual(again["loaded"]["numpy"], result["loaded"]["numpy"])

    def test_a_container_is_built_and_runs(self):
        if container_engine():
            self.skipTest("no container engine works here: " + container_engine())
        if not shutil.which("podman"):
            self.skipTest("podman is needed")
        base = "docker.io/library/debian:bookworm-slim"
        self.bring(base)
        (self.scratch / "context").mkdir()
        shutil.copytree(ROOT / "kernels" / "python", self.scratch / "context" / "python")
        text = self.recipe("containerfile", self.numpy())
        self.assertIn(f"FROM {base}\n", text)
        file = self.write("Containerfile", text)
        image = self.run_tool("podman", "build", "--quiet", "--pull=never", "--layers=false", *self.settings(), "-f", file, self.scratch / "context").split()[-1]
        self.addCleanup(subprocess.run, ["podman", "rmi", "--force", image], capture_output=True)
        result = self.check_result(self.run_tool("podman", "run", "--rm", "--network=none", *self.limits(), image))
        self.assertIn(f'"numpy=={result["loaded"]["numpy"]} ', text)
