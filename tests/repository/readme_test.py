"""Every option that README.md and scripts/demo show exists in vta-run or vta-compile, or in the script before it."""

import os
import re
import subprocess
import unittest
from pathlib import Path

from source_tree import ROOT

_SCRIPT_CALL = re.compile(r"`scripts/([\w-]+)( [^`]*)?`")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def options_in(text):
    return set(_OPTION.findall(text))


def script_options(text):
    """(script, option) for each option of a call of one of our scripts in backticks."""
    return {(name, option) for name, arguments in _SCRIPT_CALL.findall(text) for option in options_in(arguments)}


class ReadmeTest(unittest.TestCase):
    def test_options_are_found_in_text(self):
        self.assertEqual(options_in("a --sim=x `--labels-csv` --- --b|--json"), {"--sim", "--labels-csv", "--json"})

    def test_options_of_scripts_exist(self):
        self.assertEqual(script_options("`scripts/a --bc c --de` --fg `scripts/f` `g --hi`"), {("a", "--bc"), ("a", "--de")})
        shown = script_options((ROOT / "README.md").read_text())
        self.assertTrue(shown)
        self.assertEqual({(name, option) for name, option in shown if option not in (ROOT / "scripts" / name).read_text()}, set())

    def test_options_exist(self):
        known = set()
        for name in ("vta-run", "vta-compile"):
            tool = Path(os.environ["VTA_BINARY_DIR"]) / "bin" / name
            known |= options_in(subprocess.run([tool, "--help"], capture_output=True, text=True, check=True).stdout)
        for page in ("README.md", "scripts/demo"):
            text = _SCRIPT_CALL.sub("", (ROOT / page).read_text())
            lines = [line for line in text.splitlines()
                     if "cmake" not in line and "--bin" not in line]
            shown = options_in("\n".join(lines))
            self.assertGreater(len(shown), 8)
            self.assertEqual(shown - known, set(), f"{page} shows options that neither tool has")


if __name__ == "__main__":
    unittest.main()
