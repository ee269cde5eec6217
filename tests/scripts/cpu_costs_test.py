"""scripts/benchmarking/cpu_costs.py: its models are what their names say, and it measures them."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/benchmarking/cpu_costs.py"
sys.path.insert(0, str(SCRIPT.parent))
sys.path.insert(0, str(Path(os.environ["VTA_BINARY_DIR"]) / "python"))

import cpu_costs  # noqa: E402


class CpuCostsTest(unittest.TestCase):
    def test_a_row_of_each_sort_is_measured(self):
        *convolution, macs = cpu_costs.convolution()
        self.assertEqual(macs, 1024 * 14 * 14 * 64 * 9)
        with tempfile.TemporaryDirectory() as name:
            for model in (convolution, cpu_costs.ELEMENTS["transpose"]()):
                self.assertGreater(cpu_costs.seconds_of(*model, Path(name), 1), 0)

    def test_moves_keep_elements_and_results_are_as_many(self):
        elements = cpu_costs.CHANNELS * cpu_costs.EXTENT**2
        for name, make in cpu_costs.ELEMENTS.items():
            if name != "pad":
                self.assertEqual(abs(np.prod(make()[2])), elements, name)

    def test_wrong_usage(self):
        result = subprocess.run([SCRIPT, "--rounds", "0"], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("--rounds takes a number from 1 on", result.stderr)


if __name__ == "__main__":
    unittest.main()
