"""Which operators a VTA computes: small models, compiled for the default configuration.

A probe is a convolution, the operator, and another convolution. The operator is on the VTA (or gone: folded or fused)
if no CPU step lies between the first kernel and the last. It moves blocks if the CPU only copies packed tensors there.
"""

import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

_CHANNELS = 16
_RNG = np.random.default_rng(1)


def _floats(*shape):
    return _RNG.normal(scale=0.1, size=shape).astype(np.float32)


def _one(op, inputs=(), constants=(), channels=_CHANNELS, **attributes):
    """A probe: `op` on the activation "a", then `inputs`; `constants` are arrays, named c0, c1, ..."""
    names = ["a", *inputs, *(f"c{i}" for i in range(len(constants)))]
    return {"op": op, "inputs": names, "constants": constants, "channels": channels, "attributes": attributes}


def _probes():
    vector = _floats(_CHANNELS)
    per_channel = _floats(1, _CHANNELS, 1, 1)
    same = {"pads": [1, 1, 1, 1]}
    return [
        _one("Relu"), _one("Clip", constants=[np.float32(0), np.float32(0.5)]), _one("Identity"), _one("Dropout"),
        _one("LeakyRelu"), _one("PRelu", constants=[_floats(_CHANNELS, 1, 1)]), _one("Sigmoid"), _one("HardSwish"),
        _one("Add", inputs=["a"]), _one("Sum", inputs=["a"]), _one("Sub", constants=[per_channel]),
        _one("Mul", constants=[per_channel]), _one("Div", constants=[per_channel + 1]), _one("Neg"),
        _one("Max", constants=[np.float32(0)]), _one("Min", constants=[np.float32(0)]),
        _one("BatchNormalization", constants=[vector, vector, vector, np.abs(vector) + 1]),
        _one("Concat", inputs=["a"], channels=2 * _CHANNELS, axis=1),
        _one("Split", channels=_CHANNELS, axis=1), _one("Slice", constants=[np.array([1]), np.array([5]),
                                                                         np.array([2])]),
        _one("Pad", constants=[np.array([0, 0, 1, 1, 0, 0, 1, 1])]),
        _one("Tile", constants=[np.array([1, 1, 2, 2])]),
        _one("MaxPool", kernel_shape=[2, 2], strides=[2, 2]), _one("AveragePool", kernel_shape=[2, 2], strides=[2, 2]),
        _one("GlobalAveragePool"), _one("GlobalMaxPool"),
        _one("Conv", constants=[_floats(_CHANNELS, _CHANNELS, 3, 3)], **same),
        _one("ConvTranspose", constants=[_floats(_CHANNELS, _CHANNELS, 2, 2)], strides=[2, 2]),
        _one("Resize", inputs=[""], constants=[np.array([1, 1, 2, 2], np.float32)], mode="nearest",
             coordinate_transformation_mode="asymmetric", nearest_mode="floor"),
        _one("DepthToSpace", channels=_CHANNELS // 4, blocksize=2),
        _one("SpaceToDepth", channels=_CHANNELS * 4, blocksize=2),
        _one("Softmax", axis=1), _one("LRN", size=3), _one("Transpose", perm=[0, 1, 3, 2]),
    ]


def _model(probe):
    first, last = _floats(_CHANNELS, _CHANNELS, 3, 3), _floats(_CHANNELS, probe["channels"], 1, 1)
    constants = {f"c{i}": np.asarray(value) for i, value in enumerate(probe["constants"])}
    inputs = [name for name in probe["inputs"]]
    nodes = [helper.make_node("Conv", ["x", "w0"], ["a"], name="first", pads=[1, 1, 1, 1]),
             helper.make_node(probe["op"], inputs, ["b"], name="probe", **probe["attributes"]),
             helper.make_node("Conv", ["b", "w1"], ["y"], name="last")]
    return _graph(nodes, [1, _CHANNELS, 8, 8], {"w0": first, "w1": last, **constants})


def _matrix_model(op):
    """Two products in a row."""
    weights = {"w0": _floats(32, 32), "w1": _floats(32, 32)}
    nodes = [helper.make_node(op, ["x", "w0"], ["a"], name="first"),
             helper.make_node(op, ["a", "w1"], ["y"], name="last")]
    return _graph(nodes, [4, 32], weights)


def _graph(nodes, shape, constants):
    graph = helper.make_graph(
        nodes, "probe", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(value, name) for name, value in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)])


def steps_between_kernels(module):
    """The CPU steps after the first kernel and before the last; None where there is no kernel.

    `module` is what vta-objdump --json prints of one."""
    kinds = [module["executors"][step["executor"]]["kind"] for step in module["steps"]]
    if "vta" not in kinds:
        return None
    last = len(kinds) - 1 - kinds[::-1].index("vta")
    between = range(kinds.index("vta"), last)
    return [module["steps"][i] for i in between if kinds[i] == "cpu"]


def place(steps, layers):
    """"yes", "blocks" or "" for the steps between the kernels, or None; `layers` are the module's."""
    if not steps:
        return "" if steps is None else "yes"
    reasons = {layers[step["layer"]]["reason"] for step in steps}
    return "blocks" if reasons == {"whole blocks are moved"} else ""


def _place_of(model, tools, folder):
    path, module = folder / "probe.onnx", folder / "probe.so"
    onnx.save(model, path)
    subprocess.run([tools / "vta-compile", path, "-o", module], check=True, capture_output=True)
    listing = subprocess.run([tools / "vta-objdump", "--json", module], check=True, capture_output=True, text=True)
    module = json.loads(listing.stdout)
    return place(steps_between_kernels(module), module["layers"])


def operators_on_vta(tools):
    """{operator: place of its probe}, by the tools in folder `tools`."""
    models = {probe["op"]: _model(probe) for probe in _probes()}
    models.update({op: _matrix_model(op) for op in ("MatMul", "Gemm")})
    with tempfile.TemporaryDirectory() as folder:
        return {op: _place_of(model, Path(tools), Path(folder)) for op, model in sorted(models.items())}
