"""vta-run --dump-tensors: what each step of a run has computed."""

import json
import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import DIGITS, DIGITS_OPTIONS, ToolCase  # noqa: E402

THREE = DIGITS / "images/three-1.png"


class DumpTensorsTest(ToolCase):
    def dump(self, *options):
        """The rows of the index."""
        self.folder_of_tensors = self.folder / "tensors"
        self.succeed("vta-run", DIGITS / "digits.onnx", "--input", THREE, *DIGITS_OPTIONS, "--dump-tensors",
                     self.folder_of_tensors, *options)
        return json.loads((self.folder_of_tensors / "tensors.json").read_text())

    def array(self, row, key="file"):
        return np.load(self.folder_of_tensors / row[key])

    def test_each_step_has_its_results(self):
        out = self.folder / "out"
        rows = self.dump("--sim=functional", "--output", out)
        profile = self.run_json(DIGITS / "digits.onnx", "--input", THREE, *DIGITS_OPTIONS, "--sim=functional")
        on_vta = [layer["name"] for layer in profile["layers"] if layer["where"] == "vta"]
        self.assertEqual([row["layer"] for row in rows if row["where"] == "vta"], on_vta)
        self.assertEqual({row["where"] for row in rows}, {"vta", "cpu"})
        for row in rows:
            self.assertEqual({"file", "layer", "operator", "where", "tensor"}, set(row))
            self.assertGreater(self.array(row).size, 0)
        np.testing.assert_array_equal(self.array(rows[-1]).reshape(-1), np.load(out / "probabilities.npy").reshape(-1))
        names = {path.name for path in self.folder_of_tensors.iterdir()}
        self.assertEqual(names, {"tensors.json", *(row["file"] for row in rows)})

    def test_references_stand_beside_results(self):
        rows = self.dump("--sim=cycle", "--verify")
        on_vta = [row for row in rows if row["where"] == "vta"]
        self.assertGreater(len(on_vta), 0)
        for row in rows:
            self.assertEqual("expected" in row, row["where"] == "vta", row)
        for row in on_vta:
            self.assertTrue(row["equal"])
            np.testing.assert_array_equal(self.array(row), self.array(row, "expected"))

    def test_blocks_become_images(self):
        """The same integers as the CPU's, whose tensors have no blocks, whatever the blocks are."""
        found = {}
        for hw in ("default", "batched-4x16x16"):
            rows = self.dump("--sim=functional", "--hw", hw)
            found[hw] = {row["layer"]: self.array(row) for row in rows if row["where"] == "vta"}
        common = found["default"].keys() & found["batched-4x16x16"].keys()
        images = [name for name in common if found["default"][name].ndim == 4]
        self.assertGreater(len(images), 0)
        for name in images:
            one, four = found["default"][name], found["batched-4x16x16"][name]
            self.assertEqual(four.shape[0], 4 * one.shape[0])  # a block of images is filled
            np.testing.assert_array_equal(one[0], four[0])

    def test_the_float_model_beside_it(self):
        rows = self.dump("--sim=functional", "--compare-float")
        floats = json.loads((self.folder_of_tensors / "float/tensors.json").read_text())
        self.assertEqual({row["where"] for row in floats}, {"cpu"})
        last = np.load(self.folder_of_tensors / "float" / floats[-1]["file"]).reshape(-1)
        np.testing.assert_allclose(self.array(rows[-1]).reshape(-1), last, atol=0.1)

    def test_what_is_refused(self):
        model, tensors = DIGITS / "digits.onnx", self.folder / "tensors"
        two = [option for _ in range(2) for option in ("--input", THREE)]
        self.refuse("vta-run", model, *two, *DIGITS_OPTIONS, "--sim=functional", "--dump-tensors", tensors,
                    says=["--dump-tensors is about one input, and there are 2"])
        self.refuse("vta-run", model, "--sim=cycle", "--timing-only", "--dump-tensors", tensors, code=2,
                    says=["--timing-only", "--dump-tensors"])
        self.refuse("vta-run", model, "--generate", "a", "--tokenizer", "t", "--dump-tensors", tensors, code=2,
                    says=["leave out --dump-tensors"])
        self.assertFalse(tensors.exists())
        tensors.write_text("a file")
        self.refuse("vta-run", model, "--input", THREE, *DIGITS_OPTIONS, "--sim=functional", "--dump-tensors", tensors,
                    says=["tensors"])


if __name__ == "__main__":
    unittest.main()
