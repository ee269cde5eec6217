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
# Consecutive seeds, which vta-validate takes by the first one; the test of features says what they bring along.
FIRST, COUNT = 1, 4


def run(name, *arguments):
    return subprocess.run([str(BINARIES / name), *map(str, arguments)], capture_output=True, text=True, check=False,
                          env={**os.environ, "VTA_CACHE_DIR": str(CACHE)})


def setting(configuration, key):
    return re.search(rf"\b{key}: (\[[^\]]*\]|[^,}}\n]+)", configuration)[1]


@unittest.skipUnless(shutil.which("verilator"), "verilator is not installed")
class RandomHardwareTest(unittest.TestCase):
    def cosimulate(self, seed, *options):
        result = run("vta-cosim", "--random-hw", seed, *options)
        self.assertEqual(result.returncode, 0, f"vta-cosim --random-hw {seed}: {result.stderr}")
        self.assertIn("no difference", result.stdout)
        return result.stdout

    def test_every_instruction_equals_the_functional_model(self):
        configurations = []
        for seed in range(FIRST, FIRST + COUNT):
            configurations.append(self.cosimulate(seed, "--print-hw", "--count", 30))
            self.cosimulate(seed, "--count", 8, "--bus", "random", "--mode", "faults")
            self.cosimulate(seed, "--count", 2, "--mode", "large")
        # They differ in what nobody chose by hand.
        depths = {int(setting(text, key)) for text in configurations for key in ("command_depth", "token_depth")}
        self.assertTrue(any(depth & (depth - 1) for depth in depths), depths)
        for key in ("extensions", "multipliers", "data_width_bits", "inp_ram"):
            self.assertGreater(len({setting(text, key) for text in configurations}), 1, key)

    def test_all_edge_programs_run_unless_a_number_is_given(self):
        header = (Path(__file__).resolve().parents[3] / "sim/rtl/cosim/edge_programs.h").read_text()
        edges = re.search(r"kEdgePrograms = (\d+);", header)[1]
        self.assertIn(f"seeds 1 to {edges},", self.cosimulate(FIRST, "--mode", "edges"))
        self.assertIn("seeds 3 to 4,", self.cosimulate(FIRST, "--mode", "edges", "--seed", 3, "--count", 2))

    def test_cycles_equal_those_of_the_cycle_simulator(self):
        result = run("vta-validate", "--random-hw", COUNT, "--first-random-hw", FIRST, "--programs", 20,
                     "--memory", "simple", "--memory", "DDR3-1066")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertRegex(result.stdout, rf"(?m)^\| all \|  \| {2 * 20 * COUNT} \|.* \| 0 \|$")


if __name__ == "__main__":
    unittest.main()
