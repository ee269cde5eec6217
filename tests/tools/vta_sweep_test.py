"""vta-sweep: numbers equal to vta-run's, cache, results, choice of the best, and bad input."""

import csv
import json
import os
import re
import signal
import sqlite3
import subprocess
import time
import unittest

import numpy as np
from onnx import helper

from tool_case import BIN, DIGITS, HW, MODELS, ROOT, ToolCase, tool

MODEL = DIGITS / "digits.onnx"
SMALL = f"base: {HW / 'small-1x8x8.yaml'}\nmodels: {MODEL}\n"
SLOW = "kind: simple\nlatency_cycles: 120\nbeats_per_cycle: 2/3\noutstanding: 2\n"


# What report_utilization -hierarchical writes of a design with the core, made up.
HIERARCHY = """
| Device       : xc7z020clg400-1
| Design State : Routed

Utilization Design Information

1. Utilization by Hierarchy
---------------------------

+-----------+----------+------------+-------+--------+--------+--------------+
|  Instance |  Module  | Total LUTs |  FFs  | RAMB36 | RAMB18 | DSP48 Blocks |
+-----------+----------+------------+-------+--------+--------+--------------+
| wrapper   |    (top) |      28000 | 15000 |    130 |      2 |          185 |
|   core    | vta_core |      24000 | 11000 |    125 |      4 |          185 |
+-----------+----------+------------+-------+--------+--------+--------------+
"""


class SweepCase(ToolCase):
    def setUp(self):
        super().setUp()
        self.cache = self.folder / "cache.db"
        self.output = self.folder / "results.json"

    def description(self, text, name="sweep.yaml"):
        return self.write(name, text)

    def sweep(self, text, *arguments):
        self.succeed("vta-sweep", self.description(text), "--cache", self.cache, "--output", self.output, *arguments)
        return json.loads(self.output.read_text())

    def refuse_sweep(self, text, says, code=1, arguments=(), **options):
        return self.refuse("vta-sweep", self.description(text), "--cache", self.cache, *arguments, code=code, says=says, **options)

    def assert_equal_to_vta_run(self, model, point, memory, schedules):
        """The network's cycles are those of vta-run, for the configuration that the results have."""
        hw = self.write("point.yaml", point["hw"])
        text = self.succeed("vta-run", model, "--sim=cycle", "--timing-only", "--hw", hw, "--dram", memory,
                            "--schedules", schedules)
        cycles = int(re.search(r"([\d,]+) cycles on the VTA", text)[1].replace(",", ""))
        self.assertEqual(point["models"][0]["cycles"], cycles, point["text"])
        return hw


class NumbersTest(SweepCase):
    def test_cycles_are_those_of_vta_run(self):
        slow = self.write("slow.yaml", SLOW)
        for schedules in ("estimated", "simulated"):
            results = self.sweep(SMALL + f"""
grid:
  gemm.batch: [1, 2]
  gemm.block_out: [8, 16]
  isa.extensions: [[], [qmul, clip, pad_min, requant]]
derive: {{buffers.acc_buf_bytes: 2048 * 4 * gemm.batch * gemm.block_out}}
memories: [simple, ddr3-1066, {slow}]
schedules: {schedules}
""")
            points = [point for point in results["points"] if point["status"] == "ok"]
            self.assertEqual(len(points), 24)
            memories = {"simple": "simple", "DDR3-1066": "ddr3-1066"}
            for point in points[::1 if schedules == "estimated" else 5]:
                self.assert_equal_to_vta_run(MODEL, point, memories.get(point["memory"], slow), schedules)

    @unittest.skipUnless(MODELS.is_dir(), "the shared models are not there")
    def test_cycles_of_real_networks_are_those_of_vta_run(self):
        for file, sample in (("tinyml/mlperf_kws_dscnn_f32.onnx", 1), ("cifar10/mlperf_resnet8_qdq.onnx", 1)):
            model = MODELS / file
            results = self.sweep(f"""
models: {model}
grid: {{isa.compat: [none, "0.0.2"], gemm.block_in: [16, 32]}}
derive: {{isa.extensions: "isa.compat > 0 ? 0 : 7", buffers.inp_buf_bytes: 2048 * gemm.block_in}}
memories: ddr3-1066
""")
            points = [point for point in results["points"] if point["status"] == "ok"]
            self.assertGreaterEqual(len(points), 3)
            for point in points[::sample]:
                self.assert_equal_to_vta_run(model, point, "ddr3-1066", "estimated")

    def test_layers_are_those_of_vta_run(self):
        results = self.sweep(SMALL + "memories: ddr3-1066\n", "--report", self.folder / "page.html")
        point = results["points"][0]
        hw = self.assert_equal_to_vta_run(MODEL, point, "ddr3-1066", "estimated")
        run = self.run_json(MODEL, "--sim=cycle", "--timing-only", "--hw", hw, "--dram", "ddr3-1066", "--schedules",
                            "estimated")
        expected = [(layer["name"], layer["cycles"]) for layer in run["layers"] if layer["where"] == "vta"]
        layers = results["layers"][str(point["number"])][0]["layers"]
        self.assertEqual([(layer["layer"], layer["cycles"]) for layer in layers], expected)

    def test_energy_is_near_that_of_vta_run(self):
        """vta-run counts each layer's program, the sweep the linked one: they differ in shared instructions."""
        point = self.sweep(SMALL)["points"][0]
        run = self.run_json(MODEL, "--sim=cycle", "--timing-only", "--hw", self.write("point.yaml", point["hw"]),
                            "--schedules", "estimated")
        expected = run["totals"]["energy_pj_estimate"]["total"] * 1e-9
        self.assertAlmostEqual(point["values"]["energy_mj"] / expected, 1, delta=0.02)

    def test_a_batch_binds_a_dimension_of_the_model(self):
        """Each batch is a network of its own: the cycles are those of vta-run with that shape."""
        rng = np.random.default_rng(1)
        model = self.model([helper.make_node("Gemm", ["x", "w"], ["y"])], [("x", ["N", 64])], [("y", ["N", 32])],
                           [("w", rng.normal(size=(64, 32)).astype(np.float32))])
        results = self.sweep(f"models: {{file: {model}, batch_dimension: N}}\nbatch: [1, 4, 16]\n")
        points = results["points"]
        self.assertEqual([point["batch"] for point in points], [1, 4, 16])
        self.assertEqual([point["text"] for point in points], ["batch=1", "batch=4", "batch=16"])
        for point in points:
            batch, values = point["batch"], point["values"]
            self.assertEqual(point["models"][0]["macs"], batch * 64 * 32)
            self.assertAlmostEqual(values["throughput"], 1e3 * batch / values["latency_ms"])
            hw = self.write("point.yaml", point["hw"])
            run = self.run_json(model, "--sim=cycle", "--timing-only", "--hw", hw, "--schedules", "estimated",
                                "--shape", f"N={batch}")
            self.assertEqual(values["cycles"], run["totals"]["cycles"])
        cycles = [point["values"]["cycles"] for point in points]
        self.assertEqual(cycles, sorted(set(cycles)))
        self.assertLess(cycles[2], 16 * cycles[0])

    def test_a_batch_needs_a_dimension_that_the_model_has(self):
        results = self.sweep(SMALL.replace(f"models: {MODEL}", f"models: {{file: {MODEL}, batch_dimension: N}}") +
                             "batch: [1, 2]\n")
        for point in results["points"]:
            self.assertEqual(point["status"], "failed")
            self.assertIn("no input has a symbolic dimension of this name", point["reason"])
        self.refuse_sweep(SMALL + "batch: [0]\n", says=["sweep.yaml:3:9", "whole numbers from 1 to 4096"])
        self.refuse_sweep(SMALL + "batch: [1, 2]\n", says=["batch_dimension"])

    def test_searched_schedules(self):
        """Every trial is simulated with the point's memory, so a larger budget is worth more, and none is worth less."""
        slow = self.write("slow.yaml", SLOW)

        def cycles(schedules):
            return [point["values"]["cycles"] for point in self.sweep(f"{SMALL}memories: [simple, {slow}]\nschedules: {schedules}\n")
                    ["points"]]

        best = cycles("{searcher: exhaustive, trials: 1000000}")
        chance = cycles("{searcher: random, trials: 1}")
        learned = cycles("searched")
        for i, own in enumerate(cycles("simulated")):
            self.assertLess(best[i], chance[i])
            self.assertLess(learned[i], chance[i])
            self.assertLess(best[i], 1.01 * own)
        again = self.folder / "again.db"
        self.cache = again
        self.assertEqual(cycles("searched"), learned)
        self.assertIn("all numbers are the same", self.succeed("vta-sweep", "--reproduce", self.output))
        for schedules, says in (("best", ["sweep.yaml:3:12", "legal: estimated, simulated, searched"]),
                                ("{searcher: best}", ["sweep.yaml:3:23", "no searcher", "learned"]),
                                ("{trials: 3}", ["key searcher is missing"]),
                                ("{searcher: random, trials: 0}", ["trials", "above 0"]),
                                ("{searcher: random, trials: 1.5}", ["whole number"])):
            self.refuse_sweep(f"{SMALL}schedules: {schedules}\n", says=says)

    def test_weights_mix_models(self):
        text = SMALL.replace(f"models: {MODEL}", f"models: [{{file: {MODEL}, name: a, weight: 3}}, "
                                                 f"{{file: {MODEL}, name: b}}]")
        values = self.sweep(text)["points"][0]["values"]
        self.assertEqual(values["cycles.a"], values["cycles.b"])
        self.assertEqual(values["cycles"], 4 * values["cycles.a"])


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
                                self.DATA["labels"], "--compare-float")["batch"]
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
        points = self.sweep(text, "--timeout", "0.02")["points"]
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


class CacheTest(SweepCase):
    GRID = SMALL + "grid: {gemm.block_out: [8, 16], axi.outstanding_bursts: [2, 4, 8]}\n" \
                   "derive: {buffers.acc_buf_bytes: 2048 * 4 * gemm.block_out}\n"

    def counts(self, text):
        return [int(number) for number in re.search(
            r"(\d+) networks simulated, (\d+) taken from the cache, (\d+) equal", text).groups()]

    def run_sweep(self, *arguments):
        return self.succeed("vta-sweep", self.description(self.GRID), "--cache", self.cache, *arguments)

    def test_nothing_is_done_twice(self):
        self.assertEqual(self.counts(self.run_sweep()), [6, 0, 0])
        self.assertEqual(self.counts(self.run_sweep()), [0, 6, 0])

    def test_points_that_differ_in_the_clock_are_simulated_once(self):
        text = self.succeed("vta-sweep", self.description(SMALL + "grid: {clock_mhz: [50, 100, 200]}\n"), "--cache",
                            self.cache)
        self.assertEqual(self.counts(text), [1, 0, 2])

    def test_the_cache_is_in_the_users_folder(self):
        description = self.description(self.GRID)
        work = self.folder / "work"
        work.mkdir()
        for variable, place in (("VTA_CACHE_DIR", "sweep.db"), ("XDG_CACHE_HOME", "vta/sweep.db"),
                                ("HOME", ".cache/vta/sweep.db")):
            env = {key: value for key, value in os.environ.items()
                   if key not in ("VTA_CACHE_DIR", "XDG_CACHE_HOME", "HOME", "XDG_RUNTIME_DIR")}
            env[variable] = str(self.folder / variable)
            for counts in ([6, 0, 0], [0, 6, 0]):
                self.assertEqual(self.counts(self.succeed("vta-sweep", description, env=env, cwd=work)), counts)
            self.assertTrue((self.folder / variable / place).is_file(), variable)
            self.assertEqual(list(work.iterdir()), [])
            del env[variable]
            self.refuse("vta-sweep", description, env=env, cwd=work, says=["no folder for the cache", "--cache"])

    def test_concurrent_sweeps_share_a_cache(self):
        command = [BIN / "vta-sweep", self.description(self.GRID), "--cache", self.cache, "--json"]
        processes = [subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      text=True) for _ in range(3)]
        outputs = [process.communicate(timeout=240) for process in processes]
        self.assertEqual([process.returncode for process in processes], [0, 0, 0], outputs)
        results = [json.loads(output)["points"] for output, _ in outputs]
        self.assertEqual(results[0], results[1])
        self.assertEqual(results[0], results[2])

    def test_an_interrupted_sweep_goes_on(self):
        text = self.GRID.replace("[2, 4, 8]", "{from: 1, to: 64, step: 1}")
        command = [BIN / "vta-sweep", self.description(text), "--cache", self.cache, "--workers", "1", "--json"]
        process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 120
        while self.stored() < 3 and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=120)
        stored = self.stored()
        self.assertGreaterEqual(stored, 3)
        stopped = [point for point in json.loads(output[:output.rindex("}") + 1])["points"]
                   if "stopped before this point" in point["reason"]]
        again = self.counts(self.succeed("vta-sweep", self.description(text), "--cache", self.cache))
        self.assertEqual(again[0] + again[1], 128)
        self.assertEqual(again[1], stored)
        self.assertEqual(again[0], len(stopped))

    def stored(self):
        if not self.cache.exists():
            return 0
        try:
            with sqlite3.connect(self.cache) as database:
                return database.execute("SELECT count(*) FROM entries WHERE kind='network'").fetchone()[0]
        except sqlite3.OperationalError:
            return 0

    def test_other_files_are_no_caches(self):
        self.write("cache.db", "text " * 2000)
        self.refuse_sweep(self.GRID, says=["cache.db"])
        self.cache.unlink()
        with sqlite3.connect(self.cache) as database:
            database.execute("CREATE TABLE t(x)")
        self.refuse_sweep(self.GRID, says=["no cache of vta-sweep", "--cache"])


class ResultsTest(SweepCase):
    TEXT = SMALL + "grid: {gemm.block_in: [8, 16], gemm.block_out: [8, 16, 512]}\nmemories: [simple, ddr3-1066]\n" \
                   "derive: {buffers.acc_buf_bytes: 2048 * 4 * gemm.block_out}\nconstraints: [latency_ms < 1]\n"

    def test_every_point_is_in_every_result(self):
        table = self.folder / "results.csv"
        results = self.sweep(self.TEXT, "--csv", table)
        rows = list(csv.DictReader(table.read_text().splitlines()))
        self.assertEqual(len(rows), 12)
        self.assertEqual(len(results["points"]), 12)
        statuses = [point["status"] for point in results["points"]]
        self.assertEqual([row["status"] for row in rows], statuses)
        self.assertEqual(statuses.count("illegal"), 4)
        self.assertGreater(statuses.count("constraint"), 0)
        for point in results["points"]:
            self.assertEqual(point["status"] == "ok", point["reason"] == "", point)
        front = {row["number"] for row in rows if row["front"] == "1"}
        self.assertEqual(front, {str(number) for number in results["front"]})

    def test_the_best_point_is_a_configuration(self):
        best = self.folder / "best.yaml"
        results = self.sweep(self.TEXT, "--best", "latency_ms", "--where", "fits(xc7z020)", "--best-output", best)
        fitting = [point for point in results["points"] if point["status"] == "ok" and point["values"]["fits.xc7z020"]]
        winner = min(fitting, key=lambda point: point["values"]["latency_ms"])
        self.assertEqual(best.read_text(), winner["hw"])
        self.succeed("vta-run", MODEL, "--sim=cycle", "--timing-only", "--hw", best)

    def test_the_limits_of_a_point_are_shares(self):
        for point in self.sweep(self.TEXT)["points"]:
            for model in point["models"]:
                shares = {key: value for key, value in model["time"].items() if key != "limit"}
                self.assertEqual(set(shares), {"array", "lanes", "alu", "bus", "latency", "control"})
                self.assertAlmostEqual(sum(shares.values()), 1)
                array = model["macs"] / point["roofs"]["macs_per_cycle"] / model["cycles"]
                self.assertAlmostEqual(shares["array"], array)

    def test_layers_of_points_that_are_named(self):
        page = self.folder / "page.html"
        results = self.sweep(self.TEXT, "--report", page, "--layers", "1", "--best", "-lut")
        most = max((point for point in results["points"] if point["status"] == "ok"),
                   key=lambda point: point["values"]["lut"])
        self.assertEqual(len(results["layers"]), 2)
        self.assertIn(str(most["number"]), results["layers"])
        other = next(point["number"] for point in results["points"] if point["models"] and
                     str(point["number"]) not in results["layers"])
        results = self.sweep(self.TEXT, "--report", page, "--layers", "0", "--layers-of", other)
        self.assertEqual(list(results["layers"]), [str(other)])
        illegal = next(point["number"] for point in results["points"] if point["status"] == "illegal")
        self.refuse_sweep(self.TEXT, says=[f"--layers-of {illegal}", "no point with results"],
                          arguments=["--report", page, "--layers-of", illegal])
        self.refuse_sweep(self.TEXT, code=2, says=["--layers-of goes with --report"], arguments=["--layers-of", 1])

    def test_no_point_is_left(self):
        self.refuse_sweep(self.TEXT, says=["no point of 12 is left", "lut < 5"],
                          arguments=["--best", "lut", "--where", "lut < 5"])

    def test_reports_of_vivado_calibrate_the_area(self):
        before = self.sweep(SMALL)["points"][0]["values"]
        self.write("util.rpt", HIERARCHY)
        text = SMALL + f"calibration: [{{hw: {HW / 'default.yaml'}, utilization: util.rpt}}]\n"
        results = self.sweep(text)
        after = results["points"][0]["values"]
        remark = next(r for r in results["manifest"]["calibration"] if r.startswith("lut: "))
        factor = float(re.match(r"lut: ([\d.]+) of the estimate in 1 report", remark)[1])
        self.assertLess(factor, 1)
        self.assertAlmostEqual(after["lut"] / before["lut"], factor, places=3)
        self.assertEqual(after["cycles"], before["cycles"])
        self.assertIn("calibration: " + remark, self.succeed("vta-sweep", self.description(text), "--dry-run"))
        self.assertIn("all numbers are the same", self.succeed("vta-sweep", "--reproduce", self.output))

    def test_results_can_be_reproduced(self):
        self.sweep(self.TEXT)
        self.assertIn("all numbers are the same", self.succeed("vta-sweep", "--reproduce", self.output))
        results = json.loads(self.output.read_text())
        changed = next(point for point in results["points"] if point["status"] == "ok")
        changed["values"]["cycles"] += 1
        self.output.write_text(json.dumps(results))
        result = self.refuse("vta-sweep", "--reproduce", self.output, says=["1 differences"])
        self.assertIn("cycles was", result.stdout)

    def test_seeds_choose_the_points_of_a_search(self):
        text = SMALL + "grid: {gemm.block_in: [8, 16, 32], axi.outstanding_bursts: {from: 1, to: 16, step: 1}}\n"

        def found(seed):
            results = self.sweep(text, "--search", "random", "--evaluations", 5, "--seed", seed)
            return [point["number"] for point in results["points"]]

        self.assertEqual(found(1), found(1))
        self.assertNotEqual(found(1), found(2))

    def test_a_learned_search_says_how_well_it_predicts(self):
        text = SMALL + "grid: {gemm.block_in: [8, 16, 32], axi.outstanding_bursts: {from: 1, to: 16, step: 1}}\n"
        output = self.succeed("vta-sweep", self.description(text), "--cache", self.cache, "--search", "surrogate",
                              "--evaluations", 14, "--output", self.output)
        self.assertRegex(output, r"the learned model was off by [\d.]+ % in the mean, [\d.]+ % at most, on the \d+ points")
        self.assertEqual(len(json.loads(self.output.read_text())["points"]), 14)
        self.refuse_sweep(SMALL + "objectives: [lut]\n", says=["depend on none"], arguments=["--search", "surrogate"])

    def test_no_results_to_reproduce(self):
        self.refuse("vta-sweep", "--reproduce", self.write("x.json", "{}"), says=["no results"])
        self.refuse("vta-sweep", "--reproduce", self.folder / "none.json", says=["none.json"])

    def test_a_search_evaluates_what_it_may(self):
        for method in ("random", "nsga2", "moead", "surrogate"):
            text = CacheTest.GRID + f"search: {{method: {method}, evaluations: 4, population: 8}}\n"
            results = self.sweep(text)
            self.assertIn(len(results["points"]), range(3, 7), method)


class BadInputTest(SweepCase):
    def test_dry_run_counts_by_rule(self):
        text = self.succeed("vta-sweep", self.description(ResultsTest.TEXT), "--dry-run", "--cache", self.cache)
        self.assertIn("12 points, 8 of them legal", text)
        self.assertIn("4 illegal: gemm.block_out is 512", text)
        self.assertIn("about", text)
        self.assertFalse(self.cache.exists())

    def test_contradictory_constraints(self):
        text = SMALL + "constraints: [gemm.batch > 1, gemm.batch < 2]\n"
        output = self.succeed("vta-sweep", self.description(text), "--cache", self.cache)
        self.assertIn("constraint gemm.batch > 1 does not hold: gemm.batch = 1", output)
        self.assertIn("1 points: 0 with results", output)

    def test_descriptions(self):
        for text, says in ((SMALL + "gird: {}\n", ["sweep.yaml:3:1: unknown key gird"]),
                           (SMALL + "grid: {gemm.batch: []}\n", ["sweep.yaml:3:8", "list of values"]),
                           (SMALL + "constraints: [lutt < 3]\n", ["unknown name lutt"]),
                           (SMALL + "models: 3\n", ["appears twice"])):
            self.refuse_sweep(text, says)
        self.refuse("vta-sweep", self.folder / "none.yaml", says=["none.yaml"])
        self.refuse("vta-sweep", code=2)
        self.refuse("vta-sweep", self.description(SMALL), "--where", "lut < 3", code=2, says=["--best"])

    def test_files_that_would_overwrite_each_other(self):
        sweep = self.description(SMALL)
        text = sweep.read_text()
        missing = self.folder / "none/results.json"
        for options, says in ((["-o", sweep], ["--output", "sweep.yaml"]),
                              (["--csv", self.folder / "a", "--report", self.folder / "a"], ["--csv", "--report"]),
                              (["-o", missing], ["--output", "none"]),
                              (["--best", "latency_ms", "--best-output", self.folder], ["--best-output"])):
            self.refuse("vta-sweep", sweep, "--cache", self.cache, *options, says=says)
            self.assertFalse(self.cache.exists())  # before the first point
        self.assertEqual(sweep.read_text(), text)

    def test_reports_of_vivado_that_cannot_be_used(self):
        calibration = f"calibration: [{{hw: {HW / 'default.yaml'}, utilization: util.rpt}}]\n"
        self.refuse_sweep(SMALL + calibration, says=["sweep.yaml:3:15", "util.rpt"])
        self.write("util.rpt", "nothing")
        self.refuse_sweep(SMALL + calibration, says=["sweep.yaml:3:15", "util.rpt", "no report of Vivado's report_utilization"])
        self.write("util.rpt", HIERARCHY.replace("24000", "240"))
        self.refuse_sweep(SMALL + calibration, says=["sweep.yaml:3:14", "240 lut", "report of another design"])
        self.refuse_sweep(SMALL + f"calibration: [{{hw: {HW / 'default.yaml'}}}]\n", says=["utilization and timing is missing"])
        self.refuse_sweep(SMALL + "calibration: 3\n", says=["calibration is a list of maps"])
        self.refuse_sweep(SMALL + "calibration: [{hw: a, utilisation: b}]\n", says=["unknown key utilisation"])

    def test_a_model_that_cannot_be_read_is_every_points_reason(self):
        broken = self.write("broken.onnx", b"\x00\x01\x02")
        results = self.sweep(f"models: {broken}\n")
        self.assertEqual([point["status"] for point in results["points"]], ["failed"])
        self.assertIn("broken", results["points"][0]["reason"])

    def test_a_point_that_takes_too_long(self):
        results = self.sweep(SMALL + "schedules: simulated\n", "--timeout", "0.01")
        self.assertEqual(results["points"][0]["status"], "failed")
        self.assertIn("was stopped", results["points"][0]["reason"])

    def test_too_many_points(self):
        grid = ", ".join(f"v{i}: {{from: 1, to: 100, step: 1}}" for i in range(5))
        self.refuse_sweep(SMALL + f"grid: {{{grid}}}\n", says=["10000000000 points", "nsga2"])

    def test_what_is_wrong_with_a_choice_is_said_at_once(self):
        for arguments, says in ((("--best", "latency"), ["--best", "unknown name latency; known: latency_ms"]),
                                (("--best", "lut", "--where", "fits(xc7)"), ["--where", "unknown name fits.xc7; known: fits.xc7z020"]),
                                (("--best", "lut +"), ["--best"]),
                                (("--confirm", "xc7"), ["no device", "legal: xc7z020"])):
            self.assertEqual(self.refuse_sweep(SMALL, says=says, arguments=arguments).stdout, "")

    def test_a_cache_of_a_newer_version(self):
        self.sweep(SMALL)
        with sqlite3.connect(self.cache) as database:
            database.execute("PRAGMA user_version=99")
        self.refuse_sweep(SMALL, says=["cache.db", "newer vta-sweep", "--cache"])

    def test_confirmation_without_yosys(self):
        folder = self.folder / "bin"
        folder.mkdir()
        result = self.refuse("vta-sweep", self.description(SMALL), "--cache", self.cache, "--confirm", "xc7z020",
                             says=["yosys", "apt-get install"], env={**os.environ, "PATH": str(folder)}, cwd=ROOT)
        self.assertIn("1 with results", result.stdout)

    def test_synthesis_that_fails_is_said_of_each_point(self):
        folder = self.folder / "bin"
        folder.mkdir()
        yosys = folder / "yosys"
        yosys.write_text("#!/bin/sh\necho 'ERROR: made up' >&2\nexit 1\n")
        yosys.chmod(0o755)
        text = SMALL + "grid: {gemm.block_in: [8, 16]}\nobjectives: [latency_ms, lut]\n"
        result = self.refuse_sweep(text, says=["2 of 2 points could not be synthesised"],
                                   arguments=["--confirm", "xc7z020"], cwd=ROOT,
                                   env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
        for block_in in (8, 16):
            self.assertIn(f"gemm.block_in={block_in}: synthesis failed", result.stdout)
        self.assertEqual(result.stdout.count("ERROR: made up"), 2)


if __name__ == "__main__":
    unittest.main()
