"""ONNX files written without a library: machines with a GPU may have Python and nothing else.

Tensors are float32. Field numbers are those of onnx.proto.
"""

import random
import struct
from math import prod

_FLOAT = 1  # TensorProto.FLOAT
_INT_KIND, _INTS_KIND = 2, 7  # AttributeProto.INT and INTS
_IR_VERSION, _OPSET = 8, 17


def _varint(value):
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _number(field, value):
    return _varint(field << 3) + _varint(value)


def _bytes(field, value):
    value = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _tensor_type(shape):
    dims = b"".join(_bytes(1, _number(1, extent)) for extent in shape)
    return _bytes(1, _number(1, _FLOAT) + _bytes(2, dims))


def _attribute(name, value):
    """Of an integer or of a list of them."""
    if isinstance(value, int):
        return _bytes(1, name) + _number(3, value) + _number(20, _INT_KIND)
    return _bytes(1, name) + b"".join(_number(8, number) for number in value) + _number(20, _INTS_KIND)


def weights(name, shape, scale=1.0):
    """An initializer of seeded numbers from -scale to scale, a block of which is repeated."""
    count = prod(shape)
    generator = random.Random(1)
    block = struct.pack("<1024f", *(generator.uniform(-scale, scale) for _ in range(1024)))
    data = (block * (count // 1024 + 1))[:4 * count]
    dims = _bytes(1, b"".join(_varint(extent) for extent in shape))
    return _bytes(5, dims + _number(2, _FLOAT) + _bytes(8, name) + _bytes(9, data))


def node(kind, inputs, output, **attributes):
    """A node named as its output, with integers or lists of them as attributes."""
    return _bytes(1, b"".join(_bytes(1, name) for name in inputs) + _bytes(2, output) + _bytes(3, output) + _bytes(4, kind) +
                  b"".join(_bytes(5, _attribute(name, value)) for name, value in attributes.items()))


def model(nodes, initializers, shape_in, shape_out):
    """The file's bytes: from input `x` to output `y`."""
    def value(name, shape):
        return _bytes(1, name) + _bytes(2, _tensor_type(shape))

    graph = (b"".join(nodes) + _bytes(2, "model") + b"".join(initializers) + _bytes(11, value("x", shape_in)) +
             _bytes(12, value("y", shape_out)))
    return _number(1, _IR_VERSION) + _bytes(7, graph) + _bytes(8, _number(2, _OPSET))
