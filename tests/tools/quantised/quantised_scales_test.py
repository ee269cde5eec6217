"""Quantised models whose scales, zero points and types are unusual: dead channels, huge and tiny scales, one zero point for
many scales, weights with scales of input channels, 16 bits, integer products with known scales."""

import sys
import unittest
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from numpy_evaluator import _conv  # noqa: E402
from tool_case import HW, ToolCase, tool  # noqa: E402

SHAPE = (1, 8, 9, 9)


def integers(real, scale, zero, kind):
    info = np.iinfo(kind)
    return np.clip(np.rint(real / np.float64(np.float32(scale))) + zero, info.min, info.max)


def dequantised(values, scale, zero):
    return (values.astype(np.float64) - zero) * np.asarray(scale, np.float32).astype(np.float64)


class Model:
    """A chain of nodes; `x` is the input."""

    def __init__(self):
        self.nodes, self.constants = [], []

    def constant(self, value):
        name = f"c{len(self.constants)}"
        self.constants.append((name, np.asarray(value)))
        return name

    def op(self, kind, *inputs, domain="", output=None, **attributes):
        output = output or f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], name=f"n_{output}", domain=domain, **attributes))
        return output

    def pair(self, scale, zero):
        return self.constant(np.asarray(scale, np.float32)), self.constant(zero)

    def rounded(self, x, scale, zero, output=None):
        parameters = self.pair(scale, zero)
        return self.op("DequantizeLinear", self.op("QuantizeLinear", x, *parameters), *parameters, output=output)

    def weights(self, values, scale, zero, axis=0):
        return self.op("DequantizeLinear", self.constant(values), *self.pair(scale, zero), axis=axis)


class ScalesCase(ToolCase):
    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(6)
        self.x = self.random.uniform(-4, 4, SHAPE).astype(np.float32)
        np.save(self.folder / "x.npy", self.x)

    def save(self, m, opset=13, shape=SHAPE):
        return self.model(m.nodes, [("x", list(shape))], [("y", None)], m.constants, opset=opset)

    def run_on(self, path, *options):
        folder = self.folder / f"out-{len(list(self.folder.glob('out-*')))}"
        report = self.run_json(path, "--input", self.folder / "x.npy", "--output", folder, *options)
        return np.load(folder / "y.npy").astype(np.float64), report

    def filters(self, *shape):
        return self.random.integers(-127, 128, shape).astype(np.int8)


class ZeroAndVectorScalesTest(ScalesCase):
    def test_dead_channels(self):
        """A filter of zeros has scale 0: the channel is its bias. On every way to rescale."""
        w, bias = self.filters(16, 8, 3, 3), self.random.uniform(-2, 2, 16).astype(np.float32)
        w[[3, 7]] = 0
        scales = self.random.uniform(0.002, 0.01, 16).astype(np.float32)
        scales[[3, 7]] = 0
        for dead_alone in (False, True):
            if dead_alone:
                w[:], scales[:] = 0, 0
            m = Model()
            x = m.rounded("x", 0.03125, np.int8(0))
            y = m.op("Conv", x, m.weights(w, scales, np.zeros(16, np.int8)), m.constant(bias), pads=[1] * 4)
            m.rounded(y, 0.0613, np.int8(-5), output="y")
            path = self.save(m)
            real = _conv({"pads": [1] * 4}, dequantised(integers(self.x, 0.03125, 0, np.int8), 0.03125, 0),
                         dequantised(w, scales[:, None, None, None], 0), bias.astype(np.float64))
            wanted = dequantised(integers(real, 0.0613, -5, np.int8), 0.0613, -5)
            for options in (["--partition=cpu"], ["--verify"], ["--verify", "--rescaling=fast"], ["--verify", "--hw", HW / "vta-0.0.2.yaml"]):
                with self.subTest(options=options, dead_alone=dead_alone):
                    found, report = self.run_on(path, "--sim=functional", *options)
                    steps = np.rint(np.abs(found - wanted) / 0.0613)
                    dead = steps[:, [3, 7]]
                    self.assertLessEqual(dead.max(), 0 if options[-1] == "--verify" or len(options) == 1 else 1)
                    self.assertLessEqual(steps.max(), 2 if "--hw" not in options else 12)
                    if len(options) > 1:
                        self.assertEqual(report["totals"]["macs_on_vta"], report["totals"]["macs"])

    def test_weights_that_the_model_rounds_by_a_scale_of_0(self):
        w = self.random.normal(0, 0.1, (16, 8, 1, 1)).astype(np.float32)
        w[5] = 0
        scales = (np.abs(w).max((1, 2, 3)) / 127).astype(np.float32)
        m = Model()
        parameters = *m.pair(scales, np.zeros(16, np.int8)),
        weights = m.op("DequantizeLinear", m.op("QuantizeLinear", m.constant(w), *parameters, axis=0), *parameters, axis=0)
        m.rounded(m.op("Conv", m.rounded("x", 0.03125, np.int8(0)), weights), 0.02, np.int8(3), output="y")
        path = self.save(m)
        for options in (["--partition=cpu"], ["--verify"]):
            found, _ = self.run_on(path, "--sim=functional", *options)
            self.assertEqual(np.abs(found[:, 5]).max(), 0)
            self.assertGreater(np.abs(found[:, 4]).max(), 0)

    def test_one_zero_point_for_a_vector_of_scales(self):
        w = np.clip(self.filters(16, 8, 3, 3), -120, 120)
        scales = self.random.uniform(0.002, 0.01, 16).astype(np.float32)
        m = Model()
        q = m.op("QuantizeLinear", "x", *m.pair(0.03125, np.uint8(128)))
        inputs = [q, *m.pair(0.03125, np.uint8(128)), m.constant(w), *m.pair(scales, np.int8(3)), *m.pair(0.2, np.uint8(128))]
        m.op("DequantizeLinear", m.op("QLinearConv", *inputs, pads=[1] * 4), *m.pair(0.2, np.uint8(128)), output="y")
        real = dequantised(integers(self.x, 0.03125, 128, np.uint8), 0.03125, 128)
        conv = _conv({"pads": [1] * 4}, real, dequantised(w, scales[:, None, None, None], 3))
        self.check_all(self.save(m), dequantised(integers(conv, 0.2, 128, np.uint8), 0.2, 128), 0.2)
        dense, scales = self.filters(9, 20), self.random.uniform(0.002, 0.01, 20).astype(np.float32)
        m = Model()
        q = m.op("QuantizeLinear", "x", *m.pair(0.03125, np.uint8(128)))
        inputs = [q, *m.pair(0.03125, np.uint8(128)), m.constant(dense), *m.pair(scales, np.int8(0)), *m.pair(0.05, np.uint8(130))]
        m.op("DequantizeLinear", m.op("QLinearMatMul", *inputs), *m.pair(0.05, np.uint8(130)), output="y")
        product = real @ dequantised(dense, scales, 0)
        self.check_all(self.save(m), dequantised(integers(product, 0.05, 130, np.uint8), 0.05, 130), 0.05)
        m = Model()  # DequantizeLinear itself
        q = m.op("QuantizeLinear", "x", *m.pair(0.03125, np.uint8(128)))
        vector = self.random.uniform(0.02, 0.1, 8).astype(np.float32)
        m.op("DequantizeLinear", q, *m.pair(vector, np.uint8(128)), axis=1, output="y")
        self.check_all(self.save(m), dequantised(integers(self.x, 0.03125, 128, np.uint8), vector[:, None, None], 128), 1e-6)

    def check_all(self, path, wanted, step):
        for options in (["--partition=cpu"], ["--sim=functional", "--verify"]):
            found, _ = self.run_on(path, *options)
            steps = np.abs(found - wanted) / step
            self.assertLess(steps.max(), 1.01)
            self.assertLess((steps > 0.5).mean(), 0.01)

    def test_huge_and_tiny_scales(self):
        """Every sum but 0 saturates, or none is more than half a step. A channel beside it keeps its precision."""
        w = self.filters(16, 8, 3, 3)
        w[0, :, :, :] = 0
        w[0, 0, 1, 1] = 1
        for scale in (1e-25, 1e3, 1e12, 1e20):
            for zero in (-128, 100):
                scales = np.full(16, 0.004, np.float32)
                scales[::2] = scale
                m = Model()
                q = m.op("QuantizeLinear", "x", *m.pair(0.03125, np.int8(1)))
                inputs = [q, *m.pair(0.03125, np.int8(1)), m.constant(w), *m.pair(scales, np.zeros(16, np.int8)), *m.pair(0.1, np.int8(zero))]
                m.op("DequantizeLinear", m.op("QLinearConv", *inputs, pads=[1] * 4), *m.pair(0.1, np.int8(zero)), output="y")
                real = dequantised(integers(self.x, 0.03125, 1, np.int8), 0.03125, 1)
                conv = _conv({"pads": [1] * 4}, real, dequantised(w, scales[:, None, None, None], 0))
                wanted = dequantised(integers(conv, 0.1, zero, np.int8), 0.1, zero)
                path = self.save(m)
                for options in (["--partition=cpu"], ["--verify"], ["--verify", "--rescaling=fast"], ["--verify", "--hw", HW / "vta-0.0.2.yaml"]):
                    if zero == 100 and len(options) != 2:
                        continue
                    with self.subTest(scale=scale, zero=zero, options=options):
                        found, _ = self.run_on(path, "--sim=functional", *options)
                        steps = np.rint(np.abs(found - wanted) / 0.1)
                        extreme, other = steps[:, ::2], steps[:, 1::2]
                        self.assertEqual(extreme.max(), 0)
                        self.assertLessEqual(other.max(), 1 if "--hw" not in options else 12)
                        if "--hw" not in options:
                            self.assertLess(other.mean(), 0.01)

    def test_huge_ratios_of_sums_pools_and_moves(self):
        """Rescaling by other nodes than convolutions: sums, averages, and values that are rounded again."""
        for scale in (1e-20, 1e18):
            for kind in ("sum", "pool", "again"):
                m = Model()
                x = m.rounded("x", 0.03125, np.int8(3))
                real = dequantised(integers(self.x, 0.03125, 3, np.int8), 0.03125, 3)
                if kind == "sum":
                    other = m.rounded("x", 0.0625, np.int8(-2))
                    x = m.op("Add", x, other)
                    real = real + dequantised(integers(self.x, 0.0625, -2, np.int8), 0.0625, -2)
                if kind == "pool":
                    x = m.op("AveragePool", x, kernel_shape=[3, 3], strides=[3, 3])
                    real = real.reshape(1, 8, 3, 3, 3, 3).mean((3, 5))
                m.rounded(x, scale, np.int8(20), output="y")
                wanted = integers(real, scale, 20, np.int8) - 20
                path = self.save(m)
                for options in (["--partition=cpu"], ["--verify"], ["--verify", "--rescaling=fast"]):
                    with self.subTest(scale=scale, kind=kind, options=options):
                        found, _ = self.run_on(path, "--sim=functional", *options)
                        np.testing.assert_array_equal(np.rint(found / np.float64(np.float32(scale))), wanted)


class WeightScalesTest(ScalesCase):
    def test_scales_of_input_channels_are_reported(self):
        """Integers of output channels cannot stand for such weights, nor for float ones."""
        w, scales = self.filters(16, 8, 3, 3), self.random.uniform(0.002, 0.01, 8).astype(np.float32)
        forms = {"input channels": lambda m: m.weights(w, scales, np.zeros(8, np.int8), axis=1),
                 "floats": lambda m: m.constant(self.random.normal(0, 0.1, w.shape).astype(np.float32)),
                 "output channels": lambda m: m.weights(w, np.repeat(scales, 2), np.zeros(16, np.int8))}
        for name, weights in forms.items():
            with self.subTest(name):
                m = Model()
                y = m.op("Conv", m.rounded("x", 0.03125, np.int8(0)), weights(m), pads=[1] * 4)
                m.rounded(y, 0.1, np.int8(3), output="y")
                self.check_report(self.save(m), name != "output channels")

    def check_report(self, path, is_rescaled):
        result = tool("vta-compile", path, "-o", self.folder / "m.vta.so", "--quantise-report")
        self.assertEqual(result.returncode, 0, result.stderr)
        check = self.assertIn if is_rescaled else self.assertNotIn
        check("weights of 1 layers had to be rescaled", result.stderr)
        check("rescaled: 16 of 16 channels", result.stdout)

    def test_dense_layers(self):
        dense, scales = self.filters(9, 16), self.random.uniform(0.002, 0.01, 9).astype(np.float32)
        m = Model()
        x = m.rounded(m.op("Reshape", "x", m.constant(np.array([72, 9]))), 0.02, np.int8(-7))
        m.rounded(m.op("MatMul", x, m.weights(dense, scales, np.zeros(9, np.int8))), 0.05, np.int8(5), output="y")
        self.check_report(self.save(m), True)

    def test_gemm_with_factors(self):
        """alpha and beta go into the scales of quantised constants."""
        dense, bias = self.filters(16, 9), self.random.integers(-900, 900, 16).astype(np.int32)
        for alpha, beta in ((0.5, 2.0), (1.0, 0.25), (-0.5, 1.0)):
            with self.subTest(alpha=alpha, beta=beta):
                m = Model()
                x = m.rounded(m.op("Reshape", "x", m.constant(np.array([72, 9]))), 0.03125, np.int8(-7))
                w = m.weights(dense, np.float32(0.01), np.int8(0))
                b = m.op("DequantizeLinear", m.constant(bias), m.constant(np.float32(0.0003125)))
                m.rounded(m.op("Gemm", x, w, b, alpha=alpha, beta=beta, transB=1), 0.1, np.int8(5), output="y")
                real = dequantised(integers(self.x.reshape(72, 9), 0.03125, -7, np.int8), 0.03125, -7)
                product = alpha * real @ dequantised(dense, 0.01, 0).T + beta * dequantised(bias, 0.0003125, 0)
                wanted = dequantised(integers(product, 0.1, 5, np.int8), 0.1, 5)
                path = self.save(m)
                for options in (["--partition=cpu"], ["--sim=functional", "--verify"]):
                    found, report = self.run_on(path, *options)
                    steps = np.rint(np.abs(found - wanted) / 0.1)
                    self.assertLessEqual(steps.max(), 1)
                    self.assertLess(steps.mean(), 0.01)
                self.assertEqual(report["totals"]["macs_on_vta"], report["totals"]["macs"])


class SixteenBitsTest(ScalesCase):
    def network(self, first, middle, last):
        """Two convolutions; each argument is how an activation is rounded: a scale, a zero point, its type."""
        m = Model()
        w1, w2 = self.filters(16, 8, 3, 3), self.filters(8, 16, 1, 1)
        s1, s2 = (self.random.uniform(0.002, 0.01, n).astype(np.float32) for n in (16, 8))
        x = m.rounded("x", first[0], first[2](first[1]))
        a = m.op("Relu", m.op("Conv", x, m.weights(w1, s1, np.zeros(16, np.int8)), pads=[1] * 4))
        a = m.rounded(a, middle[0], middle[2](middle[1]))
        y = m.op("Conv", a, m.weights(w2, s2, np.zeros(8, np.int8)))
        m.rounded(y, last[0], last[2](last[1]), output="y")

        def real(value, how):
            return dequantised(integers(value, *how), how[0], how[1])
        a = real(np.maximum(_conv({"pads": [1] * 4}, real(self.x, first), dequantised(w1, s1[:, None, None, None], 0)), 0), middle)
        return self.save(m, opset=21), real(_conv({}, a, dequantised(w2, s2[:, None, None, None], 0)), last)

    def test_16_bits_stay_16_bits(self):
        """As the model says, on the CPU, with the reason; calibration takes fewer bits where that is asked for."""
        path, wanted = self.network((0.0002, 0, np.int16), (0.003, 0, np.uint16), (0.004, 10, np.int16))
        found, _ = self.run_on(path, "--partition=cpu")
        exact, report = self.run_on(path, "--sim=functional")
        # One step of 16 bits, where float32 decides a half.
        self.assertLess(np.abs(exact - found).max(), 0.0041)
        self.assertLess(np.abs(exact - wanted).max(), 0.0081)
        self.assertEqual(report["totals"]["macs_on_vta"], 0)
        result = tool("vta-run", path, "--sim=functional", "--input", self.folder / "x.npy")
        self.assertIn("2 layers stay on the CPU, exactly as the model says, because what they read or give has 16 bits",
                      result.stderr)
        self.assertIn("--static-ranges", result.stderr)
        noise = {}
        for wide in ("none", "auto:1"):
            rough, report = self.run_on(path, "--sim=functional", "--verify", "--calibrate", self.folder / "x.npy",
                                        "--static-ranges", "--wide-activations", wide)
            self.assertEqual(report["totals"]["macs_on_vta"], report["totals"]["macs"])
            noise[wide] = np.square(rough - wanted).mean() / np.square(wanted).mean()
        self.assertLess(noise["none"], 0.002)
        self.assertLess(noise["auto:1"], noise["none"])

    def test_16_bits_between_8(self):
        path, wanted = self.network((0.03, 0, np.int8), (0.0005, 0, np.int16), (0.2, 3, np.int8))
        found, _ = self.run_on(path, "--sim=functional")
        self.assertLess(np.abs(found - wanted).max(), 0.21)
        stderr = tool("vta-compile", path, "-o", self.folder / "m.vta.so").stderr
        self.assertIn("2 layers stay on the CPU, exactly as the model says", stderr)
        self.assertNotIn("does not say", stderr)


class IntegerProductsTest(ScalesCase):
    """QuantizeLinear with known scales, ConvInteger or MatMulInteger, Cast, Mul: layers like others."""

    def chain(self, kinds, rounds_result):
        m, real = Model(), self.x.astype(np.float64)
        value, scale = "x", 0.03125
        for i, (kind, zero, weight_zero) in enumerate(kinds):
            channels = 16
            w = self.random.integers(0, 255, (channels, real.shape[1], 3, 3)).astype(np.uint8)
            if weight_zero.dtype == np.int8:
                w = self.filters(*w.shape)
            q = m.op("QuantizeLinear", value, *m.pair(scale, zero))
            if kind == "ConvInteger":
                y = m.op("ConvInteger", q, m.constant(w), m.constant(zero), m.constant(weight_zero), pads=[1] * 4)
            factor = np.float32(scale * 0.004)
            value = m.op("Relu", m.op("Mul", m.op("Cast", y, to=TensorProto.FLOAT), m.constant(factor)))
            x = integers(real, scale, int(zero), zero.dtype) - float(zero)
            real = np.maximum(_conv({"pads": [1] * 4}, x, w.astype(np.float64) - float(weight_zero)) * np.float64(factor), 0)
            scale = 0.125
        if rounds_result:
            m.rounded(value, 0.5, np.uint8(0), output="y")
            real = dequantised(integers(real, 0.5, 0, np.uint8), 0.5, 0)
        else:
            m.op("Identity", value, output="y")
        return self.save(m), real

    def test_convolutions(self):
        kinds = [("ConvInteger", np.uint8(128), np.uint8(128)), ("ConvInteger", np.uint8(7), np.int8(0)),
                 ("ConvInteger", np.int8(-3), np.int8(0))]
        path, wanted = self.chain(kinds, True)
        macs = 16 * 81 * 9 * (8 + 16 + 16)
        for options in (["--partition=cpu"], ["--sim=functional", "--verify"]):
            with self.subTest(options=options):
                found, report = self.run_on(path, *options)
                self.assertEqual(report["totals"]["macs"], macs)
                steps = np.abs(found - wanted) / 0.5
                self.assertLess(steps.max(), 1.01)
                self.assertLess((steps > 0.5).mean(), 0.01)
        self.assertEqual(report["totals"]["macs_on_vta"], macs)
        self.assertEqual(report["totals"]["crossings"], 0)

    def test_a_result_that_is_not_rounded(self):
        """32 bits stay on the CPU, exactly, unless calibration gives a range."""
        path, wanted = self.chain([("ConvInteger", np.uint8(100), np.uint8(131))], False)
        for options in (["--partition=cpu"], ["--sim=functional"]):
            found, report = self.run_on(path, *options)
            np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6)
            self.assertEqual(report["totals"]["macs"], 16 * 81 * 9 * 8)
        path, _ = self.chain([("ConvInteger", np.uint8(100), np.uint8(128))], False)
        _, report = self.run_on(path, "--sim=functional", "--verify", "--calibrate", self.folder / "x.npy", "--static-ranges")
        self.assertEqual(report["totals"]["macs_on_vta"], report["totals"]["macs"])

    def test_matrices(self):
        dense = self.filters(9, 16)
        m = Model()
        q = m.op("QuantizeLinear", m.op("Reshape", "x", m.constant(np.array([72, 9]))), *m.pair(0.03125, np.uint8(120)))
        y = m.op("MatMulInteger", q, m.constant(dense), m.constant(np.uint8(120)))
        y = m.op("Mul", m.op("Cast", y, to=TensorProto.FLOAT), m.constant(np.float32(0.0003)))
        m.rounded(y, 0.1, np.int8(4), output="y")
        product = (integers(self.x.reshape(72, 9), 0.03125, 120, np.uint8) - 120) @ dense.astype(np.float64)
        wanted = dequantised(integers(product * np.float64(np.float32(0.0003)), 0.1, 4, np.int8), 0.1, 4)
        found, report = self.run_on(self.save(m), "--sim=functional", "--verify")
        steps = np.rint(np.abs(found - wanted) / 0.1)
        self.assertLessEqual(steps.max(), 1)
        self.assertLess(steps.mean(), 0.01)
        self.assertEqual(report["totals"]["macs_on_vta"], 72 * 9 * 16)

    def test_dynamic_ranges_count_once(self):
        w = self.filters(16, 8, 3, 3)
        m = Model()
        m.nodes.append(helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]))
        y = m.op("ConvInteger", "q", m.constant(w), "z", pads=[1] * 4)
        m.op("Mul", m.op("Cast", y, to=TensorProto.FLOAT), "s", output="y")
        _, report = self.run_on(self.save(m), "--partition=cpu")
        self.assertEqual(report["totals"]["macs"], 16 * 81 * 9 * 8)


if __name__ == "__main__":
    unittest.main()
