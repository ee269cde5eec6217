"""How scripts/benchmarking/quantised_models.py compares outputs."""

import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts/benchmarking"))
import quantised_models  # noqa: E402


class CompareTest(unittest.TestCase):
    def compare(self, expected, actual, step):
        expected, actual = ([np.array(sample, np.float32) for sample in side] for side in (expected, actual))
        return quantised_models.compare(expected, actual, step)

    def test_counts_what_differs(self):
        row = self.compare([[0, 1, 4], [3, 0, 0]], [[0, 1, 4], [3, 3.5, 0]], 0.5)
        self.assertEqual(row, {"samples": 2, "argmax_equal": 0.5, "snr_db": 3.3, "within_2_steps": 0.5, "max_steps": 7.0,
                               "mean_of_max_steps": 3.5})

    def test_two_steps_are_within(self):
        row = self.compare([[0, 2]], [[1, 2]], 0.5)
        self.assertEqual((row["argmax_equal"], row["within_2_steps"]), (1.0, 1.0))

    def test_equal_outputs_have_no_noise(self):
        self.assertIsNone(self.compare([[0, 2]], [[0, 2]], 0.5)["snr_db"])

    def test_outputs_without_steps_count_classes_only(self):
        self.assertEqual(self.compare([[0, 2]], [[1, 2]], None), {"samples": 1, "argmax_equal": 1.0, "snr_db": 6.0})


@unittest.skipUnless(quantised_models.MODELS.is_dir(), "../shared/models is absent")
class ModelsTest(unittest.TestCase):
    def test_every_model_has_the_step_of_its_output(self):
        names = quantised_models.model_names()
        self.assertIn("mnist/tinymaix_mnist_resnet_qdq", names)
        path = quantised_models.MODELS / "onnx/mnist/tinymaix_mnist_resnet_qdq.onnx"
        self.assertEqual(quantised_models.output_steps(path), [1 / 256])

    def test_fitted_weights_are_those_of_int8(self):
        name = "imagenet/mobilenet_v1_0.25_128_qdq"
        path = quantised_models.MODELS / "onnx" / f"{name}.onnx"
        with tempfile.TemporaryDirectory() as folder:
            quantised_models.fit_weights(path, Path(folder) / "model.onnx")
            before, after = (self.weights(file) for file in (path, Path(folder) / "model.onnx"))
        self.assertGreater(max(abs(w).max() for w in before), 127)
        self.assertEqual(max(abs(w).max() for w in after), 127)
        changed = sum((a != b).sum() for a, b in zip(before, after, strict=True))
        self.assertEqual(changed, sum((abs(w) > 127).sum() for w in before))
        self.assertLess(changed, 200)

    @staticmethod
    def weights(path):
        """The 8-bit weights of a model, without their zero points."""
        graph = onnx.load(path).graph
        constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
        inputs = [node.input for node in graph.node if node.op_type == "DequantizeLinear" and node.input[0] in constants]
        return [constants[name[0]].astype(int) - int(constants[name[2]]) for name in inputs
                if constants[name[0]].dtype == np.uint8]


if __name__ == "__main__":
    unittest.main()
