"""FLOP counts against counting each multiplication of the direct algorithms."""

import itertools
import json
import unittest

import support
from stackx_pi import work
from stackx_pi.errors import UsageError
from stackx_pi.parameters import Parameter, Parameters, nearest


def brute_force(batch, sizes, kernels, stride, padding, inputs, outputs):
    """(positions, multiply-adds with padding, without) by walking over everything, padding looked up in a table."""
    axes = []
    for size, kernel in zip(sizes, kernels):
        if padding == "valid":
            starts = [s for s in range(0, size, stride) if s + kernel <= size]
        else:  # TensorFlow's rule, written as a search: the fewest zeros with ceil(size / stride) positions
            count = (size + stride - 1) // stride
            zeros = 0
            while (size + zeros - kernel) // stride + 1 < count or size + zeros < kernel:
                zeros += 1
            starts = [i * stride - zeros // 2 for i in range(count)]
        axes.append([[0 <= start + tap < size for tap in range(kernel)] for start in starts])
    every = inside = positions = 0
    for position in itertools.product(*axes):
        positions += 1
        for taps in itertools.product(*position):
            every += 1
            inside += all(taps)
    return positions, every * batch * inputs * outputs, inside * batch * inputs * outputs


class Counts(unittest.TestCase):
    def test_a_product(self):
        m, n, k = 3, 5, 7
        multiplications = sum(1 for _ in itertools.product(range(m), range(n), range(k)))
        self.assertEqual(work.matmul_work(m, n, k, "float64"),
                         {"flop": 2 * multiplications, "bytes": 8 * (m * k + k * n + m * n), "items": 1})

    def test_convolutions(self):
        cases = 0
        for stride, padding in itertools.product((1, 2, 3), ("valid", "same")):
            for sizes, kernels in [((10,), (3,)), ((11,), (4,)), ((7,), (7,)), ((5,), (1,)), ((6, 9), (3, 2)),
                                   ((8, 5), (5, 5)), ((3, 3), (3, 1))]:
                axes = [work.axis(s, k, stride, padding) for s, k in zip(sizes, kernels)]
                positions, every, inside = brute_force(2, sizes, kernels, stride, padding, 3, 4)
                counted = work.convolution_work(2, axes, 3, 4, "float32")
                where = (sizes, kernels, stride, padding)
                self.assertEqual(work.product(one.out for one in axes), positions, where)
                self.assertEqual(counted["flop"], 2 * every, where)
                self.assertEqual(counted["flop_without_padding"], 2 * inside, where)
                elements = 2 * 3 * work.product(sizes) + work.product(kernels) * 12 + 2 * 4 * positions
                self.assertEqual(counted["bytes"], 4 * elements, where)
                cases += 1
        self.assertEqual(cases, 42)

    def test_a_sample_is_a_mini_batch(self):
        self.assertEqual(work.of_sample({"flop": 6, "items": 1}, 4), {"flop": 24, "items": 4})


class Words(unittest.TestCase):
    KNOWN = [Parameter("m", "512", ""), Parameter("dtype", "float32", ""), Parameter("max_seconds", "0.5", "")]

    def message(self, words, read=lambda p: None):
        with self.assertRaises(UsageError) as caught:
            read(Parameters(self.KNOWN, words))
        return str(caught.exception)

    def test_what_cannot_be_read_is_refused_as_the_native_program_does(self):
        self.assertEqual(self.message(["n=3"]), 'unknown parameter "n"; did you mean "m"?')
        self.assertEqual(self.message(["completely_other=3"]),
                         'unknown parameter "completely_other"; known are m, dtype, max_seconds')
        self.assertEqual(self.message(["m"]), '"m": expected key=value')
        self.assertEqual(self.message(["m=1", "m=1"]), 'parameter "m" is given twice')
        for bad in ("0", "-1", "+1", "1e3", " 1", "1_0", "11", "", "0x1", "\u0661"):
            self.assertEqual(self.message(["m=" + bad], lambda p: p.whole("m", 1, 10)),
                             "m=%s: expected a whole number from 1 to 10" % bad)
        for bad in ("inf", "nan", "-0.1", "1e999", "x", ""):
            self.assertEqual(self.message(["max_seconds=" + bad], lambda p: p.number("max_seconds", 0)),
                             "max_seconds=%s: expected a number of at least 0" % bad)
        self.assertEqual(self.message(["dtype=int3"], lambda p: p.one_of("dtype", ["float32", "float64"])),
                         "dtype=int3: expected one of float32, float64")

    def test_values_come_back_as_numbers_and_text(self):
        parameters = Parameters(self.KNOWN, ["m=7"])
        self.assertEqual(parameters.json(), {"m": 7, "dtype": "float32", "max_seconds": 0.5})
        json.dumps(Parameters(self.KNOWN, ["m=" + "9" * 400, "dtype=nan"]).json(), allow_nan=False)

    def test_nearest(self):
        self.assertEqual(nearest("repetition", ["m", "repetitions", "seed"]), "repetitions")
        self.assertEqual(nearest("zzzzzzzz", ["m", "seed"]), "")


if __name__ == "__main__":
    unittest.main()
