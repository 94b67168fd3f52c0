"""Collective operations by torch.distributed: the same counts and inputs as stackx-pi's, what is wrong is told, ranks find each other."""

import os
import pathlib
import sys
import tempfile
import time
import unittest

import support

FLOAT64_5_2_7, INT32_5_2_7 = -0.6945551357273345, -22760
KINDS = ["all_reduce", "all_gather", "reduce_scatter", "broadcast", "alltoall"]
FAKE = support.FAKES / "distributed"
LAUNCHERS = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "SLURM_STEP_NUM_TASKS", "JOB_COMPLETION_INDEX")

if support.numpy is not None:
    import numpy
    from stackx_pi import collectives
    from stackx_pi.collectives import Exchange, inputs
    from stackx_pi.inputs import rounded_to_bfloat16


def site_packages():
    return str(pathlib.Path(support.numpy.__file__).resolve().parents[1])


def run(kind, *words, **changes):
    path = os.pathsep.join([str(FAKE), site_packages()])
    return support.run(sys.executable, "-s", support.PI, kind, "bytes=2400", *support.QUICK, *words, PYTHONPATH=path, **changes)


@support.needs_numpy
class Counting(unittest.TestCase):
    def test_bus_bandwidth_is_that_of_nccl_tests(self):
        factors = {"all_reduce": 1.75, "all_gather": 0.875, "reduce_scatter": 0.875, "alltoall": 0.875, "broadcast": 1}
        for kind, factor in factors.items():
            exchange = Exchange(kind, "float32", "sum", 8, 1 << 20)
            self.assertEqual(exchange.bus_factor(), factor)
            self.assertEqual(exchange.bus_bytes(), factor * (1 << 20))
            self.assertEqual(Exchange(kind, "float32", "sum", 1, 1 << 20).bus_bytes(), 0)

    def test_a_message_is_cut_to_whole_elements(self):
        exchange = Exchange("all_gather", "float64", "sum", 3, 100)
        self.assertEqual((exchange.part, exchange.sent, exchange.received, exchange.message_bytes), (4, 4, 12, 96))
        self.assertEqual(Exchange("alltoall", "float64", "sum", 3, 23).part, 0)

    def test_inputs_are_those_of_stackx_pi(self):
        # tests/kernels/collectives/test_collective.cpp has the same numbers
        self.assertEqual(inputs.elements("float64", 5, 2, 7, 1)[0], FLOAT64_5_2_7)
        self.assertEqual(inputs.elements("int32", 5, 2, 7, 1)[0], INT32_5_2_7)
        self.assertEqual(inputs.elements("float32", 5, 2, 7, 1)[0], numpy.float32(FLOAT64_5_2_7 // 2.0**-23 * 2.0**-23))

    def test_a_wrong_result_fails(self):
        for kind in KINDS:
            for dtype in collectives.WIDTHS:
                exchange = Exchange(kind, dtype, "sum", 3, 2400)
                right = (inputs.reduced_for(exchange, 5, 1)[0] if kind in collectives.REDUCING
                         else inputs.moved_to(exchange, 5, 1)).astype(numpy.float64)
                if dtype in ("float16", "float32"):
                    right = right.astype(dtype)
                with self.subTest(kind=kind, dtype=dtype):
                    self.assertTrue(inputs.check(exchange, 5, 1, right)["pass"])
                    for wrong in (numpy.roll(right, 1), right * 0, right * numpy.float16("nan")):
                        found = inputs.check(exchange, 5, 1, wrong)
                        self.assertFalse(found["pass"])
                        self.assertIn("of rank 1", found["detail"])
                        self.assertLess(found["max_relative_error"], float("inf"))


    def test_ulps_are_what_numpy_s_neighbours_say_and_one_bit_is_told(self):
        for kind in KINDS:
            for dtype in ("float32", "float16", "bfloat16"):
                exchange = Exchange(kind, dtype, "sum", 3, 2400)
                if kind in collectives.REDUCING:
                    begin = exchange.part if kind == "reduce_scatter" else 0
                    parts = [inputs.elements(dtype, 5, source, begin, exchange.received) for source in range(3)]
                    exact, stored = sum(part.astype(float) for part in parts), parts[0]
                    for part in parts[1:]:
                        stored = rounded_to_bfloat16(stored + part) if dtype == "bfloat16" else stored + part
                else:
                    stored = inputs.moved_to(exchange, 5, 1)
                    exact = stored.astype(float)
                flipped = stored.copy()
                whole = flipped.view(numpy.uint16 if dtype == "float16" else numpy.uint32)
                whole[len(whole) // 2] ^= 1 << (16 if dtype == "bfloat16" else 0)
                with self.subTest(kind=kind, dtype=dtype):
                    for received in (stored, flipped):
                        found = inputs.check(exchange, 5, 1, received)
                        by_hand = float((abs(received.astype(float) - exact) / support.spacing(exact, dtype)).max())
                        self.assertEqual(found["max_ulps"], by_hand)
                    if kind not in collectives.REDUCING:
                        self.assertEqual((found["max_ulps"], found["pass"]), (1, False))
        for dtype in ("float64", "int32"):
            exchange = Exchange("broadcast", dtype, "sum", 3, 2400)
            self.assertNotIn("max_ulps", inputs.check(exchange, 5, 1, inputs.moved_to(exchange, 5, 1)))


@support.needs_numpy
class Measuring(support.PiTest):
    def document(self, kind, *words, **changes):
        done = run(kind, *words, **changes)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("\n"), 1, "rank 0 alone prints")
        return support.json.loads(done.stdout)

    def test_ranks_that_it_forks_give_one_document(self):
        for kind in KINDS:
            for dtype in ("float32", "float64", "int32") if kind == "all_reduce" else ("float32",):
                with self.subTest(kind=kind, dtype=dtype):
                    found = self.document(kind, "ranks=3", "dtype=" + dtype, "mini_batch=2")
                    self.assertTrue(found["check"]["pass"])
                    self.assertEqual(found["parameters"]["ranks"], 3)
                    factor = {"all_reduce": 4 / 3, "broadcast": 1}.get(kind, 2 / 3)
                    self.assertAlmostEqual(found["work"]["bytes"], 2 * 2400 * factor)
                    self.assertAlmostEqual(found["collective"]["bus_gbps"], found["metrics"]["algorithm_gbps"] * factor)
                    self.assertIn("nccl-tests", found["work_formula"])

    def test_bits_are_those_of_stackx_pi(self):
        """Of every rank; an exchange without sums moves bits, whatever the library; sums of two ranks are rounded once."""
        native, library = (pathlib.Path(os.environ.get("STACKX_BUILD", "build")) / part for part in (
            "stackx-pi", "tests/fakes/mpi/mpich/libmpi.so"))
        if not native.exists():
            self.skipTest("no stackx-pi in STACKX_BUILD")
        for kind in KINDS:
            for dtype in ("float32", "float64", "int32"):
                with self.subTest(kind=kind, dtype=dtype):
                    words = ["ranks=2", "dtype=" + dtype, "seed=5"]
                    found = self.document(kind, *words)["check"]
                    done = support.run(native, kind, "--library", library, "bytes=2400", *support.QUICK, *words)
                    other = support.json.loads(done.stdout)["check"]
                    self.assertEqual([found.get(key) for key in ("result_digest", "inputs", "deterministic", "max_ulps")],
                                     [other["result_digest"], "splitmix64, seed 5", True, 0 if dtype == "float32" else None])
                    self.assertEqual(found.get("max_ulps"), other.get("max_ulps"))

    def test_one_rank_has_no_bus_bandwidth(self):
        found = self.document("all_reduce", "ranks=1")
        self.assertEqual(found["work"]["bytes"], 0)
        self.assertTrue(any("one rank moves nothing" in note for note in found["notes"]))

    def test_a_wrong_library_is_told_on_whichever_rank_it_shows(self):
        for i, wrong in enumerate(("no_last_rank", "one_element", "last_rank", "other_operation", "alone")):
            for kind in ("all_reduce", KINDS[1 + i % 4]):
                with self.subTest(wrong=wrong, kind=kind):
                    found = self.document(kind, "ranks=3", "dtype=int32", FAKE_TORCH_WRONG=wrong)
                    self.assertFalse(found["check"]["pass"])
                    self.assertEqual(found["samples_ns"], [])
                    if wrong == "last_rank":
                        self.assertIn("of rank 2", found["check"]["detail"])
        found = self.document("all_reduce", "ranks=2", "dtype=float64", FAKE_TORCH_WRONG="float_sum")
        self.assertFalse(found["check"]["pass"])

    def test_one_bit_of_one_rank_is_told(self):
        """In what is moved it is wrong; a sum has more ulps, whichever rank prints, and other bits."""
        for kind in KINDS:
            with self.subTest(kind=kind):
                words = ["ranks=3", "seed=4"]  # an element that may err by more
                right, one = self.document(kind, *words)["check"], self.document(kind, *words, FAKE_TORCH_WRONG="one_bit")["check"]
                adds = kind in collectives.REDUCING
                self.assertIs(one["pass"], adds, one)
                self.assertGreater(one["max_ulps"], right["max_ulps"])
                if adds:
                    self.assertNotEqual(one["result_digest"], right["result_digest"])
                else:
                    self.assertIn("element 0 of rank 2", one["detail"])

    def test_what_the_backend_has_not_is_unsupported(self):
        found = self.document("reduce_scatter", "ranks=2", FAKE_TORCH_WRONG="no_reduce_scatter")
        self.assertIn("does not support reduce_scatter", found["unsupported"])
        found = self.document("broadcast", "ranks=1", "device=gpu")
        self.assertIn("sees no GPU", found["unsupported"])

    def test_a_rank_that_dies_ends_all(self):
        begin = time.monotonic()
        done = run("all_reduce", "ranks=3", FAKE_TORCH_WRONG="killed")
        self.assertLess(time.monotonic() - begin, 90)
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("rank 2 of 3 ended: killed by signal 9", done.stderr)

    def test_a_launcher_s_rank_that_is_not_the_first_prints_nothing(self):
        with tempfile.TemporaryDirectory() as place:
            alone = dict(WORLD_SIZE="1", RANK="0", MASTER_ADDR=place + "/meet", MASTER_PORT="1")
            self.assertEqual(self.document("broadcast", **alone)["parameters"]["ranks"], 1)
            done = run("broadcast", "ranks=2", **alone)
            self.assertEqual(done.returncode, 3)
            self.assertIn("ranks=2, but WORLD_SIZE started 1", done.stderr)


if __name__ == "__main__":
    unittest.main()
