"""scripts/demo with the tools of this build."""

import os
import re
import subprocess
import unittest

from source_tree import ROOT


class DemoTest(unittest.TestCase):
    def test_demo_reads_the_digit_and_says_what_to_try(self):
        result = subprocess.run([ROOT / "scripts/demo", f"--bin={os.environ['VTA_BINARY_DIR']}/bin"], cwd="/",
                                capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        first, second = result.stdout.split("Twenty images")
        self.assertRegex(first, r"\nprobabilities: .*\n +\S+  three\n", "the best class is not three")
        self.assertRegex(first, r"(?m)^verified: \d+ layers on the VTA")
        top1 = re.search(r"top-1 ([\d.]+) %", second)
        self.assertIsNotNone(top1, second)
        self.assertGreaterEqual(float(top1.group(1)), 95)
        self.assertIn("What to try next", second)

    def test_missing_tools(self):
        result = subprocess.run([ROOT / "scripts/demo", "--bin=/no-such-folder"], capture_output=True, text=True,
                                check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("no vta-run in /no-such-folder", result.stderr)


if __name__ == "__main__":
    unittest.main()
