"""Models of one layer as ONNX files, written without a library: machines with a GPU may have Python and nothing else."""

import random
import struct
from dataclasses import dataclass

FLOAT = 1  # TensorProto.FLOAT


@dataclass
class LayerModel:
    onnx: bytes
    macs: int
    bytes: int  # of inputs, weights and result, each once


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


def _ints(field, values):
    return _bytes(field, b"".join(_varint(value) for value in values))


def _tensor_type(shape):
    dims = b"".join(_bytes(1, _number(1, extent)) for extent in shape)
    return _bytes(1, _number(1, FLOAT) + _bytes(2, dims))


def _value(name, shape):
    return _bytes(1, name) + _bytes(2, _tensor_type(shape))


def _weights(name, shape):
    """Seeded numbers from -1 to 1, a block of which is repeated."""
    count = 1
    for extent in shape:
        count *= extent
    generator = random.Random(1)
    block = struct.pack("<1024f", *(generator.uniform(-1, 1) for _ in range(1024)))
    data = (block * (count // 1024 + 1))[:4 * count]
    return _ints(1, shape) + _number(2, FLOAT) + _bytes(8, name) + _bytes(9, data)


def _attribute(name, values):
    return _bytes(1, name) + b"".join(_number(8, value) for value in values) + _number(20, 7)  # INTS


def _model(node, weights, shape_in, shape_out):
    graph = (_bytes(1, node) + _bytes(2, "layer") + _bytes(5, weights) + _bytes(11, _value("x", shape_in)) +
             _bytes(12, _value("y", shape_out)))
    return _number(1, 8) + _bytes(7, graph) + _bytes(8, _number(2, 17))


def _node(kind, attributes=b""):
    return _bytes(1, "x") + _bytes(1, "w") + _bytes(2, "y") + _bytes(3, "layer") + _bytes(4, kind) + attributes


def matmul_model(rows, depth, columns):
    """y = x w, of `rows` x `depth` and `depth` x `columns` numbers."""
    onnx = _model(_node("MatMul"), _weights("w", (depth, columns)), (rows, depth), (rows, columns))
    return LayerModel(onnx, rows * depth * columns, 4 * (rows * depth + depth * columns + rows * columns))


def conv_model(extent, channels, filters, kernel):
    """A convolution with steps of one that keeps the extent; `kernel` is odd."""
    pad = kernel // 2
    attributes = _bytes(5, _attribute("pads", [pad] * 4))
    shape_in, shape_out = (1, channels, extent, extent), (1, filters, extent, extent)
    weights = _weights("w", (filters, channels, kernel, kernel))
    elements = extent**2 * (channels + filters) + filters * channels * kernel**2
    return LayerModel(_model(_node("Conv", attributes), weights, shape_in, shape_out),
                      extent**2 * channels * filters * kernel**2, 4 * elements)
