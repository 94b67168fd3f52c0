"""The checks: right results pass, wrong ones do not, and the convolution reference is scipy's."""

import unittest

import support

if support.numpy is not None:
    import numpy
    from stackx_pi import reference, work
    from stackx_pi.inputs import random_array, rounded_to_bfloat16
    from stackx_pi.frameworks import with_numpy

try:
    import scipy.signal
except ImportError:
    scipy = None


@support.needs_numpy
class Inputs(unittest.TestCase):
    def test_they_depend_on_the_seed_alone(self):
        a = random_array((3, 4), "float32", 1, 0)
        self.assertTrue((a == random_array((3, 4), "float32", 1, 0)).all())
        for other in (random_array((3, 4), "float32", 2, 0), random_array((3, 4), "float32", 1, 1),
                      random_array((3, 4), "float32", 1 + 2**32, 0)):
            self.assertFalse((a == other).any())
        random_array((1,), "float32", 2**64 - 1, 0)

    def test_numbers_are_pinned(self):
        """RandomState's stream is frozen: another NumPy that gives other inputs would be seen here."""
        found = random_array((2, 2), "float64", 1, 0).ravel().tolist()
        self.assertEqual([round(v, 12) for v in found], PINNED)

    def test_bfloat16_rounds_to_nearest_ties_to_even(self):
        one, step = 1.0, 2.0**-7
        values = numpy.array([1 + step / 2, 1 + step * 1.5, 1 + step * 0.51, -(1 + step * 0.49), 0.0], numpy.float32)
        self.assertEqual(rounded_to_bfloat16(values).tolist(), [one, 1 + 2 * step, 1 + step, -one, 0.0])


@support.needs_numpy
class Products(unittest.TestCase):
    def setUp(self):
        self.a, self.b = random_array((40, 300), "float32", 1, 0), random_array((300, 50), "float32", 1, 1)
        self.c = self.a.dot(self.b)

    def check(self, c, dtype="float32", **options):
        return reference.check_product(self.a, self.b, c, dtype, 1, **options)

    def test_right_results_pass_in_full_and_by_parts(self):
        for full_flop in (reference.FULL_FLOP, 0):
            for dtype in ("float64", "float32", "float16"):
                a, b = random_array((70, 300), dtype, 1, 0), random_array((300, 90), dtype, 1, 1)
                c = a.dot(b)
                check = reference.check_product(a, b, c, dtype, 1, full_flop=full_flop)
                self.assertTrue(check["pass"], check)
                self.assertGreater(check["max_relative_error"], 0)
                self.assertLess(check["max_relative_error"], check["bound"] / 2)
        self.assertTrue(self.check(numpy.asfortranarray(self.c))["pass"])

    def test_a_product_summed_one_by_one_passes(self):
        c = numpy.zeros((40, 50), numpy.float32)
        for p in range(300):
            c += self.a[:, p:p + 1] * self.b[p:p + 1]
        self.assertTrue(self.check(c)["pass"])

    def test_wrong_results_fail(self):
        half = self.a.astype(numpy.float16).astype(numpy.float32).dot(self.b)
        tf32 = truncated(self.a).dot(truncated(self.b))
        one, swapped, nan = self.c.copy(), self.c.copy(), self.c.copy()
        one[17, 23] += 1e-2
        swapped[[3, 4]] = swapped[[4, 3]]
        nan[39, 49] = numpy.nan
        for name, wrong in [("zeros", self.c * 0), ("half", half), ("tf32", tf32), ("one", one), ("rows", swapped),
                            ("nan", nan), ("twice", 2 * self.c), ("inf", self.c + numpy.inf)]:
            for full_flop in (reference.FULL_FLOP, 0):
                if name == "one" and not full_flop:
                    continue  # below what Freivalds sees, as the header says
                check = self.check(wrong, full_flop=full_flop)
                self.assertFalse(check["pass"], (name, check))
                self.assertTrue(check["detail"], name)
                self.assertLess(check["max_relative_error"], float("inf"))
        self.assertIn("c[17,23]", self.check(one)["detail"])
        self.assertIn("shape", self.check(self.c.T)["detail"])

    def test_tf32_passes_only_where_it_may_be_used(self):
        tf32 = truncated(self.a).dot(truncated(self.b))
        self.assertTrue(self.check(tf32, tf32=True)["pass"])
        self.assertFalse(self.check(self.c * 0, tf32=True)["pass"])

    def test_an_error_outside_the_compared_rows_is_seen(self):
        a, b = random_array((200, 64), "float32", 1, 0), random_array((64, 200), "float32", 1, 1)
        c = a.dot(b)
        for i in range(200):
            wrong = c.copy()
            wrong[i, 199 - i] += 1
            self.assertFalse(reference.check_product(a, b, wrong, "float32", 1, full_flop=0)["pass"], i)

    def test_coarse_types_must_be_right_on_the_whole(self):
        for dtype in ("float16", "bfloat16"):
            a, b = random_array((64, 512), dtype, 1, 0), random_array((512, 64), dtype, 1, 1)
            exact = reference.double(a).dot(reference.double(b))
            for name, c, right in [("rounded", exact.astype(numpy.float16), True), ("zeros", exact * 0, False),
                                   ("transposed", exact.T, False), ("negative", -exact, False)]:
                check = reference.check_product(a, b, c, dtype, 1)
                self.assertEqual(check["pass"], right, (dtype, name, check))

    def test_bfloat16_that_rounds_every_partial_sum_passes(self):
        a, b = random_array((32, 256), "bfloat16", 1, 0), random_array((256, 32), "bfloat16", 1, 1)
        c = numpy.zeros((32, 32), numpy.float32)
        for p in range(256):
            c = rounded_to_bfloat16(c + a[:, p:p + 1] * b[p:p + 1])
        check = reference.check_product(a, b, c, "bfloat16", 1)
        self.assertTrue(check["pass"], check)


def truncated(values):
    """TensorFloat-32 keeps 10 bits of the mantissa."""
    bits = (values.view(numpy.uint32) + numpy.uint32(1 << 12)) & numpy.uint32(0xffffe000)
    return bits.view(numpy.float32)


def naive_convolution(x, w, axes):
    """Loops over everything."""
    out = tuple(one.out for one in axes)
    y = numpy.zeros((x.shape[0],) + out + (w.shape[-1],))
    for index in numpy.ndindex(*y.shape):
        image, position, channel = index[0], index[1:-1], index[-1]
        for tap in numpy.ndindex(*w.shape[:-2]):
            source = [p * one.stride + t - one.low for p, t, one in zip(position, tap, axes)]
            if all(0 <= s < one.size for s, one in zip(source, axes)):
                y[index] += float(numpy.dot(x[(image,) + tuple(source)].astype(float),
                                            w[tap + (slice(None), channel)].astype(float)))
    return y


@support.needs_numpy
class Convolutions(unittest.TestCase):
    CASES = [((9,), (3,), 1, "valid"), ((9,), (4,), 2, "same"), ((7, 6), (3, 3), 1, "same"),
             ((7, 6), (3, 2), 2, "same"), ((8, 8), (5, 3), 3, "valid"), ((4, 4), (5, 5), 1, "same")]

    def each(self, dtype="float32"):
        for sizes, kernels, stride, padding in self.CASES:
            axes = [work.axis(s, k, stride, padding) for s, k in zip(sizes, kernels)]
            x = random_array((2,) + sizes + (3,), dtype, 1, 0)
            w = random_array(kernels + (3, 4), dtype, 1, 1)
            yield x, w, axes

    def test_the_reference_is_the_naive_loop(self):
        for x, w, axes in self.each("float64"):
            y = naive_convolution(x, w, axes)
            for full_flop in (reference.FULL_FLOP, 0):
                check = reference.check_convolution(x, w, y, axes, "float64", 1, full_flop=full_flop)
                self.assertTrue(check["pass"], check)

    @unittest.skipIf(scipy is None, "scipy is not installed")
    def test_the_reference_is_scipys(self):
        x, w = random_array((2, 12, 11, 3), "float64", 1, 0), random_array((3, 4, 3, 5), "float64", 1, 1)
        axes = [work.axis(12, 3, 1, "valid"), work.axis(11, 4, 1, "valid")]
        y = numpy.stack([numpy.stack([
            sum(scipy.signal.correlate(x[i, ..., c], w[..., c, o], "valid") for c in range(3)) for o in range(5)], -1)
                         for i in range(2)])
        self.assertTrue(reference.check_convolution(x, w, y, axes, "float64", 1)["pass"])
        flipped = naive_convolution(x, w[::-1, ::-1], axes)
        self.assertFalse(reference.check_convolution(x, w, flipped, axes, "float64", 1)["pass"])

    def test_numpy_as_it_is_measured_is_right(self):
        class Settings:
            dtype, threads, device, mode, tf32, layout = "float32", None, "cpu", "default", False, "default"

        for x, w, axes in self.each():
            call = with_numpy.Adapter(Settings).convolution(x, w, axes)
            call.run()
            self.assertTrue(numpy.allclose(call.result(), naive_convolution(x, w, axes), atol=1e-5))

    def test_wrong_results_fail(self):
        for x, w, axes in self.each():
            y = naive_convolution(x, w, axes)
            corner, shifted = y.copy(), numpy.roll(y, 1, axis=1)
            corner[-1, ..., -1] += 0.01
            for wrong in (corner, shifted, y * 0, numpy.float16(y), y[..., :-1]):
                check = reference.check_convolution(x, w, wrong, axes, "float32", 1)
                self.assertFalse(check["pass"], check)

    def test_large_results_are_sampled_corners_included(self):
        axes = [work.axis(40, 3, 1, "same"), work.axis(40, 3, 1, "same")]
        x, w = random_array((3, 40, 40, 2), "float32", 1, 0), random_array((3, 3, 2, 2), "float32", 1, 1)
        call = with_numpy.Adapter.convolution(FakeAdapter(), x, w, axes)
        call.run()
        y = call.result()
        good = reference.check_convolution(x, w, y, axes, "float32", 1, full_flop=0)
        self.assertTrue(good["pass"], good)
        self.assertIn("corners", good["reference"])
        for corner in ((0, 0, 0), (2, 39, 39), (0, 39, 0), (2, 0, 39)):
            wrong = y.copy()
            wrong[corner] += 0.01
            self.assertFalse(reference.check_convolution(x, w, wrong, axes, "float32", 1, full_flop=0)["pass"], corner)


class FakeAdapter:
    numpy, notes = support.numpy, []


PINNED = [0.773210623569, 0.495880242711, 0.603702588476, 0.132510626478]

if __name__ == "__main__":
    unittest.main()
