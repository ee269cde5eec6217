"""Activation functions as curves on hardware without tables: no crossings, the host's bits, little noise."""

import sys
import unittest
from pathlib import Path

import numpy as np
import onnx

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

import plain_qdq  # noqa: E402
from tool_case import ToolCase  # noqa: E402
import modern_networks  # noqa: E402

SCHEDULES = "--schedules=estimated"
HARDWARE = ("default", "zynq-7020", "small-1x8x8", "batched-4x16x16")


class CurvesTest(ToolCase):
    def save(self, network):
        path = self.folder / "model.onnx"
        onnx.save(network, path)
        return path

    def output(self, model, name, *options):
        """The values of all outputs of a run, one behind the other."""
        folder = self.folder / name
        report = self.run_json(model, SCHEDULES, *options, "--output", folder)
        return report, np.concatenate([np.load(folder / o["file"].rsplit("/", 1)[1]).ravel()
                                       for o in report["outputs"]])

    def check(self, network, hw, most_crossings=0, device="functional"):
        """All layers are verified bit for bit, and the outputs are those of the host in the same integers."""
        model = self.save(network)
        report, vta = self.output(model, "vta", f"--hw={hw}", f"--sim={device}", "--verify")
        _, cpu = self.output(model, "cpu", f"--hw={hw}", "--partition=cpu-quantized")
        np.testing.assert_array_equal(vta, cpu)
        self.assertGreater(np.abs(vta).max(), 0)
        self.assertLessEqual(report["totals"]["crossings"], most_crossings)
        return report

    def pictures(self, count, size):
        """Files with seeded patterns of several sizes."""
        random, files = np.random.RandomState(3), []
        for k in range(count):
            image = sum(np.kron(random.randn(3, n, n), np.ones((1, size // n, size // n))) / n**0.25
                        for n in (4, 8, 16, 32))
            files.append(self.folder / f"picture{k}.npy")
            np.save(files[-1], image[None].astype(np.float32))
        return files

    def chain(self, *functions):
        """Convolutions with these functions behind them."""
        net = modern_networks.Network(1, "silu")
        x, channels = "x", 3
        for function in functions:
            x = function(net, net.conv(x, channels, 20, 3))
            channels = 20
        return net.model(16, [net.conv(x, channels, 8)])

    def test_functions_on_any_hardware(self):
        def named(kind, **attributes):
            return lambda net, x: net.op(kind, x, **attributes)

        functions = {"silu": modern_networks.Network.silu, "gelu": modern_networks.Network.gelu,
                     "sigmoid": named("Sigmoid"), "tanh": named("Tanh"), "elu": named("Elu"),
                     "selu": named("Selu"), "softplus": named("Softplus")}
        network = self.chain(*functions.values())
        for hw in HARDWARE:
            with self.subTest(hw):
                self.check(network, hw)

    def test_efficientnet(self):
        for hw in ("default", "zynq-7020"):
            with self.subTest(hw):
                self.check(modern_networks.efficientnet(64), hw, 3)

    def test_convnext(self):
        self.check(modern_networks.convnext(32), "default", 3)

    def test_yolov5(self):
        for hw in ("default", "zynq-7020"):
            with self.subTest(hw):
                self.check(modern_networks.yolov5(64), hw, 3)

    def test_yolov8(self):
        for hw in ("default", "zynq-7020"):
            with self.subTest(hw):
                self.check(modern_networks.yolov8(64), hw, 3)

    def test_the_cycle_model_computes_the_same(self):
        self.check(self.chain(modern_networks.Network.silu, modern_networks.Network.gelu), "default", device="cycle")

    def test_noise_is_near_that_of_tables(self):
        """The outputs' noise, compared with float, is at most 2.5 dB more than with exact functions on the host."""
        for make, size in ((modern_networks.efficientnet, 64), (modern_networks.yolov5, 64)):
            with self.subTest(make.__name__):
                model = self.save(make(size))
                _, exact = self.output(model, "float", "--partition=cpu")
                noise = {}
                for place in ("alu", "host"):
                    _, values = self.output(model, place, f"--activations={place}", "--partition=cpu-quantized")
                    noise[place] = np.mean((values - exact)**2)
                self.assertLess(noise["alu"], noise["host"] * 10**0.25)

    def test_a_detector_keeps_what_a_plain_export_keeps(self):
        """Coordinates, probabilities of objects and of their classes: each within 1 dB of min-max QDQ, or better."""
        network, pictures = modern_networks.yolox(64), self.pictures(20, 64)
        model, calibration = self.save(network), [f"--calibrate={p}" for p in pictures[:12]]
        inside = self.folder / "inside.onnx"
        onnx.save(plain_qdq.with_values_as_outputs(network), inside)
        ranges = {}
        for picture in pictures[:12]:
            values = np.load(picture)
            found = [(network.graph.input[0].name, values)]
            report = self.run_json(inside, "--partition=cpu", "--input", picture, "--output", self.folder / "inside")
            found += [(o["name"], np.load(self.folder / "inside" / o["file"].rsplit("/", 1)[1]))
                      for o in report["outputs"]]
            for name, value in found:
                least, largest = ranges.get(name, (np.inf, -np.inf))
                ranges[name] = min(least, value.min()), max(largest, value.max())
        plain = self.folder / "plain.onnx"
        onnx.save(plain_qdq.quantised(network, ranges), plain)
        results = {}
        for name, path, options in (("float", model, ["--partition=cpu"]), ("plain", plain, ["--partition=cpu"]),
                                    ("ours", model, ["--partition=cpu-quantized", *calibration])):
            module = self.folder / f"{name}.vta.so"
            self.succeed("vta-compile", path, "-o", module, *options)
            results[name] = []
            for picture in pictures[12:]:
                report = self.run_json(module, "--input", picture, "--output", self.folder)
                results[name].append(np.load(self.folder / report["outputs"][0]["file"].rsplit("/", 1)[1]))
            results[name] = np.concatenate(results[name]).reshape(-1, 25)
        for part, columns in (("boxes", slice(0, 4)), ("objects", slice(4, 5)), ("classes", slice(5, 25))):
            with self.subTest(part):
                exact = results["float"][:, columns]
                noise = {name: np.mean((results[name][:, columns] - exact)**2) for name in ("plain", "ours")}
                self.assertLess(noise["ours"], noise["plain"] * 10**0.1)

    def test_activations_chooses_the_place(self):
        model = self.save(self.chain(modern_networks.Network.silu))
        for place, crossings in (("host", 1), ("alu", 0), ("auto", 0)):
            with self.subTest(place):
                report, _ = self.output(model, "vta", f"--activations={place}")
                self.assertEqual(report["totals"]["crossings"], crossings)
        self.refuse("vta-run", model, "--activations=fpga", code=2, says=["fpga not in {alu,auto,host}"])

    def test_quantised_models_keep_their_integers(self):
        """What a model with QuantizeLinear says is computed exactly, on the host if need be."""
        net = modern_networks.Network(2, "silu")
        scale, zero = net.constant(np.float32(0.05)), net.constant(np.int8(0))

        def rounded(x):
            return net.op("DequantizeLinear", net.op("QuantizeLinear", x, scale, zero), scale, zero)

        weight = np.random.RandomState(1).randint(-9, 9, (32, 32, 1, 1)).astype(np.int8)
        first = net.op("DequantizeLinear", net.constant(weight), scale, zero)
        x = net.op("Conv", rounded(net.conv("x", 3, 32)), first, kernel_shape=[1, 1])
        x = rounded(net.silu(rounded(x)))
        x = rounded(net.op("Conv", x, first, kernel_shape=[1, 1]))
        model = self.save(net.model(8, [x]))
        reports = [self.output(model, place, f"--activations={place}") for place in ("alu", "host")]
        np.testing.assert_array_equal(reports[0][1], reports[1][1])
        self.assertGreater(reports[0][0]["totals"]["crossings"], 0)


if __name__ == "__main__":
    unittest.main()
