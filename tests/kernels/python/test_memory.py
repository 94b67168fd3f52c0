"""Memory: what a run takes, what there is, and what frameworks say when it was not enough."""

import tracemalloc
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


def ranks(*others):
    """What all say, of which others say this."""
    return lambda mine: [mine] + [mine if other == "same" else other for other in others]


class Together(unittest.TestCase):
    need = memory.Need(["bytes", "ranks"], 4 * GIB, GIB, 2 * GIB, 3 * GIB)

    def required(self, gathered, own=None, shared=None, device=None, on="cpu"):
        parameters = Parameters([Parameter("bytes", "9", ""), Parameter("ranks", "2", "")], [])
        patches = mock.patch.multiple(memory, available=lambda: own, shared=lambda: shared)
        with patches:
            try:
                memory.require(adapter(on, device), self.need, parameters, gathered)
            except Unsupported as reason:
                return str(reason)
        return None

    def test_ranks_of_one_host_share_it(self):
        # 3 x 4 GiB, and 3 x 1 for all or 3 for one alone
        self.assertIsNone(self.required(ranks("same", "same"), 7 * GIB, 15 * GIB))
        self.assertEqual(self.required(ranks("same", "same"), 7 * GIB, 15 * GIB - 1),
                         "bytes=9 ranks=2 takes at least 15.0 GiB of host memory (12.0 GiB for arrays, 3.0 GiB for the check) in 3 "
                         "processes; there are 15.0 GiB of the host's: give a smaller bytes or ranks")
        self.assertIsNone(self.required(ranks("same"), 7 * GIB, 11 * GIB))  # 2 x 4 and 3 for one alone
        self.assertIn("11.0 GiB of host memory", self.required(ranks("same"), 7 * GIB, 11 * GIB - 1))
        self.assertIn("7.0 GiB of host memory (4.0", self.required(ranks("same"), 7 * GIB - 1, 99 * GIB))  # each its address space

    def test_those_of_other_hosts_do_not(self):
        self.assertIsNone(self.required(lambda mine: [mine, ["elsewhere", None]] if isinstance(mine, list) else [mine], 7 * GIB, 7 * GIB))
        with mock.patch.object(memory, "household", return_value=None):
            self.assertIsNone(self.required(lambda mine: [mine] * 9, 7 * GIB, 7 * GIB))

    def test_what_one_refuses_all_refuse(self):
        self.assertEqual(self.required(lambda mine: [mine, "no"] if mine is None else [mine]), "no")

    def test_a_gpu_is_shared_by_those_that_see_the_same_card(self):
        self.assertIsNone(self.required(ranks("same"), device=4 * GIB, on="gpu"))
        self.assertIn("in 2 processes and 4.0 GiB of the GPU's; there are 3.0 GiB of the GPU's",
                      self.required(ranks("same"), device=3 * GIB, on="gpu"))
        with mock.patch.object(memory, "gpu_of", return_value=None):  # nobody can tell
            self.assertIsNone(self.required(ranks("same"), device=2 * GIB, on="gpu"))

    def test_a_household_is_the_same_in_processes_of_one_group(self):
        self.assertEqual(memory.household(), memory.household())


class OfJax(unittest.TestCase):
    def free(self, stats):
        one = mock.Mock(settings=mock.Mock(device="gpu"))
        one.name, one.device.memory_stats.return_value = "jax", stats
        return memory.free_on_gpu(one)

    def test_what_its_allocator_may_still_take(self):
        found = self.free({"bytes_limit": 9, "bytes_in_use": 4})
        self.assertEqual((found.bytes, found.whose), (5, memory.JAX_SHARE))
        self.assertEqual(self.free({"bytes_limit": 4, "bytes_in_use": 9}).bytes, 0)
        for stats in (None, {}, {"bytes_limit": 0, "bytes_in_use": 4}, {"bytes_limit": 4}):
            self.assertIsNone(self.free(stats))

    def test_the_sentence_says_that_it_is_a_share(self):
        device = memory.Free(2 * GIB, memory.JAX_SHARE)
        said = memory.short(Together.need, Parameters([Parameter("bytes", "9", ""), Parameter("ranks", "1", "")], []), 1, None, 1,
                            device._replace(bytes=GIB))
        self.assertIn("there are 1.0 GiB of the GPU's that JAX may take (XLA_PYTHON_CLIENT_MEM_FRACTION sets its share): give", said)


@support.needs_numpy
class LowerBounds(unittest.TestCase):
    """NumPy tells tracemalloc what it takes: a run must not take less than it is said to take at least, nor very much more here."""

    def assert_taken(self, need, run, most):
        tracemalloc.start()
        try:
            run()
            taken = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        said = memory.of_processes(need, 1)
        self.assertLessEqual(said, taken)
        self.assertGreater(said, taken / most)

    def test_training(self):
        import train_resnet50
        from stackx_pi import protocol, training
        from stackx_pi.training import check, memory as of_training, network
        from stackx_pi.frameworks import Settings, adapter as adapter_of
        numpy_adapter = adapter_of("numpy", Settings())
        for width, image_size, batch in ((32, 32, 2), (2, 64, 64)):  # parameters; a batch
            net, settings = network.Network(14, image_size, 2000, width), training.Settings(0.01, 0.9)

            def run():
                start = training.initial_state(net, 1)
                trainer = training.trainer(numpy_adapter, net, start, settings)
                check.check_training(trainer, net, settings, batch, start, 2.0**-24, 1)
                del start
                trainer.put(*training.random_batch(net, batch, 1, 4))

            self.assert_taken(of_training.need_of(numpy_adapter, net, batch, 0.9), run, 5)

    def test_what_training_frameworks_keep(self):
        from stackx_pi.training import memory as of_training, network
        net = network.Network(14, 32, 8, 4)
        parameters, images = 4 * net.parameter_count(), 4 * 3 * 2 * 32 * 32

        def need(name, momentum=0.9, device="gpu", exchange=None):
            one = adapter(device)
            one.name, one.exchange.name = name, exchange
            return of_training.need_of(one, net, 2, momentum)

        self.assertEqual(need("torch").device, 3 * parameters + images)
        self.assertEqual(need("torch", momentum=0).device, 2 * parameters + images)
        self.assertEqual(need("jax").device, 2 * parameters + images)
        self.assertEqual(need("tensorflow", exchange="servers (1)").device, images)
        self.assertEqual((need("torch").arrays, need("torch", device="cpu").arrays), (0, 3 * parameters + images))

    def test_collectives(self):
        from stackx_pi import collectives
        from stackx_pi.collectives import inputs, memory as of_collectives
        for kind in collectives.KINDS:
            for dtype in sorted(collectives.WIDTHS):
                exchange = collectives.Exchange(kind, dtype, "sum", 2, 1 << 20)

                def run():
                    source = inputs.sent_by(exchange, 1, 0)
                    target = None if kind in of_collectives.IN_PLACE else inputs.held(inputs.moved_to(exchange, 1, 0), dtype)
                    received = inputs.elements(dtype, 1, 0, 0, exchange.received)
                    return source, target, inputs.check(exchange, 1, 0, received)

                self.assert_taken(of_collectives.need_of(exchange, "cpu"), run, 2.5)

    def test_startup(self):
        from stackx_pi.frameworks import Settings, adapter as adapter_of
        from stackx_pi.starting import steps
        for dtype in ("float32", "float64"):
            for operation in steps.OPERATIONS:

                def run():
                    step = steps.step(operation, 512, dtype, 1)
                    call = step.prepare(adapter_of("numpy", Settings(dtype)))
                    call.run()
                    self.assertTrue(step.check(call.result())["pass"])

                self.assert_taken(steps.need_of(operation, 512, dtype), run, 5)


@support.needs_numpy
class Refused(support.PiTest):
    def test_before_an_array_is_made(self):
        for words, needs in ((["matmul", "m=1000000", "n=1000000", "k=1000000"],
                              "m=1000000 n=1000000 k=1000000 dtype=float32 takes at least"),
                             (["matmul", "m=1000000000", "n=1000000000", "k=1000000000", "dtype=float64"], "20.8 EiB of host memory"),
                             (["conv1d", "batch=1048576", "length=1048576"], "batch=1048576 length=1048576 in_channels=64"),
                             (["conv2d", "batch=1048576", "height=1048576", "width=1048576"], "EiB of host memory")):
            found = self.pi(*words, "framework=numpy", *QUICK)
            self.assertIn(needs, found["unsupported"])
            self.assertIn(" of the host's: give a smaller ", found["unsupported"])
            self.assertNotIn("samples_ns", found)

    def test_training_collectives_and_starts(self):
        found = self.pi("train_resnet50", "batch=1048576", "image_size=16384", "framework=numpy", "num_batches=3")
        self.assertIn("batch=1048576 image_size=16384 depth=50 width=64 classes=1000 takes at least", found["unsupported"])
        for kind in ("all_reduce", "all_gather"):
            found = self.pi(kind, "bytes=1099511627776", "ranks=2", PYTHONPATH="%s:%s" % (FAKES / "distributed", FAKES))
            self.assertIn("bytes=1099511627776 dtype=float32 ranks=2 takes at least", found["unsupported"])
            self.assertNotIn("samples_ns", found)
        import startup_child
        settings = {"dtype": "float32", "threads": None, "device": "cpu", "mode": "eager", "tf32": False}
        request = {"framework": "numpy", "settings": settings, "mode": "eager", "operation": "mlp", "size": 16384, "seed": 1}
        with mock.patch.object(memory, "available", return_value=GIB), \
                self.assertRaisesRegex(Unsupported, "^size=16384 dtype=float32 takes at least 32.0 GiB .* smaller size or dtype$"):
            startup_child.measure(request, {})

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
