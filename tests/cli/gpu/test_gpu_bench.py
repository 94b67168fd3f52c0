"""bench/gpu/run on a GPU that is played (driver, NVML, cudart, cuBLAS, nvidia-smi): each part, what it keeps, and what it says where
something is not as it should be."""

import ctypes
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy
except ImportError:
    numpy = None

from harness import ROOT, STACKX, BlackBox, schema_errors

sys.path.append(str(ROOT / "bench/gpu"))
import fatbin  # noqa: E402  pylint: disable=wrong-import-position

FAKES = pathlib.Path(STACKX).resolve().parent / "tests" / "fakes"
UUID = "GPU-00000000-0000-0000-0000-000000000000"
SMI = """#!{python}
import sys
known = {{"uuid": "{uuid}", "name": "NVIDIA Fake", "driver_version": "{driver}", "pci.bus_id": "", "compute_cap": "9.0",
         "memory.total": "16384 MiB", "memory.used": "1 MiB", "memory.free": "1000 MiB", "utilization.gpu": "99 %"}}
if "--query-gpu=" in sys.argv[1]:
    print(known[sys.argv[1].partition("=")[2]])
"""
# What PyTorch says of a GPU: the played one, with memory enough.
PLAYED_GPU = f"""
class cuda(object):
    is_available = staticmethod(lambda: True)
    synchronize = staticmethod(lambda: None)
    mem_get_info = staticmethod(lambda: (1 << 34, 1 << 34))
    get_arch_list = staticmethod(lambda: ["sm_90"])
    max_memory_allocated = staticmethod(lambda: 1 << 20)
    get_device_properties = staticmethod(lambda device: type("Properties", (), {{"uuid": "{UUID.removeprefix('GPU-')}"}}))
class backends(object):
    class cuda(object):
        class matmul(object):
            allow_tf32 = False
    class cudnn(object):
        allow_tf32 = False
        version = staticmethod(lambda: 91000)
"""


class GpuBench(BlackBox):
    def setUp(self):
        super().setUp()
        toolkit = self.scratch / "toolkit"
        (toolkit / "lib64").mkdir(parents=True)
        (toolkit / "version.json").write_text(json.dumps({"cuda": {"version": "12.9.1"}, "libcublas": {"version": "12.9.1.4"},
                                                          "cuda_cudart": {"version": "12.9.79"}}))
        (toolkit / "lib64/libcublas.so.12").symlink_to(FAKES / "cuda12/libcublas.so")
        (toolkit / "lib64/libcublasLt.so.12").symlink_to(FAKES / "cuda12/libcublasLt.so")
        (toolkit / "lib64/libcudart.so.12").symlink_to(FAKES / "gpu/right/libcudart.so.12")
        self.smi("550.54.15")
        self.output = self.scratch / "output"
        self.environment.update(PATH=f"{self.scratch / 'bin'}:{self.environment['PATH']}", CUDA_HOME=str(toolkit),
                                LD_LIBRARY_PATH=str(FAKES / "gpu/right"))

    def smi(self, driver):
        program = self.scratch / "bin" / "nvidia-smi"
        program.parent.mkdir(exist_ok=True)
        program.write_text(SMI.format(python=sys.executable, uuid=UUID, driver=driver))
        program.chmod(0o755)

    def bench(self, *words, exit_code=0):
        done = subprocess.run([sys.executable, ROOT / "bench/gpu/run", "--small", "--minutes", "60", "--bin", pathlib.Path(STACKX).parent,
                               "--python", sys.executable, "--output", self.output, *words], env=self.environment,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, exit_code, done.stdout + done.stderr)
        return done

    def rows(self, part):
        """{first cells: last cell} of a part's table."""
        lines = (self.output / f"{part}.md").read_text().splitlines()
        lines = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")][1:]
        return {tuple(line[:-1]): line[-1] for line in lines}

    def test_what_is_found_is_held_against_nvidia_smi(self):
        self.bench("--parts", "found")
        self.assertEqual({row[0]: told for row, told in self.rows("found").items() if row[0] in ("model", "UUID", "memory", "driver")},
                         {"model": "same", "UUID": "same", "memory": "same", "driver": "same"})
        self.smi("999.1")
        self.bench("--parts", "found")
        self.assertEqual({row[0]: told for row, told in self.rows("found").items()}["driver"], "DIFFERS")

    def test_devices_and_a_process_that_is_killed(self):
        self.bench("--parts", "outcomes")
        told = {row[0]: last for row, last in self.rows("outcomes").items()}
        for name in ("device=0", "device=UUID", "device=99", "CUDA_VISIBLE_DEVICES=UUID", "CUDA_VISIBLE_DEVICES=-1",
                     "SIGKILL in mid-kernel", "the next product", "a campaign's time limit", "at the end"):
            self.assertEqual(told[name], "as expected", self.rows("outcomes"))
        self.assertEqual(told["device memory full"], "DIFFERS")  # the played device has no memory to fill, and that is said

    def test_faults_are_caught_and_what_is_right_is_not(self):
        self.bench("--parts", "wrong")
        told = {(row[1], row[2].split()[1]): last for row, last in self.rows("wrong").items() if row[0] == "cublas"}
        for fault, dtype in (("last_term", "float64"), ("last_term", "float32"), ("last_term", "bfloat16"),
                             ("last_column", "float32"), ("idle", "float32")):
            self.assertTrue(told[fault, f"dtype={dtype}"].startswith("caught: "), told)
        # The played cuBLAS computes float32 as it is whatever mode it is asked for: nothing is wrong, and nothing is said to be.
        self.assertEqual(told["tf32", "dtype=float32"], "NOT CAUGHT")

    def test_indicators_once_and_frameworks_that_are_not_there(self):
        self.bench("--parts", "once,frameworks")
        told = {row[0]: last for row, last in self.rows("once").items()}
        for words in ("memory_bandwidth", "transfer", "matmul dtype=float64 m=64 n=64 k=64",
                      "matmul dtype=bfloat16 search=16 m=64 n=64 k=64",
                      "matmul dtype=bfloat16 result=same m=64 n=64 k=64", "matmul dtype=bfloat16 result=same search=16 m=64 n=64 k=64"):
            self.assertEqual(told[words], "right", told)
        self.assertIn("Not run, for want of time or of a library: ", (self.output / "once.md").read_text())  # no NVRTC, no cuDNN, no NCCL
        documents = [json.loads(line) for line in (self.output / "once.jsonl").read_text().splitlines()]
        self.assertIn(f"{len(documents)} ran, ", (self.output / "once.md").read_text())
        self.assertTrue(all(one["argv"][0] in ("memory_bandwidth", "launch_latency", "transfer", "matmul") for one in documents))
        self.assertIn(", 0 of them right", (self.output / "frameworks.md").read_text())
        made = {file.parent.name: json.loads(file.read_text()) for file in (self.output / "evidence").glob("*/nvidia-fake-stackx.json")}
        self.assertEqual(set(made), {one["document"]["name"] for one in documents} - {"matmul"})
        self.assertEqual(schema_errors("evidence", made.values()), [""] * len(made))
        self.assertEqual(made["transfer"]["tables"][0]["stack"]["driver"], "550.54.15")

    def test_rounds_give_a_table_and_evidence_and_go_on(self):
        words = ("--parts", "rounds", "--sizes", "64", "--dtypes", "float32,bfloat16", "--rounds")
        self.bench(*words, "2")
        table = (self.output / "rounds.md").read_text()
        self.assertIn("| float32 | float32 | 64 |", table)
        self.assertIn("| bfloat16 | bfloat16 | 64 |", table)  # as frameworks write it
        self.assertIn("n=2)", table)
        evidence = json.loads((self.output / "nvidia-fake-matmul.json").read_text())
        self.assertEqual(schema_errors("evidence", [evidence]), [""])
        rows = [dict(zip(one["columns"], row)) for one in evidence["tables"] for row in one["rows"]]
        self.assertEqual({row["runs"] for row in rows}, {2})
        self.assertEqual({row["params.dtype"]: row["details.result"] for row in rows}, {"float32": "float32", "bfloat16": "bfloat16"})
        self.bench(*words, "2")
        self.assertIn("n=2)", (self.output / "rounds.md").read_text())  # complete before: nothing is measured twice

    def played_torch(self):
        """A virtual environment with a PyTorch that is NumPy underneath, and sees the played GPU."""
        place = self.scratch / "torch"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
        site = next(place.glob("lib/python*/site-packages"))
        for folder in pathlib.Path(numpy.__file__).parents[1].glob("numpy*"):
            shutil.copytree(folder, site / folder.name)
        fakes = ROOT / "tests/kernels/python/fakes"
        shutil.copy(fakes / "naive.py", site)
        (site / "torch.py").write_text((fakes / "torch/torch.py").read_text().replace("1.99.0+cpu", "2.6.0") + PLAYED_GPU)
        info = site / "torch-2.6.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.6.0\n\n")
        return place

    @unittest.skipIf(numpy is None, "NumPy is not installed for " + sys.executable)
    def test_settings_of_a_framework_are_compared(self):
        self.environment["VIRTUAL_ENV"] = str(self.played_torch())
        self.bench("--parts", "settings", "--rounds", "1")
        told = (self.output / "settings.md").read_text()
        self.assertRegex(told, r"- torch, matmul float32, by tf32: .*tf32 (off|on) .* [GT]?FLOP/s")
        self.assertRegex(told, r"- torch, matmul bfloat16, by torch-blas: No stack ran: .* no attribute 'bfloat16'")  # NumPy has none
        exported = self.output / "settings.jsonl"
        self.environment["STACKX_DB"] = str(self.output / "gpu.db")
        self.stackx("export", "-o", exported)
        documents = [one for one in map(json.loads, exported.read_text().splitlines()) if one["$schema"] == "stackx/inspection/1"]
        ran = {(one["stack"].get("tf32"), one["parameters"]["tf32"]) for one in documents if "tf32" in one["stack"]}
        self.assertEqual(ran, {("off", "0"), ("on", "1")})
        self.assertEqual({one["outcome"] for one in documents if "tf32" in one["stack"]}, {"ok"})

    def test_without_a_gpu(self):
        (self.scratch / "bin/nvidia-smi").write_text("#!/bin/sh\necho 'No devices were found'\nexit 6\n")
        done = self.bench(exit_code=3)
        self.assertIn("No devices were found", done.stderr)


class DeviceCode(unittest.TestCase):
    """bench/gpu/fatbin.py: the code of other architectures goes, all else stays where it was."""

    def library(self, containers):
        """A shared library with such containers, [[(architecture, payload)]], and a function."""
        text = b""
        for pieces in containers:
            inside = b"".join(fatbin.ENTRY.pack(2, 0x101, fatbin.ENTRY.size, len(payload), 0, 0, 0, 1, architecture) + payload
                              for architecture, payload in pieces)
            text += fatbin.CONTAINER.pack(fatbin.MAGIC, 1, fatbin.CONTAINER.size, len(inside)) + inside + bytes(24)  # padding between
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        source, path = pathlib.Path(folder.name, "x.c"), pathlib.Path(folder.name, "x.so")
        values = ", ".join(map(str, text))
        source.write_text('__attribute__((section(".nv_fatbin"))) const unsigned char code[] = {' + values +
                          "}; int answer(void) { return 42; }")
        subprocess.run(["cc", "-shared", "-fPIC", source, "-o", path], check=True)
        return path

    def test_one_architecture_is_kept(self):
        path = self.library([[(80, b"\1" * 64), (90, b"\2" * 128)], [(90, b"\3" * 32), (120, b"\4" * 256)]])
        image = bytearray(path.read_bytes())
        self.assertEqual(fatbin.bytes_by_architecture(image), {80: 64, 90: 160, 120: 256})
        fatbin.keep(image, {90})
        self.assertEqual([bytes(image[begin:end]) for _, _, begin, end in fatbin.entries(image)],
                         [bytes(64), b"\2" * 128, b"\3" * 32, bytes(256)])
        self.assertEqual(sum(old != new for old, new in zip(path.read_bytes(), image)), 64 + 256)
        path.write_bytes(image)
        self.assertEqual(ctypes.CDLL(str(path)).answer(), 42)

    def test_no_device_code_and_no_library(self):
        self.assertEqual(fatbin.bytes_by_architecture(pathlib.Path(STACKX).read_bytes()), {})
        self.assertRaisesRegex(ValueError, "no ELF", fatbin.bytes_by_architecture, b"text")
