"""What scripts/benchmarking/tuning_speed.py says of a small network, and of one that is not there."""

import json
import os
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BIN = Path(os.environ["VTA_BINARY_DIR"]) / "bin"
DIGITS = ROOT / "examples/digits/digits.onnx"


class TuningSpeedTest(unittest.TestCase):
    def run_script(self, *arguments):
        if not (BIN / "vta-tune").exists():
            self.skipTest("this build has no vta-tune")
        return subprocess.run([ROOT / "scripts/benchmarking/tuning_speed.py", *arguments], capture_output=True, text=True, check=False)

    def test_a_small_network(self):
        result = self.run_script(DIGITS, "--trials", "3", "--workers", "2")
        self.assertEqual(result.returncode, 0, result.stderr)
        row = json.loads(result.stdout)
        self.assertGreater(row["tasks"], 0)
        self.assertEqual(row["trials"], 3 * row["tasks"])
        self.assertGreater(row["searcher_seconds"], 0)
        self.assertGreater(row["worker_seconds"], 0)
        self.assertAlmostEqual(row["free_seconds"], row["searcher_seconds"] + row["worker_seconds"] / 2)
        self.assertAlmostEqual(row["trials_per_second"], row["trials"] / row["free_seconds"])

    def test_no_model(self):
        result = self.run_script(ROOT / "no-such-model.onnx")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no-such-model.onnx", result.stderr)
        self.assertIn("tuning_speed: error: vta-tune ended with", result.stderr)


if __name__ == "__main__":
    unittest.main()
