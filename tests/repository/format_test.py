"""Every C++ file is formatted as .clang-format says."""

import shutil
import subprocess
import unittest

from source_tree import ROOT


class FormatTest(unittest.TestCase):
    @unittest.skipUnless(shutil.which("clang-format"), "clang-format is not installed")
    def test_tree_is_formatted(self):
        result = subprocess.run([ROOT / "scripts/format"], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    unittest.main()
