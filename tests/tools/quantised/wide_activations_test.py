"""Activations with more than 8 bits: closer to float, with the host's bits on every simulator and configuration."""

import json
import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import HW, ToolCase  # noqa: E402
from network_builder import Network  # noqa: E402

RUN = ("--schedules=estimated",)
CONFIGURATIONS = ("default", "small-1x8x8", "batched-4x16x16", "large-1x32x32", "tiny-buffers", "vta-0.0.2", "zu3eg")


class WideNetwork(Network):
    """Activations that vary little around a value far from zero, and convolutions that enlarge what varies."""

    def scaled_conv(self, x, channels, filters, kernel, group, scale, bias):
        weight = self.random.randn(filters, channels // group, kernel, kernel) * scale
        constants = [self.constant(np.float32(value)) for value in (weight, bias(weight.sum(axis=(1, 2, 3))))]
        return self.op("Conv", x, *constants, kernel_shape=[kernel] * 2, group=group)

    def faint(self, x, channels, filters, kernel=1):
        y = self.scaled_conv(x, channels, filters, kernel, 1, 0.02, lambda sums: 0 * sums + 3)
        return self.op("Clip", y, self.constant(np.float32(0)), self.constant(np.float32(6)))

    def enlarged(self, x, channels, filters, kernel=1, group=1):
        return self.scaled_conv(x, channels, filters, kernel, group, 10, lambda sums: -3 * sums)

    def convs(self, *places):
        names = [node.name for node in self.nodes if node.op_type == "Conv"]
        return [names[place] for place in places]


def mobile(channels=8):
    """Depthwise and pointwise, as in MobileNets."""
    network = WideNetwork(1)
    x = network.enlarged(network.faint("x", 3, channels, 3), channels, channels, 3, channels)
    return network, network.conv(network.relu_conv(x, channels, 20), 20, 10), network.convs(0, 1)


def fire():
    """As in SqueezeNets: two convolutions of one result, joined."""
    network = WideNetwork(2)
    x = network.faint("x", 3, 6)
    x = network.op("Concat", network.enlarged(x, 6, 10), network.enlarged(x, 6, 10), axis=1)
    return network, network.conv(x, 20, 10, 3), network.convs(0, 1)


def residual():
    """The sum and what it adds have 8 bits; what lies between them is wide."""
    network = WideNetwork(3)
    x = network.conv("x", 3, 12, 3)
    y = network.enlarged(network.faint(x, 12, 24), 24, 12)
    return network, network.conv(network.op("Add", x, y), 12, 10), network.convs(1)


class WideActivationsTest(ToolCase):
    def save(self, network, output, size=13):
        samples = self.folder / "samples"
        samples.mkdir(exist_ok=True)
        random = np.random.RandomState(5)
        for i in range(8):
            np.save(samples / f"{i}.npy", random.randn(1, 3, size, size).astype(np.float32))
        return self.model(network.nodes, [("x", [1, 3, size, size])], [(output, None)], network.constants), samples

    def outputs(self, path, samples, *options):
        """What the VTA's integers stand for, after they have been compared with the host's."""
        input = samples / "3.npy"
        common = (path, "--calibrate", samples, "--input", input, *options)
        report = self.run_json(*common, *RUN, "--verify", "--output", self.folder / "vta")
        self.assertGreater(report["verified_layers"], 0)
        self.succeed("vta-run", *common, "--partition=cpu-quantized", "--output", self.folder / "cpu")
        name = report["outputs"][0]["file"].rsplit("/", 1)[1]
        vta, cpu = (np.load(self.folder / side / name) for side in ("vta", "cpu"))
        np.testing.assert_array_equal(vta, cpu)
        return vta, report

    def exact(self, path, samples):
        output = self.folder / "float"
        report = self.run_json(path, "--input", samples / "3.npy", "--partition=cpu", "--output", output)
        return np.load(output / report["outputs"][0]["file"].rsplit("/", 1)[1])

    def noise(self, values, exact):
        return ((values - exact) ** 2).sum() / (exact**2).sum()

    def check(self, network, output, wide, *options):
        path, samples = self.save(network, output)
        exact = self.exact(path, samples)
        narrow, _ = self.outputs(path, samples, "--wide-activations=none", *options)
        values, report = self.outputs(path, samples, "--wide-activations", ",".join(wide), *options)
        self.assertEqual(report["totals"]["macs"], report["totals"]["macs_on_vta"])
        self.assertLess(self.noise(values, exact) * 3, self.noise(narrow, exact))

    def test_they_are_closer_to_float_on_every_configuration(self):
        for build, names in ((mobile, CONFIGURATIONS), (fire, CONFIGURATIONS[:1]), (residual, CONFIGURATIONS[:1])):
            for name in names:
                with self.subTest(f"{build.__name__} on {name}"):
                    self.check(*build(), f"--hw={HW / name}.yaml")

    def test_simulators_agree(self):
        network, output, wide = mobile()
        path, samples = self.save(network, output, 9)
        for hw in ("default", "vta-0.0.2"):
            for sim in ("functional", "cycle", "rtl"):
                with self.subTest(f"{hw} on {sim}"):
                    self.outputs(path, samples, f"--wide-activations={','.join(wide)}", f"--sim={sim}",
                                 f"--hw={HW / hw}.yaml")

    def test_channels_that_do_not_fill_blocks(self):
        for channels in (1, 5, 16, 24):
            with self.subTest(channels):
                self.check(*mobile(channels))

    def test_layers_that_cannot_be_wide_are_refused(self):
        network, output, _ = residual()
        path, samples = self.save(network, output)
        for name in (*network.convs(0), "conv99"):
            self.refuse("vta-run", path, "--calibrate", samples, f"--wide-activations={name}",
                        says=[f"'{name}' cannot be a wide activation"])

    def test_choices_of_the_command_line(self):
        network, output, _ = mobile()
        path, samples = self.save(network, output)
        module = self.folder / "module.vta"
        chosen = {}
        for option in ("none", "auto:2", "auto", "few", None):
            given = () if option is None else (f"--wide-activations={option}",)
            text = self.succeed("vta-compile", path, "--calibrate", samples, *given, "-o", module, "--json")
            chosen[option] = json.loads(text)["wide_activations"]
        self.assertEqual(chosen["none"], [])
        self.assertEqual(len(chosen["auto:2"]), 2)
        # They cost nothing here: both convolutions have half a block of channels.
        self.assertTrue(chosen["few"])
        self.assertLessEqual(set(chosen["few"]), set(chosen["auto"]))
        self.assertEqual(chosen[None], chosen["few"])

    def wide_activations(self, path, *options):
        text = self.succeed("vta-compile", path, "-o", self.folder / "module.vta", "--json", *options)
        return json.loads(text)["wide_activations"]

    def test_random_data_make_nothing_wide(self):
        network, output, _ = mobile()
        path, samples = self.save(network, output)
        self.assertTrue(self.wide_activations(path, "--calibrate", samples))
        self.assertEqual(self.wide_activations(path), [])

    def test_what_loses_little_stays_narrow(self):
        network = WideNetwork(4)
        path, samples = self.save(network, network.conv(network.conv("x", 3, 8, 3), 8, 10))
        for option in ("few", "auto"):
            self.assertEqual(self.wide_activations(path, "--calibrate", samples, f"--wide-activations={option}"), [])
        self.assertEqual(len(self.wide_activations(path, "--calibrate", samples, "--wide-activations=auto:1")), 1)


if __name__ == "__main__":
    unittest.main()
