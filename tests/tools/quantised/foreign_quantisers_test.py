"""Quantisers of other projects, and what ONNX Runtime saves after it has optimised a model: each against its definition
in NumPy, on the CPU, and together with convolutions on the accelerator."""

import sys
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from numpy_evaluator import _conv  # noqa: E402
from operator_case import OperatorCase  # noqa: E402
from tool_case import ToolCase  # noqa: E402

QONNX = "qonnx.custom_op.general"


def rounded(x, mode):
    size = np.abs(x)
    return {"ROUND": np.rint(x), "CEIL": np.ceil(x), "FLOOR": np.floor(x), "UP": np.sign(x) * np.ceil(size),
            "DOWN": np.sign(x) * np.floor(size), "HALF_UP": np.sign(x) * np.floor(size + 0.5),
            "HALF_DOWN": np.sign(x) * np.ceil(size - 0.5)}[mode]


def bounds(bits, signed, narrow):
    if signed:
        return -2**(bits - 1) + narrow, 2**(bits - 1) - 1
    return 0, 2**bits - 1 - narrow


def quant(x, scale, zero, bits, signed=1, narrow=0, mode="ROUND"):
    """What QONNX says of Quant."""
    y = x / scale + zero
    y = rounded(np.clip(y, *bounds(bits, signed, narrow)), mode)
    return (y - zero) * scale


class QonnxTest(OperatorCase):
    def quant(self, name, x, scale, zero, bits, domain=QONNX, kind="Quant", **attributes):
        self.constant(f"{name}_s", scale)
        self.constant(f"{name}_z", zero)
        self.constant(f"{name}_b", bits)
        options = dict(signed=attributes.get("signed", 1), narrow=attributes.get("narrow", 0),
                       mode=attributes.get("rounding_mode", "ROUND"))
        real = np.asarray(scale, np.float32).astype(np.float64)
        self.add(kind, ["x", f"{name}_s", f"{name}_z", f"{name}_b"], {name: quant(x, real, zero, bits, **options)},
                 domain, **attributes)

    def test_every_form(self):
        # A power of two as the scale, and values beside halves: nothing depends on float32's rounding.
        x = self.value("x", (2, 3, 4, 5))
        self.inputs["x"] = x = (np.rint(x * 4000) / 1000 + 0.0003).astype(np.float32)
        x = x.astype(np.float64)
        self.quant("int8", x, 0.03125, 0, 8, signed=1, narrow=0, rounding_mode="ROUND")
        self.quant("narrow", x, 0.03125, 0, 8, signed=1, narrow=1)
        self.quant("unsigned", x, 0.015625, 128, 8, signed=0)
        self.quant("unsigned_narrow", x, 0.015625, 100, 8, signed=0, narrow=1)
        for bits in (1, 2, 3, 4, 7):
            self.quant(f"u{bits}", x, 0.25, 0, bits, signed=0)
            if bits > 1:
                self.quant(f"i{bits}", x, 0.25, 0, bits, domain="onnx.brevitas", signed=1, narrow=bits % 2)
        self.quant("wide", x, 2.0**-12, 0, 16, domain="finn.custom_op.general", signed=1)
        self.quant("wider", x, 2.0**-14, 0, 20, signed=1)
        self.quant("between", x, 0.125, 1.5, 4, signed=0)
        self.quant("axis", x, np.array([0.25, 0.125, 0.5]).reshape(3, 1, 1), 0, 4, signed=1)
        self.quant("several", x, np.array([0.25, 0.125, 0.5] * 4).reshape(3, 4, 1), 0, 4, kind="IntQuant", signed=1)
        for mode in ("CEIL", "FLOOR", "UP", "DOWN", "HALF_UP", "HALF_DOWN"):
            self.quant(mode.lower(), x, 0.25, 0, 4, signed=1, rounding_mode=mode)
        self.check(13)

    def test_one_bit(self):
        x = self.value("x", (3, 7))
        self.inputs["x"][0, 0] = x[0, 0] = 0
        self.constant("s", 0.5)
        self.constant("rows", [[0.5], [0.25], [2]])
        self.constant("z", 0)
        self.constant("b", 1)
        signs = np.where(x >= 0, 1, -1)
        self.add("BipolarQuant", ["x", "s"], {"one": signs * 0.5}, QONNX)
        self.add("BipolarQuant", ["x", "rows"], {"each": signs * np.array([[0.5], [0.25], [2]])}, "onnx.brevitas")
        self.add("Quant", ["x", "s", "z", "b"], {"quant": signs * 0.5}, QONNX, signed=1, narrow=0)
        self.check(13)

    def test_truncation(self):
        x = np.arange(-120, 121).astype(np.float32) * 0.25
        self.inputs["x"] = x
        for name, value in {"s": 0.25, "z": 0, "in": 8, "out": 4, "four": 4.0, "z8": 8}.items():
            self.constant(name, value)
        whole = x.astype(np.float64) / 0.25
        for mode in ("FLOOR", "ROUND", "CEIL"):
            # Five inputs: the scale stays. Seven: the result has its own.
            old = rounded(whole / 16, mode) * 0.25
            self.add("Trunc", ["x", "s", "z", "in", "out"], {f"old_{mode}": old}, QONNX, rounding_mode=mode)
            new = rounded(np.clip(whole / 16, -8, 7), mode) * 4
            self.add("Trunc", ["x", "s", "z", "in", "four", "z", "out"], {f"new_{mode}": new}, QONNX, rounding_mode=mode)
        shifted = (np.floor(np.clip((whole + 8) / 16, 0, 15)) - 0.5) * 4
        self.add("Trunc", ["x", "s", "z8", "in", "four", "z8", "out"], {"shifted": shifted}, QONNX, signed=0)
        self.check(13)


class AcceleratorTest(ToolCase):
    """Convolutions between foreign quantisers are integers on the accelerator, without a crossing."""

    def check(self, nodes, constants, domain, result, step):
        path = self.model(nodes, [("x", [1, 8, 9, 9])], [("y", None)], constants, domains=[domain])
        x = np.random.default_rng(3).uniform(-3, 3, (1, 8, 9, 9)).astype(np.float32)
        np.save(self.folder / "x.npy", x)
        for title, options in {"cpu": ["--partition=cpu"], "vta": ["--sim=functional", "--verify"]}.items():
            report = self.run_json(path, "--input", self.folder / "x.npy", "--output", self.folder / title, *options)
            found, wanted = np.load(self.folder / title / "y.npy"), result(x.astype(np.float64))
            self.assertGreater(len(np.unique(wanted)), 5)
            steps = np.abs(found - wanted) / step
            self.assertLess(steps.max(), 1.01, title)
            self.assertLess((steps > 0.5).mean(), 0.01, title)
        self.assertEqual(report["totals"]["macs_on_vta"], report["totals"]["macs"])
        self.assertEqual(report["totals"]["crossings"], 0)

    def test_qonnx(self):
        random = np.random.default_rng(4)
        w1, w2 = (random.normal(0, 0.2, shape).astype(np.float32) for shape in ((16, 8, 3, 3), (8, 16, 1, 1)))
        s1 = (np.abs(w1).max((1, 2, 3), keepdims=True) / 7).astype(np.float32)
        parts = {"x": (np.float32(0.05), 8, 1, 0), "w1": (s1, 4, 1, 1), "a": (np.float32(0.5), 4, 0, 0),
                 "w2": (np.float32(0.01), 8, 1, 1), "y": (np.float32(0.1037), 8, 1, 0)}
        constants, nodes = [("w1_f", w1), ("w2_f", w2)], []
        for name, (scale, bits, signed, narrow) in parts.items():
            constants += [(f"{name}_s", scale), (f"{name}_z", np.float32(0)), (f"{name}_b", np.float32(bits))]
            source = {"x": "x", "w1": "w1_f", "w2": "w2_f", "a": "relu", "y": "conv2"}[name]
            target = "y" if name == "y" else f"{name}_q"
            nodes.append(helper.make_node("Quant", [source, *(f"{name}_{part}" for part in "szb")], [target], domain=QONNX,
                                          signed=signed, narrow=narrow, rounding_mode="ROUND"))
        nodes += [helper.make_node("Conv", ["x_q", "w1_q"], ["conv1"], pads=[1] * 4), helper.make_node("Relu", ["conv1"], ["relu"]),
                  helper.make_node("Conv", ["a_q", "w2_q"], ["conv2"])]
        order = {name: i for i, name in enumerate(["x_q", "w1_q", "w2_q", "conv1", "relu", "a_q", "conv2", "y"])}
        nodes.sort(key=lambda node: order[node.output[0]])

        def result(x):
            def q(name, value):
                scale, bits, signed, narrow = parts[name]
                return quant(value, np.float64(scale), 0, bits, signed, narrow)
            a = q("a", np.maximum(_conv({"pads": [1] * 4}, q("x", x), q("w1", w1.astype(np.float64))), 0))
            return q("y", _conv({}, a, q("w2", w2.astype(np.float64))))
        self.check(nodes, constants, QONNX, result, 0.1037)

    def quark(self, domain, quantise, dequantise, fix=None):
        random = np.random.default_rng(5)
        w = random.integers(-127, 128, (16, 8, 3, 3)).astype(np.int8)
        constants = [("w", w), ("ws", np.float32(2.0**-7)), ("z", np.int8(0)), ("xs", np.float32(2.0**-5)), ("ys", np.float32(2.0**-2))]
        if fix:
            nodes = [helper.make_node(fix, ["x", "xs", "z"], ["xf"], domain=domain, bit_width=8)]
        else:
            nodes = [helper.make_node(quantise, ["x", "xs", "z"], ["xq"], domain=domain),
                     helper.make_node(dequantise, ["xq", "xs", "z"], ["xf"], domain=domain)]
        nodes += [helper.make_node(dequantise, ["w", "ws", "z"], ["wf"], domain=domain),
                  helper.make_node("Conv", ["xf", "wf"], ["conv"], pads=[1] * 4)]
        if fix:
            nodes += [helper.make_node(fix, ["conv", "ys", "z"], ["y"], domain=domain, bit_width=6)]
        else:
            nodes += [helper.make_node(quantise, ["conv", "ys", "z"], ["yq"], domain=domain),
                      helper.make_node(dequantise, ["yq", "ys", "z"], ["y"], domain=domain)]

        def result(x):
            y = _conv({"pads": [1] * 4}, quant(x, 2.0**-5, 0, 8), w * 2.0**-7)
            return quant(y, 2.0**-2, 0, 6 if fix else 8)
        self.check(nodes, constants, domain, result, 2.0**-2)

    def test_quark(self):
        self.quark("com.amd.quark", "ExtendedQuantizeLinear", "ExtendedDequantizeLinear")

    def test_vitis_ai(self):
        self.quark("com.vai.quantize", "VitisQuantizeLinear", "VitisDequantizeLinear")
        self.quark("ai.onnx.contrib", "QuantizeLinear", "DequantizeLinear", fix="FixNeuron")


class OnnxRuntimeTest(OperatorCase):
    """Layouts and fusions that ONNX Runtime writes."""

    def test_channels_last(self):
        x = self.value("x", (1, 7, 8, 6))
        w = self.value("w", (4, 6, 3, 3), constant=True)
        b = self.value("b", (4,), constant=True)
        z = self.value("z", (1, 7, 8, 4))
        first = x.transpose(0, 3, 1, 2)
        conv = _conv({"pads": [1] * 4}, first, w, b).transpose(0, 2, 3, 1)
        self.add("Conv", ["x", "w", "b"], {"conv": conv}, "com.ms.internal.nhwc", pads=[1] * 4)
        self.add("NhwcFusedConv", ["x", "w", "b", "z"], {"fused": np.maximum(conv + z, 0)}, "com.microsoft",
                 pads=[1] * 4, activation="Relu")
        pooled = x[:, :6, :8].reshape(1, 3, 2, 4, 2, 6)
        self.add("MaxPool", ["x"], {"most": pooled.max((2, 4))}, "com.ms.internal.nhwc", kernel_shape=[2, 2], strides=[2, 2])
        self.add("GlobalAveragePool", ["x"], {"mean": x.mean((1, 2), keepdims=True)}, "com.ms.internal.nhwc")
        self.check(13)

    def quantised(self, real, scale, zero):
        return np.clip(np.rint(real / scale) + zero, 0, 255).astype(np.uint8)

    def test_quantised_channels_last(self):
        x = self.value("x", (1, 8, 8, 4), 0, 256, np.uint8)
        w = self.value("w", (6, 4, 3, 3), -127, 128, np.int8, constant=True)
        scales = self.random.uniform(0.003, 0.006, 6).astype(np.float32)
        for name, value, kind in (("xs", 0.03125, np.float32), ("xz", 120, np.uint8), ("ws", scales, np.float32),
                                  ("wz", 0, np.int8), ("ys", 0.0781, np.float32), ("yz", 131, np.uint8)):
            self.constant(name, value, kind)
        real = (x.astype(np.float64) - 120) * 0.03125
        conv = _conv({"pads": [1] * 4}, real.transpose(0, 3, 1, 2), w * scales.astype(np.float64)[:, None, None, None])
        step = np.float64(np.float32(0.0781))
        # One zero point for all scales of the weights.
        self.add("QLinearConv", ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz"],
                 {"conv": self.quantised(conv.transpose(0, 2, 3, 1), step, 131)}, "com.microsoft", channels_last=1, pads=[1] * 4)
        means = real.reshape(1, 4, 2, 4, 2, 4).mean((2, 4))
        self.add("QLinearAveragePool", ["x", "xs", "xz", "ys", "yz"], {"mean": self.quantised(means, step, 131)}, "com.microsoft",
                 channels_last=1, kernel_shape=[2, 2], strides=[2, 2])
        self.add("QLinearGlobalAveragePool", ["x", "xs", "xz", "ys", "yz"],
                 {"global": self.quantised(real.mean((1, 2), keepdims=True), step, 131)}, "com.microsoft", channels_last=1)
        self.add("QLinearReduceMean", ["x", "xs", "xz", "ys", "yz"],
                 {"reduced": self.quantised(real.mean((1, 3)), step, 131)}, "com.microsoft", axes=[1, -1], keepdims=0)
        self.add("NhwcMaxPool", ["x"], {"most": x.reshape(1, 4, 2, 4, 2, 4).max((2, 4))}, "com.microsoft",
                 kernel_shape=[2, 2], strides=[2, 2])
        self.check(13)

    def test_fusions(self):
        a, b = self.value("a", (2, 3, 4, 5)), self.value("b", (2, 3, 6, 5))
        product = 0.5 * a @ b.transpose(0, 1, 3, 2)
        self.add("TransposeMatMul", ["a", "b"], {"product": product}, "com.microsoft", alpha=0.5, transB=1)
        self.add("FusedMatMulActivation", ["a", "b"], {"active": np.maximum(product, 0)}, "com.microsoft", alpha=0.5, transB=1,
                 activation="Relu")
        mask = self.value("mask", (2, 1, 1, 5))
        e = np.exp(a + mask)
        self.add("BiasSoftmax", ["a", "mask"], {"softmax": e / e.sum(-1, keepdims=True)}, "com.microsoft", axis=3,
                 is_inner_broadcast=1)
        bias, skip = self.value("bias", (5,)), self.value("skip", (2, 3, 4, 5))
        self.add("BiasAdd", ["a", "bias", "skip"], {"sum": a + bias + skip}, "com.microsoft")
        self.check(13)


class SparseTest(ToolCase):
    def constant(self, sparse):
        """A model whose output is what a Constant holds sparsely."""
        graph = helper.make_graph([helper.make_node("Constant", [], ["c"], name="few", sparse_value=sparse),
                                   helper.make_node("Add", ["x", "c"], ["y"])], "g",
                                  [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 5])],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
        path = self.folder / "model.onnx"
        onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 13)]), path)
        return path

    def test_sparse_constants(self):
        wanted = np.zeros((3, 5), np.float32)
        wanted[[0, 2], [4, 1]] = [1.5, -2]
        values = numpy_helper.from_array(np.array([1.5, -2], np.float32), "v")
        np.save(self.folder / "x.npy", np.zeros((1, 5), np.float32))
        for indices in (np.array([4, 11]), np.array([[0, 4], [2, 1]])):
            with self.subTest(rank=indices.ndim):
                path = self.constant(helper.make_sparse_tensor(values, numpy_helper.from_array(indices, "i"), [3, 5]))
                self.run_json(path, "--partition=cpu", "--input", self.folder / "x.npy", "--output", self.folder / "out")
                np.testing.assert_array_equal(np.load(self.folder / "out/y.npy"), wanted)
        for indices, dims, says in ((np.array([4, 15]), [3, 5], "the index of value 1 is outside of [3, 5]"),
                                    (np.array([4]), [3, 5], "its 2 values have indices of shape [1]"),
                                    (np.array([4, 11]), [1 << 40, 5], "is not legal; at most 268435456 elements are")):
            path = self.constant(helper.make_sparse_tensor(values, numpy_helper.from_array(indices, "i"), dims))
            self.refuse("vta-run", path, "--partition=cpu", says=["node 'few' (Constant)", "'sparse_value'", says])
        # A file beside the model could be any file.
        external = numpy_helper.from_array(np.array([1.5, -2], np.float32), "v")
        external.ClearField("raw_data")
        external.data_location = TensorProto.EXTERNAL
        external.external_data.add(key="location", value="x.npy")
        path = self.constant(helper.make_sparse_tensor(external, numpy_helper.from_array(np.array([4, 11]), "i"), [3, 5]))
        self.refuse("vta-run", path, "--partition=cpu", says=["only initializers may have external data"])

    def test_sparse_initializers(self):
        """Linear indices, and one for each dimension."""
        weights = np.zeros((6, 8), np.float32)
        weights[[0, 2, 5], [7, 0, 3]] = [1.5, -2, 4]
        values = numpy_helper.from_array(weights[weights != 0], "")
        flat = np.flatnonzero(weights).astype(np.int64)
        x = np.random.default_rng(1).normal(0, 1, (3, 6)).astype(np.float32)
        np.save(self.folder / "x.npy", x)
        for indices in (flat, np.stack(np.unravel_index(flat, weights.shape), 1)):
            with self.subTest(rank=indices.ndim):
                values.name = "w"
                sparse = helper.make_sparse_tensor(values, numpy_helper.from_array(indices, "w_indices"), [6, 8])
                port = helper.make_tensor_value_info
                graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "g",
                                          [port("x", TensorProto.FLOAT, [3, 6])], [port("y", TensorProto.FLOAT, [3, 8])],
                                          sparse_initializer=[sparse])
                path = self.folder / "model.onnx"
                onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 13)]), path)
                self.run_json(path, "--partition=cpu", "--input", self.folder / "x.npy", "--output", self.folder / "out")
                np.testing.assert_allclose(np.load(self.folder / "out/y.npy"), x @ weights, rtol=1e-6, atol=1e-6)


if __name__ == "__main__":
    unittest.main()
