"""Quantised models as training frameworks export them: floats that QuantizeLinear makes weights of, normalisation behind
them, integers within bounds, and rounding behind a move. All of it is integers on the accelerator."""

import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from report_case import data_of  # noqa: E402
from tool_case import ToolCase, tool  # noqa: E402
from network_builder import Network  # noqa: E402


class QuantisedNetwork(Network):
    """Activations are rounded in front of layers alone; weights are floats that the model rounds."""

    def rounded(self, x, scale, zero_point=np.int8(0), axis=None, bounds=None):
        parameters = (self.constant(np.asarray(scale, np.float32)), self.constant(zero_point))
        attributes = {} if axis is None else {"axis": axis}
        q = self.op("QuantizeLinear", x, *parameters, **attributes)
        if bounds:
            q = self.op("Clip", q, *(self.constant(np.array(bound, zero_point.dtype)) for bound in bounds))
        return self.op("DequantizeLinear", q, *parameters, **attributes)

    def rounded_weights(self, shape, axis):
        weights = self.random.randn(*shape).astype(np.float32) / np.sqrt(np.prod(shape) / shape[axis])
        others = tuple(i for i in range(len(shape)) if i != axis)
        scale = np.abs(weights).max(axis=others) / 127
        return self.rounded(self.constant(weights), scale, np.zeros(scale.shape, np.int8), axis)

    def rounded_conv(self, x, channels, filters, kernel, stride=1):
        return self.op("Conv", x, self.rounded_weights((filters, channels, kernel, kernel), 0),
                       kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[kernel // 2] * 4)

    def normalised(self, x, channels):
        signs = np.where(np.arange(channels) % 3, 1, -1)  # some channels change their sign
        scale, bias, mean, variance = (self.constant(value.astype(np.float32)) for value in (
            signs * self.random.uniform(0.5, 1.5, channels), self.random.randn(channels) / 10,
            self.random.randn(channels) / 10, self.random.uniform(0.5, 1.5, channels)))
        return self.op("BatchNormalization", x, scale, bias, mean, variance)


class QuantisedExportsTest(ToolCase):
    def check(self, network, output, shape, step, options=()):
        """All products are on the accelerator without a crossing, and the result is the model's."""
        path = self.model(network.nodes, [("x", shape)], [(output, None)], network.constants)
        report = self.run_json(path, "--sim=functional", "--schedules=estimated", "--verify", "--output",
                               self.folder / "vta", *options)
        self.assertEqual(report["totals"]["macs"], report["totals"]["macs_on_vta"])
        self.assertEqual(report["totals"]["crossings"], 0)
        self.run_json(path, "--partition=cpu", "--output", self.folder / "cpu")
        found, wanted = (np.load(next((self.folder / side).glob("*.npy"))) for side in ("vta", "cpu"))
        self.assertGreater(np.abs(wanted).max(), 8 * step)
        self.assertLess(np.abs(found - wanted).max(), 1.01 * step)
        self.assertLess(np.abs(found - wanted).mean(), 0.2 * step)

    def residual_network(self):
        n = QuantisedNetwork(1)
        x = n.op("Relu", n.normalised(n.rounded_conv(n.rounded("x", 1 / 127), 3, 16, 3, 2), 16))
        x = n.rounded(n.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4), 0.02)
        y = n.rounded(n.op("Relu", n.normalised(n.rounded_conv(x, 16, 24, 3), 24)), 0.02)
        y = n.normalised(n.rounded_conv(y, 24, 16, 3), 16)
        x = n.rounded(n.op("Relu", n.op("Add", y, x)), 0.03)
        x = n.rounded(n.op("GlobalAveragePool", x), 0.02)
        dense = n.op("Transpose", n.rounded_weights((10, 16), 0), perm=[1, 0])
        return n, n.rounded(n.op("MatMul", n.op("Flatten", x), dense), 0.02)

    def test_weights_that_the_model_rounds(self):
        self.check(*self.residual_network(), [1, 3, 32, 32], 0.02)

    def test_weights_that_the_model_rounds_on_hardware_that_shifts(self):
        n, output = self.residual_network()
        path = self.model(n.nodes, [("x", [1, 3, 32, 32])], [(output, None)], n.constants)
        report = self.run_json(path, "--sim=functional", "--schedules=estimated", "--verify", "--hw=vta-0.0.2")
        self.assertEqual(report["totals"]["macs"], report["totals"]["macs_on_vta"])

    def output_of(self, path, *options):
        report = self.run_json(path, "--hw=zynq-7020", "--schedules=estimated", "--output", self.folder / "out", *options)
        return report, np.load(next((self.folder / "out").glob("*.npy")))

    def test_fast_rescaling(self):
        """One multiplication a result: fewer operations, the same bits everywhere, and hardly another step."""
        n = QuantisedNetwork(3)
        step, zero = 0.02, np.int8(-128)
        x = n.rounded("x", 1 / 127)
        for channels in (3, 32):
            x = n.rounded(n.op("Relu", n.normalised(n.rounded_conv(x, channels, 32, 3), 32)), step, zero)
        path = self.model(n.nodes, [("x", [1, 3, 24, 24])], [(x, None)], n.constants)
        exact_report, exact = self.output_of(path, "--sim=cycle", "--verify")
        report, fast = self.output_of(path, "--sim=cycle", "--verify", "--rescaling=fast")
        _, on_cpu = self.output_of(path, "--partition=cpu-quantized", "--rescaling=fast")
        np.testing.assert_array_equal(fast, on_cpu)
        self.assertLess(report["totals"]["cycles"], exact_report["totals"]["cycles"])
        # The profile and the page of the exact model say what the option wins, and no other does.
        page = self.folder / "page.html"
        profile = self.succeed("vta-run", path, "--hw=zynq-7020", "--schedules=estimated", "--sim", "--profile", "--report", page)
        won = report["totals"]["cycles"]
        self.assertIn(f"{won:,} cycles with --rescaling=fast, ", profile)
        self.assertEqual(data_of(page.read_text())["reports"][0]["summary"]["fast_rescaling_cycles"], won)
        for options in (["--rescaling=fast"], ["--partition=cpu-quantized"], ["--hw=vta-0.0.2"]):
            self.assertNotIn("cycles with --rescaling=fast", self.succeed("vta-run", path, "--schedules=estimated", "--sim",
                                                                          "--profile", *options))
        both, _ = self.output_of(path, "--sim=cycle", "--profile")
        self.assertEqual(both["totals"]["fast_rescaling_cycles"], won)
        self.assertEqual(both["totals"]["cycles"], exact_report["totals"]["cycles"])
        steps = np.abs(fast - exact) / step
        self.assertLess(steps.max(), 2.01)
        self.assertLess((steps > 0.5).mean(), 0.02)
        self.assertGreater(exact.max(), 50 * step)

    def test_transposed_convolutions(self):
        for stride, axis_scales in ((2, True), (2, False), (1, True)):
            with self.subTest(stride=stride, axis_scales=axis_scales):
                n = QuantisedNetwork(2)
                x = n.rounded("x", 1 / 127)
                if axis_scales:
                    weights = n.rounded_weights((8, 12, 3, 3), 1)
                else:  # all taps that a phase lacks are the zero point
                    weights = n.rounded(n.constant(n.random.rand(8, 12, 3, 3).astype(np.float32) / 9), 1 / 1100,
                                        np.uint8(5))
                x = n.op("ConvTranspose", x, weights, kernel_shape=[3, 3], strides=[stride] * 2, pads=[1] * 4)
                x = n.rounded(n.op("Relu", n.normalised(x, 12)), 0.01)
                x = n.normalised(n.rounded_conv(x, 12, 8, 1), 8)
                self.check(n, n.rounded(x, 0.02), [1, 8, 6, 6], 0.02)

    def test_integers_within_bounds(self):
        """Activations of 4 bits, and those without the lowest number, as quantisers of few bits write them."""
        n = QuantisedNetwork(3)
        x = n.rounded("x", 1 / 127, bounds=(-127, 127))
        for channels in (8, 16):
            x = n.op("Relu", n.rounded_conv(x, channels, 16, 3))
            x = n.rounded(x, 0.1, np.uint8(0), bounds=(0, 15))
        x = n.rounded_conv(x, 16, 8, 1)
        self.check(n, n.rounded(x, 0.02, bounds=(-127, 127)), [1, 8, 10, 10], 0.1)

    def test_parts_of_a_join_are_rounded_in_front_of_it(self):
        n = QuantisedNetwork(4)
        x = n.rounded("x", 1 / 127)
        parts = [n.op("Relu", n.rounded_conv(x, 16, 16, kernel)) for kernel in (1, 3)]
        x = n.rounded(n.op("Concat", *parts, axis=1), 0.02)
        self.check(n, n.rounded(n.rounded_conv(x, 32, 8, 3), 0.02), [1, 16, 8, 8], 0.02)


class PartlyRoundedTest(ToolCase):
    """Models that round what convolutions read and nothing else, as exporters for other accelerators write them."""

    SHAPE = (1, 8, 12, 12)

    def silu(self, n, x):
        return n.op("Mul", x, n.op("Sigmoid", x))

    def network(self):
        """SiLU between convolutions, a sum of what is not rounded, and a last layer whose result is not."""
        n = QuantisedNetwork(5)
        x = self.silu(n, n.rounded_conv(n.rounded("x", 1 / 127), 8, 16, 3))
        y = self.silu(n, n.rounded_conv(n.rounded(x, 0.02), 16, 16, 3))
        x = n.op("Add", n.rounded_conv(n.rounded(y, 0.01), 16, 16, 1), x)
        x = n.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
        return n, n.rounded_conv(n.rounded(x, 0.02), 16, 8, 3)

    def run_on(self, path, *options):
        folder = self.folder / f"out-{len(list(self.folder.glob('out-*')))}"
        report = self.run_json(path, "--schedules=estimated", "--input", f"x={self.folder / 'x.npy'}", "--output", folder,
                               *options)
        return report, np.load(next(folder.glob("*.npy")))

    def test_calibration_fills_in_what_is_missing(self):
        n, output = self.network()
        path = self.model(n.nodes, [("x", self.SHAPE)], [(output, None)], n.constants)
        samples = np.random.default_rng(1).uniform(-1, 1, (16, *self.SHAPE[1:])).astype(np.float32)
        np.save(self.folder / "samples.npy", samples)
        np.save(self.folder / "x.npy", samples[:1])
        _, wanted = self.run_on(path, "--partition=cpu")
        calibrated = ("--sim=functional", "--verify", "--calibrate", self.folder / "samples.npy")
        alone, _ = self.run_on(path, *calibrated)
        self.assertLess(alone["totals"]["macs_on_vta"], alone["totals"]["macs"] / 2)
        stderr = tool("vta-compile", path, "-o", self.folder / "m.vta.so").stderr
        self.assertIn("4 layers stay on the CPU because the model does not say", stderr)
        self.assertIn("--static-ranges", stderr)
        for hw in ("default", "vta-0.0.2"):
            with self.subTest(hw=hw):
                report, found = self.run_on(path, "--hw", hw, *calibrated, "--static-ranges")
                self.assertEqual(report["totals"]["macs"], report["totals"]["macs_on_vta"])
                if hw != "vta-0.0.2":  # which has no curves
                    self.assertEqual(report["totals"]["crossings"], 0)
                noise = np.square(found - wanted).mean() / np.square(wanted).mean()
                self.assertLess(noise, 0.002 if hw != "vta-0.0.2" else 0.02)


if __name__ == "__main__":
    unittest.main()
