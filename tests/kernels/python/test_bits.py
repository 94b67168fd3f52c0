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

        class Call(object):
            wait, runs = None, 0

            def run(self):
                self.runs += 1

            def result(self):
                return numpy.zeros(3)

        call, digest = Call(), bits.digest_of(numpy.zeros(3))
        self.assertNotIn("deterministic", bits.bits_of(call, digest, "1", 6000000000, Clock()))
        self.assertEqual(call.runs, 0)
        self.assertTrue(bits.bits_of(call, digest, "1", 1000, Clock())["deterministic"])
        self.assertEqual(call.runs, 1)


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


if __name__ == "__main__":
    unittest.main()
