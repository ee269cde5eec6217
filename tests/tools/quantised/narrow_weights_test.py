"""Weights of 4 or 2 bits, with steps by group of input channels: the same results everywhere, and closer to float."""

import json
import sys
import unittest
from pathlib import Path

import numpy as np
from onnx import helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import ToolCase  # noqa: E402
from network_builder import Network  # noqa: E402

SIZE = 10
CHANNELS = 96
# Blocks of 8 to 32, elements of OUT that are two of INP, batches, in-order compute, fewer lanes of the ALU, no QMUL,
# accumulators of 24 bits.
HARDWARE = {
    "equal": "gemm: {block_in: 16, block_out: 16}",
    "small": "gemm: {block_in: 8, block_out: 8}\nbuffers: {acc_buf_bytes: 16KiB, wgt_buf_bytes: 4KiB}",
    "two": "gemm: {block_in: 16, block_out: 32}\nbuffers: {acc_buf_bytes: 128KiB}\ncompute: {alu_passes: 2}",
    "batched": "gemm: {batch: 2, block_in: 16, block_out: 16}",
    "sequential": "gemm: {block_in: 16, block_out: 16}\ncompute: {concurrent: false}",
    "shifts": "gemm: {block_in: 16, block_out: 16}\nisa: {extensions: [clip, pad_min]}",
}
EXTENSIONS = "isa: {extensions: [qmul, clip, pad_min, requant, depthwise]}\n"


def error_of(result, expected):
    """What noise is of the signal."""
    return np.sum((result - expected) ** 2) / np.sum(expected**2)


class NarrowWeightsTest(ToolCase):
    def hardware(self, name, width_bits):
        text = HARDWARE[name]
        extensions = "" if "isa:" in text else EXTENSIONS
        return self.write(f"{name}{width_bits}.yaml",
                          f"name: {name}{width_bits}\n{text}\n{extensions}operands: {{wgt_width_bits: {width_bits}}}\n")

    def network(self):
        """Convolutions of 3x3 and 1x1, one with padding and stride, one of groups, a sum, a pool and a dense layer."""
        network = Network(5)
        # Some input channels matter more than others, as in trained networks.
        spread = np.exp(network.random.randn(CHANNELS))
        x = network.relu_conv("x", 3, CHANNELS, 3)
        y = network.relu_conv(x, CHANNELS, CHANNELS, 3, stride=2)
        y = network.relu_conv(y, CHANNELS, CHANNELS, 3, group=CHANNELS)
        z = network.op("MaxPool", network.conv(x, CHANNELS, CHANNELS), kernel_shape=[2, 2], strides=[2, 2])
        x = network.op("Relu", network.op("Add", y, z))
        x = network.relu_conv(x, CHANNELS, 2 * CHANNELS)
        pooled = network.op("Flatten", network.op("GlobalAveragePool", x))
        weight = network.random.randn(2 * CHANNELS, 20) / 14
        logits = network.op("MatMul", pooled, network.constant(weight.astype(np.float32)))
        for i, (name, value) in enumerate(network.constants):
            if value.ndim == 4 and value.shape[1] == CHANNELS:
                network.constants[i] = (name, (value * spread[:, None, None]).astype(np.float32))
        return self.model(network.nodes, [("x", ["n", 3, SIZE, SIZE])], [(logits, ["n", 20])], network.constants)

    def measure(self, path, hw, *options, samples=1):
        inputs = self.folder / f"x{samples}.npy"
        np.save(inputs, np.random.RandomState(1).randn(samples, 3, SIZE, SIZE).astype(np.float32))
        report = self.run_json(path, f"--input={inputs}", f"--calibrate={inputs}", f"--hw={hw}", *options,
                               "--output", self.folder / "out")
        return report, np.load(report["outputs"][0]["file"])

    def test_groups_are_closer_to_float(self):
        path = self.network()
        for name in ("equal", "two"):
            with self.subTest(name):
                hw = self.hardware(name, 4)
                _, expected = self.measure(path, hw, "--partition=cpu", samples=64)
                _, coarse = self.measure(path, hw, "--partition=cpu-quantized", "--weight-groups=none", samples=64)
                _, fine = self.measure(path, hw, "--partition=cpu-quantized", "--weight-groups=32", samples=64)
                self.assertLess(error_of(fine, expected), 0.9 * error_of(coarse, expected))

    def test_results_are_the_same_on_any_hardware(self):
        path = self.network()
        for width_bits, names in ((4, HARDWARE), (2, ["two"])):
            for name in names:
                with self.subTest(name, width_bits=width_bits):
                    hw = self.hardware(name, width_bits)
                    _, expected = self.measure(path, hw, "--weight-groups=32", "--partition=cpu-quantized")
                    report, simulated = self.measure(path, hw, "--weight-groups=32", "--sim=cycle", "--verify")
                    np.testing.assert_array_equal(simulated, expected)
                    _, functional = self.measure(path, hw, "--weight-groups=32", "--sim=functional")
                    np.testing.assert_array_equal(functional, expected)
                    whole, _ = self.measure(path, hw, "--weight-groups=none", "--sim=cycle", "--verify")
                    self.assertEqual(report["totals"]["crossings"], whole["totals"]["crossings"])
                    self.assertGreater(report["totals"]["cycles"], whole["totals"]["cycles"])

    def test_the_rtl_agrees(self):
        path, hw = self.network(), self.hardware("two", 4)
        simulated, expected = self.measure(path, hw, "--weight-groups=32", "--sim=cycle")
        report, result = self.measure(path, hw, "--weight-groups=32", "--sim=rtl")
        self.assertEqual(report["totals"]["cycles"], simulated["totals"]["cycles"])
        np.testing.assert_array_equal(result, expected)

    def test_hardware_with_whole_bytes_has_no_groups(self):
        path, hw = self.network(), self.hardware("equal", 8)
        _, expected = self.measure(path, hw, "--sim=cycle", "--weight-groups=none")
        _, result = self.measure(path, hw, "--sim=cycle")
        np.testing.assert_array_equal(result, expected)

    def test_channels_that_are_joined_within_blocks_have_none(self):
        """What is read in another order than the model's runs on the accelerator all the same."""
        network = Network(2)
        parts = [network.relu_conv("x", 3, channels) for channels in (24, 40)]
        y = network.conv(network.op("Concat", *parts, axis=1), 64, 32, 3)
        path = self.model(network.nodes, [("x", ["n", 3, SIZE, SIZE])], [(y, ["n", 32, SIZE, SIZE])], network.constants)
        hw = self.hardware("equal", 4)
        report, result = self.measure(path, hw, "--sim=cycle", "--verify", "--weight-groups=16")
        self.assertEqual([step["op"] for step in report["layers"] if step["where"] == "vta"].count("Conv"), 3)
        _, expected = self.measure(path, hw, "--sim=cycle", "--weight-groups=none")
        np.testing.assert_array_equal(result, expected)

    def test_weights_of_quantised_models_that_change_are_counted(self):
        random = np.random.RandomState(6)
        nodes = [helper.make_node("QuantizeLinear", ["x", "s", "z"], ["xq"]),
                 helper.make_node("DequantizeLinear", ["xq", "s", "z"], ["xd"]),
                 helper.make_node("DequantizeLinear", ["w", "s", "z"], ["wd"]),
                 helper.make_node("MatMul", ["xd", "wd"], ["y"], name="product"),
                 helper.make_node("QuantizeLinear", ["y", "t", "z"], ["yq"]),
                 helper.make_node("DequantizeLinear", ["yq", "t", "z"], ["out"])]
        hw = self.hardware("equal", 4)
        for limit, changed in ((8, 0), (120, 48)):
            with self.subTest(limit):
                constants = [("s", np.float32(0.02)), ("t", np.float32(0.1)), ("z", np.int8(0)),
                             ("w", random.randint(-limit, limit, (128, 48)).astype(np.int8))]
                path = self.model(nodes, [("x", [10, 128])], [("out", [10, 48])], constants)
                report = json.loads(self.succeed("vta-compile", path, "--hw", hw, "--weight-groups=32", "--json",
                                                 "-o", self.folder / "model.so"))
                counts = [row["channels_changed"] for row in report["rescaled_weights"]]
                self.assertEqual(sum(counts), changed)

    def test_transformers_with_weights_of_four_bits(self):
        """MatMulNBits with scales by block of inputs: the steps of groups follow them."""
        random = np.random.RandomState(4)
        inputs, outputs, block = 128, 48, 32
        levels = random.randint(0, 16, (outputs, inputs // block, block))
        scales = np.exp(random.randn(outputs, inputs // block)).astype(np.float32) / 50
        packed = (levels[..., ::2] | levels[..., 1::2] << 4).astype(np.uint8)
        node = helper.make_node("MatMulNBits", ["x", "b", "s"], ["y"], domain="com.microsoft", K=inputs, N=outputs,
                                bits=4, block_size=block)
        path = self.model([node], [("x", [10, inputs])], [("y", [10, outputs])],
                          [("b", packed), ("s", scales.reshape(-1))], domains=["com.microsoft"])
        data = self.folder / "x.npy"
        np.save(data, random.randn(10, inputs).astype(np.float32))
        hw = self.hardware("equal", 4)
        results = {}
        for options in (["--partition=cpu"], ["--weight-groups=none"], [f"--weight-groups={block}"]):
            report = self.run_json(path, f"--input={data}", f"--calibrate={data}", f"--hw={hw}", "--sim=cycle", *options,
                                   "--output", self.folder / "out")
            results[options[0]] = np.load(report["outputs"][0]["file"])
        expected, coarse, fine = results.values()
        self.assertLess(4 * error_of(fine, expected), error_of(coarse, expected))
        self.assertLess(error_of(fine, expected), 0.002)


if __name__ == "__main__":
    unittest.main()
