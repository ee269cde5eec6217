"""Every option that README.md and scripts/demo show exists in vta-run or vta-compile."""

import os
import re
import subprocess
import unittest
from pathlib import Path

from source_tree import ROOT

_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def options_in(text):
    return set(_OPTION.findall(text))


class ReadmeTest(unittest.TestCase):
    def test_options_are_found_in_text(self):
        self.assertEqual(options_in("a --sim=x `--labels-csv` --- --b|--json"), {"--sim", "--labels-csv", "--json"})

    def test_options_exist(self):
        known = set()
        for name in ("vta-run", "vta-compile"):
            tool = Path(os.environ["VTA_BINARY_DIR"]) / "bin" / name
            known |= options_in(subprocess.run([tool, "--help"], capture_output=True, text=True, check=True).stdout)
        for page in ("README.md", "scripts/demo"):
            lines = [line for line in (ROOT / page).read_text().splitlines()
                     if "cmake" not in line and "--bin" not in line]
            shown = options_in("\n".join(lines))
            self.assertGreater(len(shown), 8)
            self.assertEqual(shown - known, set(), f"{page} shows options that neither tool has")


if __name__ == "__main__":
    unittest.main()
