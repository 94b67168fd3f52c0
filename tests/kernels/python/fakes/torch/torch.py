"""PyTorch as the PIs use it."""

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
