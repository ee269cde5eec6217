"""Models of quantised operators (QLinearConv and its kind) run on the accelerator as the host computes them."""

import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from tool_case import HW, ToolCase


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
                self.assertLessEqual(np.abs(actual - expected).max(), steps)

    def test_other_domains_are_named(self):
        path = self.model([helper.make_node("QLinearFoo", ["x"], ["y"], domain="com.microsoft")],
                          [("x", [1])], [("y", [1])])
        self.refuse("vta-run", path, says=["QLinearFoo", "com.microsoft"])


if __name__ == "__main__":
    unittest.main()
