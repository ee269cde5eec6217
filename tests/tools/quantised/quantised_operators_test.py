"""Models of quantised operators (QLinearConv and its kind) run on the accelerator as the host computes them."""

import sys
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import HW, ToolCase  # noqa: E402


class QuantisedOperatorsTest(ToolCase):
    def build(self):
        """conv -> (conv, itself) -> add -> pool of integers -> average -> dense; uint8, zero points of every kind."""
        random = np.random.default_rng(2)
        constants = {}

        def scale(name, value, zero_point, dtype=np.uint8):
            constants[f"{name}_s"] = np.array(value, np.float32)
            constants[f"{name}_z"] = np.array(zero_point, dtype)
            return [f"{name}_s", f"{name}_z"]

        def weights(name, shape):
            constants[name] = random.integers(-127, 128, shape).astype(np.int8)
            channels = shape[0] if len(shape) == 4 else shape[1]
            constants[f"{name}_s"] = random.uniform(0.003, 0.006, channels).astype(np.float32)
            constants[f"{name}_z"] = np.zeros(channels, np.int8)
            return [name, f"{name}_s", f"{name}_z"]

        def node(kind, inputs, output, **attributes):
            return helper.make_node(kind, inputs, [output], name=output, **attributes)

        x, a, b = scale("x", 0.02, 0), scale("a", 0.05, 131), scale("b", 0.06, 120)
        s, m, y = scale("s", 0.08, 128), scale("m", 0.03, 100), scale("y", 0.07, 5)
        constants["bias"] = random.integers(-2000, 2000, 16).astype(np.int32)
        constants["dense_bias"] = random.integers(-500, 500, 10).astype(np.int32)
        dense = weights("dense", (16, 10))
        microsoft = {"domain": "com.microsoft"}
        nodes = [
            node("QLinearConv", ["x", *x, *weights("w1", (16, 8, 3, 3)), *a, "bias"], "conv1", pads=[1, 1, 1, 1]),
            node("QLinearConv", ["conv1", *a, *weights("w2", (16, 16, 3, 3)), *b], "conv2", pads=[1, 1, 1, 1]),
            node("QLinearAdd", ["conv1", *a, "conv2", *b, *s], "sum", **microsoft),
            node("Reshape", ["sum", "as_it_is"], "same"),
            node("QLinearGlobalAveragePool", ["same", *s, *m], "mean", **microsoft),
            node("Reshape", ["mean", "flat"], "row"),
            node("QGemm", ["row", *m, *dense, "dense_bias", *y], "y", **microsoft)]
        constants |= {"as_it_is": np.array([1, 16, 6, 5]), "flat": np.array([1, 16])}
        port = helper.make_tensor_value_info
        graph = helper.make_graph(nodes, "g", [port("x", TensorProto.UINT8, [1, 8, 6, 5])],
                                  [port("y", TensorProto.UINT8, [1, 10])],
                                  initializer=[numpy_helper.from_array(value, name) for name, value in constants.items()])
        model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 13),
                                                                      helper.make_opsetid("com.microsoft", 1)])
        path = self.folder / "model.onnx"
        onnx.save(model, path)
        inputs = random.integers(0, 256, (1, 8, 6, 5)).astype(np.uint8)
        np.save(self.folder / "x.npy", inputs)
        return path

    def output(self, path, name, *options):
        report = self.run_json(path, "--input", self.folder / "x.npy", "--output", self.folder / name, *options)
        return np.load(self.folder / name / "y.npy").astype(int), report

    def test_accelerator_follows_the_host(self):
        path = self.build()
        expected, _ = self.output(path, "expected", "--partition=cpu")
        self.assertGreater(len(np.unique(expected)), 3)
        # Without `qmul` all weights are requantised.
        for hw, steps in {"default": 1, "vta-0.0.2": 12}.items():
            with self.subTest(hw=hw):
                actual, report = self.output(path, hw, "--hw", HW / f"{hw}.yaml", "--verify")
                self.assertEqual(report["totals"]["macs_on_vta"], report["totals"]["macs"])
                self.assertGreater(report["verified_layers"], 3)
                self.assertEqual(report["totals"]["crossings"], 0)
                self.assertLessEqual(np.abs(actual - expected).max(), steps)

    def build_all(self):
        """Every operator of its own, and its result by the operator's definition."""
        random = np.random.default_rng(4)
        constants, nodes, expected = {}, [], {}
        x = random.integers(0, 256, (1, 4, 5, 6)).astype(np.uint8)

        def scale(name, value, zero_point, dtype=np.uint8):
            constants[f"{name}_s"], constants[f"{name}_z"] = np.array(value, np.float32), np.array(zero_point, dtype)
            return [f"{name}_s", f"{name}_z"]

        def real(values, name):
            return (values.astype(np.float64) - constants[f"{name}_z"]) * constants[f"{name}_s"].astype(np.float64)

        def integers(name, shape, dtype):
            info = np.iinfo(dtype)
            constants[name] = random.integers(info.min, info.max + 1, shape).astype(dtype)
            return constants[name]

        def add(name, kind, inputs, result, domain="com.microsoft", quantised=True, **attributes):
            nodes.append(helper.make_node(kind, inputs, [name], name=name, domain=domain, **attributes))
            if quantised:
                zero = constants[f"{name}_z"]
                result = np.rint(result / constants[f"{name}_s"].astype(np.float64)) + zero
                info = np.iinfo(zero.dtype)
                result = np.clip(result, info.min, info.max).astype(zero.dtype)
            expected[name] = result

        q = scale("x", 0.02, 100)
        real_x = real(x, "x")
        w, other = scale("w", 0.013, 131), scale("other", 0.05, -3, np.int8)
        factor = real(integers("factor", (4, 1, 1), np.uint8), "w")
        add("mul", "QLinearMul", ["x", *q, "factor", *w, *scale("mul", 0.011, 90)], real_x * factor)
        add("add", "QLinearAdd", ["x", *q, "factor", *w, *scale("add", 0.021, 99)], real_x + factor)
        part = real(integers("part", (1, 3, 5, 6), np.uint8), "w")
        add("concat", "QLinearConcat", [*scale("concat", 0.03, 77), "x", *q, "part", *w], np.concatenate([real_x, part], 1), axis=1)
        add("leaky", "QLinearLeakyRelu", ["x", *q, *scale("leaky", 0.013, 40)], np.where(real_x < 0, 0.2 * real_x, real_x), alpha=0.2)
        add("sigmoid", "QLinearSigmoid", ["x", *q, *scale("sigmoid", 1 / 256, 0)], 1 / (1 + np.exp(-real_x)))
        add("mean", "QLinearGlobalAveragePool", ["x", *q, *scale("mean", 0.0071, 110)], real_x.mean((2, 3), keepdims=True))
        constants["mask"] = random.integers(0, 2, (4, 5, 1)).astype(bool)
        add("where", "QLinearWhere", ["mask", "x", *q, "factor", *w, *scale("where", 0.023, 95)],
            np.where(constants["mask"], real_x, factor))
        matrix = real(integers("matrix", (6, 7), np.int8), "other")
        add("matmul", "QLinearMatMul", ["x", *q, "matrix", *other, *scale("matmul", 0.3, 127)], real_x @ matrix, domain="")
        left, right = (real(integers(name, shape, np.int8), "other") for name, shape in (("left", (6, 2)), ("right", (3, 6))))
        bias = integers("bias", (3,), np.int8).astype(np.int32)
        constants["bias"] = bias
        product = 0.5 * (left.T @ right.T) + bias * (constants["other_s"].astype(np.float64)**2 * 0.5)
        gemm = ["left", *other, "right", *other, "bias"]
        add("gemm", "QGemm", [*gemm, *scale("gemm", 0.2, 3, np.int8)], product, alpha=0.5, transA=1, transB=1)
        add("float_gemm", "QGemm", gemm, product, quantised=False, alpha=0.5, transA=1, transB=1)
        return x, constants, nodes, expected

    def test_each_operator_follows_its_definition(self):
        x, constants, nodes, expected = self.build_all()
        types = {np.dtype(np.uint8): TensorProto.UINT8, np.dtype(np.int8): TensorProto.INT8, np.dtype(float): TensorProto.FLOAT}
        outputs = [helper.make_tensor_value_info(name, types[value.dtype], value.shape) for name, value in expected.items()]
        graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.UINT8, x.shape)], outputs,
                                  initializer=[numpy_helper.from_array(value, name) for name, value in constants.items()])
        path = self.folder / "model.onnx"
        onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[
            helper.make_opsetid("", 13), helper.make_opsetid("com.microsoft", 1)]), path)
        np.save(self.folder / "x.npy", x)
        for title, options in {"host": ["--partition=cpu"], "accelerator": ["--verify"]}.items():
            self.run_json(path, "--input", self.folder / "x.npy", "--output", self.folder / title, *options)
            for name, value in expected.items():
                with self.subTest(name, on=title):
                    actual = np.load(self.folder / title / f"{name}.npy").astype(np.float64)
                    self.assertEqual(actual.shape, value.shape)
                    difference = np.abs(actual - value)
                    # float32 on the host decides a value that lies half-way.
                    limit = 1 if value.dtype != float else 1e-4
                    self.assertLessEqual(difference.max(), limit)
                    self.assertLessEqual((difference >= 1).mean(), 0.02)

    def test_other_domains_are_named(self):
        path = self.model([helper.make_node("QLinearFoo", ["x"], ["y"], domain="com.microsoft")],
                          [("x", [1])], [("y", [1])])
        self.refuse("vta-run", path, says=["QLinearFoo", "com.microsoft"])


if __name__ == "__main__":
    unittest.main()
