"""Dynamically quantised networks on the accelerator, with ranges that calibration finds."""

import sys
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import ToolCase, tool  # noqa: E402

MICROSOFT = {"domain": "com.microsoft"}


class DynamicNetwork:
    """Layers as dynamic quantisers write them, and the same layers in floats."""

    def __init__(self):
        self.random = np.random.default_rng(3)
        self.nodes, self.constants = [], {}

    def op(self, kind, inputs, output, outputs=(), **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [output, *outputs], name=output, **attributes))
        return output

    def weights(self, name, shape, dtype, per_channel, axis):
        """The names of integers, scale and zero point, and the real weights."""
        low, high = (0, 256) if dtype == np.uint8 else (-127, 128)
        integers = self.random.integers(low, high, shape).astype(dtype)
        count = shape[axis] if per_channel else 1
        scale = self.random.uniform(0.002, 0.006, count).astype(np.float32)
        zero = np.full(count, 128 if dtype == np.uint8 else 0, dtype)
        place = [1] * len(shape)
        place[axis] = count
        real = (integers.astype(np.float32) - zero.reshape(place)) * scale.reshape(place)
        if not per_channel:
            scale, zero = scale.reshape(()), zero.reshape(())
        elif axis == 0:  # of an image's channels
            scale = scale.reshape(1, -1, 1, 1)
        self.constants |= {name: integers, f"{name}_scale": scale, f"{name}_zero": zero}
        return [name, f"{name}_scale", f"{name}_zero"], real

    def quantised(self, x, name):
        self.op("DynamicQuantizeLinear", [x], f"{name}_q", [f"{name}_s", f"{name}_z"])
        return [f"{name}_q", f"{name}_s", f"{name}_z"]

    def scaled(self, product, lhs_scale, rhs_scale, bias, name):
        self.op("Cast", [product], f"{name}_cast", to=TensorProto.FLOAT)
        self.op("Mul", [lhs_scale, rhs_scale], f"{name}_scales")
        self.op("Mul", [f"{name}_cast", f"{name}_scales"], f"{name}_real")
        return self.op("Add", [f"{name}_real", bias], f"{name}_sum")

    def conv(self, x, name, shape, per_channel, **attributes):
        (w, w_scale, w_zero), real = self.weights(f"{name}_w", shape, np.uint8, per_channel, 0)
        self.constants[f"{name}_b"] = self.random.normal(size=(shape[0], 1, 1)).astype(np.float32)
        q, scale, zero = self.quantised(x, name)
        self.op("ConvInteger", [q, w, zero, w_zero], f"{name}_product", **attributes)
        return self.scaled(f"{name}_product", scale, w_scale, f"{name}_b", name), real

    def matmul(self, name, shape, per_channel, dtype):
        names, real = self.weights(f"{name}_w", shape, dtype, per_channel, 1)
        self.constants[f"{name}_b"] = self.random.normal(size=shape[1]).astype(np.float32)
        return names, real

    def save(self, path, inputs, outputs):
        def ports(pairs):
            return [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in pairs]
        graph = helper.make_graph(self.nodes, "g", ports(inputs), ports(outputs),
                                  initializer=[numpy_helper.from_array(v, n) for n, v in self.constants.items()])
        opsets = [helper.make_opsetid("", 13), helper.make_opsetid("com.microsoft", 1)]
        onnx.save(helper.make_model(graph, ir_version=8, opset_imports=opsets), path)


class StaticRangesTest(ToolCase):
    def build(self):
        """conv -> relu -> depthwise conv, and three forms of a dense layer."""
        network = DynamicNetwork()
        real = {}
        y, real["c1"] = network.conv("x", "c1", (16, 8, 3, 3), True, pads=[1, 1, 1, 1])
        network.op("Relu", [y], "r1")
        y, real["c2"] = network.conv("r1", "c2", (16, 1, 3, 3), False, pads=[1, 1, 1, 1], group=16, strides=[2, 2])
        network.op("GlobalAveragePool", [y], "mean")
        network.op("Flatten", ["mean"], "flat")
        # One DynamicQuantizeLinear for two products.
        q, scale, zero = network.quantised("flat", "flat")
        (w, w_scale, w_zero), real["d1"] = network.matmul("d1", (16, 24), True, np.int8)
        network.op("MatMulInteger", [q, w, zero, w_zero], "d1_product")
        network.scaled("d1_product", scale, w_scale, "d1_b", "d1")
        (w, w_scale, w_zero), real["d2"] = network.matmul("d2", (16, 24), False, np.uint8)
        network.op("MatMulIntegerToFloat", [q, w, scale, w_scale, zero, w_zero, "d2_b"], "d2", **MICROSOFT)
        network.op("Add", ["d1_sum", "d2"], "sum")
        (w, w_scale, w_zero), real["d3"] = network.matmul("d3", (24, 10), True, np.uint8)
        network.op("DynamicQuantizeMatMul", ["sum", w, w_scale, w_zero, "d3_b"], "y", **MICROSOFT)
        path = self.folder / "dynamic.onnx"
        network.save(path, [("x", [1, 8, 12, 12])], [("y", [1, 10])])
        return path, network, real

    def build_real(self, network, real):
        """The network that the dynamically quantised one stands for."""
        floats = DynamicNetwork()
        floats.constants = {f"{name}_w": value for name, value in real.items()}
        floats.constants |= {name: value for name, value in network.constants.items() if name.endswith("_b")}
        for name in ("c1_b", "c2_b"):
            floats.constants[name] = floats.constants[name].reshape(-1)
        floats.op("Conv", ["x", "c1_w", "c1_b"], "c1", pads=[1, 1, 1, 1])
        floats.op("Relu", ["c1"], "r1")
        floats.op("Conv", ["r1", "c2_w", "c2_b"], "c2", pads=[1, 1, 1, 1], group=16, strides=[2, 2])
        floats.op("GlobalAveragePool", ["c2"], "mean")
        floats.op("Flatten", ["mean"], "flat")
        for name, x in (("d1", "flat"), ("d2", "flat"), ("d3", "sum")):
            if name == "d3":
                floats.op("Add", ["d1_sum", "d2_sum"], "sum")
            floats.op("MatMul", [x, f"{name}_w"], name)
            floats.op("Add", [name, f"{name}_b"], "y" if name == "d3" else f"{name}_sum")
        path = self.folder / "real.onnx"
        floats.save(path, [("x", [1, 8, 12, 12])], [("y", [1, 10])])
        return path

    def output(self, path, *options):
        report = self.run_json(path, *options, "--input", self.folder / "0.npy", "--output", self.folder / "out")
        return np.load(self.folder / "out/y.npy"), report

    def test_layers_run_on_the_accelerator(self):
        path, network, real = self.build()
        samples = self.folder / "samples"
        samples.mkdir()
        for i in range(8):
            np.save(samples / f"{i}.npy", network.random.normal(size=(1, 8, 12, 12)).astype(np.float32))
        np.save(self.folder / "0.npy", np.load(samples / "0.npy"))
        expected, _ = self.output(self.build_real(network, real), "--partition=cpu")
        dynamic, report = self.output(path)
        self.assertEqual(report["totals"]["macs_on_vta"], 0)
        span = np.ptp(expected)
        self.assertLess(np.abs(dynamic - expected).max(), 0.05 * span)
        for hw in ("default", "vta-0.0.2"):
            options = ("--calibrate", samples, "--static-ranges", f"--hw={hw}")
            actual, report = self.output(path, *options, "--verify")
            self.assertEqual(report["totals"]["macs_on_vta"], report["totals"]["macs"])
            self.assertEqual(report["totals"]["crossings"], 0)
            self.assertLess(np.abs(actual - expected).max(), 0.05 * span)
        # In floats, the network is exactly what it stands for.
        floats, _ = self.output(path, "--calibrate", samples, "--static-ranges", "--partition=cpu")
        np.testing.assert_allclose(floats, expected, rtol=1e-4, atol=1e-4)

    def test_attention(self):
        network, heads, size = DynamicNetwork(), 2, 16
        q, scale, zero = network.quantised("x", "x")
        (w, w_scale, w_zero), real = network.matmul("a", (heads * size, 3 * heads * size), True, np.int8)
        network.op("QAttention", [q, w, "a_b", scale, w_scale, "", zero, w_zero], "y", num_heads=heads, **MICROSOFT)
        path, samples, shape = self.folder / "attention.onnx", self.folder / "samples", (1, 12, heads * size)
        network.save(path, [("x", shape)], [("y", shape)])
        samples.mkdir()
        for i in range(8):
            np.save(samples / f"{i}.npy", network.random.normal(size=shape).astype(np.float32))
        np.save(self.folder / "0.npy", np.load(samples / "0.npy"))
        parts = np.split(np.load(samples / "0.npy") @ real + network.constants["a_b"], 3, axis=2)
        query, key, value = (part.reshape(1, 12, heads, size).transpose(0, 2, 1, 3) for part in parts)
        weights = np.exp(query @ key.transpose(0, 1, 3, 2) / np.sqrt(size))
        expected = (weights / weights.sum(-1, keepdims=True) @ value).transpose(0, 2, 1, 3).reshape(shape)
        floats, _ = self.output(path, "--calibrate", samples, "--static-ranges", "--partition=cpu")
        np.testing.assert_allclose(floats, expected, rtol=1e-4, atol=1e-4)
        dynamic, report = self.output(path)
        projection = 12 * heads * size * 3 * heads * size
        self.assertLessEqual(report["totals"]["macs_on_vta"], report["totals"]["macs"] - projection)
        static, report = self.output(path, "--calibrate", samples, "--static-ranges", "--verify")
        self.assertGreaterEqual(report["totals"]["macs_on_vta"], projection)
        for actual in (dynamic, static):
            self.assertLess(np.abs(actual - expected).max(), 0.1 * np.ptp(expected))

    def test_weights_keep_their_integers(self):
        """Also those between which the channels of a float model would be equalised."""
        network = DynamicNetwork()
        for name, x, shape in (("d1", "x", (4, 8)), ("d2", "r1", (8, 4))):
            (w, w_scale, w_zero), _ = network.matmul(name, shape, True, np.int8)
            network.constants[w][:, ::2] //= 8
            network.op("DynamicQuantizeMatMul", [x, w, w_scale, w_zero, f"{name}_b"], name, **MICROSOFT)
            if name == "d1":
                network.op("Relu", ["d1"], "r1")
        path = self.folder / "dense.onnx"
        network.save(path, [("x", [1, 4])], [("d2", [1, 4])])
        np.save(self.folder / "0.npy", network.random.normal(size=(1, 4)).astype(np.float32))
        self.succeed("vta-compile", path, "--calibrate", self.folder / "0.npy", "--static-ranges", "--dump-ir",
                     self.folder, "-o", self.folder / "m.vta.so")
        text = (self.folder / "3-quantised.mlir").read_text()
        for name in ("d1_w", "d2_w"):
            rows = ", ".join(f"[{', '.join(map(str, row))}]" for row in network.constants[name])
            self.assertIn(f"dense<[{rows}]>", text)

    def test_ranges_need_data(self):
        path, _, _ = self.build()
        for tool in ("vta-run", "vta-compile", "vta-tune"):
            self.refuse(tool, path, "--static-ranges", code=2, says=["--static-ranges", "--calibrate"])

    def test_the_option_is_named_where_it_helps(self):
        result = tool("vta-run", self.build()[0])
        self.assertIn("4 operators find the range of an activation in every run", result.stderr)
        self.assertIn("--static-ranges takes the ranges from --calibrate", result.stderr)

    def test_models_without_such_layers_are_told(self):
        network = DynamicNetwork()
        network.constants["w"] = network.random.normal(size=(8, 4)).astype(np.float32)
        network.op("MatMul", ["x", "w"], "y")
        path = self.folder / "plain.onnx"
        network.save(path, [("x", [1, 8])], [("y", [1, 4])])
        np.save(self.folder / "0.npy", np.ones((1, 8), np.float32))
        result = tool("vta-run", path, "--calibrate", self.folder / "0.npy", "--static-ranges")
        self.assertIn("--static-ranges changes nothing", result.stderr)


if __name__ == "__main__":
    unittest.main()
