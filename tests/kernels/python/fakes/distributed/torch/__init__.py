"""The part of PyTorch that collective.py uses, on NumPy; ranks talk by files beside the one that they are told to meet in.

FAKE_TORCH_WRONG: no_last_rank, one_element, last_rank, other_operation, alone, float_sum, one_bit (of the last rank's first element)
build a torch.distributed that errs; no_reduce_scatter refuses, killed ends the last rank in its first operation.
"""

import types

import numpy

__version__ = "2.99.0"
float32, float64, float16, int32, int64 = numpy.float32, numpy.float64, numpy.float16, numpy.int32, numpy.int64
bfloat16 = numpy.float32


class Tensor:
    def __init__(self, values):
        self.values = values

    def clone(self):
        return Tensor(self.values.copy())

    def to(self, device=None, dtype=None):
        return Tensor(self.values.astype(dtype))

    def copy_(self, other):
        self.values[:] = other.values

    def chunk(self, count):
        return [Tensor(part) for part in numpy.split(self.values, count)]

    def float(self):
        return Tensor(self.values.astype(numpy.float32))

    def cpu(self):
        return self

    def numpy(self):
        return self.values

    def tolist(self):
        return self.values.tolist()

    def item(self):
        return self.values.item()


def from_numpy(values):
    return Tensor(values)


def tensor(values, dtype):
    return Tensor(numpy.array(values, dtype=dtype))


def full(shape, value, dtype, device):
    return Tensor(numpy.full(shape, value, dtype=dtype))


def max(a, b):  # pylint: disable=redefined-builtin
    return Tensor(numpy.maximum(a.values, b.values))


def device(name, index=None):
    return name


def set_num_threads(count):
    pass


def get_num_threads():
    return 1


def set_grad_enabled(enabled):
    pass


cuda = types.SimpleNamespace(is_available=lambda: False)
version = types.SimpleNamespace(cuda=None, git_version="")
backends = types.SimpleNamespace()

from . import distributed  # noqa: E402  pylint: disable=wrong-import-position
