"""The proofs of hw/formal hold, and each of them fails on a design that is broken where it looks."""

import json
import os
import shutil
import subprocess
import unittest
from pathlib import Path

_FORMAL = Path(__file__).resolve().parent.parent.parent / "hw" / "formal"
_PROOFS = json.loads((_FORMAL / "proofs.json").read_text())


def _prove(*arguments):
    return subprocess.run([_FORMAL / "prove", "--build", os.environ["VTA_BINARY_DIR"], *arguments],
                          capture_output=True, text=True, check=False)


@unittest.skipUnless(shutil.which("yosys") and shutil.which("z3"), "needs yosys and z3")
class FormalTest(unittest.TestCase):
    def test_all_proofs_hold(self):
        result = _prove()
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(len(result.stdout.splitlines()), len(_PROOFS))
        for line in result.stdout.splitlines():
            self.assertIn("proved", line)

    def test_broken_designs_are_seen(self):
        result = _prove("--breaks")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(len(result.stdout.splitlines()), sum(len(proof["breaks"]) for proof in _PROOFS))

    def test_every_proof_has_a_break(self):
        self.assertEqual([proof["name"] for proof in _PROOFS if not proof["breaks"]], [])

    def test_unknown_name(self):
        result = _prove("no_such_proof")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no proof no_such_proof; there are tokens", result.stderr)

    def test_without_a_build(self):
        result = subprocess.run([_FORMAL / "prove", "tokens", "--build", "/nowhere"], capture_output=True, text=True,
                                check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot be tried: no /nowhere/bin/vta-info", result.stdout)


if __name__ == "__main__":
    unittest.main()
