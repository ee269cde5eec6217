"""The list of proofs of hw/formal and its command. That they hold, and see broken designs, are entries of their own."""

import json
import os
import subprocess
import unittest
from pathlib import Path

_FORMAL = Path(__file__).resolve().parent.parent.parent / "hw" / "formal"
_PROOFS = json.loads((_FORMAL / "proofs.json").read_text())


def _prove(*arguments):
    return subprocess.run([_FORMAL / "prove", "--build", os.environ["VTA_BINARY_DIR"], *arguments],
                          capture_output=True, text=True, check=False)


class FormalTest(unittest.TestCase):
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
