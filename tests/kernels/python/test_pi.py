"""pi.py as a program: protocol, usage errors, a pure stdout, and NumPy for real."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import support
from support import QUICK

NUMPY = ["framework=numpy"]
SMALL = ["m=40", "n=30", "k=20"] + NUMPY + QUICK


class Usage(support.PiTest):
    def test_one_clear_line(self):
        for words, message in [
            (["matmul", "q=3"], 'unknown parameter "q"; did you mean "m"?'),
            (["matmul", "repetition=3"], 'did you mean "repetitions"?'),
            (["matmul", "m=0"], "m=0: expected a whole number from 1 to 2147483647"),
            (["matmul", "m=1", "m=1"], "given twice"),
            (["matmul", "dtype=int8"], "expected one of float32"),
            (["matmul", "framework=tensorflw"], 'did you mean "tensorflow"?'),
            (["matmul", "threads=0"], "threads=0: expected a whole number"),
            (["matmul", "seed=18446744073709551616"], "seed="),
            (["matmul", "max_seconds=1e7"], "longer than 1000000 s"),
            (["conv2d", "kernel=99"], "kernel=99: larger than height=56"),
            (["conv2d", "kernel_w=99"], "kernel_w=99: larger than width=56"),
            (["conv1d", "padding=full"], "expected one of valid, same"),
            (["import", "module=os; print(1)"], "expected the name of a Python module"),
            (["import", "module=.os"], "expected the name of a Python module"),
            (["mtmul"], 'did you mean "matmul"?'), ([], "which performance indicator?"),
            (["matmul", "--library", "x"], "unknown option --library"),
        ]:
            err = self.pi(*words, exit_code=2)
            self.assertIn(message, err)
            self.assertEqual(err.count("\n"), 1, err)

    def test_help_lists_every_parameter(self):
        out = support.run(sys.executable, support.PI, "--help").stdout
        for word in ("matmul", "conv1d", "conv2d", "import", "hello_world", "kernel_h", "min_sample_ms", "tf32"):
            self.assertIn(word, out)
        names = [line.split("\t")[0] for line in support.run(sys.executable, support.PI, "list").stdout.splitlines()]
        self.assertEqual(names, ["matmul", "conv1d", "conv2d", "import", "startup", "hello_world", "train_resnet50", "transformer", "vllm_bench",
                                 "all_reduce", "all_gather", "reduce_scatter", "broadcast", "alltoall"])

    def test_plan_parameters_are_those_of_the_native_program(self):
        native = ["repetitions", "mini_batch", "min_sample_ms", "warmup_ms", "max_seconds", "seed"]
        text = (support.ROOT / "kernels" / "pi.cpp").read_text()
        help_text = support.run(sys.executable, support.PI, "--help").stdout
        for key in native:
            line = next(line for line in text.splitlines() if '{"%s"' % key in line)
            default, explanation = line.split('"')[3], line.split('"')[5]
            self.assertIn("%-14s %s [%s]" % (key, explanation, default), help_text)

    def test_what_is_not_installed_is_the_environments_fault(self):
        err = self.pi("matmul", "framework=mxnet", exit_code=3, before=["-S"])
        self.assertIn("cannot import mxnet", err)
        self.assertIn("none of", self.pi("matmul", exit_code=3, before=["-S"]))


class HelloWorld(support.PiTest):
    def test_document(self):
        found = self.pi("hello_world", "items=100", "repetitions=4", "framework=jax")
        self.assertEqual((found["name"], found["component"], len(found["samples_ns"])), ("hello_world", "python", 4))
        self.assertTrue(found["check"]["pass"])
        self.assertEqual(found["work"]["items"], 100 * found["parameters"]["mini_batch"])
        self.assertEqual(found["loaded"]["python"], "%d.%d.%d" % sys.version_info[:3])
        self.assertEqual([p["name"] for p in found["phases"]], ["check", "calibrate", "warm_up", "measure"])
        self.assertTrue(all(isinstance(ns, int) and ns > 0 for ns in found["samples_ns"]))
        self.assertTrue(any("libc" in path for path in found["files"]))

    def test_every_interpreter_of_this_machine(self):
        for version, program in support.interpreters().items():
            with self.subTest(version=version):
                done = support.run(program, "-s", "-S", support.BOOTSTRAP, self.scratch, support.PI, "hello_world",
                                   "repetitions=3")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(json.loads(done.stdout)["loaded"]["python"], version.rstrip("+"))

    def test_every_interpreter_reads_every_file(self):
        files = sorted(str(path) for path in support.KERNELS.rglob("*.py"))
        self.assertGreater(len(files), 20)
        check = "import sys\nfor f in sys.argv[1:]: compile(open(f, 'rb').read(), f, 'exec')"
        for version, program in support.interpreters().items():
            with self.subTest(version=version):
                done = support.run(program, "-S", "-c", check, *files)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_script_can_be_started_alone(self):
        done = support.run(sys.executable, support.KERNELS / "hello_world.py", "repetitions=3")
        self.assertEqual(json.loads(done.stdout)["name"], "hello_world", done.stderr)


class Import(support.PiTest):
    def site(self, text):
        self.write("site/slow.py", text)
        return ["-s", "-S", support.BOOTSTRAP, self.scratch / "site"]

    def test_only_the_import_is_timed(self):
        before = self.site("import time; time.sleep(0.05); __version__ = '1.5'; print('noise')")
        found = self.pi("import", "module=slow", "repetitions=3", before=before)
        self.assertEqual(len(found["samples_ns"]), 3)
        self.assertTrue(all(ns >= 50000000 for ns in found["samples_ns"]), found["samples_ns"])
        self.assertEqual((found["component"], found["loaded"]["slow"]), ("slow", "1.5"))
        self.assertEqual(found["work"], {"flop": 0, "bytes": 0, "items": 1})
        self.assertEqual(len(found["interpreter_start_ns"]), 3)
        self.assertTrue(all(ns > 0 for ns in found["interpreter_start_ns"]))

    def test_every_sample_is_a_fresh_process(self):
        count = self.scratch / "count"
        before = self.site("open(%r, 'a').write('x')" % str(count))
        self.pi("import", "module=slow", "repetitions=3", "mini_batch=2", before=before)
        self.assertEqual(count.read_text(), "x" * (1 + 3 * 2))

    def test_a_module_that_fails(self):
        for text, message in [("import nothing_", "nothing_"), ("raise SystemExit(4)", "exit status 4"),
                              ("import os; os._exit(0)", "printed no document")]:
            err = self.pi("import", "module=slow", exit_code=3, before=self.site(text))
            self.assertIn(message, err)
            self.assertEqual(err.count("\n"), 1, err)

    def test_versions_that_change_are_a_wrong_result(self):
        before = self.site("import time; __version__ = str(time.time())")
        found = self.pi("import", "module=slow", "repetitions=3", before=before)
        self.assertFalse(found["check"]["pass"])
        self.assertEqual(found["samples_ns"], [])


@support.needs_numpy
class Numpy(support.PiTest):
    def test_matmul(self):
        found = self.pi("matmul", *SMALL, "threads=1")
        batch = found["parameters"]["mini_batch"]
        self.assertEqual(found["work"], {"flop": 2 * 40 * 30 * 20 * batch, "items": batch,
                                         "bytes": 4 * (40 * 20 + 20 * 30 + 40 * 30) * batch})
        self.assertEqual(found["work_formula"], "flop = 2 m n k")
        self.assertEqual([p["name"] for p in found["phases"]], ["load", "check", "calibrate", "warm_up", "measure"])
        self.assertTrue(found["check"]["pass"])
        self.assertEqual(found["loaded"]["numpy"], support.numpy.__version__)
        self.assertEqual(found["build"]["version"], support.numpy.__version__)
        self.assertEqual((found["parameters"]["framework"], found["parameters"]["mode"]), ("numpy", "eager"))
        if "library" in found:
            self.assertIn(found["library"]["path"], found["files"])
            self.assertEqual(found["library"].get("threads", 1), 1)

    def test_the_type_of_the_result(self):
        for words in ([], ["result=same"], ["result=float32"]):
            found = self.pi("matmul", *SMALL, *words)
            self.assertEqual((found["parameters"]["result"], found["check"]["pass"]), ("float32", True))
        found = self.pi("matmul", *SMALL, "result=bfloat16")
        self.assertEqual(found["unsupported"], "frameworks write float32 products as float32, not bfloat16")
        self.assertIn("expected one of usual, same", self.pi("matmul", *SMALL, "result=half", exit_code=2))

    def test_convolutions(self):
        for words in (["conv1d", "length=50", "kernel=5"], ["conv2d", "height=9", "width=8", "kernel_h=2"]):
            for padding in ("valid", "same"):
                found = self.pi(*words, "batch=2", "in_channels=3", "out_channels=4", "stride=2", "padding=" + padding,
                                *NUMPY, *QUICK)
                self.assertTrue(found["check"]["pass"], found)
                self.assertEqual(found["parameters"]["layout"], "channels_last")
                inside = found["work"]["flop_without_padding"]
                self.assertEqual(found["work"]["flop"] == inside, padding == "valid", found["work"])

    def test_what_numpy_cannot_do_is_unsupported(self):
        for words, reason in [(["dtype=bfloat16"], "dtype=bfloat16"), (["device=gpu"], "device=gpu"),
                              (["mode=function"], "mode=function")]:
            found = self.pi("matmul", *SMALL, *words)
            self.assertIn(reason, found["unsupported"])
            self.assertNotIn("samples_ns", found)
        self.assertIn("layout", self.pi("conv1d", "layout=channels_first", *NUMPY)["unsupported"])

    def test_more_threads_than_the_library_takes(self):
        found = self.pi("matmul", *SMALL, "threads=4096")
        if "unsupported" in found:  # a NumPy without a BLAS that tells its threads knows no better
            self.assertIn("4096 threads asked for", found["unsupported"])

    def test_another_name(self):
        found = self.pi("matmul", *SMALL, "--component", "my-numpy")
        self.assertEqual((found["component"], found["loaded"]["my-numpy"]), ("my-numpy", support.numpy.__version__))

    def test_stdout_is_the_document_whatever_is_printed(self):
        noise = self.write("noise/sitecustomize.py", NOISE)
        found = self.pi("matmul", *SMALL, PYTHONPATH=str(noise.parent))
        self.assertTrue(found["check"]["pass"])

    def test_a_full_disk_is_an_error(self):
        if not pathlib.Path("/dev/full").exists():
            self.skipTest("no /dev/full")
        with open("/dev/full", "w") as full, tempfile.TemporaryFile() as err:
            status = subprocess.call([sys.executable, str(support.PI), "hello_world", "repetitions=3"], stdout=full,
                                     stderr=err, env=support.environment())
        self.assertEqual(status, 3)

    def test_metrics_and_memory_are_what_stackx_takes_in(self):
        known = json.loads((support.ROOT / "specs/schemas/published.json").read_text())["$defs"]["metric"]["enum"]
        for words in (["transformer", "model=tiny", "phase=prefill", "context=8"],
                      ["transformer", "model=tiny", "phase=decode", "context=8", "tokens=2"], ["startup", "size=32"]):
            with self.subTest(words):
                found = self.pi(*words, *NUMPY, "repetitions=3")
                self.assertTrue(found["check"]["pass"])
                self.assertTrue(found["metrics"])
                for name, value in found["metrics"].items():
                    self.assertIn(name, known)
                    self.assertGreater(value, 0)
                self.assertGreater(found["memory"]["check"], 1 << 20)
                self.assertLessEqual(found["memory"]["check"], found["memory"]["measure"])


# Prints from Python, from C's descriptor and from a child whenever NumPy multiplies.
NOISE = """
import os, subprocess, sys, threading
import numpy
dot = numpy.dot
told = []
def loud(*arguments, **options):
    if not told:
        told.append(1)
        print("noise")
        os.write(1, b"more noise\\n")
        subprocess.call([sys.executable, "-S", "-c", "print('noise of a child')"])
    return dot(*arguments, **options)
numpy.dot = loud
"""

if __name__ == "__main__":
    unittest.main()
