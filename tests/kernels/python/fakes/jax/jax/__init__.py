"""JAX as the PIs use it. Dispatch is asynchronous: an array that nobody has awaited holds no numbers."""

import numpy as np

import naive
from jax import monitoring, numpy as jnp  # noqa

__version__ = "0.99.0"


class Array(object):
    def __init__(self, work):
        self.work, self.done = work, None

    def block_until_ready(self):
        if self.done is None:
            self.done = self.work()
        return self

    def __add__(self, other):
        return Array(lambda: np.asarray(self.block_until_ready()) + np.asarray(other.block_until_ready()))

    def __array__(self, dtype=None, copy=None):
        assert self.done is not None, "read before it was ready"
        return self.done


class config(object):
    @staticmethod
    def update(key, value):
        assert (key, value) == ("jax_enable_x64", True)


class Device(object):
    class client(object):
        platform_version = "fake"


def devices(kind):
    if kind != "cpu":
        raise RuntimeError("Unknown backend: 'gpu'\nmore")
    return [Device()]


def device_put(array, device):
    return Array(lambda: array)


class jit(naive.Compiled):
    def __init__(self, function):
        naive.Compiled.__init__(self, function, lambda array: Array(lambda: np.asarray(array.block_until_ready()) + 1),
                                "JAX_COMPILATION_CACHE_DIR")

    def compile(self):
        naive.Compiled.compile(self)
        monitoring.tell("/jax/compilation_cache/cache_" + ("hits" if self.counts["hits"] else "misses"))

    def _cache_size(self):
        return self.counts["compiled"]


class lax(object):
    @staticmethod
    def conv_general_dilated(x, w, strides, padding, dimension_numbers):
        data, filters, out = dimension_numbers
        assert (filters[-2:], data) == ("IO", out)
        x, w = np.asarray(x), np.moveaxis(np.asarray(w), (-1, -2), (0, 1))
        if data[1] == "C":
            return Array(lambda: naive.convolve(x, w, strides, padding))
        return Array(lambda: np.moveaxis(naive.convolve(np.moveaxis(x, -1, 1), w, strides, padding), 1, -1))
