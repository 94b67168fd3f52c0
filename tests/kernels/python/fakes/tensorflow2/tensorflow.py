"""TensorFlow 2 as the PIs use it: tensors, tf.function, threads."""

import numpy

import naive

__version__ = "2.99.0"
float32, float64, float16 = "float32", "float64", "float16"


class Tensor(object):
    def __init__(self, array):
        self.array = array

    def numpy(self):
        return self.array

    def __add__(self, other):
        return Tensor(self.array + other.array)

    def __getitem__(self, key):
        return Tensor(self.array[key])


def convert_to_tensor(array):
    return Tensor(array)


def cast(tensor, dtype):
    return Tensor(tensor.array.astype(dtype))


def identity(tensor):
    return Tensor(tensor.array.copy())


def reshape(tensor, shape):
    return Tensor(tensor.array.reshape(shape))


class function(naive.Compiled):
    def __init__(self, f):
        naive.Compiled.__init__(self, f, lambda tensor: Tensor(tensor.array + 1))

    def experimental_get_tracing_count(self):
        return self.counts["compiled"]


def matmul(a, b):
    return Tensor(naive.matmul(a.array, b.array))


class nn(object):
    @staticmethod
    def relu(x):
        return Tensor(numpy.maximum(x.array, 0))

    @staticmethod
    def conv1d(x, w, stride, padding, data_format):
        return Tensor(naive.channels_last(x.array, w.array, [stride], padding))

    @staticmethod
    def conv2d(x, w, strides, padding, data_format):
        if data_format == "NHWC":
            return Tensor(naive.channels_last(x.array, w.array, strides, padding))
        return Tensor(numpy.moveaxis(naive.channels_last(numpy.moveaxis(x.array, 1, -1), w.array, strides, padding), -1, 1))


class config(object):
    class threading(object):
        intra = 0

        @classmethod
        def set_intra_op_parallelism_threads(cls, count):
            cls.intra = count

        @classmethod
        def set_inter_op_parallelism_threads(cls, count):
            assert count == 1

        @classmethod
        def get_intra_op_parallelism_threads(cls):
            return cls.intra

    class experimental(object):
        @staticmethod
        def list_physical_devices(kind):
            return []

    @staticmethod
    def list_physical_devices(kind):
        return []


class sysconfig(object):
    @staticmethod
    def get_build_info():
        return {"is_cuda_build": False, "cpu_compiler": "fake"}


class device(object):
    def __init__(self, name):
        pass

    def __enter__(self):
        pass

    def __exit__(self, *_):
        pass
