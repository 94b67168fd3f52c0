"""Memory: what a run takes, what there is, and what frameworks say when it was not enough."""

import unittest
from unittest import mock

import support
from support import FAKES, QUICK
from stackx_pi import memory
from stackx_pi.errors import Unsupported, refusal, said, shortage
from stackx_pi.parameters import Parameter, Parameters

GIB = 2**30
TORCH = "CUDA out of memory. Tried to allocate 149.01 GiB. GPU 0 has a total capacity of 139.81 GiB of which 138.90 GiB is free."
JAX = "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 160000000000 bytes."
TENSORFLOW = "{{function_node x}} OOM when allocating tensor with shape[200000,200000] and type float [Op:MatMul]"
ONNX = "bfc_arena.cc:376 Failed to allocate memory for requested buffer of size 160000000000"


def adapter(device="cpu", free=None):
    found = mock.Mock(settings=mock.Mock(device=device))
    found.name = "torch"
    found.torch.cuda.mem_get_info.return_value = (free, free)
    return found


class Available(unittest.TestCase):
    def group(self, **files):
        """What is left where the control group has these files."""
        def number(path, key=""):
            return files.get((path.rsplit("/", 1)[1].replace(".", "_") + "_" + key.strip()).rstrip("_"))

        with mock.patch.object(memory, "number_in", number):
            return memory.left_by_cgroup()

    def test_the_least_that_anybody_leaves(self):
        with mock.patch.object(memory, "left_by_cgroup", return_value=[5]):
            self.assertEqual(memory.available(), 5)
        self.assertGreater(memory.available(), 0)

    def test_pages_that_can_be_dropped_are_left(self):
        self.assertEqual(self.group(memory_max=8, memory_current=5, memory_stat_inactive_file=2), [5])
        self.assertEqual(self.group(memory_max=8, memory_current=5), [3])
        self.assertEqual(self.group(memory_max=8, memory_current=9), [0])
        self.assertEqual(self.group(memory_current=5), [])  # no limit
        self.assertEqual(self.group(memory_limit_in_bytes=9, memory_usage_in_bytes=5, memory_stat_total_inactive_file=1), [5])

    def test_numbers_of_files(self):
        self.assertIsNone(memory.number_in("/nowhere"))
        self.assertGreater(memory.number_in("/proc/meminfo", "MemTotal:"), 0)
        self.assertIsNone(memory.number_in("/proc/meminfo", "Nonesuch:"))


class Sentence(unittest.TestCase):
    def required(self, host, device=None, on="cpu", dtype="float32"):
        parameters = Parameters([Parameter("m", "200000", ""), Parameter("dtype", dtype, "")], [])
        need = memory.need_of(["m", "dtype"], [4 * GIB, 2 * GIB], GIB, dtype, 4 * GIB)
        with mock.patch.object(memory, "available", return_value=host):
            try:
                memory.require(adapter(on, device), need, parameters)
            except Unsupported as reason:
                return str(reason)
        return None

    def test_names_what_is_needed_what_there_is_and_what_takes_less(self):
        self.assertEqual(self.required(59 * GIB),
                         "m=200000 dtype=float32 takes at least 60.0 GiB of host memory (28.0 GiB for arrays, 32.0 GiB for the check); "
                         "there are 59.0 GiB of the host's: give a smaller m or dtype")
        self.assertIsNone(self.required(60 * GIB))
        self.assertIsNone(self.required(None))
        self.assertIn("and 14.0 GiB of the GPU's; there are 999.0 GiB of the host's and 13.0 GiB of the GPU's",
                      self.required(999 * GIB, 13 * GIB, "gpu", "bfloat16"))
        self.assertIsNone(self.required(999 * GIB, 14 * GIB, "gpu", "bfloat16"))

    def test_amounts(self):
        self.assertEqual([memory.amount(size) for size in (512, 64 << 20, 3 << 29, 2**82)],
                         ["0.5 KiB", "64.0 MiB", "1.5 GiB", "4194304.0 EiB"])


@support.needs_numpy
class Refused(support.PiTest):
    def test_before_an_array_is_made(self):
        for words, needs in ((["matmul", "m=1000000", "n=1000000", "k=1000000"],
                              "m=1000000 n=1000000 k=1000000 dtype=float32 takes at least"),
                             (["matmul", "m=1000000000", "n=1000000000", "k=1000000000", "dtype=float64"], "27.8 EiB of host memory"),
                             (["conv1d", "batch=1048576", "length=1048576"], "batch=1048576 length=1048576 in_channels=64"),
                             (["conv2d", "batch=1048576", "height=1048576", "width=1048576"], "EiB of host memory")):
            found = self.pi(*words, "framework=numpy", *QUICK)
            self.assertIn(needs, found["unsupported"])
            self.assertIn(" of the host's: give a smaller ", found["unsupported"])
            self.assertNotIn("samples_ns", found)

    def on_a_fake(self, fake, says, exit_code=0):
        return self.pi("matmul", "m=20", "n=24", "k=16", "framework=" + fake, *QUICK, exit_code=exit_code, FAKE_FAULT="says " + says,
                       PYTHONPATH="%s:%s" % (FAKES / fake, FAKES))

    def test_a_device_whose_memory_ran_short(self):
        for fake, says in (("torch", TORCH), ("jax", JAX), ("onnxruntime", ONNX)):
            found = self.on_a_fake(fake, "Traceback\n" + says + "\nmore")
            self.assertIn("%s: %s: memory ran short: give smaller sizes or another dtype" % (fake, says), found["unsupported"])
            self.assertNotIn("samples_ns", found)

    def test_a_device_that_failed(self):
        for says, remedy in (("CUDA error: an illegal memory access was encountered", "compute-sanitizer"),
                             ("INTERNAL: CUDA error: uncorrectable ECC error encountered", "until it is reset"),
                             ("CUDA error: unspecified launch failure", "dmesg (Xid)"),
                             ("CUDA error: CUDA-capable device(s) is/are busy or unavailable", "nvidia-smi -q -d COMPUTE"),
                             ("CUDA error: unknown error", "after a GPU was lost")):
            err = self.on_a_fake("torch", "Compile with TORCH_USE_CUDA_DSA\n%s\nmore" % says, exit_code=3)
            last = err.splitlines()[-1]
            self.assertIn("pi.py: matmul: %s; " % says, last)
            self.assertIn(remedy, last)
            self.assertLess(len(last), 400)  # so much stackx keeps


class Words(unittest.TestCase):
    def test_short_of_memory_is_no_refusal_and_the_other_way_round(self):
        for says in (TORCH, JAX, TENSORFLOW, ONNX):
            self.assertIn("memory ran short", shortage(RuntimeError("first\n" + says)))
            self.assertIsNone(refusal(RuntimeError(says)))
        self.assertIsNone(shortage(RuntimeError("an illegal memory access was encountered")))
        self.assertIsNone(shortage(NotImplementedError("no such kernel")))

    def test_what_is_said_is_one_line(self):
        self.assertEqual(said(RuntimeError("the first\nthe second")), "the first")
        self.assertEqual(said(KeyError()), "KeyError")


if __name__ == "__main__":
    unittest.main()
