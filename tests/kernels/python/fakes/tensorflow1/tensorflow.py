"""TensorFlow 1 as the PIs use it: a graph of nodes, a Session, placeholders. A result fetched in a timed run would be seen."""

import numpy

import naive

__version__ = "1.14.0"
float32, float64, float16 = numpy.dtype("float32"), numpy.dtype("float64"), numpy.dtype("float16")


class Node(object):
    def __init__(self, compute, *inputs, dtype=None):
        self.compute, self.inputs, self.dtype = compute, inputs, dtype
        self.op = self

    def __add__(self, other):
        return Node(lambda x, y: x + y, self, other)

    def value(self, feeds):
        return feeds[self] if self in feeds else self.compute(*[node.value(feeds) for node in self.inputs])


def placeholder(dtype, shape):
    return Node(None, dtype=dtype)


def cast(node, dtype):
    return Node(lambda x: x.astype(dtype), node, dtype=dtype)


class Variable(Node):
    def __init__(self, initial, trainable):
        super().__init__(lambda: self.held)
        self.initializer = Node(lambda x: setattr(self, "held", numpy.array(x)), initial)


class Gpu(object):
    allow_growth = False


class ConfigProto(object):
    def __init__(self):
        self.device_count, self.gpu_options = {}, Gpu()
        self.intra_op_parallelism_threads = self.inter_op_parallelism_threads = 0


class Session(object):
    def __init__(self, config):
        assert config.intra_op_parallelism_threads in (0, 1), config

    def run(self, node, feeds=()):
        return node.value(dict(feeds))

    def make_callable(self, op):
        def run():
            op.value({})  # an operation returns nothing
        return run

    def list_devices(self):
        return []


class device(object):
    def __init__(self, name):
        assert name == "/device:CPU:0"

    def __enter__(self):
        pass

    def __exit__(self, *_):
        pass


def matmul(a, b):
    return Node(naive.matmul, a, b)


class nn(object):
    @staticmethod
    def relu(x):
        return Node(lambda a: numpy.maximum(a, 0), x)

    @staticmethod
    def conv1d(x, w, stride, padding, data_format):
        assert data_format == "NWC"
        return Node(lambda a, b: naive.channels_last(a, b, [stride], padding), x, w)

    @staticmethod
    def conv2d(x, w, strides, padding, data_format):
        if data_format == "NCHW":
            return Node(lambda a, b: numpy.moveaxis(naive.channels_last(
                numpy.moveaxis(a, 1, -1), b, strides[2:], padding), -1, 1), x, w)
        return Node(lambda a, b: naive.channels_last(a, b, strides[1:-1], padding), x, w)
