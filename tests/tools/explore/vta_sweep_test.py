"""vta-sweep: numbers equal to vta-run's, results, choice of the best, and bad input."""

import csv
import json
import os
import re
import sqlite3
import sys
import unittest
from pathlib import Path

import numpy as np
from onnx import helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from sweep_case import GRID, MODEL, SMALL, SweepCase  # noqa: E402
from tool_case import HW, MODELS, ROOT  # noqa: E402

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
        """Both count the linked programs; energies are rounded."""
        point = self.sweep(SMALL)["points"][0]
        run = self.run_json(MODEL, "--sim=cycle", "--timing-only", "--hw", self.write("point.yaml", point["hw"]),
                            "--schedules", "estimated")
        expected = run["totals"]["energy_pj_estimate"]["total"] * 1e-9
        self.assertAlmostEqual(point["values"]["energy_mj"] / expected, 1, delta=1e-6)

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
        results = self.fruitless_sweep(
            SMALL.replace(f"models: {MODEL}", f"models: {{file: {MODEL}, batch_dimension: N}}") + "batch: [1, 2]\n")
        for point in results["points"]:
            self.assertEqual(point["status"], "failed")
            self.assertIn("no input has a symbolic dimension of this name", point["reason"])
        self.refuse_sweep(SMALL + "batch: [0]\n", says=["sweep.yaml:3:9", "whole numbers from 1 to 4096"])
        self.refuse_sweep(SMALL + "batch: [1, 2]\n", says=["batch_dimension"])

    def test_searched_schedules(self):
        """Whatever a search finds for kernels alone, the network is not slower than with the compiler's own schedules."""
        slow = self.write("slow.yaml", SLOW)

        def cycles(schedules):
            return [point["values"]["cycles"] for point in self.sweep(f"{SMALL}memories: [simple, {slow}]\nschedules: {schedules}\n")
                    ["points"]]

        best = cycles("{searcher: exhaustive, trials: 1000000}")
        chance = cycles("{searcher: random, trials: 1}")
        learned = cycles("searched")
        for i, own in enumerate(cycles("simulated")):
            for found in (best, chance, learned):
                self.assertLessEqual(found[i], own)
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

    def test_choices_that_are_none(self):
        self.sweep(SMALL + "grid: {gemm.block_in: [8, 16]}\n")
        results = json.loads(self.output.read_text())
        for choices, says in (([2, 0, 0], "choice 0 of a point is 2; legal: 0 to 1"), ([0, 0, 4000000000], "choice 2"),
                              ([0, -1, 0], "choice 1"), ([0, 0], "2 choices"), ([], "0 choices"), ([0] * 9, "9 choices"),
                              ("all", "results.json")):
            results["points"][1]["choices"] = choices
            self.output.write_text(json.dumps(results))
            self.refuse("vta-sweep", "--reproduce", self.output, says=["results.json", says])

    def test_no_results_to_reproduce(self):
        self.refuse("vta-sweep", "--reproduce", self.write("x.json", "{}"), says=["no results"])
        self.refuse("vta-sweep", "--reproduce", self.folder / "none.json", says=["none.json"])

    def test_a_search_evaluates_what_it_may(self):
        for method in ("random", "nsga2", "moead", "surrogate"):
            text = GRID + f"search: {{method: {method}, evaluations: 4, population: 8}}\n"
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
        table = self.folder / "results.csv"
        result = self.refuse_sweep(text, says=["no point of 1 has a result: constraint gemm.batch > 1 does not hold"],
                                   arguments=["--csv", table])
        self.assertIn("constraint gemm.batch > 1 does not hold: gemm.batch = 1", result.stdout)
        self.assertIn("1 points: 0 with results", result.stdout)
        self.assertIn("constraint", table.read_text())  # which says why

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
        results = self.fruitless_sweep(f"models: {broken}\n")
        self.assertEqual([point["status"] for point in results["points"]], ["failed"])
        self.assertIn("broken", results["points"][0]["reason"])

    def test_a_point_that_takes_too_long(self):
        results = self.fruitless_sweep(SMALL + "schedules: simulated\n", "--timeout", "0.01")
        self.assertEqual(results["points"][0]["status"], "failed")
        self.assertIn("was stopped", results["points"][0]["reason"])

    def test_no_point_can_be_built(self):
        for extra, reason in (("derive: {gemm.block_out: 1/0}\n", '"1/0" is inf: no number'),
                              ("constraints: [latency_ms < 0]\n", "latency_ms < 0")):
            best = self.folder / "best.yaml"
            self.refuse_sweep(SMALL + extra, says=["no point of 1 "], arguments=["--best", "lut", "--best-output", best])
            self.assertFalse(best.exists())
            results = self.fruitless_sweep(SMALL + extra)
            self.assertIn(reason, results["points"][0]["reason"])

    def test_a_list_of_many_values(self):
        values = ", ".join(str(i) for i in range(1, 30001))
        self.refuse_sweep(SMALL + f"grid: {{v: [{values}], w: [{values}]}}\n", says=["900000000 points", "nsga2"])
        self.refuse_sweep(SMALL + f"grid: {{v: [{values}, 15000]}}\n", says=["15000 is there twice"])

    def test_a_timeout_is_a_number(self):
        for value in ("nan", "inf", "0", "soon"):
            self.refuse_sweep(SMALL, code=2, says=["--timeout", value, "0.01 to 86400"], arguments=["--timeout", value])

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
