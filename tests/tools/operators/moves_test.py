"""Between two layers on the accelerator, resizes, borders, rolls, crops and repetitions do not go to the host."""

import sys
import unittest
from pathlib import Path

import numpy as np
import onnx

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from numpy_evaluator import evaluate  # noqa: E402
from tool_case import HW, ToolCase  # noqa: E402
from network_builder import Network  # noqa: E402

RUN = ("--schedules=estimated",)
SIZE = 6  # rows and columns of the image between the layers
CHANNELS = 20  # no whole number of blocks anywhere

# Blocks of 8 to 32, batches of 4, blocks that differ, small buffers, shifts only.
CONFIGURATIONS = ("default", "small-1x8x8", "large-1x32x32", "batched-4x16x16", "wide", "tiny-buffers", "vta-0.0.2")


def resize(scale, mode="half_pixel", rows=None):
    def layer(network, x):
        scales = network.constant(np.array([1, 1, rows or scale, scale], np.float32))
        return network.op("Resize", x, "", scales, mode="linear", coordinate_transformation_mode=mode)
    return layer


def pad(mode, *pads):
    def layer(network, x):
        top, left, bottom, right = pads
        return network.op("Pad", x, network.shape(0, 0, top, left, 0, 0, bottom, right), mode=mode)
    return layer


def roll(network, x, axis, count):
    parts = [network.op("Slice", x, network.shape(start), network.shape(end), network.shape(axis))
             for start, end in ((SIZE - count, SIZE), (0, SIZE - count))]
    return network.op("Concat", *parts, axis=axis)


def roll_twice(network, x):
    return roll(network, roll(network, x, 2, 2), 3, 1)


def crop(network, x):
    return network.op("Slice", x, network.shape(1, 0), network.shape(SIZE, SIZE - 2), network.shape(2, 3))


def tile(network, x):
    return network.op("Tile", x, network.shape(1, 1, 2, 3))


def expanded_pixel(network, x):
    pixel = network.conv(network.op("GlobalAveragePool", x), CHANNELS, CHANNELS)
    return network.op("Add", network.conv(x, CHANNELS, CHANNELS),
                      network.op("Expand", pixel, network.shape(1, CHANNELS, SIZE, SIZE)))


def widened(value):
    """A residual block with more channels than it gets: those that are missing are `value`."""
    def layer(network, x):
        wide = CHANNELS + 28
        constant = [] if value == 0 else [network.constant(np.float32(value))]
        more = network.op("Pad", x, network.shape(0, 0, 0, 0, 0, 28, 0, 0), *constant)
        sums = network.op("Relu", network.op("Add", network.conv(x, CHANNELS, wide), more))
        return network.conv(sums, wide, CHANNELS)
    return layer


LAYERS = {
    "bilinear by 2": (resize(2), (2 * SIZE, 2 * SIZE)),
    "bilinear by 4": (resize(4, "pytorch_half_pixel"), (4 * SIZE, 4 * SIZE)),
    "bilinear by 3": (resize(3), (3 * SIZE, 3 * SIZE)),
    "bilinear by 8": (resize(8), (8 * SIZE, 8 * SIZE)),
    "bilinear of corners": (resize(2, "asymmetric"), (2 * SIZE, 2 * SIZE)),
    "bilinear by 2 and 4": (resize(4, rows=2), (2 * SIZE, 4 * SIZE)),
    "bilinear along rows": (resize(2, rows=1), (SIZE, 2 * SIZE)),
    "bilinear by a half": (resize(0.5), (SIZE // 2, SIZE // 2)),
    "edge": (pad("edge", 1, 2, 0, 3), (SIZE + 1, SIZE + 5)),
    "mirrored": (pad("reflect", 2, 1, 3, 2), (SIZE + 5, SIZE + 3)),
    "wrapped": (pad("wrap", 1, 2, 3, 0), (SIZE + 4, SIZE + 2)),
    "roll": (roll_twice, (SIZE, SIZE)),
    "crop": (crop, (SIZE - 1, SIZE - 2)),
    "tile": (tile, (2 * SIZE, 3 * SIZE)),
    "widened": (widened(0), (SIZE, SIZE)),
    "widened by a constant": (widened(0.5), (SIZE, SIZE)),
    "pixel for all": (expanded_pixel, (SIZE, SIZE)),
}


class MovesTest(ToolCase):
    def build_quantised(self, layer, shape):
        """The same in int8, with a rounding behind each layer. The layer's two scales differ: halves are rare then."""
        network = Network(7)

        def rounded(x, scale, zero):
            parameters = network.constant(np.float32(scale)), network.constant(np.int8(zero))
            return network.op("DequantizeLinear", network.op("QuantizeLinear", x, *parameters), *parameters)

        def conv(x, channels, filters):
            integers = network.random.randint(-127, 128, (filters, channels, 3, 3)).astype(np.int8)
            weights = network.op("DequantizeLinear", network.constant(integers), network.constant(np.float32(0.004)),
                                 network.constant(np.int8(0)))
            return network.op("Conv", x, weights, kernel_shape=[3, 3], pads=[1] * 4)

        x = rounded(conv(rounded("x", 0.03, 0), 3, CHANNELS), 0.02, 3)
        x = rounded(layer(network, x), 0.017, -7)
        return self.save(network, rounded(conv(x, CHANNELS, 8), 0.1, 0), 8, shape)

    def save(self, network, output, channels, shape, name="model.onnx"):
        opset = 19  # the first with wrapped pads
        return self.model(network.nodes, [("x", [1, 3, SIZE, SIZE])], [(output, [1, channels, *shape])],
                          network.constants, name, opset)

    def build(self, layer, shape, ends=False):
        """A convolution, the layer, and, unless the network ends there, another convolution."""
        network = Network(5)
        x = layer(network, network.relu_conv("x", 3, CHANNELS, 3))
        if ends:
            return self.save(network, x, CHANNELS, shape)
        return self.save(network, network.conv(x, CHANNELS, 8, 3), 8, shape)

    def build_chain(self, *names):
        """Convolutions with a layer between each two of them."""
        network = Network(6)
        x = network.relu_conv("x", 3, CHANNELS, 3)
        for name in names:
            x = network.conv(LAYERS[name][0](network, x), CHANNELS, CHANNELS, 3)
        return self.save(network, x, CHANNELS, [None, None], f"{names[0]}.onnx")

    def run_both(self, path, *options):
        """The report of a verified run on the VTA, whose outputs are those of the CPU's integers."""
        report = self.run_json(path, *RUN, *options, "--verify", "--output", self.folder / "vta")
        integers = self.run_json(path, *RUN, *options, "--partition=cpu-quantized", "--output", self.folder / "cpu")
        vta, cpu = (np.load(run["outputs"][0]["file"]) for run in (report, integers))
        np.testing.assert_array_equal(vta, cpu)
        self.assertGreater(np.abs(vta).max(), 0)
        return report, vta

    def test_none_crosses_on_any_hardware(self):
        chain = self.build_chain("edge", "crop", "bilinear by 3", "bilinear by a half", "mirrored", "bilinear by 2 and 4",
                                 "wrapped")
        pixels = self.build_chain("pixel for all", "roll", "widened", "bilinear by 2", "tile")
        for configuration in CONFIGURATIONS:
            for path in (chain, pixels):
                with self.subTest(path.name, hw=configuration):
                    report, _ = self.run_both(path, f"--hw={HW / configuration}.yaml")
                    self.assertEqual(report["totals"]["crossings"], 0)

    def test_results_are_those_of_the_model(self):
        """Eight bits for each of the activations leave noise of some 0.02 % of the power of the signal."""
        for name, (layer, shape) in LAYERS.items():
            with self.subTest(name):
                path = self.build(layer, shape)
                image = np.random.RandomState(2).randn(1, 3, SIZE, SIZE).astype(np.float32)
                np.save(self.folder / "x.npy", image)
                expected = evaluate(onnx.load(str(path)), {"x": image})
                report, result = self.run_both(path, "--input", self.folder / "x.npy")
                self.assertEqual(report["totals"]["crossings"], 0)
                noise = np.mean((result - expected) ** 2) / np.mean(expected**2)
                self.assertLess(noise, 1e-3)
                report = self.run_json(path, "--partition=cpu", "--input", self.folder / "x.npy", "--output",
                                       self.folder / "float")
                np.testing.assert_allclose(np.load(report["outputs"][0]["file"]), expected, rtol=1e-4, atol=1e-4)

    def test_quantised_resizes_are_those_of_the_model(self):
        image = np.random.RandomState(1).randn(1, 3, SIZE, SIZE).astype(np.float32)
        np.save(self.folder / "x.npy", image)
        for name in ("bilinear by 2", "bilinear by 4", "bilinear by 3", "bilinear along rows", "bilinear by a half"):
            with self.subTest(name):
                path = self.build_quantised(*LAYERS[name])
                expected = evaluate(onnx.load(str(path)), {"x": image})
                report, result = self.run_both(path, "--input", self.folder / "x.npy")
                self.assertEqual(report["totals"]["crossings"], 0)
                np.testing.assert_allclose(result, expected, atol=1e-4)  # steps are 0.1
        with self.subTest("where rows and columns would be rounded apart"):
            report, _ = self.run_both(self.build_quantised(*LAYERS["bilinear by 8"]))
            self.assertEqual(report["totals"]["crossings"], 1)

    def test_a_resize_at_the_end_is_left_to_the_host(self):
        layer, shape = LAYERS["bilinear by 2"]
        report, _ = self.run_both(self.build(layer, shape, ends=True))
        self.assertEqual([step["op"] for step in report["layers"] if step["where"] == "vta"], ["Conv"])

    def test_other_interpolations_are_left_to_the_host(self):
        for name, layer, size in (("align_corners", resize(2, "align_corners"), 2 * SIZE),
                                  ("1.5", resize(1.5), SIZE * 3 // 2)):
            with self.subTest(name):
                report, _ = self.run_both(self.build(layer, (size, size)))
                self.assertEqual(report["totals"]["crossings"], 1)

    def test_narrow_weights_take_only_what_they_hold(self):
        """Four bits hold the 1 of means, not the 9 sixteenths of a resize by 2."""
        path = self.folder / "narrow.yaml"
        path.write_text("name: narrow\noperands: {wgt_width_bits: 4}\nisa: {extensions: [qmul, clip, pad_min]}\n")
        for name, crossings in (("bilinear by a half", 0), ("bilinear by 2", 0), ("bilinear by 8", 1)):
            with self.subTest(name):
                report, _ = self.run_both(self.build(*LAYERS[name]), f"--hw={path}")
                self.assertEqual(report["totals"]["crossings"], crossings)


if __name__ == "__main__":
    unittest.main()
