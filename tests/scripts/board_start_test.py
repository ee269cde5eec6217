"""What scripts/benchmarking/board_start.py measures of a small network, and how it counts instructions."""

import json
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BIN = Path(os.environ["VTA_BINARY_DIR"]) / "bin"
sys.path.insert(0, str(ROOT / "scripts/benchmarking"))
import board_start  # noqa: E402

DIGITS = ROOT / "examples/digits/digits.onnx"
MOST_BESIDE_MB = 20


class BoardStartTest(unittest.TestCase):
    def measure(self, *arguments):
        if not (BIN / "make_still_board").exists() or not (BIN / "vta-compile").exists():
            self.skipTest("this build has no benchmarks or no compiler")
        result = subprocess.run([ROOT / "scripts/benchmarking/board_start.py", DIGITS, *arguments], capture_output=True, text=True,
                                check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def test_on_this_machine(self):
        result = self.measure("--runs", "2")
        self.assertGreater(result["module_mb"], 0)
        self.assertGreater(result["device_mb"], 0)
        self.assertGreater(result["beyond_ms"], 0)
        self.assertLess(result["beside_mb"], MOST_BESIDE_MB)
        self.assertNotIn("instructions", result)

    def test_under_an_emulator(self):
        if not shutil.which("qemu-arm-static") or not (ROOT / "build-armv7/bin/vta-run-module").exists():
            self.skipTest("needs scripts/cross armv7 and qemu-user-static")
        result = self.measure("--target", "armv7")
        self.assertGreater(result["instructions"], 1_000_000)
        self.assertNotIn("beyond_ms", result)

    def test_blocks_count_as_often_as_they_run(self):
        log = ["----", "IN: main", "0x10:  e1a0  mov", "0x14:  ea00  b", "", "Trace 0: 0x7f [0/00000010/0/0] main",
               "IN: loop", "0x00000020:  e1a0  mov", "Trace 0: 0x7f [0/20/0/0]", "Trace 0: 0x7f [0/00000010/0/0] main",
               "IN: main", "0x10:  e1a0  mov", "Trace 0: 0x7f [0/10/0/0] main"]
        self.assertEqual(board_start.count_instructions(log), 2 + 1 + 2 + 1)

    def test_failures_end_it(self):
        with self.assertRaisesRegex(SystemExit, "/bin/false ended with 1"):
            board_start.run(["/bin/false"])


if __name__ == "__main__":
    unittest.main()
