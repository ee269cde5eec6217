"""Long work says how far it is: counts that move, on a terminal."""

import os
import pty
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from sweep_case import GRID, SweepCase  # noqa: E402
from tool_case import BIN  # noqa: E402


class ProgressTest(SweepCase):
    def shown(self, name, *arguments):
        """All that a tool shows on a terminal meanwhile."""
        ours, its = pty.openpty()
        process = subprocess.Popen([str(part) for part in (BIN / name, *arguments)], stdout=subprocess.DEVNULL, stderr=its)
        os.close(its)
        text = ""
        while True:
            try:
                text += os.read(ours, 65536).decode(errors="replace")
            except OSError:  # the tool has ended
                break
        self.assertEqual(process.wait(timeout=60), 0, text)
        os.close(ours)
        return text

    def test_a_sweep_says_what_it_does_with_a_model(self):
        text = self.shown("vta-sweep", self.description(GRID), "--cache", self.cache)
        for phase in ("model digits: import", "model digits: calibrate", "points 0/6"):
            self.assertIn(phase, text)


if __name__ == "__main__":
    unittest.main()
