"""scripts/models/chain_model.py: its usage, and the files that it writes."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/models/chain_model.py"


def run(*arguments):
    return subprocess.run([sys.executable, "-B", SCRIPT, *arguments], capture_output=True, text=True)


class ChainModelTest(unittest.TestCase):
    def test_usage(self):
        told = run("--help")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("MODEL.onnx TOKENIZER.json", told.stdout)
        for arguments, says in (((), "MODEL.onnx"), (("chain.onnx",), "TOKENIZER.json")):
            wrong = run(*arguments)
            self.assertEqual(wrong.returncode, 2)
            self.assertIn(says, wrong.stderr)
            self.assertNotIn("Traceback", wrong.stderr)

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            model, tokenizer = Path(folder, "chain.onnx"), Path(folder, "chain.json")
            made = run(model, tokenizer)
            self.assertEqual(made.returncode, 0, made.stderr)
            self.assertGreater(model.stat().st_size, 0)
            self.assertEqual(json.loads(tokenizer.read_text())["model"]["type"], "BPE")


if __name__ == "__main__":
    unittest.main()
