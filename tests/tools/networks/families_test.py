"""Families of networks with activations that are no relu: data stays on the accelerator, all bits are the host's."""

import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import ToolCase  # noqa: E402
from network_builder import Network  # noqa: E402

RUN = ("--schedules=estimated",)


class FamiliesTest(ToolCase):
    def with_tables(self):
        """The option for hardware that has tables."""
        path = self.folder / "tables.yaml"
        path.write_text("name: tables\nisa: {extensions: [qmul, clip, pad_min, requant, lut]}\n")
        return f"--hw={path}"

    def crossings(self, network, output, size=16, channels=3, options=(), host_macs=0):
        """How many there are; every step on the VTA is verified, and the output has the CPU's bits."""
        path = self.model(network.nodes, [("x", [1, channels, size, size])], [(output, None)], network.constants)
        report = self.run_json(path, *RUN, *options, "--verify", "--output", self.folder / "vta")
        self.assertEqual(report["totals"]["macs"] - report["totals"]["macs_on_vta"], host_macs)
        self.succeed("vta-run", path, *RUN, *options, "--partition=cpu-quantized", "--output", self.folder / "cpu")
        name = report["outputs"][0]["file"].rsplit("/", 1)[1]
        vta, cpu = (np.load(self.folder / side / name) for side in ("vta", "cpu"))
        np.testing.assert_array_equal(vta, cpu)
        self.assertGreater(np.abs(vta).max(), 0)
        return report["totals"]["crossings"]

    def chain(self, name, *options):
        network = Network(1)
        x = getattr(network, name)(network.conv("x", 3, 16, 3))
        x = getattr(network, name)(network.conv(x, 16, 20, 3, 2))
        return self.crossings(network, network.conv(x, 20, 8), options=options)

    def test_activations_that_the_alu_computes_cross_nowhere(self):
        for name in ("leaky", "hard_swish", "hard_swish_of_hard_sigmoid", "silu", "gelu"):
            with self.subTest(name):
                self.assertEqual(self.chain(name), 0)

    def test_normalisation_behind_activations_crosses_nowhere(self):
        """ConvMixer: the function is the same for all channels, what follows is not."""
        for name in ("gelu", "silu", "hard_swish"):
            with self.subTest(name):
                network = Network(1)
                x = network.conv("x", 3, 20, 3)
                for _ in range(2):
                    scale, bias = (network.constant(network.random.rand(20, 1, 1).astype(np.float32)) for _ in range(2))
                    y = getattr(network, name)(network.conv(x, 20, 20, 3, group=20))
                    x = network.op("Add", network.op("Mul", y, scale), bias)
                self.assertEqual(self.crossings(network, network.conv(x, 20, 8)), 0)

    def test_other_activations_cross_once_each_where_the_host_is_asked_for(self):
        for name in ("mish", "silu", "gelu"):
            with self.subTest(name):
                self.assertEqual(self.chain(name, "--activations=host"), 2)

    def test_no_activation_crosses_where_the_hardware_has_tables(self):
        for name in ("silu", "gelu", "mish", "leaky", "hard_swish"):
            with self.subTest(name):
                self.assertEqual(self.chain(name, self.with_tables()), 0)

    def test_what_joins_two_activations_crosses_nowhere(self):
        """Max-feature maps of face recognisers, the difference of denoisers, and their relatives."""
        for kind in ("Max", "Min", "Sub", "Mul"):
            with self.subTest(kind):
                network = Network(8)
                x = network.relu_conv("x", 3, 16, 3, 2)
                x = network.op(kind, network.conv(x, 16, 16, 3), x)
                halves = network.op("Split", network.conv(x, 16, 64, 3), network.shape(32, 32), outputs=2, axis=1)
                x = network.op(kind, *halves)
                self.assertEqual(self.crossings(network, network.conv(x, 32, 8)), 0)

    def test_slopes_of_each_channel_behind_convolutions_and_dense_layers(self):
        for options in ((), (self.with_tables(),), ("--hw=zynq-7020",)):
            with self.subTest(options):
                network = Network(7)
                image, flat = (network.constant(network.random.uniform(0.1, 0.6, extents).astype(np.float32))
                               for extents in ((20, 1, 1), (24,)))
                x = network.op("PRelu", network.conv("x", 3, 20, 3, 2), image)
                x = network.op("Flatten", network.op("GlobalAveragePool", x))
                dense, out = (network.constant(network.random.randn(*extents).astype(np.float32))
                              for extents in ((20, 24), (24, 8)))
                x = network.op("MatMul", network.op("PRelu", network.op("MatMul", x, dense), flat), out)
                self.assertEqual(self.crossings(network, x, options=options), 0)

    def test_detector_block_with_tables(self):
        """The cross-stage block of a detector: split, bottlenecks with SiLU and a sum, join."""
        network = Network(6)
        x = network.silu(network.conv("x", 3, 32, 3, 2))
        x = network.silu(network.conv(x, 32, 32))
        halves = network.constant(np.array([16, 16], np.int64))
        left, right = network.op("Split", x, halves, outputs=2, axis=1)
        inner = network.silu(network.conv(network.silu(network.conv(right, 16, 16, 3)), 16, 16, 3))
        x = network.op("Concat", left, right, network.op("Add", right, inner), axis=1)
        x = network.silu(network.conv(x, 48, 32))
        self.assertEqual(self.crossings(network, network.conv(x, 32, 24), options=(self.with_tables(),)), 0)

    def test_the_mean_of_a_detectors_distances_stays_on_the_host(self):
        """A softmax over 16 distances, and a convolution that takes their mean: one product for each that is moved."""
        network = Network(9)
        x = network.op("Relu", network.conv("x", 3, 16, 3, 2))
        x = network.conv(x, 16, 64)
        x = network.op("Reshape", x, network.constant(np.array([1, 4, 16, 64], np.int64)))
        x = network.op("Softmax", network.op("Transpose", x, perm=[0, 2, 1, 3]), axis=1)
        distances = network.constant(np.arange(16, dtype=np.float32).reshape(1, 16, 1, 1))
        mean = network.op("Conv", x, distances, kernel_shape=[1, 1])
        self.assertEqual(self.crossings(network, mean, host_macs=4 * 16 * 64), 0)

    def test_squeeze_and_excitation_with_tables(self):
        for gate, activation in (("Sigmoid", "silu"), ("HardSigmoid", "hard_swish")):
            with self.subTest(gate):
                network = Network(7)
                function = getattr(network, activation)
                x = function(network.conv("x", 3, 16, 3))
                x = network.bottleneck(x, 16, 40, function, gate)
                output = network.conv(x, 16, 16)
                self.assertEqual(self.crossings(network, output, options=(self.with_tables(),)), 0)

    def test_product_of_two_maps(self):
        network = Network(8)
        x = network.op("Relu", network.conv("x", 3, 16, 3))
        x = network.op("Mul", network.conv(x, 16, 20), network.conv(x, 16, 20))
        self.assertEqual(self.crossings(network, network.conv(x, 20, 16)), 0)

    def test_mobilenet_v3_block(self):
        network = Network(2)
        x = network.hard_swish(network.conv("x", 3, 16, 3))
        x = network.bottleneck(x, 16, 40, network.hard_swish, "HardSigmoid")
        # The gate, what it scales, and perhaps a function with a result that is too close to a half for the ALU.
        self.assertLessEqual(self.crossings(network, network.conv(x, 16, 16)), 3)

    def test_efficientnet_block(self):
        network = Network(3)
        x = network.silu(network.conv("x", 3, 16, 3))
        x = network.bottleneck(x, 16, 40, network.silu, "Sigmoid")
        self.assertEqual(self.crossings(network, network.conv(x, 16, 16)), 0)

    def test_detector_with_focus_spatial_pyramid_and_upsampling(self):
        network = Network(4)
        x = network.leaky(network.conv("x", 3, 16, 3, 2))
        small = network.leaky(network.conv(x, 16, 32, 3, 2))
        pools = [small]
        for _ in range(3):
            pools.append(network.op("MaxPool", pools[-1], kernel_shape=[5, 5], strides=[1, 1], pads=[2] * 4))
        small = network.leaky(network.conv(network.op("Concat", *pools, axis=1), 128, 32))
        joined = network.op("Concat", network.upsample(small), x, axis=1)
        x = network.leaky(network.conv(joined, 48, 32, 3))
        self.assertEqual(self.crossings(network, network.conv(x, 32, 24)), 0)

    def test_split_inside_a_block(self):
        """YOLOv8's block on hardware with blocks of 32: channels 16 to 31 go on alone, and all are joined again."""
        network = Network(6)
        x = network.silu(network.conv(network.silu(network.conv("x", 3, 32, 3, 2)), 32, 32))
        halves = network.constant(np.array([16, 16], np.int64))
        left, right = network.op("Split", x, halves, outputs=2, axis=1)
        inner = network.silu(network.conv(network.silu(network.conv(right, 16, 16, 3)), 16, 16, 3))
        joined = network.op("Concat", left, right, network.op("Add", right, inner), axis=1)
        for parts in (joined, network.op("Concat", left, right, inner, axis=1)):
            output = network.conv(network.silu(network.conv(parts, 48, 32)), 32, 24)
            self.assertEqual(self.crossings(network, output, options=("--hw=zu3eg",)), 0)

    def check_shuffles(self, network, output, size):
        """No crossing on any hardware, tables or not."""
        for hw in ("zu3eg", "default"):
            with self.subTest(hw):
                self.assertEqual(self.crossings(network, output, size, options=(f"--hw={hw}",)), 0)

    def test_shuffled_groups(self):
        """ShuffleNet v1: groups and joined parts are no whole blocks, and pooling has smaller windows at the borders."""
        network = Network(5)
        x = network.relu_conv("x", 3, 24, 3, 2)
        x = network.shuffle_unit_of_groups(x, 24, 28, 12, filters=44)
        for _ in range(2):
            x = network.shuffle_unit_of_groups(x, 68, 20, 6)
        x = network.op("GlobalAveragePool", network.shuffle_unit_of_groups(x, 68, 36, 6, filters=72))
        self.check_shuffles(network, network.conv(x, 140, 12), 24)

    def test_shuffled_halves(self):
        """ShuffleNet v2."""
        network = Network(5)
        x = network.relu_conv("x", 3, 24, 3, 2)
        x = network.shuffle_unit_of_halves_that_shrinks(x, 24, 44, 6)
        for _ in range(3):
            x = network.shuffle_unit_of_halves(x, 44, 6)
        x = network.op("GlobalAveragePool", network.relu_conv(x, 44, 48))
        self.check_shuffles(network, network.conv(x, 48, 12), 24)

    def test_halves_of_every_other_channel(self):
        """The shuffle that takes even and odd channels apart, as a transpose and two slices."""
        network = Network(5)
        x = network.relu_conv("x", 3, 40, 3, 2)
        for _ in range(2):
            pairs = network.op("Reshape", x, network.shape(20, 2, 144))
            pairs = network.op("Reshape", network.op("Transpose", pairs, perm=[1, 0, 2]),
                               network.shape(2, 1, 20, 12, 12))
            even, odd = (network.op("Gather", pairs, network.constant(np.int64(i)), axis=0) for i in range(2))
            odd = network.relu_conv(network.conv(network.relu_conv(odd, 20, 20), 20, 20, 3, group=20), 20, 20)
            x = network.op("Concat", even, odd, axis=1)
        self.check_shuffles(network, network.conv(x, 40, 16), 24)

    def test_shuffled_channels_that_the_host_reads(self):
        """The last operation of a network is on the host, so it does the shuffle as well: nothing comes back."""
        network = Network(5)
        x = network.relu_conv("x", 3, 40, 3, 2)
        self.check_shuffles(network, network.shuffle(network.relu_conv(x, 40, 40), 2, 40, 12), 24)

    def test_dense_block_of_parts_of_blocks(self):
        """DenseNet with 12 channels more from each layer, and normalisation in front of it."""
        network = Network(5)
        x, channels = network.conv("x", 3, 24, 3, 2), 24
        for _ in range(4):
            scale, bias = (network.constant(network.random.rand(channels, 1, 1).astype(np.float32)) for _ in range(2))
            y = network.op("Relu", network.op("Add", network.op("Mul", x, scale), bias))
            x, channels = network.op("Concat", x, network.conv(y, channels, 12, 3), axis=1), channels + 12
        self.check_shuffles(network, network.conv(network.op("Relu", x), channels, 16), 24)


if __name__ == "__main__":
    unittest.main()
