"""Random hardware configurations on the RTL: co-simulation with the functional model, and cycles against the cycle
simulator. The models are built for it, a few seconds each, and kept in the build folder until the RTL changes."""

import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

BINARIES = Path(os.environ["VTA_BINARY_DIR"]) / "bin"
CACHE = Path(os.environ["VTA_BINARY_DIR"]) / "random-hw-models"
COUNT = 3
# Accumulators of an element, and multipliers, of configurations whose models take a few seconds to build.
MOST_LANES, MOST_MULTIPLIERS = 16, 256


def run(name, *arguments):
    return subprocess.run([str(BINARIES / name), *map(str, arguments)], capture_output=True, text=True, check=False,
                          env={**os.environ, "VTA_CACHE_DIR": str(CACHE)})


def setting(configuration, key):
    return re.search(rf"\b{key}: (\[[^\]]*\]|[^,}}\n]+)", configuration)[1]


@unittest.skipUnless(shutil.which("verilator"), "verilator is not installed")
class RandomHardwareTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """The first configurations that are small, as text by their seeds."""
        cls.configurations = {}
        for seed in range(1, 100):
            text = run("vta-cosim", "--random-hw", seed, "--print-hw-only").stdout
            batch, block_in, block_out = (int(setting(text, key)) for key in ("batch", "block_in", "block_out"))
            if batch * block_out <= MOST_LANES and batch * block_in * block_out <= MOST_MULTIPLIERS:
                cls.configurations[seed] = text
            if len(cls.configurations) == COUNT:
                break
        assert len(cls.configurations) == COUNT

    def cosimulate(self, seed, *options):
        result = run("vta-cosim", "--random-hw", seed, *options)
        self.assertEqual(result.returncode, 0, f"vta-cosim --random-hw {seed}: {result.stderr}")
        self.assertIn("no difference", result.stdout)
        return result.stdout

    def test_every_instruction_equals_the_functional_model(self):
        for seed in self.configurations:
            self.cosimulate(seed, "--count", 30)
            self.cosimulate(seed, "--count", 8, "--bus", "random", "--mode", "faults")
            self.cosimulate(seed, "--count", 2, "--mode", "large")

    def test_they_differ_in_what_nobody_chose_by_hand(self):
        configurations = self.configurations.values()
        depths = {int(setting(text, key)) for text in configurations for key in ("command_depth", "token_depth")}
        self.assertTrue(any(depth & (depth - 1) for depth in depths), depths)
        styles = {setting(text, key) for text in configurations for key in ("inp_ram", "wgt_ram", "acc_ram")}
        self.assertGreater(len(styles), 1)
        for key in ("extensions", "data_width_bits"):
            self.assertGreater(len({setting(text, key) for text in configurations}), 1, key)

    def test_all_edge_programs_run_unless_a_number_is_given(self):
        header = (Path(__file__).resolve().parents[3] / "sim/rtl/cosim/edge_programs.h").read_text()
        first = next(iter(self.configurations))
        edges = re.search(r"kEdgePrograms = (\d+);", header)[1]
        self.assertIn(f"seeds 1 to {edges},", self.cosimulate(first, "--mode", "edges"))
        self.assertIn("seeds 3 to 4,", self.cosimulate(first, "--mode", "edges", "--seed", 3, "--count", 2))

    def test_cycles_equal_those_of_the_cycle_simulator(self):
        for seed in self.configurations:
            result = run("vta-validate", "--random-hw", 1, "--first-random-hw", seed, "--programs", 20, "--memory", "simple",
                         "--memory", "DDR3-1066")
            self.assertEqual(result.returncode, 0, f"seed {seed}: {result.stdout}{result.stderr}")
            self.assertRegex(result.stdout, r"(?m)^\| all \|  \| 40 \|.* \| 0 \|$")


if __name__ == "__main__":
    unittest.main()
