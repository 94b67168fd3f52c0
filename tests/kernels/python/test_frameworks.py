"""Every framework's adapter: with a look-alike made for the purpose (fakes/), and with the real one where it is installed."""

import importlib.util
import os
import signal
import sys
import types
import unittest
from unittest import mock

import support
from support import FAKES, QUICK

# fake -> framework, and what it says of itself
FAKE = {"tensorflow1": ("tensorflow", "1.14.0"), "tensorflow2": ("tensorflow", "2.99.0"), "jax": ("jax", "0.99.0"),
        "torch": ("torch", "1.99.0+cpu"), "onnxruntime": ("onnxruntime", "1.99.0"), "mxnet": ("mxnet", "1.9.9")}
ORDER = ["tensorflow", "torch", "jax", "onnxruntime", "mxnet"]  # in which they are looked for
SMALL = ["m=20", "n=24", "k=16"]
CONV1D = ["conv1d", "length=21", "kernel=4", "batch=2", "in_channels=3", "out_channels=5"]
CONV2D = ["conv2d", "height=9", "width=8", "kernel=3", "kernel_w=2", "batch=2", "in_channels=3", "out_channels=5"]


class FrameworkTest(support.PiTest):
    def measured(self, framework, version, *words, **changes):
        found = self.pi(*words, "framework=" + framework, *QUICK, **changes)
        self.assertNotIn("unsupported", found)
        self.assertTrue(found["check"]["pass"], found["check"])
        self.assertEqual(len(found["samples_ns"]), 3)
        self.assertEqual((found["component"], found["parameters"]["framework"]), (framework, framework))
        if version:
            self.assertEqual(found["loaded"][framework], version)
        return found


@support.needs_numpy
class Fakes(FrameworkTest):
    def paths(self, fake):
        return {"PYTHONPATH": "%s:%s" % (FAKES / fake, FAKES)}

    def each(self):
        return [(fake, framework, version) for fake, (framework, version) in FAKE.items()]

    def test_products(self):
        for fake, framework, version in self.each():
            for dtype in ("float32", "float64"):
                self.measured(framework, version, "matmul", "dtype=" + dtype, *SMALL, **self.paths(fake))

    def test_convolutions(self):
        for fake, framework, version in self.each():
            self.measured(framework, version, *CONV1D, "padding=same", **self.paths(fake)) if fake != "mxnet" else None
            self.measured(framework, version, *CONV1D, "stride=2", **self.paths(fake))
            for more in (["padding=same", "stride=2"], ["padding=same", "kernel_w=3"], ["stride=3"]):
                words = [word for word in CONV2D if not any(word.split("=")[0] == m.split("=")[0] for m in more)]
                self.measured(framework, version, *words, *more, **self.paths(fake))

    def test_layouts_give_the_same_result(self):
        for fake in ("tensorflow1", "tensorflow2", "jax", "torch"):
            with self.subTest(fake=fake):
                for layout in ("channels_last", "channels_first"):
                    found = self.measured(*FAKE[fake], *CONV2D, "layout=" + layout, **self.paths(fake))
                    self.assertEqual(found["parameters"]["layout"], layout)

    def test_a_wrong_result_is_never_timed(self):
        for fake, framework, _ in self.each():
            for fault in ("wrong", "zeros"):
                for words in (["matmul"] + SMALL, CONV2D):
                    found = self.pi(*words, "framework=" + framework, *QUICK, FAKE_FAULT=fault, **self.paths(fake))
                    self.assertFalse(found["check"]["pass"], (fault, words))
                    self.assertEqual(found["samples_ns"], [])
                    self.assertNotIn("measure", [phase["name"] for phase in found["phases"]])

    def test_a_refusal_is_unsupported_and_a_failure_is_not(self):
        for fake, framework, version in self.each():
            found = self.pi("matmul", *SMALL, "framework=" + framework, FAKE_FAULT="refuses", **self.paths(fake))
            self.assertEqual(found["unsupported"], framework + ": \"fake_kernel\" not implemented for 'Half'")
            self.assertNotIn("samples_ns", found)
            self.assertEqual(found["loaded"][framework], version)
            err = self.pi("matmul", *SMALL, "framework=" + framework, exit_code=3, FAKE_FAULT="fails", **self.paths(fake))
            self.assertIn("pi.py: matmul: the fake fell over", err.splitlines()[-1])

    def test_no_gpu_is_unsupported(self):
        for fake, framework, _ in self.each():
            if fake in ("onnxruntime", "mxnet"):
                continue  # their fakes cannot be asked
            found = self.pi("matmul", *SMALL, "framework=" + framework, "device=gpu", **self.paths(fake))
            self.assertIn("gpu", found["unsupported"].lower())

    def test_threads(self):
        for fake, framework, version in self.each():
            if fake == "mxnet":
                continue  # cannot be asked
            found = self.measured(framework, version, "matmul", "threads=1", *SMALL, **self.paths(fake))
            self.assertEqual((found["threads"], found["parameters"]["threads"]), (1, 1))
        found = self.pi("matmul", *SMALL, "framework=torch", "threads=9", **self.paths("torch"))
        self.assertEqual(found["unsupported"], "9 threads asked for, torch uses 8")
        found = self.pi("matmul", *SMALL, "framework=jax", "threads=4096", **self.paths("jax"))
        self.assertIn("4096 threads asked for, this process may use", found["unsupported"])

    def test_modes(self):
        for fake, mode in [("tensorflow1", "function"), ("tensorflow2", "function"), ("tensorflow2", "eager"),
                           ("jax", "eager"), ("torch", "eager"), ("onnxruntime", "function"), ("mxnet", "eager")]:
            found = self.measured(*FAKE[fake], "matmul", "mode=" + mode, *SMALL, **self.paths(fake))
            self.assertEqual(found["parameters"]["mode"], mode)
        found = self.pi("matmul", *SMALL, "framework=tensorflow", "mode=eager", **self.paths("tensorflow1"))
        self.assertEqual(found["unsupported"], "tensorflow: mode=eager; it has function")

    def test_processes_that_compile_do_not_outlive_the_pi(self):
        worker = self.scratch / "worker"
        self.measured(*FAKE["torch"], "matmul", "mode=function", *SMALL, FAKE_WORKER=str(worker), **self.paths("torch"))
        with self.assertRaises(ProcessLookupError):
            os.kill(int(worker.read_text()), signal.SIGKILL)

    def test_the_framework_that_is_installed_is_measured_before_numpy(self):
        for fake, framework, _ in self.each():
            earlier = ORDER[:ORDER.index(framework)]
            if any(importlib.util.find_spec(module) is not None for module in earlier):
                continue
            found = self.pi("matmul", *SMALL, *QUICK, **self.paths(fake))
            self.assertIn(framework, found["parameters"]["framework"])

    def test_import(self):
        found = self.pi("import", "repetitions=2", "framework=tensorflow", **self.paths("tensorflow1"))
        self.assertEqual((found["component"], found["loaded"]["tensorflow"]), ("tensorflow", "1.14.0"))


class OnnxRuntimeOnGpu(unittest.TestCase):
    """Only what it is asked for: no look-alike of it multiplies on a GPU."""

    def asked(self, version, tf32):
        """The options of the CUDA provider, and what cuBLAS reads of the environment."""
        runtime = types.ModuleType("onnxruntime")
        runtime.__version__, runtime.get_available_providers = version, lambda: ["CUDAExecutionProvider", "CPUExecutionProvider"]
        from stackx_pi.frameworks.with_onnxruntime import Adapter
        settings = types.SimpleNamespace(device="gpu", dtype="float32", mode="default", layout="default", tf32=tf32, threads=None)
        with mock.patch.dict(sys.modules, onnxruntime=runtime), mock.patch.dict(os.environ):
            os.environ.pop("NVIDIA_TF32_OVERRIDE", None)
            (name, options), host = Adapter(settings).providers
            self.assertEqual((name, host), ("CUDAExecutionProvider", "CPUExecutionProvider"))
            return options, os.environ.get("NVIDIA_TF32_OVERRIDE")

    def test_tf32(self):
        """1.18 has an option for it; before, a runtime that is given one computes on the processor."""
        for version in ("1.11.0", "1.17.1"):
            self.assertEqual(self.asked(version, False), ({}, "0"))
            self.assertEqual(self.asked(version, True), ({}, None))
        for version in ("1.18.0", "1.31.1", "2.0.0"):
            self.assertEqual(self.asked(version, False), ({"use_tf32": "0"}, "0"))
            self.assertEqual(self.asked(version, True), ({"use_tf32": "1"}, None))


def real(name):
    return unittest.skipIf(importlib.util.find_spec(name) is None, name + " is not installed")


@support.needs_numpy
class Real(FrameworkTest):
    def both(self, framework):
        self.measured(framework, None, "matmul", *SMALL, "threads=1")
        self.measured(framework, None, *CONV2D, "padding=same", "stride=2")
        self.measured(framework, None, *CONV1D, "stride=2")

    @real("tensorflow")
    def test_tensorflow(self):
        self.both("tensorflow")

    @real("jax")
    def test_jax(self):
        self.both("jax")

    @real("torch")
    def test_torch(self):
        self.both("torch")

    @real("onnxruntime")
    def test_onnxruntime(self):
        self.both("onnxruntime")

    @real("mxnet")
    def test_mxnet(self):
        self.both("mxnet")

    def test_numpy(self):
        self.both("numpy")


if __name__ == "__main__":
    unittest.main()
