"""What the fake frameworks compute with: a convolution by its definition, a compiler that only takes its time, and a fault if
FAKE_FAULT asks for one."""

import os
import time

import numpy


counts = {"calls": 0}


def faulty(result):
    fault = os.environ.get("FAKE_FAULT", "")
    if fault == "wrong":
        result = numpy.array(result)
        result.reshape(-1)[-1] += 1
    elif fault == "zeros":
        result = result * 0
    elif fault == "unsteady":  # each call by its own last bit
        counts["calls"] += 1
        result = numpy.array(result)
        result.reshape(-1)[-1] *= 1 + counts["calls"] % 2 * 4 * numpy.finfo(result.dtype).eps
    elif fault == "refuses":
        raise RuntimeError("first line\n\"fake_kernel\" not implemented for 'Half'\nlast line")
    elif fault == "fails":
        raise RuntimeError("the fake fell over")
    elif fault.startswith("says "):
        raise RuntimeError(fault[len("says "):])
    return result


def matmul(a, b):
    if os.environ.get("FAKE_FAULT") == "five_ulps":  # one entry, of a result that is rounded once
        c = numpy.dot(a.astype(numpy.float64), b.astype(numpy.float64)).astype(a.dtype)
        for _ in range(5):
            c[1, 1] = numpy.nextafter(c[1, 1], 2 * c[1, 1])
        return c
    return faulty(numpy.dot(a, b))


def convolve(x, w, strides, pads):
    """x: batch, in, space...; w: out, in, taps...; pads: (low, high) an axis."""
    x = numpy.pad(x, [(0, 0), (0, 0)] + list(pads), "constant")
    out = [(size - kernel) // stride + 1 for size, kernel, stride in zip(x.shape[2:], w.shape[2:], strides)]
    y = numpy.zeros([x.shape[0], w.shape[0]] + out, x.dtype)
    axes = list(range(1, w.ndim))
    for position in numpy.ndindex(*out):
        window = tuple(slice(p * s, p * s + k) for p, s, k in zip(position, strides, w.shape[2:]))
        patch = x[(slice(None), slice(None)) + window]
        y[(slice(None), slice(None)) + position] = numpy.tensordot(patch, w, (axes, axes))
    return faulty(y)


def same_pads(sizes, kernels, strides):
    pads = []
    for size, kernel, stride in zip(sizes, kernels, strides):
        total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
        pads.append((total // 2, total - total // 2))
    return pads


def channels_last(x, w, strides, padding):
    """TensorFlow's: x: batch, space..., in; w: taps..., in, out; padding "SAME", "VALID"."""
    first, filters = numpy.moveaxis(x, -1, 1), numpy.moveaxis(w, (-1, -2), (0, 1))
    pads = same_pads(first.shape[2:], filters.shape[2:], strides) if padding == "SAME" else [(0, 0)] * len(strides)
    return numpy.moveaxis(convolve(first, filters, strides, pads), 1, -1)


class Compiled(object):
    """A function that takes 20 ms when first called, less if a file in the cache says so. counts: compiled, hits, misses.

    FAKE_FAULT: uncompiled (it runs as it is), miscompiles (a wrong result), uncached (leaves no file), stale (told of hits in vain).
    """

    def __init__(self, function, spoil, variable=None):
        self.function, self.spoil, self.cache = function, spoil, os.environ.get(variable or "")
        self.counts = {"compiled": 0, "hits": 0, "misses": 0}

    def compile(self):
        fault, file = os.environ.get("FAKE_FAULT", ""), os.path.join(self.cache, "program") if self.cache else None
        hit = file is not None and os.path.exists(file) or fault == "stale"
        self.counts["compiled"] = 1
        self.counts["hits" if hit else "misses"] = 1
        time.sleep(0.005 if hit else 0.02)
        if file is not None and fault != "uncached":
            with open(file, "w") as out:
                out.write("compiled")

    def __call__(self, *arguments):
        if not self.counts["compiled"] and os.environ.get("FAKE_FAULT") != "uncompiled":
            self.compile()
        result = self.function(*arguments)
        return self.spoil(result) if os.environ.get("FAKE_FAULT") == "miscompiles" else result
