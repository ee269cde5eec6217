"""Hardware with extension handover runs pairs of layers as chains, and results do not change."""

import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import ToolCase  # noqa: E402
from network_builder import Network  # noqa: E402

SIZE = 28
CHANNELS = 32
# Blocks of 8 to 32, elements of OUT that are two of INP, batches, in-order compute, a bus of 128 bits.
HARDWARE = {
    "equal": "gemm: {block_in: 16, block_out: 16}",
    "small": "gemm: {block_in: 8, block_out: 8}\nbuffers: {acc_buf_bytes: 64KiB}",
    "two": "gemm: {block_in: 16, block_out: 32}\nbuffers: {acc_buf_bytes: 128KiB}",
    "batched": "gemm: {batch: 2, block_in: 16, block_out: 16}",
    "sequential": "gemm: {block_in: 16, block_out: 16}\ncompute: {concurrent: false}",
    "wide": "gemm: {block_in: 16, block_out: 16}\naxi: {data_width_bits: 128}",
}
# With it the accelerator waits for its memory, so that a hand-over wins much.
SLOW_MEMORY = "kind: simple\nlatency_cycles: 100\nbeats_per_cycle: 1/4\noutstanding: 16\n"


class ChainsTest(ToolCase):
    def setUp(self):
        super().setUp()
        self.memory = self.write("slow.yaml", SLOW_MEMORY)

    def hardware(self, name):
        extensions = "isa: {extensions: [qmul, clip, pad_min, requant, depthwise, handover]}"
        return self.write(f"{name}.yaml", f"name: {name}\n{HARDWARE[name]}\n{extensions}\n")

    def network(self, layers=2):
        """Inverted residuals: expansions, depthwise convolutions and projections with a sum."""
        network = Network(3)
        x = network.relu_conv("x", 3, CHANNELS, 3)
        for _ in range(layers):
            inner = network.relu_conv(x, CHANNELS, 3 * CHANNELS)
            inner = network.relu_conv(inner, 3 * CHANNELS, 3 * CHANNELS, 3, group=3 * CHANNELS)
            x = network.op("Add", x, network.conv(inner, 3 * CHANNELS, CHANNELS))
        return self.model(network.nodes, [("x", ["n", 3, SIZE, SIZE])], [(x, ["n", CHANNELS, SIZE, SIZE])],
                          network.constants)

    def measure(self, path, hw, *options, sim="cycle"):
        report = self.run_json(path, f"--hw={hw}", f"--sim={sim}", f"--dram={self.memory}", "--verify", *options,
                               "--output", self.folder / "out")
        chains = [layer["name"] for layer in report["layers"] if "chain" in layer["reason"]]
        return report, chains, np.load(report["outputs"][0]["file"])

    def test_results_are_the_same_on_any_hardware(self):
        path = self.network()
        for name in HARDWARE:
            with self.subTest(name):
                hw = self.hardware(name)
                together, chains, result = self.measure(path, hw)
                apart, none, expected = self.measure(path, hw, "--no-chains")
                np.testing.assert_array_equal(result, expected)
                self.assertGreater(np.abs(result).max(), 0)
                self.assertEqual(none, [])
                self.assertGreaterEqual(len(chains), 1)
                self.assertLess(together["totals"]["cycles"], apart["totals"]["cycles"])
                self.assertLess(len(together["layers"]), len(apart["layers"]))

    def test_the_rtl_agrees(self):
        path, hw = self.network(layers=1), self.hardware("two")
        simulated, chains, expected = self.measure(path, hw)
        self.assertGreaterEqual(len(chains), 1)
        report, same_chains, result = self.measure(path, hw, sim="rtl")
        self.assertEqual(same_chains, chains)
        self.assertEqual(report["totals"]["cycles"], simulated["totals"]["cycles"])
        np.testing.assert_array_equal(result, expected)

    def test_estimated_schedules_have_no_chains(self):
        _, chains, _ = self.measure(self.network(layers=1), self.hardware("equal"), "--schedules=estimated")
        self.assertEqual(chains, [])


if __name__ == "__main__":
    unittest.main()
