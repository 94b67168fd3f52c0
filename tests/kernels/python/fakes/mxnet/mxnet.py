"""MXNet as the PIs use it. Its engine is asynchronous: numbers are there after waitall."""

import numpy

import naive

__version__ = "1.9.9"
pending = []


class Array(object):
    def __init__(self, work):
        self.work, self.done = work, None
        pending.append(self)

    def asnumpy(self):
        assert self.done is not None, "read before waitall"
        return self.done


def cpu(number):
    return "cpu"


class nd(object):
    @staticmethod
    def array(array, ctx, dtype):
        return Array(lambda: numpy.array(array, dtype=dtype))

    @staticmethod
    def waitall():
        while pending:
            array = pending.pop(0)
            array.done = array.work()

    @staticmethod
    def dot(a, b):
        return Array(lambda: naive.matmul(a.done, b.done))

    @staticmethod
    def pad(x, mode, pad_width):
        pairs = list(zip(pad_width[::2], pad_width[1::2]))
        return Array(lambda: numpy.pad(x.done, pairs, mode))

    @staticmethod
    def Convolution(x, w, num_filter, kernel, no_bias, stride, layout, pad=(0, 0)):
        assert num_filter == w.done.shape[0] and tuple(kernel) == w.done.shape[2:] and no_bias
        return Array(lambda: naive.convolve(x.done, w.done, stride, [(p, p) for p in pad[:len(stride)]]))
