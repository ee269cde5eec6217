"""Results that are kept: what changes the key, and that failures are not kept."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KEPT_RESULT = ROOT / "scripts/testing/kept_result.py"


class KeptResultTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.sources = self.folder / "sources"
        (self.sources / "deep").mkdir(parents=True)
        (self.sources / "deep" / "a.sv").write_text("a")
        self.tool("tool", "version 1")

    def tool(self, name, version):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\necho {version}\n")
        path.chmod(0o755)

    @staticmethod
    def surroundings():
        """Without what scripts/test --all says to all tests."""
        return {name: value for name, value in os.environ.items() if name != "VTA_KEPT_RESULTS"}

    def run_kept(self, *command, **environment):
        """Whether the command, which leaves a mark, was run, and the exit code."""
        mark = self.folder / "mark"
        mark.unlink(missing_ok=True)
        result = subprocess.run(
            [sys.executable, KEPT_RESULT, "--sources", self.sources, "--tools", self.folder / "tool", "--", "/bin/sh", "-c",
             f"touch {mark}; {' '.join(command) or 'true'}"],
            env={**self.surroundings(), "VTA_CACHE_DIR": str(self.folder / "cache"), **environment}, capture_output=True, text=True,
            check=False)
        return mark.exists(), result.returncode

    def test_the_second_time_nothing_runs(self):
        self.assertEqual(self.run_kept(), (True, 0))
        self.assertEqual(self.run_kept(), (False, 0))
        self.assertEqual(self.run_kept(VTA_KEPT_RESULTS="ignore"), (True, 0))

    def test_changes_change_the_key(self):
        self.run_kept()
        changes = {
            "a source": lambda: (self.sources / "deep" / "a.sv").write_text("b"),
            "a new source": lambda: (self.sources / "b.sv").write_text(""),
            "a source's name": lambda: (self.sources / "b.sv").rename(self.sources / "c.sv"),
            "the tool's version": lambda: self.tool("tool", "version 2"),
            "a missing tool": lambda: (self.folder / "tool").unlink(),
        }
        for name, change in changes.items():
            with self.subTest(name):
                change()
                self.assertEqual(self.run_kept(), (True, 0))
                self.assertEqual(self.run_kept(), (False, 0))
        with self.subTest("an option"):
            self.assertEqual(self.run_kept("true", "--option"), (True, 0))

    def test_failures_are_not_kept(self):
        self.assertEqual(self.run_kept("exit", "3"), (True, 3))
        self.assertEqual(self.run_kept("exit", "3"), (True, 3))

    def test_a_cache_that_cannot_be_written_costs_nothing_but_time(self):
        (self.folder / "cache").write_text("a file")
        self.assertEqual(self.run_kept(), (True, 0))
        self.assertEqual(self.run_kept(), (True, 0))

    def test_missing_sources(self):
        result = subprocess.run([sys.executable, KEPT_RESULT, "--sources", "/nowhere", "--", "true"], capture_output=True,
                                text=True, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("no file or folder /nowhere", result.stderr)


if __name__ == "__main__":
    unittest.main()
