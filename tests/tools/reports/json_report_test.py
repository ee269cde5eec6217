"""vta-run --json: reports and errors against the schema that the tool prints and the project ships."""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import DIGITS, DIGITS_OPTIONS, ROOT, DigitsModuleCase, tool  # noqa: E402

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None),
         "integer": int, "number": (int, float)}


def mismatches(value, schema, place=""):
    """Where `value` is not what `schema` says; the keywords that the schema uses."""
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(isinstance(value, TYPES[name]) and not (isinstance(value, bool) and name != "boolean") for name in types):
        return [f"{place}: {value!r} is no {types}"]
    found = [] if value == schema.get("const", value) else [f"{place}: {value!r}"]
    if isinstance(value, dict):
        known = schema["properties"]
        found += [f"{place}.{name} is missing" for name in schema["required"] if name not in value]
        if not schema["additionalProperties"]:
            found += [f"{place}.{name} is not in the schema" for name in value if name not in known]
        for name in value.keys() & known.keys():
            found += mismatches(value[name], known[name], f"{place}.{name}")
    if isinstance(value, list):
        for i, element in enumerate(value):
            found += mismatches(element, schema["items"], f"{place}[{i}]")
    return found


class JsonReportTest(DigitsModuleCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.schema = json.loads(tool("vta-run", "--json-schema").stdout)

    def check(self, *arguments):
        report = self.run_json(*arguments)
        self.assertEqual(mismatches(report, self.schema), [])
        # Nothing at the top either; only readers have to bear new members there.
        self.assertLessEqual(report.keys(), self.schema["properties"].keys())
        return report

    def test_the_shipped_schema_is_the_tools(self):
        shipped = (ROOT / "configs/run.schema.json").read_text()
        self.assertEqual(json.loads(shipped), self.schema, "vta-run --json-schema > configs/run.schema.json")

    def test_every_member_is_explained(self):
        def members(schema):
            for name, member in schema.get("properties", {}).items():
                yield name, member
                yield from members(member)
            if "items" in schema:
                yield from members(schema["items"])
        for name, member in members(self.schema):
            self.assertTrue(member.get("description"), name)

    def test_reports_follow_the_schema(self):
        three = DIGITS / "images/three-1.png"
        report = self.check(self.module, "--sim")
        self.assertEqual((report["format"], report["version"]), ("vta-run", 1))
        self.assertGreater(report["area_estimate"]["dsp"], 10)
        self.assertAlmostEqual(report["totals"]["vta_ms"], report["totals"]["cycles"] / (1000 * report["clock_mhz"]))
        report = self.check(self.module, "--sim=functional", "-i", three, *DIGITS_OPTIONS[:2])
        self.assertIsNone(report["totals"]["cycles"])
        self.assertIsNone(report["totals"]["frames_per_second"])
        report = self.check(DIGITS / "digits.onnx", "--partition=cpu", "-i", DIGITS / "images", *DIGITS_OPTIONS[:2],
                            "--labels-csv", DIGITS / "labels.csv")
        self.assertIsNone(report["area_estimate"])
        self.assertEqual(report["totals"]["steps"], report["totals"]["cpu_steps"])
        self.check(DIGITS / "digits.onnx", *DIGITS_OPTIONS, "--hw", "vta-0.0.2-hls", "--labels", DIGITS / "labels.txt",
                   "--output", self.folder, "-i", three)

    def test_memory_is_not_that_of_who_starts_the_program(self):
        ballast = b"1" * (1 << 28)
        self.assertLess(self.run_json(self.module, "--sim")["peak_memory_bytes"], len(ballast))

    def test_the_program_for_boards_follows_it_too(self):
        result = tool("vta-run-module", self.module, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(mismatches(json.loads(result.stdout), self.schema), [])

    def test_errors_are_json_too(self):
        cases = [("vta-run", ["none.onnx", "--json"], 1), ("vta-run", ["--json", "--no-such-option", "m.onnx"], 2),
                 ("vta-run", ["--json"], 2), ("vta-compile", ["none.onnx", "--json", "-o", "m.so"], None),
                 ("vta-objdump", ["none\"\\\n.so", "--json"], 1), ("vta-report", ["none.html", "--json"], 1)]
        for name, arguments, code in cases:
            with self.subTest(name, arguments=arguments):
                result = tool(name, *arguments, cwd=self.folder)
                error = json.loads(result.stdout)
                self.assertEqual((error["format"], error["version"], error["tool"]), ("vta-error", 1, name))
                self.assertEqual(error["exit_code"], result.returncode)
                self.assertNotEqual(result.returncode, 0)
                self.assertIn(code, (None, result.returncode))
                # The same message is on standard error, for people.
                self.assertIn(error["message"].splitlines()[0], result.stderr)

    def test_without_json_errors_leave_standard_output_empty(self):
        self.assertEqual(tool("vta-run", "none.onnx").stdout, "")


if __name__ == "__main__":
    unittest.main()
