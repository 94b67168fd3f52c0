"""stackx catalog discover on a machine with a GPU: what it offers of a CUDA toolkit and of frameworks' wheels is a catalog that
resolves and that the inspector measures, on look-alikes of NVIDIA's driver and libraries that multiply."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

from harness import STACKX, BlackBox

TESTS = pathlib.Path(STACKX).resolve().parent / "tests"
MACHINE = TESTS / "fakes" / "gpu" / "right"  # its driver, and a CUDA runtime
CUDA = TESTS / "fakes" / "cuda12"            # cuBLAS and cuBLASLt 12.9.1, NVRTC 12.9

# What NVRTC's look-alike cannot compile: the product that our kernels make, of float32 and so of tf32.
KERNELS = """
void matmul(const unsigned* grid, const unsigned* block, void** arguments) {
  const float *a = *(float**)arguments[0], *b = *(float**)arguments[1];
  float* c = *(float**)arguments[2];
  const int m = *(int*)arguments[3], n = *(int*)arguments[4], k = *(int*)arguments[5];
  (void)grid, (void)block;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int p = 0; p < k; ++p) sum += (double)a[i * k + p] * b[p * n + j];
      c[i * n + j] = (float)sum;
    }
}
"""

# A PI of the user's, for a machine that only NVML's look-alike plays.
PI = """#!/bin/sh
cat <<TEXT
{"name": "matmul", "component": "cublas", "parameters": {}, "samples_ns": [1000, 1010, 990], "work": {"flop": 1e6, "bytes": 0, "items": 1},
 "check": {"reference": "r", "max_relative_error": 0, "bound": 1, "pass": true}, "loaded": {"cublas": "12.9.1"}, "files": [],
 "gpu": {"uuid": "$CUDA_VISIBLE_DEVICES"}}
TEXT
"""


class GpuDiscover(BlackBox):
    def setUp(self):
        super().setUp()
        self.home = self.scratch / "home"
        self.home.mkdir()
        for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT", "MODULEPATH", "MODULESHOME", "LMOD_DIR", "CUDA_PATH", "CUDA_ROOT"):
            self.environment.pop(name, None)
        self.toolkit = self.scratch / "cuda-12.9"
        self.environment.update(HOME=str(self.home), PATH="/usr/bin:/bin", LD_LIBRARY_PATH=str(MACHINE), CUDA_HOME=str(self.toolkit))
        self.library(self.toolkit / "targets/x86_64-linux/lib", "cublas", "cublasLt", "nvrtc", "cudart", "cudnn", "nccl")
        (self.toolkit / "lib64").symlink_to("targets/x86_64-linux/lib")
        self.write_json(self.toolkit / "version.json", {
            "cuda": {"version": "12.9.77"}, "cuda_cudart": {"version": "12.4.127"}, "libcublas": {"version": "12.9.1.4"},
            "cuda_nvrtc": {"version": "12.9.86"}, "cudnn": {"version": "9.10.2.21"}, "nccl": {"version": "2.21.5"}})

    def write_json(self, path, document):
        path.write_text(json.dumps(document))

    def library(self, place, *names, other=b""):
        """Look-alikes in a directory; `other` makes their files differ from those elsewhere, and nothing else."""
        place.mkdir(parents=True, exist_ok=True)
        for name in names:
            source = {"cudart": MACHINE / "libcudart.so.12", "cudnn": TESTS / "fakes/gpu/cudnn/libcudnn.so.9",
                      "nccl": TESTS / "fakes/gpu/nccl/libnccl.so.2"}.get(name, CUDA / f"lib{name}.so")
            number = {"cudnn": "9", "nccl": "2"}.get(name, "12")
            (place / f"lib{name}.so.{number}").write_bytes(source.read_bytes() + other)

    def environment_of(self, user, packages):
        """The site-packages of a new virtual environment that says that it holds these."""
        place = self.home / "venvs" / user
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
        site = next(place.glob("lib/python*/site-packages"))
        for name, number in packages.items():
            info = site / f"{name}-{number}.dist-info"
            info.mkdir()
            (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {number}\n\n")
        return site

    def wheels(self, user, version, other):
        """A virtual environment with a framework, and NVIDIA's wheels as it brings them."""
        site = self.environment_of(user, {user: "2.6.0", "nvidia_cublas_cu12": version, "nvidia_cuda_nvrtc_cu12": "12.9.86",
                                          "nvidia_cuda_runtime_cu12": "12.4.127", "nvidia_cudnn_cu12": "9.10.2.21"})
        for directory, *names in (("cublas", "cublas", "cublasLt"), ("cuda_nvrtc", "nvrtc"), ("cuda_runtime", "cudart"),
                                  ("cudnn", "cudnn")):
            self.library(site / "nvidia" / directory / "lib", *names, other=other)

    def bundle(self, user, version, cuda, files):
        """A virtual environment with a PyTorch that brings copies of its own; `files`: their names, of what."""
        torch = self.environment_of(user, {"torch": version}) / "torch"
        (torch / "lib").mkdir(parents=True)
        (torch / "version.py").write_text(f"__version__ = '{version}'\ncuda = '{cuda}'\n")
        for name, source in files.items():
            (torch / "lib" / name).write_bytes(source.read_bytes() + user.encode())

    def discovered(self):
        """The catalog's components, of this test's own toolkit and environments; and what was said."""
        done = self.stackx("catalog", "discover", "--only", "cuda", "-o", self.scratch / "discovered.json", "--project",
                           self.scratch / "compare.json", cwd=self.home)
        components = json.loads((self.scratch / "discovered.json").read_text())["components"]
        for component in components.values():  # a toolkit of the machine at hand is none of the test's
            component["versions"] = {version: entry for version, entry in component["versions"].items() if not entry.get("artifacts")
                                     or str(self.scratch.resolve()) in json.dumps(entry["artifacts"])}
        return components, done.stderr

    def kept(self, components):
        self.write("discovered.json", {"$schema": "stackx/catalog/1", "components": components})

    def inspections(self):
        documents = map(json.loads, self.stackx("export").stdout.splitlines())
        return [one for one in documents if one["$schema"] == "stackx/inspection/1"]

    def over(self, requires, **changes):
        return self.project(catalogs=["discovered.json"], requires=requires, hardware={"gpu": "host", "driver": "host"}, **changes)

    def measured(self, cublas):
        """The document of one inspection of that version, which went well."""
        self.stackx("inspect", self.over({"cublas": f"=={cublas}"}, workload={"pi": "matmul", "params": {
            "m": 48, "n": 40, "k": 56, "dtype": "float32", "repetitions": 3, "min_sample_ms": 0.01, "warmup_ms": 0}}), "--rounds", 1)
        (document,) = self.inspections()
        self.assertEqual((document["outcome"], document["loaded"]["cublas"], document["loaded"]["cudart"]), ("ok", "12.9.1", "12.4"),
                         document["reason"])
        return document

    def test_settings_of_frameworks_are_offered_with_them(self):
        self.environment_of("both", {"torch": "2.6.0", "numpy": "2.1.0"})
        done = self.stackx("catalog", "discover", "-o", self.scratch / "discovered.json", cwd=self.home)
        components = json.loads((self.scratch / "discovered.json").read_text())["components"]
        self.assertLessEqual({"tf32", "execution", "torch-blas", "cuda-module-loading"}, set(components))
        self.assertNotIn("xla-gemm", components)  # JAX is not here
        self.assertRegex(done.stderr, r"beside these +cuda-module-loading, execution, .*tf32")
        (environment,) = {name for name in components["python-environment"]["versions"] if "both" in name}
        pins = {"python-environment": f"=={environment}"}
        for framework, stacks in (("torch", "4"), ("numpy", "0")):  # `torch-blas` is PyTorch's
            project = self.over({"framework": f"=={framework}", "tf32": "*", "torch-blas": "*"}, pins=pins)
            done = self.stackx("resolve", project, "--count", "--json", exit_code=0 if framework == "torch" else 1)
            self.assertEqual(json.loads(done.stdout)["valid_stacks"], stacks)

    def test_each_library_is_offered_once_and_by_its_place(self):
        self.wheels("torch", "12.9.1.5", b"torch")
        self.wheels("jax", "12.9.1.5", b"torch")  # the same files
        components, said = self.discovered()
        mine = {name: set(components[name]["versions"]) for name in ("cuda", "cublas", "cublaslt", "nvrtc", "cudnn", "nccl")}
        (holder,) = {version.split("+")[1] for version in mine["cuda"] if "+" in version}  # which of the two is found first
        self.assertEqual(mine, {
            "cuda": {"12.9.77", f"12.4.127+{holder}"}, "cublas": {"12.9.1.4", f"12.9.1.5+{holder}"},
            "cublaslt": {"12.9.1.4", f"12.9.1.5+{holder}"}, "nvrtc": {"12.9.86", f"12.9.86+{holder}"},
            "cudnn": {"9.10.2.21", f"9.10.2.21+{holder}"}, "nccl": {"2.21.5"}})
        self.assertIn(holder, ("torch", "jax"))
        self.assertRegex(said, r"left out +cublas 12\.9\.1\.5\+(torch|jax): the same content as /")
        entry = components["cublaslt"]["versions"][f"12.9.1.5+{holder}"]
        self.assertEqual(entry["requires"], {"cuda": f"==12.4.127+{holder}", "cublaslt-search": "*"})
        self.assertEqual((entry["provides"], entry["reports"]), ({"gpu-matmul": "12.9.1.5"}, "12.9.1"))
        self.kept(components)
        for requires, stacks in (("gpu-matmul", 2 * (1 + 2 + 2)), ("gpu-convolution", 2), ("gpu-collectives", 1)):
            self.assertEqual(self.json("resolve", self.over({requires: "*"}), "--count")["valid_stacks"], str(stacks), requires)

    def test_a_toolkit_that_is_published_and_installed_is_one_and_lies_here(self):
        self.write_json(self.toolkit / "version.json", {
            "cuda": {"version": "12.9.1"}, "cuda_cudart": {"version": "12.9.79"}, "libcublas": {"version": "12.9.1.4"}})
        components, _ = self.discovered()
        components["cuda"]["versions"]["12.9.1"]["reports"] = "12.9"  # the look-alike is of another
        self.kept(components)
        both = ["gpus.json", "cuda.json", "cuda-wheels.json", "discovered.json"]
        for requires in ({"cublas": "==12.9.1.4"}, {"nvidia-cublas": "==12.9.1.4"}):
            project = self.project(catalogs=both, requires=requires, hardware={"gpu": "host"}, pins={"driver": "==575.57.08"})
            (stack,) = self.lines("resolve", project, "--list", 10)
            self.assertEqual(stack["components"]["cuda"], "12.9.1")
            self.assertEqual(self.json("resolve", self.project(catalogs=both, requires=requires, hardware={"gpu": "host"},
                                                               pins={"driver": "==515.65.01"}), "--count", exit_code=1)["valid_stacks"], "0")

    def test_what_was_found_is_measured_in_rounds(self):
        compiler = os.environ.get("STACKX_CC") or shutil.which("cc")
        if not compiler:
            self.skipTest("no C compiler to build the kernels with")
        self.wheels("torch", "12.9.1.5", b"torch")
        components, _ = self.discovered()
        driver = self.scratch / "driver"
        driver.mkdir()
        for name in ("libcuda.so.1", "libnvidia-ml.so.1"):
            shutil.copy(MACHINE / name, driver)
        (self.scratch / "kernels.c").write_text(KERNELS)
        subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", driver / "libfake_cuda_kernels.so", self.scratch / "kernels.c"],
                       check=True)
        self.environment["LD_LIBRARY_PATH"] = str(driver)
        self.kept(components)
        project = self.over({"gpu-matmul": "*"}, workload={"pi": "matmul", "params": {
            "m": 48, "n": 40, "k": 56, "dtype": ["float32", "tf32"], "repetitions": 3, "min_sample_ms": 0.01, "warmup_ms": 0}},
            campaign={"sampler": {"kind": "all"}, "rounds": 2, "budget": {"inspections": 1000, "minutes": 10},
                      "limits": {"seconds": 60, "memory_gib": 2}})
        self.stackx("inspect", project)
        documents = self.inspections()
        seen = {}
        for one in documents:
            (component,) = {"cublas", "cublaslt", "nvrtc"} & set(one["stack"])
            key = (component, one["stack"][component], one["stack"].get("own-kernel", ""), one["workload"]["params"]["dtype"])
            seen.setdefault(key, []).append(one["outcome"])
            if one["outcome"] == "ok":
                self.assertEqual(one["loaded"]["cudart"], "12.4")
                place = "venvs/torch" if "+torch" in one["stack"][component] else "cuda-12.9"
                self.assertTrue(any(place in path and component in path.lower() for path in one["artifacts"]), one["artifacts"])
        wanted = {}
        for label in ("4", "5+torch"):
            for dtype in ("float32", "tf32"):
                wanted["cublas", "12.9.1." + label, "", dtype] = ["ok"] * 2
                wanted["cublaslt", "12.9.1." + label, "", dtype] = ["ok"] * 4  # with search and without
        for version in ("12.9.86", "12.9.86+torch"):
            for kernel, dtype, outcome in (("tiled", "float32", "ok"), ("tensor", "tf32", "ok"), ("tiled", "tf32", "unsupported"),
                                           ("tensor", "float32", "unsupported")):
                wanted["nvrtc", version, kernel, dtype] = [outcome] * 2
        self.assertEqual(seen, wanted, {one["reason"] for one in documents})

    def test_pytorchs_own_copies(self):
        runtime = MACHINE / "libcudart.so.12"
        old = CUDA.parent / "cuda10"
        self.bundle("old", "1.5.0", "10.2", {
            "libcublas-9e5bd8a5.so.10": old / "libcublas.so", "libcublasLt-08c4863f.so.10": old / "libcublasLt.so",
            "libnvrtc-08c4863f.so.10.2": old / "libnvrtc.so", "libnvrtc-builtins.so": runtime,
            "libcudart-80664282.so.10.2": runtime, "libcudnn.so.7": TESTS / "fakes/gpu/cudnn/libcudnn.so.7"})
        self.bundle("new", "2.0.0", "12.4", {
            "libcublas.so.12": CUDA / "libcublas.so", "libcudart-d0da41ae.so.12": runtime, "libcudnn.so.8": MACHINE / "libcudart.so.12"})
        components, said = self.discovered()
        found = {name: {version: entry.get("reports", "") for version, entry in components[name]["versions"].items() if "+" in version}
                 for name in ("cuda", "cublas", "cublaslt", "nvrtc", "cudnn")}
        self.assertEqual(found, {
            "cuda": {"10.2+torch": "10.2", "12.4+torch": "12.4"}, "cublas": {"10.2.2+torch": "10.2.2", "12.9.1+torch": "12.9.1"},
            "cublaslt": {"10.2.2+torch": "10.2.2"}, "nvrtc": {"10.2+torch": "10.2"}, "cudnn": {"7.6.5+torch": "7.6.5"}})
        self.assertRegex(said, r"left out +cudnn \S+/torch/lib/libcudnn\.so\.8: neither its name nor the library itself says")
        self.kept(components)
        document = self.measured("12.9.1+torch")
        self.assertTrue(any("venvs/new" in path and "libcudart-d0da41ae" in path for path in document["artifacts"]), document["artifacts"])

    def test_condas_packages(self):
        prefix = self.scratch / "envs" / "cuda"  # no Python in it, and no list names it
        self.environment["CUDA_HOME"] = str(prefix)
        self.library(prefix / "targets/x86_64-linux/lib", "cublas", "cublasLt", "cudart", other=b"conda")
        (prefix / "lib").mkdir()
        (prefix / "conda-meta").mkdir()
        for name, number in (("libcublas", "12.9.1.4"), ("libcublasLt", "12.9.1.4"), ("libcudart", "12.4.127")):
            file = prefix / f"targets/x86_64-linux/lib/{name}.so.12"
            file.rename(f"{file}.{number[3:]}")
            for link in (f"{name}.so.12", f"{name}.so.{number}"):
                (prefix / "lib" / link).symlink_to(f"../targets/x86_64-linux/lib/{name}.so.{number}")
        components, _ = self.discovered()
        self.assertEqual(set(components["cuda"]["versions"]), {"12.4.127+cuda"})
        self.kept(components)
        document = self.measured("12.9.1.4+cuda")
        self.assertTrue(any("envs/cuda/targets" in path and "libcudart" in path for path in document["artifacts"]), document["artifacts"])

    def test_convolutions_and_collectives(self):
        self.wheels("torch", "12.9.1.5", b"torch")
        self.kept(self.discovered()[0])
        for requires, pi, component, params, wanted in (
                ("gpu-convolution", "conv2d", "cudnn",
                 {"batch": 1, "height": 6, "width": 6, "in_channels": 2, "out_channels": 2, "kernel": 3},
                 {("9.10.2.21", "ok", "9.10.2"), ("9.10.2.21+torch", "ok", "9.10.2")}),
                ("gpu-collectives", "all_reduce", "nccl", {"bytes": 1024}, {("2.21.5", "ok", "2.21.5")})):
            project = self.over({requires: "*"}, workload={"pi": pi, "params": {
                **params, "dtype": "float32", "repetitions": 3, "min_sample_ms": 0.01, "warmup_ms": 0}})
            self.stackx("inspect", project, "--rounds", 1)
            documents = [one for one in self.inspections() if one["workload"]["pi"] == pi]
            self.assertEqual({(one["stack"][component], one["outcome"], one["loaded"].get(component)) for one in documents}, wanted,
                             {one["reason"] for one in documents})

    def test_a_model_has_the_name_that_advise_knows(self):
        self.environment["LD_LIBRARY_PATH"] = str(TESTS / "nvml" / "two_gpus")
        components, said = self.discovered()
        self.assertEqual(set(components["gpu"]["versions"]), {"h200-sxm-141gb", "v100-sxm2-16gb"})
        self.assertIn("gpu h200-sxm-141gb: NVIDIA H200, driver 550.54.15", said)
        self.kept(components)
        pi = self.write("pi.sh", PI)
        pi.chmod(0o755)
        self.stackx("inspect", self.over({"cublas": "*"}), "--pi", pi, "--rounds", 1)
        (document,) = self.inspections()
        self.assertEqual((document["outcome"], document["stack"]["gpu"]), ("ok", "h200-sxm-141gb"), document["reason"])
        found = self.json("advise", "--hw", "h200", "--workload", "matmul", "--pi", pi)
        self.assertEqual((found["answer"]["grade"], found["answer"]["stack"]["cublas"]), ("MEASURED", "12.9.1.4"))

    def test_beside_the_catalogs_that_come_with_stackx(self):
        self.environment["LD_LIBRARY_PATH"] = str(TESTS / "nvml" / "two_gpus")
        self.kept(self.discovered()[0])
        stacks = {}
        for catalogs in (["gpus.json", "discovered.json"], ["discovered.json", "gpus.json"], ["discovered.json"],
                         ["gpus.json", "cuda.json", "cuda-wheels.json", "discovered.json"]):
            project = self.project(catalogs=catalogs, requires={"gpu-matmul": "*"}, hardware={"gpu": "h200-sxm-141gb", "driver": "580.65"}
                                   if "cuda.json" in catalogs else {"gpu": "h200-sxm-141gb"})
            stacks[" ".join(catalogs)] = int(self.json("resolve", project, "--count")["valid_stacks"])
        alone, *beside, fetched = (stacks[key] for key in sorted(stacks, key=len))
        self.assertEqual((beside, alone), ([5, 5], 5))  # a cuBLAS, two ways of cuBLASLt, two own kernels
        self.assertGreater(fetched, alone)
        document = json.loads((self.scratch / "discovered.json").read_text())
        document["components"]["gpu"]["versions"]["h200-sxm-141gb"]["attributes"]["memory_gb"] = 140
        self.write("discovered.json", document)
        wrong = self.stackx("catalog", "validate", "gpus.json", self.scratch / "discovered.json", exit_code=2).stderr
        self.assertRegex(wrong, r"gpus\.json: /components/gpu/versions/h200-sxm-141gb/attributes/memory_gb: 141 here, but 140 in "
                                r"\S+discovered\.json; ")

    def test_the_answer_ends_with_what_to_run(self):
        _, said = self.discovered()
        self.assertIn("Its stacks, by what a project requires:", said)
        self.assertRegex(" ".join(said.split()), r" gpu-matmul matrix products on the GPU: cublas [^;]*\b12\.9\.1\.4\b[^;]*; cublaslt "
                                                 r"[^;]*\b12\.9\.1\.4\b[^;]*; nvrtc [^;]*\b12\.9\.86\b")
        self.assertTrue(said.endswith(f"Next: stackx resolve {self.scratch}/compare.json --count\n"
                                      f"      stackx inspect {self.scratch}/compare.json\n"), said)
        project = json.loads((self.scratch / "compare.json").read_text())
        self.assertEqual((project["requires"], project["hardware"]), ({"gpu-matmul": "*"}, {"gpu": "host", "driver": "host"}))
        self.assertGreaterEqual(int(self.json("resolve", self.scratch / "compare.json", "--count")["valid_stacks"]), 5)
        self.assertIn("-o FILE", self.stackx("catalog", "discover", "--project", "x.json", exit_code=2).stderr)
