"""vta-sweep: accuracy of networks on each point."""

import csv
import json
import sqlite3
import sys
import unittest
from pathlib import Path

import numpy as np
from onnx import helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from sweep_case import MODEL, SMALL, SweepCase  # noqa: E402
from tool_case import DIGITS, HW  # noqa: E402


class AccuracyTest(SweepCase):
    """What narrow weights cost: numbers equal to vta-run's, measured once, unknown where nothing says."""

    DATA = {"samples": DIGITS / "images", "calibrate": DIGITS / "calibration", "preprocess": DIGITS / "preprocess.yaml",
            "labels": DIGITS / "labels.csv"}
    WIDTHS = "grid: {operands.wgt_width_bits: [8, 2], axi.outstanding_bursts: [4, 8]}\n" \
             "derive: {buffers.wgt_buf_bytes: 1024 * 64 * operands.wgt_width_bits / 8}\n"

    def text(self, widths=WIDTHS, model=MODEL, **changes):
        data = {key: value for key, value in {**self.DATA, **changes}.items() if value}
        lines = "".join(f"    {key}: {value}\n" for key, value in data.items())
        return f"base: {HW / 'small-1x8x8.yaml'}\n{widths}models:\n- file: {model}\n  accuracy:\n{lines}"

    def stored(self):
        with sqlite3.connect(self.cache) as database:
            return database.execute("SELECT count(*) FROM entries WHERE kind='accuracy'").fetchone()[0]

    def test_accuracy_and_cycles_are_those_of_vta_run(self):
        points = self.sweep(self.text())["points"]
        for point in points[::2]:
            hw = self.assert_equal_to_vta_run(MODEL, point, "simple", "estimated")
            run = self.run_json(MODEL, "--sim=functional", "--hw", hw, "--input", self.DATA["samples"], "--calibrate",
                                self.DATA["calibrate"], "--preprocess", self.DATA["preprocess"], "--labels-csv",
                                self.DATA["labels"], "--weight-groups=none", "--compare-float")["batch"]
            values = point["values"]
            self.assertAlmostEqual(values["agreement_percent"], 100 * run["float_agreement"])
            self.assertAlmostEqual(values["top1_percent"], 100 * run["score"]["top1"])
            self.assertAlmostEqual(values["top1_loss_points"], 100 * (run["float_score"]["top1"] - run["score"]["top1"]))
            self.assertEqual(values["agreement_percent.digits"], values["agreement_percent"])
        self.assertGreater(points[0]["values"]["agreement_percent"], points[2]["values"]["agreement_percent"])

    def test_it_is_measured_once_for_each_width(self):
        first = self.sweep(self.text())
        self.assertEqual(self.stored(), 2)
        self.assertEqual(self.sweep(self.text())["points"], first["points"])
        self.assertEqual(self.stored(), 2)
        # Other contents of the samples are other accuracies.
        samples = self.folder / "one"
        samples.mkdir()
        (samples / "zero-1.png").write_bytes((DIGITS / "images/zero-1.png").read_bytes())
        point = self.sweep(self.text(samples=samples))["points"][0]
        self.assertEqual(point["models"][0]["accuracy"]["samples"], 1)
        self.assertEqual(self.stored(), 4)

    def test_a_dry_run_counts_the_measurements(self):
        text = self.succeed("vta-sweep", self.description(self.text()), "--cache", self.cache, "--dry-run")
        self.assertIn("accuracy of digits: 2 measurements at most", text)
        self.assertFalse(self.cache.exists())

    def test_it_can_be_an_objective_and_a_constraint(self):
        results = self.sweep(self.text() + "objectives: [bram36, -agreement_percent]\nconstraints: [top1_loss_points <= 5]\n")
        self.assertEqual([point["status"] for point in results["points"]], ["ok", "ok", "constraint", "constraint"])
        self.assertEqual(results["points"][0]["objectives"][1], -results["points"][0]["values"]["agreement_percent"])
        output = self.succeed("vta-sweep", self.description(self.text()), "--cache", self.cache, "--best", "bram36",
                              "--where", "agreement_percent > 90")
        self.assertIn("best: operands.wgt_width_bits=8", output)
        self.assertIn("all numbers are the same", self.succeed("vta-sweep", "--reproduce", self.output))

    def test_without_samples_it_is_unknown(self):
        table = self.folder / "results.csv"
        text = SMALL + self.WIDTHS
        output = self.succeed("vta-sweep", self.description(text), "--cache", self.cache, "--csv", table, "--output", self.output)
        self.assertIn("accuracy of digits: unknown", output)
        self.assertEqual({row["agreement_percent"] for row in csv.DictReader(table.read_text().splitlines())}, {"unknown"})
        for point in json.loads(self.output.read_text())["points"]:
            self.assertNotIn("agreement_percent", point["values"])
            self.assertEqual(point["models"][0]["accuracy"], {"unknown": "no samples"})
        self.refuse_sweep(text + "objectives: [-agreement_percent]\n",
                          says=["agreement_percent is unknown: model digits has no samples", "accuracy"])
        self.refuse_sweep(text, says=["--where", "agreement_percent is unknown"],
                          arguments=["--best", "lut", "--where", "agreement_percent > 90"])
        self.refuse_sweep(self.text(labels=None) + "constraints: [top1_percent > 90]\n",
                          says=["sweep.yaml:10:", "model digits has no labels"])

    def test_a_measurement_that_fails_is_said(self):
        """The cycles stay; what asks for the accuracy has no value."""
        text = self.text(widths="") + "objectives: [-agreement_percent]\n"
        points = self.fruitless_sweep(text, "--timeout", "0.02")["points"]
        self.assertEqual(points[0]["status"], "failed")
        self.assertRegex(points[0]["reason"], "was stopped|accuracy is unknown")

    def test_samples_that_do_not_fit(self):
        empty = self.folder / "empty"
        empty.mkdir()
        self.refuse_sweep(self.text(samples=empty), says=["sweep.yaml:7:5", "has no file of type"])
        wrong = self.folder / "wrong.npy"
        np.save(wrong, np.zeros((1, 3, 8, 8), np.float32))
        self.refuse_sweep(self.text(samples=wrong, labels=None), says=["sweep.yaml:7:5", "wrong.npy"])
        few = self.write("few.csv", "zero-1.png,0\n")
        self.refuse_sweep(self.text(labels=few), says=["labels for 1 of 20 samples", "FILE,CLASS"])
        high = self.write("high.csv", (DIGITS / "labels.csv").read_text().replace("zero-1.png,0", "zero-1.png,10"))
        self.refuse_sweep(self.text(labels=high), says=["class 10; legal: 0 to 9"])
        self.refuse_sweep(self.text(samples=self.folder / "none"), says=["sweep.yaml:7:14", "no file or folder"])
        self.refuse_sweep(self.text(labels=self.folder / "none.csv"), says=["none.csv"])
        self.refuse_sweep(self.text(preprocess="nothing"), says=["nothing"])
        self.refuse_sweep(self.text(sample="x"), says=["unknown key sample; legal keys: samples, calibrate, preprocess, labels"])
        self.refuse_sweep(f"models: {{file: {MODEL}, accuracy: 3}}\n", says=["a map with the key samples"])
        self.refuse_sweep(f"models: {{file: {MODEL}, accuracy: {{samples: []}}}}\n", says=["samples is empty"])

    def test_a_network_without_classes(self):
        model = self.model([helper.make_node("Relu", ["x"], ["y"])], [("x", [1, 1, 32, 32])], [("y", [1, 1, 32, 32])])
        self.refuse_sweep(self.text(model=model), says=["one value for each class", "leave the key out"])


if __name__ == "__main__":
    unittest.main()
