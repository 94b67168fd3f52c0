"""Models of several nodes for ONNX Runtime, written as the protocol buffers they are (frameworks/onnx_model.py says why).

Opset 11 and IR version 6 (ONNX 1.6, 2019): whatever reads them has all operators that a decoder needs. Weights are initialisers,
constants as in any exported model, so that the runtime may pack them when it loads it; those of more than a kilobyte stand in
a file beside the model (external data), since a protocol buffer holds at most 2 GB.
"""

from __future__ import absolute_import

import os

from stackx_pi.frameworks.onnx_model import INTS, TYPES, message, number, varint

OPSET, IR_VERSION = 11, 6
FLOAT, INT = 1, 2  # AttributeProto.AttributeType
KINDS = dict(TYPES, int64=7, bool=9)  # TensorProto.DataType
EXTERNAL = 1  # TensorProto.DataLocation
INLINE_BYTES = 1024
ALIGNMENT = 4096  # of a tensor in the file: it is mapped, not read


def attribute(name, value):
    """Whole numbers, one or a list."""
    if isinstance(value, (list, tuple)):
        return message(1, name) + b"".join(number(8, one & (1 << 64) - 1) for one in value) + number(20, INTS)
    return message(1, name) + number(3, value & (1 << 64) - 1) + number(20, INT)


class Graph(object):
    """Its model.onnx and weights.bin go to `directory`."""

    def __init__(self, directory):
        self.directory, self.count = directory, 0
        self.nodes, self.initialisers, self.inputs, self.outputs = [], [], [], []
        self.file = open(os.path.join(directory, "weights.bin"), "wb")
        self.constants = {}

    def node(self, operator, *inputs, **attributes):
        """The name of its result; `output`: one that somebody gave."""
        self.count += 1
        name = attributes.pop("output", None) or "%s_%d" % (operator, self.count)
        content = b"".join(message(1, one) for one in inputs) + message(2, name) + message(4, operator)
        content += b"".join(message(5, attribute(key, value)) for key, value in sorted(attributes.items()))
        self.nodes.append(content)
        return name

    def constant(self, array, name=None):
        """An initialiser; small ones are written once however often they are asked for."""
        import numpy
        array = numpy.asarray(array, order="C")
        data = array.tobytes() if array.nbytes <= INLINE_BYTES else None
        key = (str(array.dtype), array.shape, data)
        if data is not None and key in self.constants:
            return self.constants[key]
        self.count += 1
        name = name or "constant_%d" % self.count
        content = b"".join(number(1, side) for side in array.shape) + number(2, KINDS[str(array.dtype)]) + message(8, name)
        content += message(9, data) if data is not None else self._external(array)
        self.initialisers.append(content)
        if data is not None:
            self.constants[key] = name
        return name

    def _external(self, array):
        self.file.write(b"\0" * (-self.file.tell() % ALIGNMENT))
        entries = (("location", "weights.bin"), ("offset", str(self.file.tell())), ("length", str(array.nbytes)))
        array.tofile(self.file)
        return b"".join(message(13, message(1, key) + message(2, value)) for key, value in entries) + number(14, EXTERNAL)

    def _operand(self, name, dtype, sides):
        dimensions = b"".join(message(1, number(1, side)) for side in sides)
        return message(1, name) + message(2, message(1, number(1, KINDS[dtype]) + message(2, dimensions)))

    def input(self, name, dtype, sides):
        self.inputs.append(self._operand(name, dtype, sides))
        return name

    def output(self, name, dtype, sides):
        self.outputs.append(self._operand(name, dtype, sides))

    def write(self):
        """The path of the model."""
        self.file.close()
        graph = b"".join(message(1, node) for node in self.nodes) + message(2, "stackx")
        for field, contents in ((5, self.initialisers), (11, self.inputs), (12, self.outputs)):
            graph += b"".join(message(field, content) for content in contents)
        path = os.path.join(self.directory, "model.onnx")
        with open(path, "wb") as file:
            file.write(number(1, IR_VERSION) + message(2, "stackx") + varint(7 << 3 | 2) + varint(len(graph)))
            file.write(graph)
            file.write(message(8, message(1, "") + number(2, OPSET)))
        return path
