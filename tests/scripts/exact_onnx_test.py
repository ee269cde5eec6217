"""scripts/benchmarking/exact_onnx.py: quantised models in real arithmetic."""

import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts/benchmarking"))
from exact_onnx import ExactModel  # noqa: E402

MODELS = ROOT.parent / "shared/models"


def build(folder, nodes, constants, shape, output_shape):
    """An ONNX file with input `x` and output `y`."""
    graph = helper.make_graph(nodes, "test", [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, output_shape)],
                              [numpy_helper.from_array(np.array(value), name) for name, value in constants.items()])
    path = Path(folder) / "model.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
    return ExactModel(path)


class ExactModelTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def test_rounds_to_even_and_saturates(self):
        nodes = [helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["q"]),
                 helper.make_node("DequantizeLinear", ["q", "scale", "zero"], ["y"])]
        model = build(self.folder, nodes, {"scale": np.float32(0.5), "zero": np.uint8(3)}, [5], [5])
        y, = model.run(np.array([0.25, 0.75, -9, 200, 1], np.float32))
        np.testing.assert_array_equal(y, [0, 1, -1.5, 126, 1])

    def test_convolution_is_that_of_its_definition(self):
        random = np.random.default_rng(1)
        x = random.normal(size=(2, 4, 7, 6)).astype(np.float32)
        for group, weight_shape in ((1, (6, 4, 3, 2)), (2, (6, 2, 3, 2)), (4, (4, 1, 3, 2))):
            w = random.normal(size=weight_shape).astype(np.float32)
            node = helper.make_node("Conv", ["x", "w"], ["y"], group=group, strides=[2, 1], pads=[1, 0, 2, 1], dilations=[1, 2])
            y, = build(self.folder, [node], {"w": w}, x.shape, [2, w.shape[0], 4, 5]).run(x)
            padded = np.pad(x, ((0, 0), (0, 0), (1, 2), (0, 1))).astype(np.float64)
            self.assertEqual(y.shape, (2, w.shape[0], 4, 5))
            for n, o, i, j in np.ndindex(*y.shape):
                first = o // (w.shape[0] // group) * w.shape[1]
                window = padded[n, first:first + w.shape[1], 2 * i:2 * i + 3, j:j + 3:2]
                self.assertAlmostEqual(y[n, o, i, j], (window * w[o]).sum(), places=6)

    def test_bias_has_the_exact_scale(self):
        nodes = [helper.make_node("QuantizeLinear", ["x", "sx", "zero"], ["q"]),
                 helper.make_node("DequantizeLinear", ["q", "sx", "zero"], ["d"]),
                 helper.make_node("DequantizeLinear", ["w", "sw", "zero"], ["dw"]),
                 helper.make_node("DequantizeLinear", ["b", "sb", "zero32"], ["db"]),
                 helper.make_node("Gemm", ["d", "dw", "db"], ["y"])]
        sx, sw = np.float32(0.1), np.float32(0.3)
        constants = {"sx": sx, "sw": sw, "sb": sx * sw, "zero": np.int8(0), "zero32": np.int32(0),
                     "w": np.int8([[7]]), "b": np.int32([1000001])}
        y, = build(self.folder, nodes, constants, [1, 1], [1, 1]).run(np.float32([[0.2]]))
        self.assertAlmostEqual(float(y[0, 0]) / (float(sx) * float(sw)), 2 * 7 + 1000001, places=6)

    def test_unknown_operators_are_named(self):
        nodes = [helper.make_node("Erf", ["x"], ["e"]), helper.make_node("Tanh", ["e"], ["y"])]
        with self.assertRaisesRegex(NotImplementedError, "Erf, Tanh"):
            build(self.folder, nodes, {}, [1], [1])


@unittest.skipUnless(MODELS.is_dir(), "../shared/models is absent")
class ModelsTest(unittest.TestCase):
    def test_recorded_outputs(self):
        for name in ("cifar10/mlperf_resnet8_qdq", "mnist/tinymaix_mnist_resnet_qdq", "tinyml/mlperf_kws_dscnn_qdq"):
            recorded = MODELS / "ref" / name
            y, = ExactModel(MODELS / "onnx" / f"{name}.onnx").run(np.load(recorded / "input_0.npy"))
            np.testing.assert_array_equal(y.astype(np.float32), np.load(recorded / "output_0.npy"))


if __name__ == "__main__":
    unittest.main()
