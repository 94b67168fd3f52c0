"""CUDA's runtime and compiler out of NVIDIA's wheels, the newest of each major version: loaded without a GPU, every function of
the table resolved, the table agreeing with the headers. cuBLAS and cuDNN are 300 to 800 MB a wheel: bench/gpu-wheels/run has
them all, and so have these tests with STACKX_TEST_GPU_WHEELS=all in the environment (20 GB to fetch)."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import gpu_wheels
from harness import ROOT

CACHE = pathlib.Path(os.environ.get("STACKX_TEST_CACHE", ROOT / "build" / "tests" / "cache")) / "gpu-wheels"
PROGRAM = os.environ.get("STACKX_RESOLVE_SYMBOLS", str(ROOT / "build" / "tests" / "resolve_symbols"))
COMPILE = os.environ.get("STACKX_COMPILE_KERNELS", str(ROOT / "build" / "tests" / "compile_kernels"))
# By CUDA's major version; between them each form of our kernels: wmma, synchronous copies, mma.sync with copies ahead.
ARCHITECTURES = {11: ["70"], 12: ["80", "90"], 13: ["75", "100"]}
EVERY = os.environ.get("STACKX_TEST_GPU_WHEELS") == "all"


class Catalogs(unittest.TestCase):
    def test_each_wheel_is_of_one_release_and_one_file(self):
        wheels = gpu_wheels.all_wheels()
        self.assertEqual(len({(wheel.package, wheel.version) for wheel in wheels}), len(wheels))
        self.assertEqual({wheel.library for wheel in wheels}, {"cudart", "nvrtc", "cublas", "cudnn"})
        for wheel in wheels:
            self.assertRegex(wheel.sha256, "^[0-9a-f]{64}$")
            self.assertTrue(wheel.file.startswith(wheel.package.replace("-", "_") + "-" + wheel.version + "-"), wheel)

    def test_cublas_by_cuda_release_is_one_of_those_by_number(self):
        by_release = gpu_wheels.components("cuda")["cublas"]["versions"]
        by_number = gpu_wheels.components("cuda-wheels")["nvidia-cublas"]["versions"]
        releases = list(gpu_wheels.toolkits())
        for release, entry in by_release.items():
            for one in entry.get("artifacts", ()):
                other = by_number[one["package_version"]]
                self.assertEqual(one, other["artifacts"][0])
                self.assertEqual(entry["reports"], other["reports"])
                fits = gpu_wheels.release_for(other["requires"]["cuda"], releases)
                self.assertEqual(gpu_wheels.number(fits)[:2], gpu_wheels.number(release), one["file"])


class Wheels(unittest.TestCase):
    def look_at(self, wheel, runtime):
        with tempfile.TemporaryDirectory(prefix="stackx-gpu-wheel-") as name:
            scratch = pathlib.Path(name)
            try:
                if wheel.library in ("cudart", "nvrtc"):
                    directory = gpu_wheels.kept(wheel, CACHE)
                else:
                    directory = scratch / "wheel"
                    for one in [wheel, *gpu_wheels.partners(wheel)]:
                        gpu_wheels.fetch(one, directory)
                headers = gpu_wheels.include_directories(gpu_wheels.kept(runtime, CACHE))
            except gpu_wheels.CannotFetch as error:
                self.skipTest(str(error))
            rows = gpu_wheels.resolve(PROGRAM, gpu_wheels.libraries(wheel, directory), directory.rglob("lib"))
            self.assertTrue(rows, f"{wheel.file} holds no library of ours")
            checked = gpu_wheels.check_headers(gpu_wheels.include_directories(directory) + headers, scratch)
        for row in rows:
            self.assertNotIn("error", row)
            self.assertEqual(row["resolved"], row["expected"], row)
            self.assertGreater(row["expected"], 0)
            self.assertIsInstance(checked, dict, checked)
            self.assertGreaterEqual(checked[row["library"]]["functions"], row["expected"], row)
        self.assert_library_is_where_the_catalog_says(wheel, directory)

    def assert_library_is_where_the_catalog_says(self, wheel, directory):
        for component in gpu_wheels.components("cuda", "cuda-wheels", "cudnn-wheels").values():
            for entry in component["versions"].values():
                for one in entry.get("artifacts", ()):
                    if one.get("sha256") == wheel.sha256 and wheel.library in ("cudart", "nvrtc"):
                        self.assertTrue((directory / one["library"]).is_file(), json.dumps(one))

    def test_runtime_and_compiler_of_each_major_version(self):
        newest = {}
        for release in sorted(gpu_wheels.toolkits(), key=gpu_wheels.number):
            newest[gpu_wheels.number(release)[0]] = release
        self.assertEqual(set(newest), {11, 12, 13})
        for release in newest.values():
            wheels = gpu_wheels.toolkits()[release]
            runtime = next(wheel for wheel in wheels if wheel.library == "cudart")
            for wheel in wheels:
                with self.subTest(wheel=wheel.file):
                    self.look_at(wheel, runtime)

    def test_our_kernels_compile_without_a_device(self):
        newest = {}
        for release in sorted(gpu_wheels.toolkits(), key=gpu_wheels.number):
            newest[gpu_wheels.number(release)[0]] = release
        for major, release in newest.items():
            wheel = next(wheel for wheel in gpu_wheels.toolkits()[release] if wheel.library == "nvrtc")
            with self.subTest(wheel=wheel.file):
                try:
                    library = gpu_wheels.libraries(wheel, gpu_wheels.kept(wheel, CACHE))[0]
                except gpu_wheels.CannotFetch as error:
                    self.skipTest(str(error))
                architectures = [] if EVERY else ARCHITECTURES[major]
                done = subprocess.run([COMPILE, str(library), *architectures], capture_output=True, text=True)
                rows = [json.loads(line) for line in done.stdout.splitlines()]
                self.assertTrue({f"sm_{one}" for one in architectures} <= {row["architecture"] for row in rows}, done.stderr)
                for row in rows:
                    self.assertIsNone(row["error"], row)
                    self.assertGreater(row["image_bytes"], 1000, row)
                    # NVRTC 13.4 spills 16 bytes of one sm_75 kernel of 80 registers: ptxas's choice. A tile too large spills hundreds.
                    self.assertLess(row["spill_bytes"] or 0, 64, row)
                self.assertIn(done.returncode, (0, 1), done.stderr)

    @unittest.skipUnless(EVERY, "STACKX_TEST_GPU_WHEELS=all fetches 20 GB")
    def test_the_newest_of_each_minor_version(self):
        for wheel in gpu_wheels.newest_of_each_minor(gpu_wheels.all_wheels()):
            runtime = next(one for one in gpu_wheels.toolkits()[wheel.cuda] if one.library == "cudart")
            with self.subTest(wheel=wheel.file):
                self.look_at(wheel, runtime)
