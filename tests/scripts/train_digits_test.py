"""The training script's gradients, its ONNX export, and the example model that it made."""

import csv
import re
import sys
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts/models"))
from digits import network  # noqa: E402
from digits.export import to_onnx  # noqa: E402

EXAMPLE = ROOT / "examples/digits"


def _attributes(node):
    return {a.name: list(a.ints) if a.ints else a.i for a in node.attribute}


def _conv(x, weight, bias, strides, pads, **_):
    """NCHW, written as the definition's sum over the kernel: nothing in common with the trainer's."""
    _, _, kernel_h, kernel_w = weight.shape
    x = np.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
    out_h = (x.shape[2] - kernel_h) // strides[0] + 1
    out_w = (x.shape[3] - kernel_w) // strides[1] + 1
    total = np.zeros((1, weight.shape[0], out_h, out_w)) + bias[None, :, None, None]
    for r in range(kernel_h):
        for c in range(kernel_w):
            window = x[:, :, r:r + strides[0] * out_h:strides[0], c:c + strides[1] * out_w:strides[1]]
            total += np.einsum("nchw,kc->nkhw", window, weight[:, :, r, c])
    return total


def evaluate(model, image):
    """The model's output for `image`, in float64, by the definition of each operator that it uses."""
    values = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    values["image"] = image
    operators = {
        "Conv": _conv,
        "Relu": lambda x: np.maximum(x, 0),
        "Add": np.add,
        "MaxPool": lambda x, **_: np.max([x[:, :, i::2, j::2] for i in (0, 1) for j in (0, 1)], axis=0),
        "GlobalAveragePool": lambda x: x.mean((2, 3), keepdims=True),
        "Flatten": lambda x, axis: x.reshape(x.shape[0], -1),
        "Gemm": lambda x, w, b: x @ w + b,
        "Softmax": lambda x, axis: np.exp(x - x.max()) / np.exp(x - x.max()).sum(),
    }
    for node in model.graph.node:
        inputs = [values[name] for name in node.input]
        values[node.output[0]] = operators[node.op_type](*inputs, **_attributes(node))
    return values[model.graph.output[0].name]


class NetworkTest(unittest.TestCase):
    def test_gradients_agree_with_differences(self):
        rng = np.random.default_rng(0)
        net = network.DigitsNetwork(rng)
        for layer in net.layers:
            layer.weight, layer.bias = layer.weight.astype(np.float64), layer.bias.astype(np.float64)
        x, labels = rng.normal(size=(4, 8, 8, 1)), np.arange(4)
        net.backward(network.softmax_cross_entropy(net.forward(x), labels)[1])
        for layer in net.layers:
            for name in ("weight", "bias"):
                value, gradient = getattr(layer, name), getattr(layer, name + "_grad").copy()
                at = np.unravel_index(np.abs(gradient).argmax(), value.shape)
                saved, losses = value[at], []
                for step in (1e-5, -1e-5):
                    value[at] = saved + step
                    losses.append(network.softmax_cross_entropy(net.forward(x), labels)[0])
                value[at] = saved
                difference = (losses[0] - losses[1]) / 2e-5
                self.assertAlmostEqual(difference / gradient[at], 1, places=4, msg=f"{layer.name}.{name}")

    def test_export_means_the_same(self):
        rng = np.random.default_rng(1)
        net = network.DigitsNetwork(rng)
        for layer in net.layers:
            layer.bias += rng.normal(0, 0.1, layer.bias.shape).astype(np.float32)
        image = rng.normal(size=(1, 32, 32, 1)).astype(np.float32)
        logits = net.forward(image)[0]
        expected = np.exp(logits) / np.exp(logits).sum()
        actual = evaluate(to_onnx(net), image.transpose(0, 3, 1, 2))
        np.testing.assert_allclose(actual[0], expected, rtol=1e-4)


class ExampleTest(unittest.TestCase):
    def test_model_classifies_its_images(self):
        model = onnx.load(str(EXAMPLE / "digits.onnx"))
        onnx.checker.check_model(model, full_check=True)
        with open(EXAMPLE / "labels.csv", newline="") as file:
            rows = list(csv.reader(file))
        self.assertEqual({name for name, _ in rows}, {path.name for path in (EXAMPLE / "images").iterdir()})
        correct = 0
        for name, label in rows:
            pixels = np.asarray(Image.open(EXAMPLE / "images" / name))[None]
            probabilities = evaluate(model, network.normalise(pixels).transpose(0, 3, 1, 2))
            correct += int(probabilities.argmax() == int(label))
        self.assertGreaterEqual(correct, 19)

    def test_preprocessing_is_what_training_did(self):
        text = (EXAMPLE / "preprocess.yaml").read_text()
        found = {key: float(value) for key, value in re.findall(r"(?m)^(scale|mean|std): \[?([\d.]+)", text)}
        self.assertAlmostEqual(found["scale"], network.INPUT_SCALE, places=12)
        self.assertEqual((found["mean"], found["std"]), (network.INPUT_MEAN, network.INPUT_STD))

    def test_sizes(self):
        self.assertLess((EXAMPLE / "digits.onnx").stat().st_size, 300_000)
        self.assertEqual(len((EXAMPLE / "labels.txt").read_text().split()), 10)
        self.assertEqual(len(list((EXAMPLE / "calibration").iterdir())), 32)


if __name__ == "__main__":
    unittest.main()
