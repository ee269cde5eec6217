"""docs/operators.md: the texts that scripts/operators_table makes, and that the page lists what the frontend imports."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/docs"))

import operator_probes  # noqa: E402
import operators_table  # noqa: E402


def case(outcome, message="", constants=(), operators=("Abs",), on_gpu=0, on_cpu=0):
    return {"outcome": outcome, "message": message, "constant_inputs": list(constants), "steps_on_gpu": on_gpu, "steps_on_cpu": on_cpu,
            "operators": {name: 1 for name in operators}, "opset": 13}


class TextsTest(unittest.TestCase):
    def test_versions_are_merged(self):
        self.assertEqual(operators_table.versions_text([[1, 12], [13, 21]]), "1 to 21")
        self.assertEqual(operators_table.versions_text([[9, 10], [13, 21]]), "9 to 10, 13 to 21")
        self.assertEqual(operators_table.versions_text([[1, 6], [7, 9]]), "1 to 9")

    def test_remarks_name_constants_and_reasons(self):
        cases = [case("pass", constants=["axes"]),
                 case("refused", "m.onnx: 1 node used in an unsupported way: Abs x 1: mode 'x' is not supported (node 'n' (Abs)); simplify")]
        self.assertEqual(operators_table.remarks_of(cases, "Abs"), "constant: `axes`; mode 'x' is not supported")

    def test_page_counts(self):
        report = {"operators": {"Abs": [[6, 21]]},
                  "other_domains": {"com.microsoft": ["QGemm", "QLinearAdd"], "ai.onnx.ml": ["Scaler"],
                                    "custom": ["QGemm", "QLinearAdd"]},
                  "cases": {"a": case("pass"), "b": case("refused", operators=["Loop"]), "c": case("skipped")}}
        on_gpu = {"cases": {"a": case("pass", on_gpu=1), "b": case("refused", operators=["Loop"]), "c": case("skipped"),
                            "d": case("pass", on_gpu=1, on_cpu=1), "e": case("pass"), "f": case("wrong")}}
        text = operators_table.page(report, {"Abs": "yes"}, {"llvmpipe": on_gpu, "opencl": report})
        self.assertIn("1 of 2 cases pass, 1 are refused; 0 are wrong.", text)
        self.assertIn("| Abs | 6 to 21 | 1 of 1 | yes | 1 of 2 | ", text)
        self.assertIn("| Mesa's llvmpipe (Vulkan) | 3 | 1 | 1 | 1 of 2 |", text)
        self.assertIn("| PoCL (OpenCL) | 1 | 1 | 0 | 0 of 0 |", text)
        self.assertIn("Loop (1).", text)
        self.assertIn("`com.microsoft`, `custom`:\n\nQGemm, QLinearAdd.", text)
        self.assertIn("`ai.onnx.ml`:\n\nScaler.", text)

    def test_steps_between_kernels(self):
        def between(*executors):
            module = {"executors": [{"kind": "cpu"}, {"kind": "vta"}],
                      "steps": [{"executor": executor, "layer": i} for i, executor in enumerate(executors)]}
            steps = operator_probes.steps_between_kernels(module)
            return None if steps is None else [step["layer"] for step in steps]

        self.assertIsNone(between(0))
        self.assertEqual(between(0, 1, 1, 0), [])
        self.assertEqual(between(0, 1, 0, 1), [2])

    def test_places(self):
        layers = [{"reason": "whole blocks are moved"}, {"reason": "float operator"}]
        moved, computed = {"layer": 0}, {"layer": 1}
        self.assertEqual(operator_probes.place([], layers), "yes")
        self.assertEqual(operator_probes.place([moved], layers), "blocks")
        self.assertEqual(operator_probes.place([moved, computed], layers), "")
        self.assertEqual(operator_probes.place(None, layers), "")


class PageTest(unittest.TestCase):
    def test_the_page_lists_the_operators_that_are_imported(self):
        tool = Path(os.environ["VTA_BINARY_DIR"]) / "bin/vta-onnx-conformance"
        if not tool.exists():
            self.skipTest("vta-onnx-conformance is not built")
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            subprocess.run([tool, "--filter", "^no such case$", "--report", report], check=True, capture_output=True)
            operators = json.loads(report.read_text())["operators"]
        text = (Path(__file__).resolve().parents[2] / "docs/operators.md").read_text()
        listed = dict(re.findall(r"^\| (\w+) \| ([\d to,]+) \|", text, re.MULTILINE))
        expected = {name: operators_table.versions_text(ranges) for name, ranges in operators.items()}
        self.assertEqual(listed, expected, "run scripts/operators_table")


if __name__ == "__main__":
    unittest.main()
