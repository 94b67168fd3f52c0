"""The bits of a checked result, as kernels/bits.hpp has them: a digest, and whether further calls give the same.

    "result_digest"  SHA-256 of the whole result as NumPy holds it: row by row, little-endian (bfloat16 as float32); of several arrays
                     one after the other; of several ranks SHA-256 of their digests
    "inputs"         what made them, and of which seed: digests of others are not compared. The native PIs have splitmix64, as the
                     collectives here
    "deterministic"  whether three calls gave the same bits

The first call compiles: where it takes long, or two calls took a second each, there are fewer of them.
"""

from __future__ import absolute_import

import hashlib

REPEATS = 2
MOST_FIRST_NS, MOST_NS = 5000000000, 1000000000


def digest_of(*arrays):
    import numpy
    digest = hashlib.sha256()
    for array in arrays:
        array = numpy.ascontiguousarray(array)
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
        digest.update(array.reshape(-1).view(numpy.uint8).data)
    return digest.hexdigest()


def alone(value):
    return [value]


def most_ulps(check, gathered):
    """The check with the most ulps of all ranks, which call this together, whether they have any or not."""
    told = [ulps for ulps in gathered(check.get("max_ulps")) if ulps is not None]
    return dict(check, max_ulps=max(told)) if told else check


class Bits(object):
    """`arrays`: a result -> its arrays; `gathered`: a value -> those of all ranks, which so decide alike."""

    def __init__(self, clock, seed, arrays=alone, gathered=alone, generator="RandomState"):
        self.clock, self.arrays, self.gathered = clock, arrays, gathered
        self.inputs = "%s, seed %s" % (generator, seed)

    def first(self, call):
        """What it gives."""
        begin = self.clock.steady_ns()
        result = call()
        self.keep(result, self.clock.steady_ns() - begin)
        return result

    def keep(self, result, took_ns):
        """Of a first call that was made elsewhere."""
        self.digests, self.first_ns = self._digests(result), max(self.gathered(took_ns))

    def described(self, again=None):
        """What is added to the check. `again()`: what a further call gives."""
        one = self.digests[0] if len(self.digests) == 1 else hashlib.sha256("".join(self.digests).encode("ascii")).hexdigest()
        found = {"result_digest": one, "inputs": self.inputs}
        if again is not None and self.first_ns <= MOST_FIRST_NS:
            found["deterministic"] = self._repeats(again)
        return found

    def _digests(self, result):
        return self.gathered(digest_of(*self.arrays(result)))

    def _repeats(self, again):
        for _ in range(REPEATS):
            begin = self.clock.steady_ns()
            if self._digests(again()) != self.digests:
                return False
            if max(self.gathered(self.clock.steady_ns() - begin)) > MOST_NS:
                break
        return True
