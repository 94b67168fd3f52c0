"""startup: with frameworks that are played (fakes/), wrong ones among them, and with real ones where they are installed."""

import os
import shutil
import unittest
from unittest import mock

import support
from support import FAKES
from test_frameworks import FAKE, real

METRICS = {"import_ms", "first_call_ms", "compile_ms", "first_step_ms", "interpreter_start_ms"}
SMALL = ["startup", "size=16", "repetitions=3"]


class StartupTest(support.PiTest):
    def measured(self, framework, *words, **changes):
        found = self.pi(*SMALL, "framework=" + framework, *words, **changes)
        self.assertNotIn("unsupported", found)
        self.assertTrue(found["check"]["pass"], found["check"])
        self.assertEqual((found["component"], len(found["samples_ns"])), (framework, 3))
        self.assertEqual(found["work"], {"flop": 0, "bytes": 0, "items": 1})
        self.assertLessEqual(set(found["metrics"]), METRICS)
        self.assertTrue(all(value > 0 for value in found["metrics"].values()))
        for values in found["stretches_ns"].values():
            self.assertTrue(all(isinstance(ns, int) and ns > 0 for ns in values), found["stretches_ns"])
        told = found["stretches_ns"]
        parts = zip(*[told[name] for name in ("interpreter_start", "import", "first_call", "inputs", "first") if name in told])
        self.assertEqual(found["stretches_ns"]["first_step"], [sum(one) for one in parts])
        return found

    def wrong(self, fault, *words, **changes):
        found = self.pi(*SMALL, *words, FAKE_FAULT=fault, **changes)
        self.assertFalse(found["check"]["pass"], fault)
        self.assertEqual(found["samples_ns"], [])
        self.assertNotIn("metrics", found)
        return found["check"]


def paths(fake):
    return {"PYTHONPATH": "%s:%s" % (FAKES / fake, FAKES)}


@support.needs_numpy
class Fakes(StartupTest):
    def each(self):
        return [(fake, framework, version) for fake, (framework, version) in FAKE.items() if fake != "mxnet"]

    def test_every_framework(self):
        for fake, framework, version in self.each():
            with self.subTest(fake=fake):
                found = self.measured(framework, **paths(fake))
                self.assertEqual(set(found["metrics"]), METRICS)
                self.assertEqual((found["loaded"][framework], found["parameters"]["mode"]), (version, "function"))
                self.assertEqual([phase["name"] for phase in found["phases"]], ["check", "calibrate", "warm_up", "measure"])
                self.assertEqual(found["samples_ns"], found["stretches_ns"]["first_step"])

    def test_what_samples_are(self):
        for of in ("import", "first_call", "compile", "first_step"):
            found = self.measured("torch", "of=" + of, "operation=matmul", **paths("torch"))
            self.assertEqual(found["samples_ns"], found["stretches_ns"][of])
        found = self.pi(*SMALL, "framework=torch", "of=import", "mini_batch=2", **paths("torch"))
        every = found["stretches_ns"]["import"]
        self.assertEqual(found["samples_ns"], [every[at] + every[at + 1] for at in (0, 2, 4)])

    def test_dtypes(self):
        for dtype in ("float64", "float16"):
            self.measured("torch", "dtype=" + dtype, **paths("torch"))

    def test_cold_and_warm(self):
        for fake in ("torch", "jax"):
            for cache, files, hits in (("cold", 0, 0), ("warm", 1, 1)):
                found = self.measured(fake, "cache=" + cache, **paths(fake))
                told = found["cache"]
                self.assertEqual((told["asked"], told["files_before"], told["files_after"], told["hits"]), (cache, files, 1, hits))
                self.assertEqual(found["notes"], [])
                self.assertGreater(told["bytes"], 0)

    def test_a_cache_that_is_none_is_said(self):
        for cache, words in (("warm", "torch 1.99.0+cpu left nothing in a cache on disk: warm is as cold"), ("cold", "cold is all it has")):
            found = self.measured("torch", "cache=" + cache, FAKE_FAULT="uncached", **paths("torch"))
            self.assertIn(words, found["notes"][0])
        found = self.measured("onnxruntime", "cache=warm", **paths("onnxruntime"))
        self.assertEqual(len(found["notes"]), 2, found["notes"])
        self.assertIn("does not tell whether it compiled", found["notes"][1])

    def test_cold_that_was_not_cold(self):
        self.assertIn("cold was not cold: 1 programs came from a cache", self.wrong("stale", "framework=torch", **paths("torch"))["detail"])
        self.assertIn("cold was not cold", self.wrong("stale", "framework=jax", **paths("jax"))["detail"])

    def test_a_compilation_that_never_happened(self):
        for fake, framework in (("torch", "torch"), ("jax", "jax"), ("tensorflow2", "tensorflow")):
            check = self.wrong("uncompiled", "framework=" + framework, **paths(fake))
            self.assertIn("nothing was compiled: the compiler counts", check["detail"])

    def test_a_wrong_result(self):
        for fake, framework, _ in self.each():
            with self.subTest(fake=fake):
                for fault in ("wrong", "zeros") + (("miscompiles",) if fake != "tensorflow1" else ()):
                    self.assertIn("expected", self.wrong(fault, "framework=" + framework, **paths(fake))["detail"])

    def test_a_refusal_is_unsupported_and_a_failure_is_not(self):
        for fake, framework, version in self.each():
            found = self.pi(*SMALL, "framework=" + framework, FAKE_FAULT="refuses", **paths(fake))
            self.assertEqual(found["unsupported"], framework + ": \"fake_kernel\" not implemented for 'Half'")
            self.assertEqual(found["loaded"][framework], version)
            err = self.pi(*SMALL, "framework=" + framework, exit_code=3, FAKE_FAULT="fails", **paths(fake))
            self.assertEqual(err, "pi.py: startup of %s: exit status 1: RuntimeError: the fake fell over\n" % framework)

    def test_eager(self):
        found = self.measured("torch", "mode=eager", **paths("torch"))
        self.assertEqual(set(found["metrics"]), METRICS - {"compile_ms"})
        self.assertIn("there is nothing to compile", found["notes"][0])
        found = self.pi(*SMALL, "framework=torch", "mode=eager", "of=compile", **paths("torch"))
        self.assertEqual(found["unsupported"], "torch 1.99.0+cpu compiled nothing: mode=eager")
        self.assertIn("mxnet: a network is not written for it", self.pi(*SMALL, "framework=mxnet", **paths("mxnet"))["unsupported"])

    def test_a_version_without_a_compiler(self):
        copy = self.scratch / "old"
        shutil.copytree(FAKES / "torch", copy)
        text = (copy / "torch.py").read_text()
        (copy / "torch.py").write_text(text.replace("def compile(function)", "def no_compile(function)"))
        where = {"PYTHONPATH": "%s:%s" % (copy, FAKES)}
        self.assertEqual(self.measured("torch", **where)["parameters"]["mode"], "eager")
        found = self.pi(*SMALL, "framework=torch", "mode=function", **where)
        self.assertEqual(found["unsupported"], "torch 1.99.0+cpu: mode=function")

    def test_a_child_that_ends_wrongly(self):
        for text, message in [("import os; os._exit(0)", "startup of torch: the child printed no document"),
                              ("raise SystemExit(4)", "exit status 4"), ("import nothing_", "No module named 'nothing_'"),
                              ("import os; os.kill(os.getpid(), 9)", "killed by signal 9: no message")]:
            site = self.write("site/torch.py", text).parent
            err = self.pi(*SMALL, "framework=torch", exit_code=3, PYTHONPATH=str(site))
            self.assertIn(message, err)
            self.assertEqual(err.count("\n"), 1, err)

    def test_another_version_in_one_process(self):
        copy, count = self.scratch / "site", self.scratch / "count"
        shutil.copytree(FAKES / "torch", copy)
        with open(str(copy / "torch.py"), "a") as file:
            file.write("\nprint('noise')\nopen(%r, 'a').write('x')\n__version__ = '1.5' if len(open(%r).read()) == 3 else '1.4'\n" % ((str(count),) * 2))
        found = self.pi(*SMALL, "framework=torch", PYTHONPATH="%s:%s" % (copy, FAKES))
        self.assertFalse(found["check"]["pass"])
        self.assertIn("not the same program in every process: 1.4 from", found["check"]["detail"])
        self.assertEqual(found["samples_ns"], [])

    def test_nothing_is_left_behind(self):
        for fault, status in (("", 0), ("fails", 3), ("refuses", 0), ("wrong", 0)):
            self.pi(*SMALL, "framework=torch", exit_code=status, TMPDIR=str(self.scratch), FAKE_FAULT=fault, **paths("torch"))
            self.assertEqual(os.listdir(str(self.scratch)), [])

    def test_threads(self):
        self.assertEqual(self.measured("torch", "threads=1", **paths("torch"))["threads"], 1)
        found = self.pi(*SMALL, "framework=torch", "threads=9", **paths("torch"))
        self.assertEqual(found["unsupported"], "9 threads asked for, torch uses 8")

    def test_usage(self):
        for words, message in [(["size=4"], "size=4: expected a whole number from 16"), (["cache=hot"], "expected one of cold, warm"),
                               (["of=second_step"], "expected one of first_step"), (["operation=conv"], "expected one of mlp, matmul")]:
            self.assertIn(message, self.pi("startup", *words, exit_code=2))


class Interrupted(unittest.TestCase):
    """Ctrl-C while a child is awaited: none is left."""

    def test_no_child_is_left(self):
        import subprocess
        from stackx_pi.starting import children
        from stackx_pi.vllm import watched
        for awaits, run in ((mock.patch.object(subprocess.Popen, "communicate", side_effect=KeyboardInterrupt),
                             lambda: children.answer(["sleep", "600"], "a test")),
                            (mock.patch.object(watched, "look", side_effect=KeyboardInterrupt),
                             lambda: watched.run(["sleep", "600"], dict(os.environ), "/tmp"))):
            with awaits, self.assertRaises(KeyboardInterrupt):
                run()
            with self.assertRaises(ChildProcessError):
                os.waitpid(-1, os.WNOHANG)


@support.needs_numpy
class Reference(unittest.TestCase):
    def test_the_network_and_its_bound(self):
        import numpy
        from stackx_pi import inputs
        from stackx_pi.starting import steps
        for dtype in ("float64", "float32", "float16", "bfloat16"):
            step = steps.Network(64, dtype, 3)
            x, w, b, v, d = [one.astype(numpy.float64) for one in step.arrays]
            right = numpy.maximum(x.dot(w) + b, 0).dot(v) + d
            rounded = inputs.rounded_to_bfloat16(right.astype(numpy.float32)) if dtype == "bfloat16" else right.astype(dtype)
            self.assertTrue(step.check(rounded)["pass"], dtype)
            fine = [right + 1, right - d] if dtype in ("float32", "float64") else []  # 16 bits cannot tell these
            for broken in [right * 0, -right, x.dot(w).dot(v) + d, right[::-1]] + fine:
                self.assertFalse(step.check(broken)["pass"], dtype)
            self.assertFalse(step.check(right[1:])["pass"])
            self.assertFalse(step.check(right * float("nan"))["pass"])

    def test_lower_precision_is_seen(self):
        import numpy
        from stackx_pi.starting import steps
        step = steps.Network(64, "float32", 3)
        x, w, b, v, d = [one.astype(numpy.float16).astype(numpy.float64) for one in step.arrays]
        self.assertFalse(step.check(numpy.maximum(x.dot(w) + b, 0).dot(v) + d)["pass"])


@support.needs_numpy
class Real(StartupTest):
    def both(self, framework, compiles=True):
        for cache in ("cold", "warm"):
            found = self.measured(framework, "cache=" + cache)
            self.assertEqual("compile_ms" in found["metrics"], compiles)
        return found

    def test_numpy(self):
        self.both("numpy", compiles=False)

    @real("onnxruntime")
    def test_onnxruntime(self):
        self.both("onnxruntime")

    @real("tensorflow")
    def test_tensorflow(self):
        self.both("tensorflow")

    @real("jax")
    def test_jax(self):
        self.assertGreater(self.both("jax")["cache"]["hits"], 0)
        found = self.pi(*SMALL, "framework=jax", JAX_DISABLE_JIT="1")
        self.assertIn("nothing was compiled", found["check"]["detail"])

    @real("torch")
    def test_torch(self):
        found = self.pi("startup", "size=16", "framework=torch", "repetitions=1", "cache=warm")
        if "unsupported" not in found:  # Python too new for this torch.compile
            self.assertTrue(found["check"]["pass"], found["check"])
            found = self.pi("startup", "size=16", "framework=torch", "repetitions=1", TORCHDYNAMO_DISABLE="1")
            self.assertIn("nothing was compiled", found["check"]["detail"])


if __name__ == "__main__":
    unittest.main()
