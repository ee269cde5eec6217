"""Models of one layer as ONNX files, with the work that they take."""

from dataclasses import dataclass

from plain_onnx import model, node, weights


@dataclass
class LayerModel:
    onnx: bytes
    macs: int
    bytes: int  # of inputs, weights and result as float32, each once


def matmul_model(rows, depth, columns):
    """y = x w, of `rows` x `depth` and `depth` x `columns` numbers."""
    onnx = model([node("MatMul", ["x", "w"], "y")], [weights("w", (depth, columns))], (rows, depth), (rows, columns))
    return LayerModel(onnx, rows * depth * columns, 4 * (rows * depth + depth * columns + rows * columns))


def conv_model(extent, channels, filters, kernel):
    """A convolution with steps of one that keeps the extent; `kernel` is odd."""
    conv = node("Conv", ["x", "w"], "y", pads=[kernel // 2] * 4)
    onnx = model([conv], [weights("w", (filters, channels, kernel, kernel))], (1, channels, extent, extent),
                 (1, filters, extent, extent))
    elements = extent**2 * (channels + filters) + filters * channels * kernel**2
    return LayerModel(onnx, extent**2 * channels * filters * kernel**2, 4 * elements)
