"""Large networks: what repeats is compiled once, so that compiling takes about as long as the distinct parts of it."""

import subprocess
import sys
import unittest
from pathlib import Path

import onnx

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import ToolCase  # noqa: E402
import generated_models  # noqa: E402


class ScaleTest(ToolCase):
    def functions(self, model):
        """How many functions of machine code the module of `model` has."""
        path, module = self.folder / "model.onnx", self.folder / "model.vta.so"
        onnx.save(model, path)
        self.succeed("vta-compile", path, "--partition=cpu", "--no-cache", "-o", module)
        symbols = subprocess.run(["nm", module], capture_output=True, text=True, check=True).stdout
        return sum(line.split()[-2] in "tT" for line in symbols.splitlines())

    def test_layers_share_their_functions(self):
        """Twice the layers take a few functions more: the code of one layer is at hand."""
        one, two = (self.functions(generated_models.bert(layers)) for layers in (12, 24))
        self.assertGreater(one, 10)
        self.assertLess(two, 1.25 * one)

    def test_operators_in_a_row(self):
        """A hundred times as many operators are no more functions than calls of them can be grouped in."""
        few, many = (self.functions(generated_models.chain("Sin", count)) for count in (100, 10_000))
        self.assertLessEqual(many, few + 5)


if __name__ == "__main__":
    unittest.main()
