"""bench/gpu/run on a GPU that is played (driver, NVML, cudart, cuBLAS, nvidia-smi): each part, what it keeps, and what it says where
something is not as it should be; and what it does in eight minutes, on a clock that is played, too."""

import ctypes
import importlib.machinery
import importlib.util
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

try:
    import numpy
except ImportError:
    numpy = None

from harness import ROOT, STACKX, BlackBox, schema_errors

sys.path.append(str(ROOT / "bench/gpu"))
import fatbin  # noqa: E402  pylint: disable=wrong-import-position
import frameworks  # noqa: E402  pylint: disable=wrong-import-position
import once  # noqa: E402  pylint: disable=wrong-import-position
import outcomes  # noqa: E402  pylint: disable=wrong-import-position
import rounds  # noqa: E402  pylint: disable=wrong-import-position
import settings  # noqa: E402  pylint: disable=wrong-import-position

FAKES = pathlib.Path(STACKX).resolve().parent / "tests" / "fakes"
UUID = "GPU-00000000-0000-0000-0000-000000000000"
SMI = """#!{python}
import sys
known = {{"uuid": "{uuid}", "name": "NVIDIA Fake", "driver_version": "{driver}", "pci.bus_id": "", "compute_cap": "9.0",
         "memory.total": "16384 MiB", "memory.used": "1 MiB", "memory.free": "1000 MiB", "utilization.gpu": "99 %",
         "mig.mode.current": "[N/A]", **{more}}}
if "--query-gpu=" in sys.argv[1]:
    assert sys.argv[3] == "--id={uuid}", sys.argv
    print(known[sys.argv[1].partition("=")[2]])
if sys.argv[1] == "-L":
    print("GPU 0: NVIDIA Fake (UUID: {uuid})")
    for number, instance in enumerate({instances}):
        print("  MIG 1g.18gb     Device  %d: (UUID: %s)" % (number, instance))
"""
MIG = ["MIG-80000000-0000-0000-0000-000000000000", "MIG-80000000-9999-0000-0000-000000000000"]
DIVIDED = {"mig.mode.current": "Enabled", "utilization.gpu": "[N/A]"}
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

    def smi(self, driver, more=None, instances=()):
        program = self.scratch / "bin" / "nvidia-smi"
        program.parent.mkdir(exist_ok=True)
        program.write_text(SMI.format(python=sys.executable, uuid=UUID, driver=driver, more=more or {}, instances=instances))
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
        for missing in ("nvrtc", "cudnn", "nccl"):
            self.assertIn(f"Not run, for want of {missing}: ", (self.output / "once.md").read_text())
        for words in ("launch_latency synchronous=1", "memory_bandwidth loop=read", "memory_bandwidth loop=memcpy", "transfer direction=both",
                      "transfer memory=pageable", "matmul dtype=bfloat16 l2=flush m=64 n=64 k=64"):
            self.assertEqual(told[words], "right", told)
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

    def test_of_a_divided_card_the_first_instance_is_taken(self):
        self.smi("550.54.15", DIVIDED, MIG)
        self.environment["FAKE_CUDA_MIG"] = "1"
        self.bench("--parts", "outcomes")
        (self.output / "discovered.json").unlink()  # multiplying matrices once more, as another test does, tells nothing of a part of a card
        for library in (self.scratch / "toolkit/lib64").glob("libcublas*"):
            library.unlink()
        done = self.bench("--parts", "once")
        self.assertIn(f"# NVIDIA Fake MIG 1g.18gb, driver 550.54.15, {MIG[0]}", done.stdout)
        told = {row[0]: last for row, last in self.rows("once").items()}
        self.assertEqual((told["memory_bandwidth"], told["transfer"]), ("right", "right"), told)
        made = json.loads((self.output / "evidence/transfer/nvidia-fake-mig-1g-18gb-stackx.json").read_text())
        self.assertEqual(made["tables"][0]["hardware"], "NVIDIA Fake MIG 1g.18gb")  # and not the card, of which it is a part
        told = {row[0]: last for row, last in self.rows("outcomes").items()}
        self.assertEqual({name: told[name] for name in ("device=UUID", "SIGKILL in mid-kernel", "the next product", "device memory full")},
                         {"device=UUID": "as expected", "SIGKILL in mid-kernel": "as expected", "the next product": "as expected",
                          "device memory full": "not tried"}, told)
        self.assertIn(f"{MIG[1]}\n", self.bench("--device", MIG[1], "--parts", "wrong").stdout.partition("##")[0])

    def test_a_divided_card_without_an_instance(self):
        self.smi("550.54.15", DIVIDED)
        done = self.bench(exit_code=3)
        self.assertRegex(done.stderr, rf"^bench/gpu/run: {UUID}: MIG is on and the card has no instance, .*nvidia-smi mig -cgi 0 -C, .*\n$")

    def test_a_gpu_that_is_not_here(self):
        done = self.bench("--device", "GPU-99", exit_code=3)
        self.assertIn(f"GPU-99: no such GPU here; nvidia-smi -L lists {UUID}", done.stderr)

    def test_without_a_gpu(self):
        (self.scratch / "bin/nvidia-smi").write_text("#!/bin/sh\necho 'No devices were found'\nexit 6\n")
        done = self.bench(exit_code=3)
        self.assertIn("No devices were found", done.stderr)


class Clocked:
    """A machine with every library, and a clock that only what runs moves, by the seconds that it took on an H200."""
    uuid, name, python, sizes, rounds, small = UUID, "NVIDIA Fake", "python3", [8192], 10, False

    def __init__(self, seconds, output):
        self.remaining, self.output, self.ran, self.dtypes = seconds, output, [], list(rounds.LIBRARIES)

    def left(self):
        return self.remaining

    def took(self, words, seconds):
        self.ran.append(words)
        self.remaining -= seconds
        return {"document": {"check": {"pass": True}, "samples_ns": [1e9], "work": {"flop": 1}, "parameters": {"mini_batch": 1}}}

    def native(self, words):
        words = " ".join(word for word in words if not word.startswith(("--", "/", "device=")))
        return self.took(words, 3.5 if "8192" in words else 1.5)

    def limited(self, name):
        return ["max_seconds=2"]

    def framework(self, words, seconds):
        slow = {"transformer": 15, "train_resnet50": 25, "startup": 45}.get(words[0], 9)
        assert slow <= seconds, words  # else it would have been killed
        return self.took(" ".join(words), slow)

    def run(self, command, _seconds):
        self.took(" ".join(map(str, command[3:])), 6)
        return subprocess.CompletedProcess(command, 0, "1" if len(command) > 3 else "/lib/libcublas.so.13\n", "")

    def campaign(self, _machine, name, _workload, seconds, stacks=(1, 2), rounds=10, **_):  # pylint: disable=redefined-outer-name
        needed = len(stacks) * rounds * (3.5 if "matmul" in name else 8)
        self.took((name, rounds), min(seconds, needed))
        return [f"campaign 0: ({'complete' if needed <= seconds else 'budget used up'})"]

    def stackx(self, *_words, **_):
        (self.output / "results.jsonl").touch()

    library = staticmethod(lambda component: f"/lib/{component}")
    libraries = library
    sized = staticmethod(lambda words: words)


class EightMinutes(unittest.TestCase):
    """What comes out of the usual time, or of less: what matters most, and what was left out is said."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.output = pathlib.Path(folder.name)
        loader = importlib.machinery.SourceFileLoader("gpu_run", str(ROOT / "bench/gpu/run"))
        program = importlib.util.module_from_spec(importlib.util.spec_from_loader("gpu_run", loader))
        loader.exec_module(program)
        self.shares = {name: 480 * share / sum(one for _, one in program.PARTS.values()) for name, (_, share) in program.PARTS.items()}

    def part(self, module, seconds=None):
        machine = Clocked(seconds or self.shares[module.__name__], self.output)
        with unittest.mock.patch("tally.progress"):
            return machine, list(module.part(machine))

    def test_once_begins_with_what_no_device_has_run(self):
        machine, lines = self.part(once)
        ran = " ".join(machine.ran)
        for words in ("conv2d", "transformer_ops", "all_gather", "alltoall", "api=runtime", "synchronous=1", "l2=flush", "loop=read",
                      "loop=write", "loop=copy", "loop=memcpy", "direction=both", "direction=d2h", "memory=pageable", "dtype=int8",
                      "scenario=server", "result=same"):
            self.assertIn(words, ran)
        self.assertRegex(lines[-1], "^Not run, for want of time: .*matmul dtype=bfloat16 m=16384")

    def test_frameworks_take_turns_and_bfloat16_is_compared_first(self):
        machine, lines = self.part(frameworks)
        self.assertIn("dtype=bfloat16 result=same", machine.ran[1])
        self.assertRegex(lines[0], r"bfloat16 8192: stackx-pi took 1\.000 .* of [3-6] pairs")
        ran = [words for words in machine.ran if "framework=" in words]
        self.assertEqual(ran[0].split()[:2] + ran[1].split()[1:2], ["transformer", "framework=jax", "framework=torch"])
        self.assertGreaterEqual(sum("framework=jax" in words for words in ran), 2)
        self.assertTrue(any("Not run, for want of time: " in line and "train_resnet50 framework=jax" in line for line in lines), lines)
        self.assertEqual(lines[-1], "Beside torch.utils.benchmark, float32: not tried, for want of time.")
        machine, lines = self.part(frameworks, 3600)
        self.assertRegex(lines[-1], "float32 8192: stackx-pi took 1.000 .* of 6 pairs")
        self.assertEqual(machine.ran.count("import framework=jax repetitions=3"), 1)

    def campaigns(self, module, machine, stacks=()):
        with unittest.mock.patch.multiple(module, campaign=machine.campaign, **({"listed": lambda *_: stacks, "project": lambda *_: None,
                                          "expectation": lambda *_: "nothing"} if stacks else {})):
            return list(module.part(machine))

    def test_rounds_of_one_type_are_ended_before_the_next_begins(self):
        copies = [{"cublas": version} for version in ("13.1.0.3", "12.9.1.4", "13.1.0.3+torch")]
        copies += [{"cublaslt": one["cublas"], "cublaslt-search": search} for one in copies for search in ("0", "16")]
        machine = Clocked(self.shares["rounds"], self.output)
        lines = self.campaigns(rounds, machine, copies)
        self.assertEqual(machine.ran[0], ("matmul-bfloat16-8192-newest", 10))
        self.assertEqual(lines[0], "- bfloat16 8192: campaign 0: (complete)")
        self.assertRegex(lines[1], r"left out, for want of time \(315 s for all\): cuBLAS 12\.9\.1\.4; cuBLAS 13\.1\.0\.3\+torch; ")
        self.assertNotIn("cuBLAS 13.1.0.3;", lines[1])
        self.assertEqual([name for name, _ in machine.ran], ["matmul-bfloat16-8192-newest", "matmul-fp8-8192-newest"])
        self.assertTrue(any(re.match(r"- float16 8192: not begun, for want of time \(fp8 8192 goes on first; it needs 105 s, \d s are left\)",
                                     line) for line in lines), lines)
        machine = Clocked(3600, self.output)
        self.campaigns(rounds, machine, copies)
        self.assertEqual([name for name, _ in machine.ran], [f"matmul-{dtype}-8192" for dtype in rounds.LIBRARIES])

    def discovered(self, **changed):
        components = json.loads((ROOT / "specs/data/gpu-settings.json").read_text())["components"]
        (self.output / "discovered.json").write_text(json.dumps({"components": {**components, **changed}}))
        return components

    def test_one_setting_gets_its_rounds(self):
        self.discovered()
        machine = Clocked(self.shares["settings"], self.output)
        lines = self.campaigns(settings, machine)
        self.assertEqual(machine.ran[0], ("torch-tf32", 6))  # the fewest that two stacks need
        self.assertEqual(lines[0], "- torch, matmul float32, by tf32: campaign 0: (complete)")
        self.assertRegex(lines[-1], r"^- torch, startup, by cuda-module-loading: not begun, for want of time \(")

    def test_settings_are_those_of_the_catalog(self):
        components = self.discovered()
        for framework, setting, *_ in settings.CAMPAIGNS:
            self.assertGreaterEqual(len(settings.values_for(components, framework, setting)), 2, setting)
        self.discovered(**{"torch-blas": {"versions": {"cublas": {}, "one-of-jax": {"requires": {"framework": "==jax"}}}}, "xla-gemm": {}})
        machine = Clocked(3600, self.output)
        lines = self.campaigns(settings, machine)
        self.assertIn("- torch, matmul bfloat16, by torch-blas: nothing to compare, there is cublas here", lines)
        self.assertIn("- jax, matmul bfloat16, by xla-gemm: nothing to compare, there is no such setting here", lines)
        self.assertNotIn("torch-torch-blas", [name for name, _ in machine.ran])

    def test_every_indicator_and_parameter_exists(self):
        native = ([pathlib.Path(STACKX).with_name("stackx-pi"), "--help"], [words for _, words in once.runs()])
        python = ([sys.executable, ROOT / "kernels/python/pi.py", "--help"], [words for words, _ in frameworks.runs()])
        for command, lines in (native, python):
            text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            known = {}  # two indicators may have one name, on the CPU and on the GPU
            for name, section in re.findall(r"^(\w+): .*\n((?:  .*\n)+)", text, re.M):
                known.setdefault(name, set()).update(re.findall(r"^  (\w+) ", section, re.M))
            for name, *parameters in map(str.split, lines):
                self.assertIn(name, known)
                self.assertLessEqual({word.partition("=")[0] for word in parameters}, known[name], name)

    def test_what_is_to_be_killed_is_soon_on_the_device(self):
        words = dict(word.split("=") for word in outcomes.LONG.split())
        self.assertLessEqual(int(words["m"]) * int(words["k"]), 4096 ** 2)  # what the host prepares: a few tenths of a second
        product = 2 * int(words["m"]) * int(words["n"]) * int(words["k"]) / 51e12
        self.assertGreater(product * int(words["mini_batch"]), 3)  # of one sample, on an H200


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
