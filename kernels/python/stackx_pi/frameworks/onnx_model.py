"""The bytes of a small ONNX model, c = op(a, b) mostly, written as the protocol buffer they are.

The package `onnx` is not part of an ONNX Runtime installation, and adding it would change the stack that is measured. The field
numbers are those of onnx.proto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto). Opset 9 and IR version 4 (ONNX 1.4,
2018): every ONNX Runtime reads them, and MatMul, Conv, Add and Relu have not changed for these types.
"""

from __future__ import absolute_import

OPSET, IR_VERSION = 9, 4
TYPES = {"float32": 1, "float16": 10, "float64": 11}  # TensorProto.DataType
INT, INTS = 2, 7  # AttributeProto.AttributeType


def varint(value):
    parts = bytearray()
    while value >= 0x80:
        parts.append(value & 0x7f | 0x80)
        value >>= 7
    parts.append(value)
    return bytes(parts)


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, content):
    """A nested message or a string."""
    content = content.encode("ascii") if not isinstance(content, bytes) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


def whole_numbers(name, values):
    """AttributeProto: name, ints, type."""
    return message(1, name) + b"".join(number(8, value) for value in values) + number(20, INTS)


def operand(name, dtype):
    """ValueInfoProto: name, and a tensor type without a shape."""
    return message(1, name) + message(2, message(1, number(1, TYPES[dtype])))


def node(operator, inputs, output, attributes=()):
    return message(1, b"".join(message(1, name) for name in inputs) + message(2, output) + message(4, operator) +
                   b"".join(message(5, attribute) for attribute in attributes))


def model(nodes, inputs, dtype):
    graph = b"".join(nodes) + message(2, "stackx")
    graph += b"".join(message(11, operand(name, dtype)) for name in inputs) + message(12, operand("c", dtype))
    return number(1, IR_VERSION) + message(2, "stackx") + message(7, graph) + message(8, message(1, "") + number(2, OPSET))


def matmul(dtype):
    return model([node("MatMul", "ab", "c")], "ab", dtype)


def network(dtype):
    """c = relu(x w + b) v + d"""
    return model([node("MatMul", "xw", "p"), node("Add", "pb", "q"), node("Relu", "q", "r"), node("MatMul", "rv", "s"),
                  node("Add", "sd", "c")], "xwbvd", dtype)


def convolution(dtype, axes):
    return model([node("Conv", "ab", "c", [
        whole_numbers("kernel_shape", [one.kernel for one in axes]),
        whole_numbers("strides", [one.stride for one in axes]),
        whole_numbers("pads", [one.low for one in axes] + [one.high for one in axes]),
    ])], "ab", dtype)
