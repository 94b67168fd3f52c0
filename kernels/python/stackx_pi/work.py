"""How much work a call is. All numbers are exact; a sample's are those of its mini-batch of calls.

matmul: 2 m n k flop. Each of the m n results sums k products; counted as k multiplications and k additions, as BLAS rates are
everywhere (m n k - m n additions would do).

Convolution: 2 * batch * output positions * output channels * kernel taps * input channels flop: the direct algorithm's, as
cuDNN's documentation and every table of network costs count. Taps that fall on padding count: so the number is that of the
matrix product most libraries make of it, and rates compare with published ones. What the taps inside the input alone come to is
given beside it (`flop_without_padding`); a library that skips the rest, or does a Winograd transform, gains in the rate, as it should.

Bytes: inputs and result once each, in the elements' size: the least traffic, not what caches really move.
"""

from __future__ import absolute_import, division

import collections

BYTES = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2}

MATMUL_FORMULA = "flop = 2 m n k"
CONVOLUTION_FORMULA = ("flop = 2 batch out_positions out_channels kernel_taps in_channels, with out_positions and kernel_taps "
                       "the products over the dimensions; taps on padding count")

# One spatial dimension. low, high: zeros put before and after.
Axis = collections.namedtuple("Axis", "size kernel stride low high out")


def axis(size, kernel, stride, padding):
    """"valid" pads nothing; "same" pads so that out = ceil(size / stride), the odd zero at the end, as TensorFlow does."""
    if padding == "same":
        out = -(-size // stride)
        total = max((out - 1) * stride + kernel - size, 0)
        return Axis(size, kernel, stride, total // 2, total - total // 2, out)
    return Axis(size, kernel, stride, 0, 0, (size - kernel) // stride + 1)


def taps_inside(one):
    """Over all output positions of an axis, the kernel taps that fall on the input."""
    count = 0
    for position in range(one.out):
        first = position * one.stride - one.low
        count += max(0, min(first + one.kernel, one.size) - max(first, 0))
    return count


def product(values):
    result = 1
    for value in values:
        result *= value
    return result


def matmul_work(m, n, k, dtype):
    return {"flop": 2 * m * n * k, "bytes": BYTES[dtype] * (m * k + k * n + m * n), "items": 1}


def convolution_elements(batch, axes, in_channels, out_channels):
    """Of the input, the filters and the result."""
    return (batch * in_channels * product(one.size for one in axes), product(one.kernel for one in axes) * in_channels * out_channels,
            batch * out_channels * product(one.out for one in axes))


def convolution_work(batch, axes, in_channels, out_channels, dtype):
    positions = product(one.out for one in axes)
    kernel = product(one.kernel for one in axes)
    elements = sum(convolution_elements(batch, axes, in_channels, out_channels))
    return {"flop": 2 * batch * positions * out_channels * kernel * in_channels, "bytes": BYTES[dtype] * elements,
            "items": 1,
            "flop_without_padding": 2 * batch * out_channels * in_channels * product(taps_inside(one) for one in axes)}


def of_sample(work, mini_batch):
    return dict((key, value * mini_batch) for key, value in work.items())
