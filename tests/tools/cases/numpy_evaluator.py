"""The float operators that the families of networks use, by ONNX's definitions, in float64.

It shares no code with the compiler, so it shows errors that the compiler's own reference would share.
"""

import math

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from onnx import helper, numpy_helper

_erf = np.vectorize(math.erf)


def _pads(attributes, rank):
    pads = attributes.get("pads", [0] * (2 * rank))
    return list(zip(pads[:rank], pads[rank:]))


def _windows(x, kernel, attributes, fill):
    """[batch, channels, outputs of each axis..., kernel...]"""
    rank = len(kernel)
    strides, dilations = (attributes.get(key, [1] * rank) for key in ("strides", "dilations"))
    x = np.pad(x, [(0, 0), (0, 0), *_pads(attributes, rank)], constant_values=fill)
    reach = [(size - 1) * step + 1 for size, step in zip(kernel, dilations)]
    windows = sliding_window_view(x, reach, tuple(range(2, 2 + rank)))
    places = tuple(slice(None, None, step) for step in strides)
    taps = tuple(slice(None, None, step) for step in dilations)
    return windows[(slice(None), slice(None), *places, *taps)]


def _conv(attributes, x, w, bias=None):
    rank, groups = w.ndim - 2, attributes.get("group", 1)
    windows = _windows(x, w.shape[2:], attributes, 0)
    batch, channels, *places = windows.shape[:2 + rank]
    windows = windows.reshape(batch, groups, channels // groups, math.prod(places), -1)
    filters = w.reshape(groups, w.shape[0] // groups, w.shape[1], -1)
    y = np.einsum("bgcpk,gfck->bgfp", windows, filters).reshape(batch, w.shape[0], *places)
    return y if bias is None else y + bias.reshape(1, -1, *[1] * rank)


def _conv_transpose(attributes, x, w, bias=None):
    """Each input adds its multiple of the kernel to the outputs around it."""
    if attributes.get("group", 1) != 1 or "output_shape" in attributes:
        raise NotImplementedError("ConvTranspose with groups or a given output")
    kernel = w.shape[2:]
    rank = len(kernel)
    strides = attributes.get("strides", [1] * rank)
    full = [(x.shape[2 + i] - 1) * strides[i] + kernel[i] for i in range(rank)]
    y = np.zeros((x.shape[0], w.shape[1], *full))
    for tap in np.ndindex(*kernel):
        places = tuple(slice(tap[i], tap[i] + (x.shape[2 + i] - 1) * strides[i] + 1, strides[i]) for i in range(rank))
        y[(slice(None), slice(None), *places)] += np.einsum("bc...,cf->bf...", x, w[(slice(None), slice(None), *tap)])
    cut = tuple(slice(before, size - after) for size, (before, after) in zip(full, _pads(attributes, rank)))
    y = y[(slice(None), slice(None), *cut)]
    return y if bias is None else y + bias.reshape(1, -1, *[1] * rank)


def _average_pool(attributes, x):
    kernel = attributes["kernel_shape"]
    taps = tuple(range(-len(kernel), 0))
    sums = _windows(x, kernel, attributes, 0).sum(taps)
    if attributes.get("count_include_pad", 0):
        return sums / math.prod(kernel)
    return sums / _windows(np.ones_like(x), kernel, attributes, 0).sum(taps)


def _max_pool(attributes, x):
    kernel = attributes["kernel_shape"]
    return _windows(x, kernel, attributes, -np.inf).max(tuple(range(-len(kernel), 0)))


def _gemm(attributes, a, b, c=0.0):
    a = a.T if attributes.get("transA") else a
    b = b.T if attributes.get("transB") else b
    return attributes.get("alpha", 1.0) * (a @ b) + attributes.get("beta", 1.0) * c


def _softmax(attributes, x):
    axis = attributes.get("axis", -1)
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def _layer_normalization(attributes, x, scale, bias=0.0):
    axes = tuple(range(attributes.get("axis", -1) % x.ndim, x.ndim))
    centred = x - x.mean(axes, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axes, keepdims=True) + attributes.get("epsilon", 1e-5)) * scale + bias


def _reshape(_, x, shape):
    return x.reshape([x.shape[i] if size == 0 else size for i, size in enumerate(shape)])


def _flatten(attributes, x):
    return x.reshape(math.prod(x.shape[:attributes.get("axis", 1)]), -1)


def _squeeze(_, x, axes=None):
    return np.squeeze(x, None if axes is None else tuple(axes))


def _unsqueeze(_, x, axes):
    return np.expand_dims(x, tuple(axes))


def _slice(_, x, starts, ends, axes=None, steps=None):
    axes = range(len(starts)) if axes is None else axes
    steps = [1] * len(starts) if steps is None else steps
    places = [slice(None)] * x.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps):
        places[axis] = slice(int(start), int(end), int(step))
    return x[tuple(places)]


def _split(attributes, x, sizes):
    return np.split(x, np.cumsum(sizes)[:-1], attributes.get("axis", 0))


def _along(size, target, scale, attributes):
    """The weight of each input of an axis in each output: [target, size]."""
    coordinates = np.arange(target, dtype=np.float64)
    if attributes["coordinate_transformation_mode"] in (b"half_pixel", b"pytorch_half_pixel") and target > 1:
        coordinates = (coordinates + 0.5) / scale - 0.5
    elif attributes["coordinate_transformation_mode"] == b"asymmetric":
        coordinates = coordinates / scale
    else:
        raise NotImplementedError("Resize's coordinates")
    weights = np.zeros((target, size))
    for i, at in enumerate(coordinates):
        low = math.floor(at)
        share = at - low if attributes["mode"] == b"linear" else 0.0
        for place, weight in ((low, 1 - share), (low + 1, share)):
            weights[i, min(max(place, 0), size - 1)] += weight
    return weights


def _resize(attributes, x, _, scales=None, sizes=None):
    linear = attributes["mode"] == b"linear"
    if not linear and attributes.get("nearest_mode") != b"floor":
        raise NotImplementedError("Resize's rounding")
    targets = sizes if sizes is not None else [int(math.floor(n * s)) for n, s in zip(x.shape, scales)]
    for axis, target in enumerate(targets):
        if target == x.shape[axis]:
            continue
        scale = target / x.shape[axis] if sizes is not None else scales[axis]
        x = np.moveaxis(np.tensordot(_along(x.shape[axis], int(target), scale, attributes), x, (1, axis)), 0, axis)
    return x


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _lstm(attributes, x, w, r, b):
    """Forward, from a state of zeros; gates in the order input, output, forget, cell."""
    size = attributes["hidden_size"]
    hidden = cell = np.zeros((x.shape[1], size))
    outputs = []
    for step in x:
        i, o, f, c = np.split(step @ w[0].T + hidden @ r[0].T + b[0, :4 * size] + b[0, 4 * size:], 4, 1)
        cell = _sigmoid(f) * cell + _sigmoid(i) * np.tanh(c)
        hidden = _sigmoid(o) * np.tanh(cell)
        outputs.append(hidden)
    return np.stack(outputs)[:, None]


def _clip(_, x, low=-np.inf, high=np.inf):
    return np.clip(x, low, high)


def _pad(attributes, x, pads, value=0):
    mode = attributes.get("mode", b"constant").decode()
    return np.pad(x, list(zip(pads[:x.ndim], pads[x.ndim:])), mode, **({"constant_values": value} if mode == "constant" else {}))


_OPERATORS = {
    "Add": lambda _, a, b: a + b,
    "AveragePool": _average_pool,
    "Clip": _clip,
    "Concat": lambda attributes, *xs: np.concatenate(xs, attributes["axis"]),
    "Conv": _conv,
    "ConvTranspose": _conv_transpose,
    "DequantizeLinear": lambda _, q, scale, zero: (q.astype(np.float64) - zero.astype(np.int64)) * scale,
    "Div": lambda _, a, b: a / b,
    "Erf": lambda _, x: _erf(x),
    "Expand": lambda _, x, shape: np.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(shape))),
    "Flatten": _flatten,
    "Gather": lambda attributes, x, places: np.take(x, places, attributes.get("axis", 0)),
    "Gemm": _gemm,
    "GlobalAveragePool": lambda _, x: x.mean(tuple(range(2, x.ndim)), keepdims=True),
    "HardSigmoid": lambda attributes, x: np.clip(attributes.get("alpha", 0.2) * x + attributes.get("beta", 0.5), 0, 1),
    "LayerNormalization": _layer_normalization,
    "LeakyRelu": lambda attributes, x: np.where(x < 0, attributes.get("alpha", 0.01) * x, x),
    "LSTM": _lstm,
    "MatMul": lambda _, a, b: a @ b,
    "MaxPool": _max_pool,
    "Mul": lambda _, a, b: a * b,
    "Pad": _pad,
    "QuantizeLinear": lambda _, x, scale, zero: np.clip(np.rint(x / scale) + zero, -128, 127),
    "Relu": lambda _, x: np.maximum(x, 0),
    "Reshape": _reshape,
    "Resize": _resize,
    "Sigmoid": lambda _, x: _sigmoid(x),
    "Slice": _slice,
    "Softmax": _softmax,
    "Softplus": lambda _, x: np.log1p(np.exp(x)),
    "Split": _split,
    "Squeeze": _squeeze,
    "Tanh": lambda _, x: np.tanh(x),
    "Tile": lambda _, x, times: np.tile(x, times),
    "Transpose": lambda attributes, x: x.transpose(attributes["perm"]),
    "Unsqueeze": _unsqueeze,
}


def evaluate(model, inputs):
    """The model's first output, in float64; `inputs` has an array for each name of an input."""
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    values.update(inputs)
    values = {name: np.asarray(x, np.float64) if np.issubdtype(np.asarray(x).dtype, np.floating) else np.asarray(x)
              for name, x in values.items()}
    for node in model.graph.node:
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        arguments = [values[name] if name else None for name in node.input]
        results = _OPERATORS[node.op_type](attributes, *arguments)
        values.update(zip(node.output, results if len(node.output) > 1 else [results]))
    return values[model.graph.output[0].name]
