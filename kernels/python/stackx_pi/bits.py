"""The bits of a checked result, as kernels/bits.hpp has them: a digest, and whether further calls give the same.

    "result_digest"  SHA-256 of the whole result as NumPy holds it: row by row, little-endian (bfloat16 as float32)
    "inputs"         what made them, and of which seed: the native PIs' are others, so that their digests are not compared with these
    "deterministic"  whether three calls gave the same bits

The first call compiles: where it takes long, or two calls took a second each, there are fewer of them.
"""

from __future__ import absolute_import

import hashlib

REPEATS = 2
MOST_FIRST_NS, MOST_NS = 5000000000, 1000000000


def digest_of(array):
    import numpy
    array = numpy.ascontiguousarray(array)
    array = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return hashlib.sha256(array.reshape(-1).view(numpy.uint8).data).hexdigest()


def repeats(call, digest, clock):
    for _ in range(REPEATS):
        begin = clock.steady_ns()
        call.run()
        if call.wait is not None:
            call.wait()
        if digest_of(call.result()) != digest:
            return False
        if clock.steady_ns() - begin > MOST_NS:
            break
    return True


def bits_of(call, digest, seed, first_ns, clock):
    """What is added to the check; `first_ns`: what the first call took."""
    found = {"result_digest": digest, "inputs": "RandomState, seed %s" % seed}
    if first_ns <= MOST_FIRST_NS:
        found["deterministic"] = repeats(call, digest, clock)
    return found
