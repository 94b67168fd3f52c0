"""Training on several workers: what the check of a wrong exchange says, and each exchange that can be had here."""

import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
import unittest

import support
from stackx_pi.ranks.network import free_port

RESNET = ["train_resnet50", "depth=14", "width=4", "image_size=64", "classes=7", "batch=4", "num_batches=3"]
TRANSFORMER = ["transformer", "phase=train", "layers=2", "width=32", "heads=4", "kv_heads=2", "feed_forward=64", "vocabulary=50",
               "batch=2", "context=8", "repetitions=3", "mini_batch=1", "warmup_ms=0"]
WRONG = ("alone", "first", "stale", "one_rank", "coarse", "twice")


def real(name):
    return unittest.skipIf(importlib.util.find_spec(name) is None, name + " is not installed")


@support.needs_numpy
class Checks(support.PiTest):
    """Workers that a launcher has started, over an MPI of the tests."""

    def workers(self, words, count=2, **changes):
        with tempfile.TemporaryDirectory() as place:
            where = {"PMI_SIZE": str(count), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "FAKE_MPI": place,
                     "PYTHONPATH": str(support.FAKES / "mpi"), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
            children = [subprocess.Popen([sys.executable, str(support.PI)] + words + ["framework=numpy", "exchange=mpi"], text=True,
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                         env=support.environment(PMI_RANK=str(rank), **where, **changes)) for rank in range(count)]
            found = [child.communicate(timeout=200) for child in children]
        self.assertEqual([child.returncode for child in children], [0] * count, found)
        self.assertEqual([out for out, _ in found[1:]], [""] * (count - 1))
        return json.loads(found[0][0]), found

    def test_a_right_exchange(self):
        for words, unit, items in ((RESNET, "images_per_sec", 12), (TRANSFORMER, "tokens_per_sec", 48)):
            found, _ = self.workers(words, 3)
            self.assertTrue(found["check"]["pass"], found["check"])
            self.assertIn("mean of the gradients of 3 workers", found["check"]["reference"])
            self.assertEqual(found["work"]["items"], items)
            self.assertEqual(found["parameters"]["workers"], 3)
            told = (found.get("training") or found["transformer"])["workers"]
            self.assertEqual((told["count"], told["exchange"], told["started_by"], len(told[unit])), (3, "mpi", "mpirun", 3))
            together = items / 3 * len(found["samples_ns"]) / (sum(found["samples_ns"]) / 1e9)
            for each in told[unit]:  # a worker is at least as fast as the slowest in each sample
                self.assertGreaterEqual(each, together * 0.999)

    def test_one_bit_of_one_worker_is_told(self):
        """The last one's, whose document nobody sees: by more ulps and another digest; from the third step on, as not deterministic."""
        for words in (RESNET, TRANSFORMER):
            right, one, later = (self.workers(words, 2, FAKE_MPI_WRONG=wrong)[0]["check"] for wrong in ("", "one_bit", "later"))
            self.assertEqual([found["pass"] for found in (right, one, later)], [True] * 3, (right, one, later))
            self.assertEqual([found["deterministic"] for found in (right, one, later)], [True, True, False])
            self.assertNotEqual(right["result_digest"], one["result_digest"])
            self.assertEqual(right["result_digest"], later["result_digest"])
            self.assertLess(2 * right["max_ulps"], one["max_ulps"])
            self.assertEqual(right["max_ulps"], later["max_ulps"])

    def test_a_wrong_exchange_is_never_timed(self):
        for wrong in WRONG:
            with self.subTest(wrong=wrong):
                found, _ = self.workers(TRANSFORMER, 3, FAKE_MPI_WRONG=wrong)
                self.assertFalse(found["check"]["pass"], found["check"])
                self.assertEqual(found["samples_ns"], [])
                self.assertIn("gradient", found["check"]["detail"])

    def test_an_exchange_that_goes_wrong_in_the_second_step(self):
        for wrong in ("stale", "once"):
            with self.subTest(wrong=wrong):
                for words in (RESNET, TRANSFORMER):
                    found, _ = self.workers(words, 2, FAKE_MPI_WRONG=wrong)
                    self.assertFalse(found["check"]["pass"], found["check"])
                    self.assertIn("in step 2", found["check"]["detail"])

    def test_what_is_printed_is_of_all(self):
        _, ((_, first), (_, second)) = self.workers(RESNET, 2)
        self.assertIn("Batch size:  8 global\n             4 per device\n", first)
        self.assertIn("Devices:     ['/job:worker/replica:0/task:0/cpu:0', '/job:worker/replica:0/task:1/cpu:0']", first)
        self.assertIn("Variables:   mpi\nSync:        True\n", first)
        self.assertIn("total images/sec", first)
        self.assertNotIn("images/sec", second)


@support.needs_numpy
class Asking(support.PiTest):
    def test_what_cannot_be(self):
        self.assertIn("phase=decode has no gradients", self.pi(
            *[w for w in TRANSFORMER if "phase" not in w], "phase=decode", "framework=numpy", "workers=2", exit_code=2))
        self.assertIn("expected one of default, ddp", self.pi(*RESNET, "framework=numpy", "exchange=gossip", exit_code=2))
        found = self.pi(*TRANSFORMER, "framework=numpy", "workers=2", "exchange=ddp")
        self.assertIn("numpy", found["unsupported"])
        self.assertIn("it has ring and mpi", found["unsupported"])
        self.assertIn("workers=3, but WORLD_SIZE started 1", self.pi(
            *TRANSFORMER, "framework=numpy", "workers=3", exit_code=3, WORLD_SIZE="1", RANK="0", MASTER_ADDR="127.0.0.1"))

    def test_one_worker_needs_no_exchange(self):
        found = self.pi(*TRANSFORMER, "framework=numpy", "workers=1", "exchange=mpi")
        self.assertTrue(found["check"]["pass"])
        self.assertNotIn("workers", found["transformer"])
        self.assertEqual((found["work"]["items"], found["parameters"]["workers"]), (16, 1))

    def test_mpi_without_a_launcher_or_mpi4py(self):
        fake = {"PYTHONPATH": str(support.FAKES / "mpi"), "PATH": "/nonexistent"}
        self.assertIn("no mpiexec.mpich or mpiexec.hydra", self.pi(
            *TRANSFORMER, "framework=numpy", "workers=2", "exchange=mpi", exit_code=3, **fake))
        empty = self.scratch / "none"
        self.write("none/mpi4py.py", "raise ImportError('libmpi.so.40: cannot open shared object file')\n")
        self.assertIn("exchange=mpi needs mpi4py and an MPI library: libmpi.so.40", self.pi(
            *TRANSFORMER, "framework=numpy", "workers=2", "exchange=mpi", exit_code=3, PYTHONPATH=str(empty)))


@support.needs_numpy
class Real(support.PiTest):
    """Each exchange that is installed: two workers learn what NumPy's two learn."""

    def learns(self, *words, unit="training", of=None, **changes):
        found = self.pi(*(of or RESNET), *words, "workers=2", **changes)
        self.assertNotIn("unsupported", found)
        self.assertTrue(found["check"]["pass"], found["check"])
        self.assertEqual(found[unit]["workers"]["count"], 2)
        self.assertEqual(len(found["samples_ns"]), 3)
        return found

    def trains(self, framework, exchange):
        for of, unit in ((RESNET, "training"), (TRANSFORMER, "transformer")):
            found = self.learns("framework=" + framework, "exchange=" + exchange, of=of, unit=unit)
            self.assertTrue(found[unit]["workers"]["exchange"].startswith(exchange))
            wrong = self.pi(*of, "framework=" + framework, "workers=2", "exchange=" + exchange, **self.without(exchange))
            self.assertFalse(wrong["check"]["pass"], "no mean is taken, and the check does not notice")

    def without(self, exchange):
        """The same exchange, but that every worker keeps its own gradients."""
        module, name = {"ddp": ("with_torch", "Ddp"), "mirrored": ("with_tensorflow2", "Mirrored"), "pmap": ("with_jax", "Pmap"),
                        "mpi": ("mpi", "Mpi"), "ring": ("with_numpy", "Ring")}[exchange]
        self.write("wrong/sitecustomize.py", """
import importlib, sys
sys.path.insert(0, %r)
from stackx_pi.parallel.exchange import Exchange
one = importlib.import_module("stackx_pi.parallel.%s").%s
one.spread, one.mean = Exchange.spread, Exchange.mean
one.host_mean = lambda self, arrays: list(arrays)
""" % (str(support.KERNELS), module, name))
        return {"PYTHONPATH": str(self.scratch / "wrong")}

    @real("mpi4py")
    @unittest.skipIf(shutil.which("mpirun.openmpi") is None, "Open MPI is not installed")
    def test_numpy_by_mpi(self):
        self.trains("numpy", "mpi")
        mpirun = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", "2", sys.executable, str(support.PI)]
        done = support.run(*mpirun, *TRANSFORMER, "framework=numpy", "exchange=mpi", MASTER_PORT=str(free_port()))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(json.loads(done.stdout)["check"]["pass"])

    def test_numpy_by_ring(self):
        """Of a prime number of workers too, whose parts of the buffer are not equal."""
        self.trains("numpy", "ring")
        found = self.learns_with(3)
        self.assertEqual(found["transformer"]["workers"]["exchange"], "ring")

    def test_numpy_s_workers_need_nothing_else(self):
        found = self.pi(*TRANSFORMER, "framework=numpy", "workers=2")
        self.assertEqual((found["check"]["pass"], found["transformer"]["workers"]["exchange"]), (True, "ring"))

    def learns_with(self, count):
        found = self.pi(*TRANSFORMER, "framework=numpy", "exchange=ring", "workers=%d" % count)
        self.assertTrue(found["check"]["pass"], found["check"])
        self.assertEqual(found["transformer"]["workers"]["count"], count)
        return found

    def test_workers_of_one_machine_are_not_those_of_several(self):
        said = self.pi(*TRANSFORMER, "framework=numpy", "exchange=ring", "workers=2", "nodes=2", exit_code=3)
        self.assertIn("nodes=2, but nobody has started this on other machines", said)
        self.assertEqual(self.pi(*TRANSFORMER, "framework=numpy", "nodes=2")["parameters"]["nodes"], 2)

    @real("torch")
    def test_torch_by_ddp(self):
        self.trains("torch", "ddp")

    @real("torch")
    @real("mpi4py")
    def test_torch_by_mpi(self):
        self.trains("torch", "mpi")

    @real("tensorflow")
    def test_tensorflow(self):
        if self.tensorflow() == "1":
            self.learns("framework=tensorflow", "exchange=servers", "servers=2")
        else:
            self.trains("tensorflow", "mirrored")

    @staticmethod
    def tensorflow():
        from importlib import metadata
        names = ("tensorflow", "tensorflow-cpu")
        return next((metadata.version(n) for n in names if importlib.util.find_spec("tensorflow") and _there(metadata, n)), "2")[0]

    @real("tensorflow")
    @real("mpi4py")
    def test_tensorflow_by_mpi(self):
        self.trains("tensorflow", "mpi")

    @real("jax")
    def test_jax_by_pmap(self):
        self.trains("jax", "pmap")

    @real("jax")
    @real("mpi4py")
    def test_jax_by_mpi(self):
        self.trains("jax", "mpi")


def _there(metadata, name):
    try:
        return bool(metadata.version(name))
    except metadata.PackageNotFoundError:
        return False


if __name__ == "__main__":
    unittest.main()
