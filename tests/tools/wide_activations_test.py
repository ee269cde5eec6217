"""Activations with more than 8 bits: closer to float, with the host's bits on every simulator and configuration."""

import json
import unittest

import numpy as np

from families_test import RUN, Network
from tool_case import HW, ToolCase

CONFIGURATIONS = ("default", "small-1x8x8", "batched-4x16x16", "large-1x32x32", "tiny-buffers", "vta-0.0.2", "zu3eg")


class WideNetwork(Network):
    def relu6(self, x):
        return self.op("Clip", x, self.constant(np.float32(0)), self.constant(np.float32(6)))

    def separable(self, x, channels, filters, stride=1):
        """Depthwise and pointwise, as in MobileNets."""
        x = self.relu6(self.conv(x, channels, channels, 3, stride, group=channels))
        return self.relu6(self.conv(x, channels, filters))

    def fire(self, x, channels, squeezed, filters):
        """As in SqueezeNets: two convolutions of one result, joined."""
        x = self.relu_conv(x, channels, squeezed)
        return self.op("Concat", self.relu_conv(x, squeezed, filters), self.relu_conv(x, squeezed, filters, 3), axis=1)

    def first_convs(self, count):
        return [node.name for node in self.nodes if node.op_type == "Conv"][:count]


def mobile(channels=8):
    network = WideNetwork(1)
    x = network.relu6(network.conv("x", 3, channels, 3))
    x = network.separable(x, channels, 20)
    x = network.separable(x, 20, 24, 2)
    return network, network.conv(x, 24, 10)


def fire():
    network = WideNetwork(2)
    x = network.fire(network.relu_conv("x", 3, 12, 3, 2), 12, 6, 10)
    return network, network.conv(network.fire(x, 20, 8, 16), 32, 10)


def residual():
    """The sum and what it adds have 8 bits; what lies between them is wide."""
    network = WideNetwork(3)
    x = network.conv("x", 3, 12, 3)
    y = network.relu6(network.conv(x, 12, 24))
    y = network.relu6(network.conv(y, 24, 24, 3, group=24))
    return network, network.conv(network.op("Add", x, network.conv(y, 24, 12)), 12, 10)


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
        self.succeed("vta-run", path, "--input", samples / "3.npy", "--partition=cpu", "--output", self.folder / "float")
        return np.load(next((self.folder / "float").glob("*.npy")))

    def noise(self, values, exact):
        return ((values - exact) ** 2).sum() / (exact**2).sum()

    def check(self, network, output, wide, factor, *options):
        path, samples = self.save(network, output)
        exact = self.exact(path, samples)
        narrow, _ = self.outputs(path, samples, "--wide-activations=none", *options)
        values, report = self.outputs(path, samples, "--wide-activations", ",".join(wide), *options)
        self.assertEqual(report["totals"]["macs"], report["totals"]["macs_on_vta"])
        self.assertLess(self.noise(values, exact) * factor, self.noise(narrow, exact))

    def test_they_are_closer_to_float_on_every_configuration(self):
        for name in CONFIGURATIONS:
            for build, count in ((mobile, 5), (fire, 4), (residual, 3)):
                network, output = build()
                wide = network.first_convs(count)[1 if build is residual else 0:]
                with self.subTest(f"{build.__name__} on {name}"):
                    self.check(network, output, wide, 1.2, f"--hw={HW / name}.yaml")

    def test_simulators_agree(self):
        network, output = mobile()
        path, samples = self.save(network, output, 9)
        for hw in ("default", "vta-0.0.2"):
            for sim in ("functional", "cycle", "rtl"):
                with self.subTest(f"{hw} on {sim}"):
                    self.outputs(path, samples, "--wide-activations=auto:4", f"--sim={sim}", f"--hw={HW / hw}.yaml")

    def test_channels_that_do_not_fill_blocks(self):
        for channels in (1, 5, 16, 24):
            network, output = mobile(channels)
            with self.subTest(channels):
                self.check(network, output, network.first_convs(4), 1)

    def test_layers_that_cannot_be_wide_are_refused(self):
        network, output = residual()
        path, samples = self.save(network, output)
        names = network.first_convs(5)
        for name, message in ((names[0], "cannot be a wide activation"), ("conv99", "cannot be a wide activation")):
            self.refuse("vta-run", path, "--calibrate", samples, f"--wide-activations={name}", says=[message])

    def test_choices_of_the_command_line(self):
        network, output = mobile()
        path, samples = self.save(network, output)
        module = self.folder / "module.vta"
        chosen = {}
        for option in ("none", "auto:2", "auto", "few", None):
            given = () if option is None else (f"--wide-activations={option}",)
            text = self.succeed("vta-compile", path, "--calibrate", samples, *given, "-o", module, "--json")
            chosen[option] = json.loads(text)["wide_activations"]
        self.assertEqual(chosen["none"], [])
        self.assertEqual(len(chosen["auto:2"]), 2)
        self.assertEqual(chosen[None], [])
        self.assertLessEqual(set(chosen["few"]), set(chosen["auto"]))


if __name__ == "__main__":
    unittest.main()
