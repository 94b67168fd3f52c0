"""Every rank's inputs, as kernels/collectives/exchange_check.cpp makes them, and whether a result is right. NumPy."""

from __future__ import absolute_import, division

from stackx_pi import reference
from stackx_pi.collectives import REDUCING, ROUNDOFF
from stackx_pi.inputs import rounded_to_bfloat16

MASK = 2**64 - 1


def mixed_number(x):  # SplitMix64's output function
    x = ((x ^ (x >> 30)) * 0xbf58476d1ce4e5b9) & MASK
    x = ((x ^ (x >> 27)) * 0x94d049bb133111eb) & MASK
    return x ^ (x >> 31)


def key_of(seed, rank):
    return mixed_number((mixed_number((seed + 0x9e3779b97f4a7c15) & MASK) + rank) & MASK)


def mixed(x):
    import numpy
    with numpy.errstate(over="ignore"):
        x = (x ^ (x >> numpy.uint64(30))) * numpy.uint64(0xbf58476d1ce4e5b9)
        x = (x ^ (x >> numpy.uint64(27))) * numpy.uint64(0x94d049bb133111eb)
    return x ^ (x >> numpy.uint64(31))


def elements(dtype, seed, rank, begin, count):
    """bfloat16 comes as float32 that bfloat16 can hold."""
    import numpy
    with numpy.errstate(over="ignore"):
        at = numpy.arange(begin, begin + count, dtype=numpy.uint64) + numpy.uint64(key_of(seed, rank))
    bits = mixed(at)
    if dtype == "int32":
        return ((bits >> numpy.uint64(48)).astype(numpy.int64) - (1 << 15)).astype(numpy.int32)
    if dtype == "float64":
        return (bits >> numpy.uint64(11)).astype(numpy.float64) * 2.0**-52 - 1
    values = ((bits >> numpy.uint64(40)).astype(numpy.float64) * 2.0**-23 - 1).astype(numpy.float32)
    if dtype == "bfloat16":
        return rounded_to_bfloat16(values)
    return values.astype(numpy.float16) if dtype == "float16" else values


def held(values, dtype):
    """As the type's own bits, which NumPy does not have of bfloat16."""
    import numpy
    return (values.view(numpy.uint32) >> numpy.uint32(16)).astype(numpy.uint16) if dtype == "bfloat16" else values


def sent_by(exchange, seed, rank):
    return elements(exchange.dtype, seed, rank, 0, exchange.sent)


def moved_to(exchange, seed, rank):
    import numpy
    if exchange.kind == "broadcast":
        return elements(exchange.dtype, seed, 0, 0, exchange.part)
    begin = rank * exchange.part if exchange.kind == "alltoall" else 0
    return numpy.concatenate([elements(exchange.dtype, seed, source, begin, exchange.part)
                              for source in range(exchange.ranks)])


def reduced_for(exchange, seed, rank):
    """(result, size of the summands), in more digits than the type has."""
    import numpy
    begin = rank * exchange.part if exchange.kind == "reduce_scatter" else 0
    combine = {"sum": numpy.add, "max": numpy.maximum, "min": numpy.minimum}[exchange.reduction]
    result = scale = None
    for source in range(exchange.ranks):
        values = elements(exchange.dtype, seed, source, begin, exchange.received).astype(numpy.longdouble)
        result = values if result is None else combine(result, values)
        scale = abs(values) if scale is None else scale + abs(values)
    return result, scale if exchange.reduction == "sum" else abs(result)


def bound_of(exchange):
    if exchange.kind not in REDUCING or exchange.reduction != "sum":
        return 0.0
    errors = (exchange.ranks - 1) * ROUNDOFF[exchange.dtype]
    return errors / (1 - errors)


def check(exchange, seed, rank, received):
    """`received`: an array, bfloat16 as float32."""
    import numpy
    if exchange.kind in REDUCING:
        expected, scale = reduced_for(exchange, seed, rank)
    else:
        expected = moved_to(exchange, seed, rank).astype(numpy.longdouble)
        scale = abs(expected)
    difference = abs(received.astype(numpy.longdouble) - expected)
    bound = bound_of(exchange)
    right = difference <= bound * scale  # NaN is not
    found = {"reference": "recomputed by each rank from all ranks' inputs, every element", "bound": bound,
             "max_relative_error": worst(difference, scale), "pass": bool(right.all())}
    if exchange.dtype in reference.PRECISION:  # of few numbers with few digits: float64 has the exact sum
        found["max_ulps"] = reference.largest_ulps(received.astype(numpy.float64), expected.astype(numpy.float64), exchange.dtype)
    if not found["pass"]:
        at = int(numpy.argmin(right))
        found["detail"] = "element %d of rank %d is %.9g, expected %.9g" % (at, rank, received[at], expected[at])
    return found


def worst(difference, scale):
    import numpy
    if not difference.any():
        return 0.0
    with numpy.errstate(divide="ignore", invalid="ignore"):
        relative = numpy.where(difference == 0, 0, difference / scale)
    value = float(relative.max())
    return value if value <= reference.HUGE else reference.HUGE  # also NaN
