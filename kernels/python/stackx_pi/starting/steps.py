"""What a program that has just started does first: a product, or a small network's forward pass. Seeded, checked in float64.

    matmul  C = A B, all of SIZE x SIZE
    mlp     relu(x w + b) v + d: ROWS rows, SIZE inputs and outputs, 4 SIZE hidden units, as in a transformer's block

Bound of the network: rounding errors walk at random (reference.py), so a hidden unit errs by bound (|x||w| + |b|), an output by the
Euclidean norm of those errors times v, and by bound (|h||v| + |d|) of its own.
"""

from __future__ import absolute_import

from stackx_pi import memory, reference
from stackx_pi.inputs import random_array

ROWS, WIDER = 64, 4
OPERATIONS = ["mlp", "matmul"]


class Product(object):
    def __init__(self, size, dtype, seed, tf32=False):
        self.dtype, self.seed, self.tf32 = dtype, seed, tf32
        self.arrays = [random_array((size, size), dtype, seed, stream) for stream in (0, 1)]

    def prepare(self, adapter):
        return adapter.matmul(*self.arrays)

    def check(self, result):
        return reference.check_product(self.arrays[0], self.arrays[1], result, self.dtype, self.seed, self.tf32)


class Network(object):
    def __init__(self, size, dtype, seed, tf32=False):
        self.dtype, self.tf32 = dtype, tf32
        shapes = [(ROWS, size), (size, WIDER * size), (WIDER * size,), (WIDER * size, size), (size,)]
        self.arrays = [random_array(shape, dtype, seed, stream) for stream, shape in enumerate(shapes)]

    def prepare(self, adapter):
        return adapter.network(*self.arrays)

    def check(self, result):
        return check_network(self.arrays, result, self.dtype, self.tf32)


def check_network(arrays, result, dtype, tf32=False):
    import numpy
    x, w, b, v, d = [reference.double(one) for one in arrays]
    comparison = reference.Comparison(reference.roundoff(dtype, tf32), v.shape[0], dtype)
    if tuple(result.shape) != (x.shape[0], v.shape[1]):
        return reference.wrong_shape(comparison, result.shape, (x.shape[0], v.shape[1]))

    def product(left, right):
        return numpy.einsum("ij,jk->ik", left, right)

    def lengths(left, right, bias):
        return reference.norms(left, 1)[:, None] * reference.norms(right, 0)[None, :] + abs(bias)

    hidden = numpy.maximum(product(x, w) + b, 0)
    expected, found = product(hidden, v) + d, reference.double(result)
    scale = numpy.sqrt(product(lengths(x, w, b)**2, v**2)) + lengths(hidden, v, d)
    comparison.add(found, expected, scale, lambda at: "y[%d,%d]" % (at[0], at[1]))
    comparison.add_entries(found, expected)
    return comparison.document("every entry in float64")


def need_of(operation, size, dtype):
    """Of the step, at least: its arrays, its result, and both in float64 for the check; of the network's, the squares of one weight, too."""
    weight, keys = size * size, ["size", "dtype"]
    if operation == "matmul":
        return memory.need_of(keys, [weight, weight], weight, dtype, weight)
    inputs = [ROWS * size, WIDER * weight, WIDER * size, WIDER * weight, size]
    return memory.need_of(keys, inputs, ROWS * size, dtype, sum(inputs) + WIDER * weight)


def step(operation, size, dtype, seed, tf32=False):
    return {"matmul": Product, "mlp": Network}[operation](size, dtype, seed, tf32)
