"""The warning of a clock above the estimate for a device: in vta-info, in all reports of vta-run, and in sweeps."""

import csv
import json
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from report_case import data_of  # noqa: E402
from tool_case import DIGITS, HW, ToolCase, tool  # noqa: E402

MODEL = DIGITS / "digits.onnx"
FAST = "clock_mhz is 1500, the core is estimated to reach "


class ClockWarningTest(ToolCase):
    def setUp(self):
        super().setUp()
        self.fast = self.write("fast.yaml", "clock_mhz: 1500\n")

    def run_text(self, hw, *options):
        return re.sub(r"\s+", " ", self.succeed("vta-run", MODEL, "--sim=cycle", "--timing-only", "--hw", hw, *options))

    def test_info(self):
        self.write("slow.yaml", "clock_mhz: 10\n")
        text = self.succeed("vta-info", "--configs", self.folder)
        self.assertEqual(text.count("warning: "), 1)
        self.assertRegex(text, rf"fast\.yaml\n.*\n.*\n    warning: {FAST}\d+ MHz on ")
        found = {entry["file"].rsplit("/", 1)[-1]: entry["clock_warning"] for entry in
                 json.loads(self.succeed("vta-info", "--configs", self.folder, "--json"))["configurations"]}
        self.assertIsNone(found["slow.yaml"])
        self.assertIn(FAST, found["fast.yaml"])

    def test_run(self):
        for options in ((), ("--profile",), ("--profile=full",)):
            self.assertRegex(self.run_text(self.fast, *options), rf"at 1500 MHz warning: {FAST}\d+ MHz on ")
            self.assertNotIn("warning", self.run_text(HW / "default.yaml", *options))
        report = self.run_json(MODEL, "--sim=cycle", "--timing-only", "--hw", self.fast)
        self.assertIn(FAST, report["clock_warning"])

    def sweep(self, text):
        """What is on stderr, and the results as JSON, CSV and in the page."""
        files = [self.folder / name for name in ("results.json", "results.csv", "page.html")]
        result = tool("vta-sweep", self.write("sweep.yaml", f"models: {MODEL}\n{text}"), "--cache", self.folder / "cache.db",
                      "--output", files[0], "--csv", files[1], "--report", files[2])
        self.assertEqual(result.returncode, 0, result.stderr)
        points = json.loads(files[0].read_text())["points"]
        warnings = [point["clock_warning"] for point in points]
        rows = csv.DictReader(files[1].read_text().splitlines())
        self.assertEqual([row["clock_warning"] for row in rows], [warning or "" for warning in warnings])
        self.assertEqual([point["clock_warning"] for point in data_of(files[2].read_text())["points"]], warnings)
        return result.stderr, warnings

    def test_sweep(self):
        errors, warnings = self.sweep("grid: {clock_mhz: [10, 1500], axi.outstanding_bursts: [4, 8]}\n")
        self.assertEqual([warning is not None for warning in warnings], [False, False, True, True])
        self.assertEqual(errors.count("warning"), 1)
        self.assertRegex(errors, rf"vta-sweep: warning: {FAST}\d+ MHz on .* \(points: 2\)")
        with self.subTest("of the base"):
            errors, warnings = self.sweep(f"base: {self.fast}\n")
            self.assertIn(FAST, warnings[0])
            self.assertIn(FAST, errors)
        with self.subTest("a sentence for each of many clocks would fill the terminal"):
            errors, _ = self.sweep("grid: {clock_mhz: [1001, 1002, 1003, 1004, 1005]}\n")
            self.assertEqual(errors.count("the core is estimated"), 3)
            self.assertIn("2 more points have a clock above an estimate", errors)

    def test_decimals(self):
        """A configuration, its report and sweeps of it have a clock with decimals as it was written."""
        odd = self.write("odd.yaml", "clock_mhz: 33.333333\n")
        report = self.run_json(MODEL, "--sim=cycle", "--timing-only", "--hw", odd)
        self.assertEqual(report["clock_mhz"], 33.333333)
        self.assertAlmostEqual(report["totals"]["vta_ms"], report["totals"]["cycles"] / 33333.333)
        self.assertIn("at 33.333333 MHz", self.run_text(odd, "--profile"))
        whole = self.run_json(MODEL, "--sim=cycle", "--timing-only", "--hw", HW / "default.yaml")
        self.assertEqual(whole["totals"]["cycles"], report["totals"]["cycles"])  # the simple memory counts cycles
        cycles = []
        for clock in ("333", "333.33", "334"):
            hw = self.write("clock.yaml", f"clock_mhz: {clock}\n")
            cycles.append(self.run_json(MODEL, "--sim=cycle", "--timing-only", "--dram=DDR3-1066", "--hw", hw)["totals"]["cycles"])
        self.assertEqual(cycles, sorted(cycles))
        self.assertLess(cycles[0], cycles[2])
        module = self.folder / "odd.so"
        self.succeed("vta-compile", MODEL, "--hw", odd, "-o", module)
        self.assertEqual(self.run_json(module, "--sim=cycle", "--timing-only")["clock_mhz"], 33.333333)
        _, warnings = self.sweep("grid: {clock_mhz: [33.333333, 1500.5]}\n")
        self.assertIsNone(warnings[0])
        self.assertIn("clock_mhz is 1500.5,", warnings[1])
        points = json.loads((self.folder / "results.json").read_text())["points"]
        self.assertEqual([point["values"]["clock_mhz"] for point in points], [33.333333, 1500.5])
        self.sweep("clock: 66.6\n")
        self.assertEqual(json.loads((self.folder / "results.json").read_text())["points"][0]["values"]["clock_mhz"], 66.6)

    def test_a_clock_that_is_an_estimate_is_not_above_it(self):
        errors, warnings = self.sweep("clock: {estimate: xczu3eg-1}\n")
        self.assertEqual((errors.count("warning"), warnings), (0, [None]))


if __name__ == "__main__":
    unittest.main()
