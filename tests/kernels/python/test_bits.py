"""Bits and ulps of the checks: their definitions, and frameworks that are steady, unsteady, and off by a known number of ulps."""

import hashlib
import struct
import unittest

import support
from support import FAKES, QUICK

if support.numpy is not None:
    import numpy
    from stackx_pi import bits, reference
    from stackx_pi.inputs import random_array
    from stackx_pi.transformer import check as transformer_check
    from stackx_pi.transformer import cost
    from transformer_cases import preset

SMALL = ["matmul", "m=20", "n=24", "k=16"]
CONV = ["conv2d", "height=9", "width=8", "kernel=3", "batch=2", "in_channels=3", "out_channels=5"]


@support.needs_numpy
class Definitions(unittest.TestCase):
    def test_the_digest_is_of_the_elements_in_their_order(self):
        array = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
        expected = hashlib.sha256(struct.pack("<6f", *range(6))).hexdigest()
        for same in (array, numpy.asfortranarray(array), array.astype(">f4"), numpy.repeat(array, 2, axis=1)[:, ::2]):
            self.assertEqual(bits.digest_of(same), expected)
        self.assertNotEqual(bits.digest_of(array.T), expected)
        self.assertNotEqual(bits.digest_of(array.astype(numpy.float64)), expected)
        self.assertEqual(bits.digest_of(array[0], array[1]), expected)
        negative = -numpy.zeros((2,), numpy.float32)
        self.assertNotEqual(bits.digest_of(negative), bits.digest_of(numpy.zeros((2,), numpy.float32)))

    def test_ulps_are_the_distances_of_neighbours(self):
        for dtype in ("float32", "float16"):
            numbers = numpy.abs(random_array((500,), dtype, 1, 0)) * numpy.array([1, 1e-3, 1e-6, 40, 0], dtype).repeat(100)
            above = numpy.nextafter(numbers, numpy.array(numpy.inf, dtype))
            for one, next_one in zip(numbers.astype(float), above.astype(float)):
                self.assertEqual(reference.largest_ulps(numpy.array([next_one]), numpy.array([one]), dtype), 1)
                self.assertEqual(reference.largest_ulps(numpy.array([-next_one]), numpy.array([-one]), dtype), 1)
        self.assertEqual(reference.largest_ulps(numpy.array([1 + 2.0**-6]), numpy.array([1.0]), "bfloat16"), 2)
        self.assertEqual(reference.largest_ulps(numpy.array([numpy.nan]), numpy.array([1.0]), "float32"), reference.HUGE)

    def test_ulps_of_a_tensor_are_those_of_its_largest_entry(self):
        for dtype in ("float32", "float16", "bfloat16"):
            exact = random_array((300,), "float64", 1, 0) * 10.0**-(numpy.arange(300) % 7)
            exact[:9] = 0
            largest = abs(exact).max()
            found = exact.copy()
            found[3] = 5 * support.spacing(largest, dtype)  # of a 0, whose own ulps are far smaller
            self.assertEqual(reference.tensor_ulps(found, exact, dtype), 5)
            self.assertGreater(reference.largest_ulps(found, exact, dtype), 1e3)
            found[abs(exact).argmax()] += 7 * support.spacing(largest, dtype)
            self.assertEqual(reference.tensor_ulps(found, exact, dtype), 7)
        self.assertEqual(reference.tensor_ulps(numpy.zeros(3), numpy.zeros(3), "float32"), 0)
        for wrong in (numpy.zeros(3), numpy.array([numpy.nan, 1]), numpy.array([1, numpy.inf])):
            self.assertEqual(reference.tensor_ulps(wrong, numpy.ones(2), "float32"), reference.HUGE)

    def test_the_most_ulps_of_all_ranks(self):
        for mine, others, most in ((1.5, [2.5, 0.0], 2.5), (None, [0.0, None], 0.0), (None, [None], None)):
            found = bits.most_ulps({} if mine is None else {"max_ulps": mine}, lambda told, others=others: [told] + others)
            self.assertEqual(found.get("max_ulps"), most)

    def test_a_known_error_in_full_and_by_parts(self):
        a, b = random_array((40, 30), "float32", 1, 0), random_array((30, 50), "float32", 1, 1)
        right = a.astype(float).dot(b.astype(float)).astype(numpy.float32)
        off = right.copy()
        for _ in range(7):
            off[0, 3] = numpy.nextafter(off[0, 3], 2 * off[0, 3])  # in a row that is always compared
        for full_flop in (reference.FULL_FLOP, 0):
            for c, least, most in ((right, 0, 0.5), (off, 6.5, 7.5)):
                check = reference.check_product(a, b, c, "float32", 1, full_flop=full_flop)
                self.assertTrue(check["pass"])
                self.assertTrue(least <= check["max_ulps"] <= most, check)
        self.assertNotIn("max_ulps", reference.check_product(a.astype(float), b.astype(float), a.astype(float).dot(b.astype(float)), "float64", 1))

    def test_a_long_first_call_is_not_repeated_and_a_long_one_once(self):
        class Clock(object):
            now = 0

            def steady_ns(self):
                self.now += 2000000000
                return self.now

        for first_ns, calls in ((6000000000, 0), (1000, 1)):
            done, one = [], bits.Bits(Clock(), "1")
            one.keep(numpy.zeros(3), first_ns)

            def again(done=done):
                done.append(1)
                return numpy.zeros(3)

            self.assertIs(one.described(again).get("deterministic"), True if calls else None)
            self.assertEqual(len(done), calls)
            self.assertNotIn("deterministic", one.described())

    def test_of_several_ranks_each_counts(self):
        def found(values, later):
            ranks = iter([[bits.digest_of(numpy.array([value])) for value in one] for one in (values, later)])
            one = bits.Bits(Still(), "1", gathered=lambda mine: next(ranks) if isinstance(mine, str) else [0, 7000000000])
            one.keep(numpy.zeros(1), 0)
            self.assertNotIn("deterministic", one.described(lambda: numpy.zeros(1)), "another rank took seven seconds")
            one.first_ns = 0
            return one.described(lambda: numpy.zeros(1))

        class Still(object):
            def steady_ns(self):
                return 0

        same = found((1., 2.), (1., 2.))
        self.assertIs(same["deterministic"], True)
        self.assertIs(found((1., 2.), (1., 3.))["deterministic"], False)
        self.assertNotEqual(same["result_digest"], found((2., 1.), (2., 1.))["result_digest"])


@support.needs_numpy
class Frameworks(support.PiTest):
    def check(self, *words, **changes):
        found = self.pi(*words, *QUICK, PYTHONPATH="%s:%s" % (FAKES / "torch", FAKES), **changes)
        self.assertTrue(found["check"]["pass"], found["check"])
        self.assertEqual(len(found["samples_ns"]), 3)
        return found["check"]

    def test_steady(self):
        for words in (SMALL, CONV):
            one, again = (self.check(*words, "framework=torch") for _ in range(2))
            self.assertIs(one["deterministic"], True)
            self.assertEqual(one, again)
            self.assertEqual(one["inputs"], "RandomState, seed 1")
            other = self.check(*words, "framework=torch", "seed=2")
            self.assertNotEqual((one["inputs"], one["result_digest"]), (other["inputs"], other["result_digest"]))
        self.assertEqual(self.check(*SMALL, "framework=torch")["result_digest"], self.check(*SMALL, "framework=numpy")["result_digest"])

    def test_unsteady(self):
        for words in (SMALL, CONV):
            self.assertIs(self.check(*words, "framework=torch", FAKE_FAULT="unsteady")["deterministic"], False)

    def test_an_entry_that_is_off_by_five_ulps(self):
        check = self.check(*SMALL, "framework=torch", FAKE_FAULT="five_ulps")
        self.assertTrue(4.5 <= check["max_ulps"] <= 5.5, check)
        self.assertIs(check["deterministic"], True)


MODELS = {"transformer": ["transformer", "model=tiny", "layers=2", "context=6", "tokens=3", "framework=numpy"],
          "train_resnet50": ["train_resnet50", "depth=14", "image_size=32", "width=4", "classes=7", "batch=4", "num_batches=3",
                             "num_warmup_batches=0", "framework=numpy"]}
# What is patched errs by one bit, from the second time on.
UNSTEADY = '''
import runpy, sys
sys.path.insert(0, sys.argv[1])
import numpy
from stackx_pi.{module} import {name}
right, times = {name}.{method}, [0]
def unsteady(self, *words):
    result = right(self, *words)
    times[0] += 1
    array = {array}
    if times[0] > {steady} and array is not None:
        array.flat[0] = numpy.nextafter(array.flat[0], array.dtype.type(9))
    return result
{name}.{method} = unsteady
sys.argv = sys.argv[2:]
runpy.run_path(sys.argv[0], run_name="__main__")
'''


@support.needs_numpy
class Models(support.PiTest):
    def check(self, words, **unsteady):
        before = ("-c", UNSTEADY.format(**unsteady), support.KERNELS) if unsteady else ()
        found = self.pi(*words, *QUICK[1:], "repetitions=3", before=before)
        self.assertTrue(found["check"]["pass"], found["check"])
        self.assertEqual(len(found["notes"]), len(set(found["notes"])))
        return found["check"]

    def test_steady(self):
        for words in [MODELS["transformer"] + ["phase=" + phase] for phase in ("prefill", "decode", "train")] + [MODELS["train_resnet50"]]:
            one = self.check(words)
            self.assertIs(one["deterministic"], True, words)
            self.assertEqual(one, self.check(words))
            self.assertNotEqual(one["result_digest"], self.check(words + ["seed=2"])["result_digest"])

    def test_unsteady(self):
        decoder = {"module": "transformer.numpy_decoder", "name": "NumpyRunner"}
        for phase, method, array, steady in (("prefill", "prefill", "self.found", 1), ("decode", "step", "self.found", 4),
                                             ("train", "train", "self.arrays[0]", 1)):
            one = self.check(MODELS["transformer"] + ["phase=" + phase], method=method, array=array, steady=steady, **decoder)
            self.assertIs(one["deterministic"], False, phase)
        one = self.check(MODELS["train_resnet50"], module="training.numpy_steps", name="NumpyTrainer", method="step",
                         array="self.state.weights[0]", steady=3)
        self.assertIs(one["deterministic"], False)

    def test_ulps_of_the_right_logits_and_of_wrong_ones(self):
        class Told(object):
            """What float64 says, rounded once; one logit is off by so many ulps."""
            def __init__(self, expected, layers, ulps):
                values = [array.astype(numpy.float32) for _, _, array in expected]
                for _ in range(ulps):
                    values[0].flat[0] = numpy.nextafter(values[0].flat[0], numpy.float32(9))
                self.found, self.kept = numpy.stack(values[:-2 * layers]), list(zip(values[-2 * layers::2], values[-2 * layers + 1::2]))

            def start_prefill(self, tokens):
                pass

            def prefill(self):
                pass

            def logits(self):
                return self.found

            def cache(self):
                return self.kept

        task, one = cost.Task("prefill", 2, 6, 1), preset()
        expected = transformer_check.Check(one, task, "float32", False, 1).expected()
        for ulps, least, most in ((0, 0.25, 0.5), (9, 8.5, 9.5)):
            told = Told(expected, one.layers, ulps)
            found = transformer_check.check_runner(told, one, task, "float32", False, 1)
            self.assertTrue(found["pass"], found)
            self.assertTrue(least <= found["max_ulps"] <= most, found)


if __name__ == "__main__":
    unittest.main()
