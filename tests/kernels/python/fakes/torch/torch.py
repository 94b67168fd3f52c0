"""PyTorch as the PIs use it."""

import collections
import os
import subprocess
import sys

import numpy

import naive

__version__ = "1.99.0+cpu"
float32, float64, float16 = "float32", "float64", "float16"
channels_last = "channels_last"
threads = 2


class Tensor(object):
    def __init__(self, array):
        self.array = array

    def clone(self):
        return Tensor(self.array.copy())

    def to(self, device=None, dtype=None, memory_format=None):
        return Tensor(self.array.astype(dtype or self.array.dtype))

    def __add__(self, other):
        return Tensor(self.array + other.array)

    def cpu(self):
        return self

    def numpy(self):
        return self.array


def from_numpy(array):
    return Tensor(array)


def set_num_threads(count):
    global threads
    threads = min(count, 8)


def get_num_threads():
    return threads


def set_grad_enabled(on):
    assert on is False


def device(name):
    return name


def matmul(a, b):
    return Tensor(naive.matmul(a.array, b.array))


def relu(x):
    return Tensor(numpy.maximum(x.array, 0))


class counted(naive.Compiled):
    def compile(self):
        naive.Compiled.compile(self)
        _dynamo_utils.counters["stats"]["unique_graphs"] += 1
        for kind, word in (("hits", "fxgraph_cache_hit"), ("misses", "fxgraph_cache_miss")):
            _dynamo_utils.counters["inductor"][word] += self.counts[kind]


class _async_compile(object):
    """Its processes end when they are told to, and not with this one. $FAKE_WORKER: a file for the number of one."""
    pool = []

    @classmethod
    def shutdown_compile_workers(cls):
        while cls.pool:
            worker = cls.pool.pop()
            worker.kill()
            worker.wait()


sys.modules["torch._inductor.async_compile"] = _async_compile


def compile(function):
    if os.environ.get("FAKE_WORKER"):
        _async_compile.pool.append(subprocess.Popen(["sleep", "600"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        with open(os.environ["FAKE_WORKER"], "w") as file:
            file.write(str(_async_compile.pool[-1].pid))
    return counted(function, lambda tensor: Tensor(tensor.array + 1), "TORCHINDUCTOR_CACHE_DIR")


class _dynamo_utils(object):
    counters = collections.defaultdict(collections.Counter)


sys.modules["torch._dynamo.utils"] = _dynamo_utils


class nn(object):
    class functional(object):
        @staticmethod
        def pad(x, pads):
            pairs = list(zip(pads[::2], pads[1::2]))[::-1]
            return Tensor(numpy.pad(x.array, [(0, 0), (0, 0)] + pairs, "constant"))

        @staticmethod
        def conv1d(x, w, bias, stride, padding=None):
            pads = [(p, p) for p in padding or [0] * len(stride)]
            return Tensor(naive.convolve(x.array, w.array, stride, pads))

        conv2d = conv1d


class version(object):
    cuda = None


class cuda(object):
    @staticmethod
    def is_available():
        return False


class backends(object):
    pass
