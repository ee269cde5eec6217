"""Files of outputs: one for each, whatever outputs and samples are called."""

import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
from onnx import helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import ToolCase  # noqa: E402


class OutputFilesTest(ToolCase):
    def outputs(self, names):
        nodes = [helper.make_node("Mul", ["x", f"c{i}"], [name]) for i, name in enumerate(names)]
        constants = [(f"c{i}", np.array(i + 1, np.float32)) for i in range(len(names))]
        return self.model(nodes, [("x", [2])], [(name, [2]) for name in names], constants)

    def run_outputs(self, names, *inputs):
        out = Path(tempfile.mkdtemp(dir=self.folder))
        report = self.run_json(self.outputs(names), "--partition=cpu", *inputs, "--output", out)
        return out, report

    def test_names_that_would_be_one_file(self):
        names = ["a/b", "a_b", "a:b", "A_B", "..", "n" * 300]
        np.save(self.folder / "x.npy", np.ones(2, np.float32))
        out, report = self.run_outputs(names, "--input", self.folder / "x.npy")
        files = {output["name"]: output["file"] for output in report["outputs"]}
        self.assertEqual(len({file.lower() for file in files.values()}), len(names))
        self.assertEqual(len(list(out.iterdir())), len(names))
        self.assertEqual(Path(files["a_b"]).name, "a_b.npy")
        for number, name in enumerate(names, 1):
            self.assertEqual(Path(files[name]).parent, out)
            np.testing.assert_array_equal(np.load(files[name]), np.full(2, number, np.float32))

    def test_samples_of_one_name(self):
        arguments = []
        for number, folder in enumerate(("one", "two"), 1):
            (self.folder / folder).mkdir()
            np.save(self.folder / folder / "x.npy", np.full(2, number, np.float32))
            arguments += ["--input", self.folder / folder / "x.npy"]
        out, _ = self.run_outputs(["y"], *arguments)
        values = sorted(float(np.load(file)[0]) for file in out.iterdir())
        self.assertEqual(values, [1.0, 2.0])


if __name__ == "__main__":
    unittest.main()
