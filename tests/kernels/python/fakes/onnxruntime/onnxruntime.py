"""ONNX Runtime as the PIs use it: reads the model's bytes with a protocol buffer reader of its own."""

import os
import time

import numpy

import naive

__version__ = "1.99.0"
TYPES = {1: "float32", 10: "float16", 11: "float64"}


def fields(data):
    """[(field, value)]: numbers as int, the rest as bytes."""
    at, found = 0, []

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if not byte & 0x80:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            found.append((key >> 3, varint()))
        else:
            assert key & 7 == 2
            length = varint()
            found.append((key >> 3, data[at:at + length]))
            at += length
    return found


def all_of(message, field):
    return [value for key, value in message if key == field]


def one(message, field):
    (value,) = all_of(message, field)
    return value


class SessionOptions(object):
    pass


class OrtValue(object):
    @staticmethod
    def ortvalue_from_numpy(array, device, number):
        assert device == "cpu" and array.flags.c_contiguous
        value = OrtValue()
        value.array = array
        return value


class Binding(object):
    def __init__(self):
        self.inputs = {}

    def bind_ortvalue_input(self, name, value):
        self.inputs[name] = value.array

    def bind_output(self, name, device):
        self.output = name

    def copy_outputs_to_cpu(self):
        return [self.result]


class Node(object):
    def __init__(self, message):
        self.operator, self.output = one(message, 4).decode(), one(message, 2).decode()
        self.inputs = [name.decode() for name in all_of(message, 1)]
        attributes = [fields(value) for value in all_of(message, 5)]
        self.attributes = dict((one(a, 1).decode(), all_of(a, 8)) for a in attributes)
        assert all(one(a, 20) == 7 for a in attributes)

    def run(self, a, b=None):
        if self.operator != "Conv":
            return {"MatMul": naive.matmul, "Add": numpy.add, "Relu": lambda x, _: numpy.maximum(x, 0)}[self.operator](a, b)
        assert list(b.shape[2:]) == self.attributes["kernel_shape"]
        pads = self.attributes["pads"]
        half = len(pads) // 2
        return naive.convolve(a, b, self.attributes["strides"], list(zip(pads[:half], pads[half:])))


class InferenceSession(object):
    def __init__(self, model, options, providers):
        model = fields(model)
        assert one(model, 1) == 4 and one(fields(one(model, 8)), 2) == 9
        graph = fields(one(model, 7))
        self.inputs = [one(fields(value), 1).decode() for value in all_of(graph, 11)]
        self.types = [TYPES[one(fields(one(fields(one(fields(v), 2)), 1)), 1)] for v in all_of(graph, 11) + all_of(graph, 12)]
        self.nodes = [Node(fields(message)) for message in all_of(graph, 1)]
        assert self.nodes[-1].output == "c"
        time.sleep(0.01)

    def get_providers(self):
        return ["CPUExecutionProvider"]

    def io_binding(self):
        return Binding()

    def run_with_iobinding(self, binding):
        values = dict(binding.inputs)
        assert sorted(values) == sorted(self.inputs)
        assert [str(values[name].dtype) for name in self.inputs] == self.types[:-1]
        for node in self.nodes:
            values[node.output] = node.run(*[values[name] for name in node.inputs])
        binding.result = numpy.asarray(values["c"]) + (os.environ.get("FAKE_FAULT") == "miscompiles" and len(self.nodes) > 1)
        assert str(values["c"].dtype) == self.types[-1]
