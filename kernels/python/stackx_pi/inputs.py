"""Random inputs: the same numbers for every framework, version and machine.

NumPy's RandomState, whose streams NumPy has frozen (NEP 19), uniform in [-1, 1), rounded to the dtype. Zero mean matters: the
error bound in reference.py rests on it. bfloat16, which NumPy lacks, comes as float32 rounded to what bfloat16 can hold.
"""

from __future__ import absolute_import, division


def random_state(seed, stream):
    import numpy
    return numpy.random.RandomState([seed & 0xffffffff, seed >> 32, stream])


def rounded_to_bfloat16(values):
    """float32 -> nearest bfloat16, ties to even, kept as float32. Finite input only."""
    import numpy
    bits = numpy.ascontiguousarray(values, dtype=numpy.float32).view(numpy.uint32)
    bits = bits + numpy.uint32(0x7fff) + ((bits >> numpy.uint32(16)) & numpy.uint32(1))
    return (bits & numpy.uint32(0xffff0000)).view(numpy.float32)


def random_array(shape, dtype, seed, stream):
    import numpy
    values = random_state(seed, stream).random_sample(shape)
    values *= 2
    values -= 1
    if dtype == "bfloat16":
        return rounded_to_bfloat16(values.astype(numpy.float32))
    return values.astype(getattr(numpy, dtype))
