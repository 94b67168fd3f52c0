"""Weights, tokens and caches: random, seeded, the same for every framework, version and machine.

A number has 16 random bits (RandomState.bytes, whose stream NumPy has frozen): eight billion of them take seconds, random_sample
takes minutes. All come as float32 that holds what the dtype can hold, so that the reference sees the very same numbers.

Scale: matrices have variance 1 / in; those that end in the residual (o, down) besides 1 / (2 layers), as GPT-2's: activations
stay near 1 however many layers there are. The embedding has Llama's standard deviation of 0.02: the first norm's epsilon is then
2.5 % of what it normalises, and the check sees a wrong one. Norms' weights are 1 +- 1/4, so that it sees them, too.

A cache that is decoded upon is random: variance 1, as keys and values of these weights have. Rejected: filling it by a prefill, as
llama-bench's -d does, which changes no time and would let the check of decoding cost a prefill at depth. Slots that are still to be
written hold random numbers, too: who looks at one gets a wrong result.
"""

from __future__ import absolute_import, division

from stackx_pi.inputs import random_state, rounded_to_bfloat16
from stackx_pi.transformer.shape import ROTARY_BASE

EMBEDDING_DEVIATION = 0.02
BLOCK = 1 << 24
WEIGHTS, CACHE, TOKENS = 1000, 100000, 500  # streams


def uniform(shape, deviation, seed, stream):
    """float32, mean 0."""
    import numpy
    count = 1
    for side in shape:
        count *= side
    state, result = random_state(seed, stream), numpy.empty(count, numpy.float32)
    factor = numpy.float32(3**0.5 * deviation / 32768)
    for first in range(0, count, BLOCK):  # whole: three times the memory
        some = min(BLOCK, count - first)
        part = numpy.frombuffer(state.bytes(2 * some), "<u2").astype(numpy.float32)
        part -= numpy.float32(32767.5)
        part *= factor
        result[first:first + some] = part
    return result.reshape(shape)


def held(values, dtype):
    """What the dtype can hold of float32, as float32."""
    import numpy
    if dtype == "bfloat16":
        return rounded_to_bfloat16(values)
    return values.astype(numpy.float16).astype(numpy.float32) if dtype == "float16" else values


def weights(shape, dtype, seed):
    """One tensor after the other, in the order of Shape.tensors()."""
    for stream, (name, sides) in enumerate(shape.tensors()):
        if "norm" in name:
            values = 1 + uniform(sides, 0.25 / 3**0.5, seed, WEIGHTS + stream)
        elif name == "embedding":
            values = uniform(sides, EMBEDDING_DEVIATION, seed, WEIGHTS + stream)
        else:
            residual = name.startswith(("o of", "down of"))
            values = uniform(sides, (sides[0] * (2.0 * shape.layers if residual else 1))**-0.5, seed, WEIGHTS + stream)
        yield held(values, dtype)


def tokens(shape, batch, count, seed, stream=TOKENS):
    import numpy
    return random_state(seed, stream).randint(0, shape.vocabulary, size=(batch, count)).astype(numpy.int32)


def cache(shape, batch, positions, dtype, seed):
    """(keys, values) of one layer after the other: batch, kv_heads, positions, head size."""
    sides = (batch, shape.kv_heads, positions, shape.head_size)
    for layer in range(shape.layers):
        yield tuple(held(uniform(sides, 1.0, seed, CACHE + 2 * layer + i), dtype) for i in range(2))


def rotary_tables(shape, end, first=0):
    """Cosines and sines of the positions first to end - 1, each x half a head, float64."""
    import numpy
    half = shape.head_size // 2
    rates = ROTARY_BASE**(-numpy.arange(half, dtype=numpy.float64) / half)
    angles = numpy.arange(first, end, dtype=numpy.float64)[:, None] * rates[None, :]
    return numpy.cos(angles), numpy.sin(angles)
