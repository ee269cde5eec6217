"""What a quantised ONNX model means, in real arithmetic: its operators in float64, rounding only where QuantizeLinear says so.

float32, in which ONNX Runtime and the CPU backend compute these models, rounds partial sums too; an integer that comes out
one off because of that is carried from layer to layer. Against this the integers of an accelerator can be judged by themselves.
As QLinearConv demands, the scale of an integer bias is the product of input and weight scale, which a file can hold only
rounded to float32.
"""

import numpy as np
import onnx
from numpy.lib.stride_tricks import sliding_window_view
from onnx import numpy_helper


def _attributes(node):
    return {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in node.attribute}


def _axis(values, rank, axis):
    """Parameters of one axis, to broadcast against `rank` dimensions."""
    values = np.asarray(values, np.float64)
    return values.reshape([-1 if i == axis % rank else 1 for i in range(rank)]) if values.size > 1 else values.reshape(())


def _quantize(attributes, x, scale, zero_point=None):
    zero_point = np.uint8(0) if zero_point is None else zero_point
    info, axis = np.iinfo(np.asarray(zero_point).dtype), attributes.get("axis", 1)
    # An input of the model is float32, and so is its division: where steps lie half-way, that decides.
    steps = np.rint(x / _axis(scale, x.ndim, axis).astype(x.dtype)) + _axis(zero_point, x.ndim, axis)
    return np.clip(steps, info.min, info.max).astype(info.dtype)


def _dequantize(attributes, x, scale, zero_point=0):
    axis = attributes.get("axis", 1)
    return (x.astype(np.float64) - _axis(zero_point, x.ndim, axis)) * _axis(scale, x.ndim, axis)


def _conv(attributes, x, w, bias=None):
    if attributes.get("auto_pad", b"NOTSET") != b"NOTSET":
        raise NotImplementedError("Conv with auto_pad")
    top, left, bottom, right = attributes.get("pads", [0] * 4)
    groups, (outputs, per_group, *kernel) = attributes.get("group", 1), w.shape
    stride, dilation = attributes.get("strides", [1, 1]), attributes.get("dilations", [1, 1])
    x = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)))
    reach = [(size - 1) * step + 1 for size, step in zip(kernel, dilation)]
    windows = sliding_window_view(x, reach, (2, 3))[:, :, ::stride[0], ::stride[1], ::dilation[0], ::dilation[1]]
    batch, _, height, width = windows.shape[:4]
    if per_group == 1 and outputs == groups:
        y = np.einsum("nchwyx,cyx->nchw", windows, w[:, 0])
    else:
        windows = windows.reshape(batch, groups, per_group, height, width, *kernel).transpose(1, 2, 5, 6, 0, 3, 4)
        y = w.reshape(groups, outputs // groups, -1) @ windows.reshape(groups, -1, batch * height * width)
        y = y.reshape(outputs, batch, height, width).transpose(1, 0, 2, 3)
    return y if bias is None else y + bias.reshape(1, -1, 1, 1)


def _gemm(attributes, a, b, c=0.0):
    a = a.T if attributes.get("transA") else a
    b = b.T if attributes.get("transB") else b
    return attributes.get("alpha", 1.0) * (a @ b) + attributes.get("beta", 1.0) * c


def _softmax(attributes, x):
    axis = attributes.get("axis", -1)
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def _reshape(_, x, shape):
    return x.reshape([x.shape[i] if size == 0 else size for i, size in enumerate(shape)])


_OPERATORS = {
    "QuantizeLinear": _quantize,
    "DequantizeLinear": _dequantize,
    "Conv": _conv,
    "Gemm": _gemm,
    "MatMul": lambda _, a, b: a @ b,
    "Add": lambda _, a, b: a + b,
    "Relu": lambda _, x: np.maximum(x, 0),
    "GlobalAveragePool": lambda _, x: x.mean((2, 3), keepdims=True),
    "Softmax": _softmax,
    "Reshape": _reshape,
    "Transpose": lambda attributes, x: x.transpose(attributes["perm"]),
}


def _bias_scales(nodes, constants):
    """The exact scales of integer biases, by the name of the dequantised bias."""
    producers = {output: node for node in nodes for output in node.output}
    scales = {}
    for node in nodes:
        if node.op_type not in ("Conv", "Gemm") or len(node.input) < 3:
            continue
        inputs = [producers.get(name) for name in node.input]
        if any(source is None or source.op_type != "DequantizeLinear" for source in inputs):
            continue
        x, w, bias = (constants[source.input[1]].astype(np.float64) for source in inputs)
        if np.allclose(bias, x * w, rtol=2.0**-22):
            scales[node.input[2]] = x * w
    return scales


class ExactModel:
    """Evaluates the model in `path`. `NotImplementedError`, naming them, where it has operators that are not here."""

    def __init__(self, path):
        graph = onnx.load(path).graph
        unknown = sorted({node.op_type for node in graph.node} - _OPERATORS.keys())
        if unknown:
            raise NotImplementedError(f"{path}: operators without exact arithmetic: {', '.join(unknown)}")
        self._constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
        self._inputs = [value.name for value in graph.input if value.name not in self._constants]
        self._outputs = [value.name for value in graph.output]
        self._bias_scales = _bias_scales(graph.node, self._constants)
        self._nodes = [(_OPERATORS[node.op_type], _attributes(node), list(node.input), node.output[0]) for node in graph.node]

    def run(self, *inputs):
        """The outputs, in float64; all values that have a name are left in `values`."""
        self.values = dict(self._constants)
        self.values |= dict(zip(self._inputs, inputs, strict=True))
        for function, attributes, names, output in self._nodes:
            arguments = [self.values[name] if name else None for name in names]
            if function is not _quantize:
                arguments = [x.astype(np.float64) if x is not None and x.dtype == np.float32 else x for x in arguments]
            if output in self._bias_scales:
                arguments[1], attributes = self._bias_scales[output], {"axis": 0}
            self.values[output] = function(attributes, *arguments)
        return [self.values[name] for name in self._outputs]
