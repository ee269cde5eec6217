"""vta-tune: search, database, and what compilations take from it."""

import importlib.util
import json
import shutil
import signal
import sqlite3
import subprocess
import time
import unittest

import numpy as np
from onnx import helper

from tool_case import BIN, DIGITS, DIGITS_OPTIONS, HW, ToolCase, tool

MODEL = DIGITS / "digits.onnx"
SLOW = "kind: simple\nlatency_cycles: 120\nbeats_per_cycle: 2/3\noutstanding: 2\n"


class VtaTuneTest(ToolCase):
    def setUp(self):
        super().setUp()
        self.database = self.folder / "tuning.db"

    def tune(self, *arguments):
        text = self.succeed("vta-tune", MODEL, *DIGITS_OPTIONS, "--db", self.database, "--json", *arguments)
        return json.loads(text)["tasks"]

    def test_a_search_is_never_slower_than_the_compiler(self):
        tasks = self.tune("--trials", "24")
        self.assertEqual(sum(len(task["layers"]) for task in tasks), 8)
        for task in tasks:
            self.assertLessEqual(task["best_cycles"], task["default_cycles"])
            self.assertLessEqual(task["floor_cycles"], task["best_cycles"])
            self.assertEqual(task["failed_trials"], 0)
            self.assertLessEqual(task["trials"], 24)

    def test_it_goes_on_where_it_stopped(self):
        first = self.tune("--searcher", "random", "--trials", "8")
        second = self.tune("--searcher", "random", "--trials", "20")
        for before, after in zip(first, second, strict=True):
            self.assertEqual(after["new_trials"], after["trials"] - before["trials"])
        again = self.tune("--searcher", "random", "--trials", "20")
        self.assertEqual(sum(task["new_trials"] for task in again), 0)

    def test_interruption_keeps_finished_trials(self):
        command = [BIN / "vta-tune", MODEL, *DIGITS_OPTIONS, "--db", self.database, "--searcher", "random",
                   "--trials", "100000", "--patience", "0"]
        process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 120
        while self.stored_trials() < 20 and time.monotonic() < deadline:
            time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        text, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)
        self.assertIn("every finished trial", text)
        self.assertGreaterEqual(self.stored_trials(), 20)

    def schedules_of(self, database):
        lines = self.folder / "exported.jsonl"
        self.succeed("vta-tune", "--db", database, "--export", lines)
        trials = [json.loads(line) for line in lines.read_text().splitlines()]
        return sorted(json.dumps([trial["workload"], trial["schedule"], trial["cycles"], trial["seed"], trial["searcher"]])
                      for trial in trials if "schedule" in trial)

    def test_resume_gives_what_the_whole_run_gives(self):
        whole = self.folder / "whole.db"
        self.succeed("vta-tune", MODEL, *DIGITS_OPTIONS, "--searcher", "random", "--seed", "7", "--trials", "24", "--db", whole)
        expected = self.schedules_of(whole)
        # As a process leaves it that is killed in the middle: half of the trials, and a run without an end.
        shutil.copy(whole, self.database)
        with sqlite3.connect(self.database) as database:
            (run,) = database.execute("SELECT has_ended FROM runs").fetchall()
            self.assertEqual(run, (1,))
            database.execute("DELETE FROM trials WHERE id > ?", (len(expected) // 2,))
            database.execute("UPDATE runs SET has_ended = 0")
        resumed = json.loads(self.succeed("vta-tune", "--resume", "--db", self.database, "--json"))["tasks"]
        self.assertEqual(sum(task["new_trials"] for task in resumed), len(expected) - len(expected) // 2)
        self.assertEqual(self.schedules_of(self.database), expected)
        self.refuse("vta-tune", "--resume", "--db", self.database, says=["no interrupted run", "--show"])

    def test_resume_refuses(self):
        self.refuse("vta-tune", "--resume", "--db", self.folder / "absent.db", says=["absent.db"])
        self.assertFalse((self.folder / "absent.db").exists())
        self.refuse("vta-tune", "--resume", "--db", self.database, "--trials", "9", code=2, says=["leave out --trials"])
        self.refuse("vta-tune", MODEL, "--resume", code=2, says=["leave out model"])
        # A run whose model is gone stays open, and so does one whose folder is gone.
        model = self.folder / "here" / "gone.onnx"
        model.parent.mkdir()
        model.write_bytes(b"no model")
        command = [str(BIN / "vta-tune"), "gone.onnx", "--db", str(self.database)]
        self.assertEqual(subprocess.run(command, cwd=model.parent, capture_output=True, check=False).returncode, 1)
        self.refuse("vta-tune", "--resume", "--db", self.database, says=["no interrupted run"])  # it never began
        self.tune("--trials", "2")
        with sqlite3.connect(self.database) as database:
            database.execute("UPDATE runs SET has_ended = 0, folder = ?", (str(self.folder / "away"),))
        self.refuse("vta-tune", "--resume", "--db", self.database, says=["away", "cannot be entered"])
        with sqlite3.connect(self.database) as database:
            database.execute("UPDATE runs SET folder = ?, arguments = ?", (str(self.folder), '["--tune-faster"]'))
        self.refuse("vta-tune", "--resume", "--db", self.database, code=2, says=["--tune-faster"])

    def test_another_optimiser_is_served(self):
        requests = [{"do": "tasks"}, {"do": "propose", "task": 1, "count": 3}, {"do": "nonsense"},
                    {"do": "evaluate", "task": 1, "candidates": [0, 1]}, {"do": "best", "task": 1}]
        result = tool("vta-tune", MODEL, *DIGITS_OPTIONS, "--db", self.database, "--serve-candidates",
                      input="".join(json.dumps(request) + "\n" for request in requests))
        self.assertEqual(result.returncode, 0, result.stderr)
        tasks, proposed, refused, evaluated, best = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual(tasks["source"], "cycle simulator")
        self.assertEqual(len(proposed["candidates"]), 3)
        self.assertIn("nonsense", refused["error"])
        self.assertEqual(best["cycles"], min(entry["cycles"] for entry in evaluated["results"]))
        self.assertEqual(self.stored_trials(), 2)
        self.refuse("vta-tune", "--serve-candidates", says=["needs a model"], code=2)

    @unittest.skipUnless(importlib.util.find_spec("optuna"), "python3-optuna is not installed")
    def test_the_optuna_example(self):
        example = DIGITS.parent / "tuning" / "optuna_search.py"
        command = [example, "--trials", "8", "--task", "1", BIN / "vta-tune", MODEL, *DIGITS_OPTIONS, "--db", self.database,
                   "--serve-candidates"]
        result = subprocess.run(["/usr/bin/python3", *map(str, command)], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("schedule", json.loads(result.stdout))

    def test_a_missing_model_leaves_no_database(self):
        self.refuse("vta-tune", self.folder / "none.onnx", "--db", self.database, says=["none.onnx"])
        self.assertFalse(self.database.exists())

    def stored_trials(self):
        if not self.database.exists():
            return 0
        result = tool("vta-tune", "--show", "--json", "--db", self.database)
        return sum(task["trials"] for task in json.loads(result.stdout)["tasks"]) if result.returncode == 0 else 0

    def test_compilations_take_tuned_schedules(self):
        memory = self.write("slow.yaml", SLOW)
        self.tune("--searcher", "exhaustive", "--dram", memory)
        module = self.folder / "tuned.vta.so"
        self.succeed("vta-compile", MODEL, *DIGITS_OPTIONS, "--dram", memory, "--tuned", self.database, "-o", module)
        report = self.run_json(module, f"--dram={memory}")
        on_vta = [layer for layer in report["layers"] if layer["where"] == "vta"]
        self.assertTrue(all(layer["reason"].startswith("proven schedule") for layer in on_vta), on_vta)
        # What it knows of another memory is used where it is faster than what is chosen without it.
        runs = [self.run_json(MODEL, *DIGITS_OPTIONS, "--sim", "--no-cache", "--tuned", tuned)
                for tuned in (self.database, "none")]
        without = {layer["name"]: layer for layer in runs[1]["layers"]}
        for layer in runs[0]["layers"]:
            if layer["where"] != "vta":
                continue
            self.assertRegex(layer["reason"], "^(simulated|transferred) schedule")
            if layer["reason"].startswith("simulated"):
                self.assertEqual(layer["reason"], without[layer["name"]]["reason"])

    def test_layers_of_shipped_networks_are_tuned_already(self):
        random = np.random.RandomState(1)
        shapes = (("v", (512, 16, 1, 1), 0.2), ("w", (512, 512, 3, 3), 0.02), ("b", (512,), 0.1))
        weights = [(name, (random.randn(*shape) * scale).astype(np.float32)) for name, shape, scale in shapes]
        nodes = [helper.make_node("Conv", ["x", "v", "b"], ["a"], name="other"),
                 helper.make_node("Relu", ["a"], ["h"]),
                 helper.make_node("Conv", ["h", "w", "b"], ["c"], name="of_resnet18", pads=[1] * 4),
                 helper.make_node("Relu", ["c"], ["y"])]
        model = self.model(nodes, [("x", [1, 16, 7, 7])], [("y", [1, 512, 7, 7])], weights)
        zynq = ["--hw", HW / "zynq-7020.yaml", "--dram", "ddr3-1066"]
        changed = ["--dram", self.write("slow.yaml", SLOW)]
        for options, origin in (([], "tuned|proven"), (zynq, "tuned|proven"), (changed, "transferred|simulated"),
                                (["--tuned", "none"], "simulated")):
            layers = self.run_json(model, "--sim", "--no-cache", *options)["layers"]
            reasons = {layer["name"]: layer["reason"] for layer in layers if layer["where"] == "vta"}
            self.assertRegex(reasons["of_resnet18"], f"^({origin}) schedule", options)
            self.assertRegex(reasons["other"], "^simulated schedule", options)

    def test_export_and_import(self):
        self.tune("--trials", "4")
        lines = self.folder / "lines.jsonl"
        self.succeed("vta-tune", "--db", self.database, "--export", lines)
        other = self.folder / "other.db"
        self.succeed("vta-tune", "--db", other, "--import", lines)
        shown = [json.loads(self.succeed("vta-tune", "--show", "--json", "--db", name))
                 for name in (self.database, other)]
        self.assertEqual(*shown)
        broken = self.write("broken.jsonl", lines.read_text() + "{}\n")
        self.refuse("vta-tune", "--db", self.folder / "third.db", "--import", broken, says=["broken.jsonl", "line "])

    def test_bad_input(self):
        foreign = self.write("foreign.db", "no database " * 100)
        self.refuse("vta-tune", "--show", "--db", foreign, says=["foreign.db"])
        self.refuse("vta-tune", "--show", "--db", self.folder / "absent.db", says=["absent.db"])
        self.refuse("vta-tune", MODEL, "--searcher", "oracle", code=2, says=["oracle", "learned"])
        self.refuse("vta-tune", code=2, says=["model is required"])
        self.refuse("vta-tune", MODEL, "--db", self.database, "--dram", "ddr9", says=["--dram", "ddr9"])
        self.refuse("vta-compile", MODEL, *DIGITS_OPTIONS, "--tuned", foreign, says=["--tuned", "foreign.db"])

    def test_files_that_would_be_overwritten(self):
        model = self.folder / "model.onnx"
        shutil.copy(MODEL, model)
        content = model.read_bytes()
        options = (model, *DIGITS_OPTIONS, "--db", self.database)
        for more, says in ((["--compare", "random", "--html", model], ["--html", "model.onnx"]),
                           (["--export", model], ["--export", "model.onnx"]),
                           (["--export", self.folder / "none/lines"], ["--export", "none"])):
            self.refuse("vta-tune", *options, *more, says=says)
            self.assertFalse(self.database.exists())
        self.assertEqual(model.read_bytes(), content)

    def test_the_cost_model_to_begin_with(self):
        broken = self.write("model.json", '{"format": "vta-cost-model-1", "features": ["log_macs"], "trees": {}}')
        options = (MODEL, *DIGITS_OPTIONS, "--db", self.database, "--trials", "2")
        self.refuse("vta-tune", *options, "--cost-model", broken, says=["model.json", "1 features", "vta-dataset"])
        self.refuse("vta-tune", *options, "--cost-model", self.folder / "none.json", says=["none.json"])
        self.refuse("vta-tune", MODEL, "--target", "cpu", "--cost-model", broken, code=2, says=["it takes no --cost-model"])
        self.succeed("vta-tune", *options, "--cost-model", "none")

    def test_the_code_of_the_cpu_is_tuned_and_used(self):
        text = self.succeed("vta-tune", MODEL, "--target", "cpu", "--trials", "6", "--db", self.database, "--json")
        tasks = json.loads(text)["tasks"]
        self.assertGreater(len(tasks), 2)
        for task in tasks:
            self.assertLessEqual(task["best_ns"], task["default_ns"])
            self.assertEqual(task["failed_trials"], 0)
            self.assertEqual(task["trials"], min(6, task["schedules"]))
            self.assertGreater(sum(task["rejected"].values()), 0)
        shown = json.loads(self.succeed("vta-tune", "--show", "--db", self.database, "--json"))["tasks"]
        self.assertEqual({task["source"] for task in shown}, {"cpu, ns"})
        outputs = []
        for tuned, origin in ((self.database, "tuned schedule"), ("none", "default schedule")):
            folder = self.folder / f"outputs-{len(outputs)}"
            run = self.run_json(MODEL, "--partition", "cpu", "--tuned", tuned, "--no-cache", "--output", folder)
            convolutions = [row for layer in run["layers"] for row in layer["convolutions"]]
            self.assertEqual({row["schedule"] for row in convolutions}, {origin})
            self.assertGreaterEqual(len(convolutions), len(tasks))
            outputs.append([file.read_bytes() for file in sorted(folder.iterdir())])
        self.assertEqual(*outputs)  # results do not depend on schedules
        lines = self.folder / "best.jsonl"
        self.succeed("vta-tune", "--db", self.database, "--export", lines, "--best")
        self.assertEqual(len(lines.read_text().splitlines()), len(tasks))
        self.succeed("vta-tune", "--db", self.folder / "other.db", "--import", lines)

    def test_integers_of_the_cpu_are_tuned_and_used(self):
        options = (MODEL, "--partition", "cpu-quantized")
        text = self.succeed("vta-tune", *options, "--target", "cpu", "--trials", "4", "--db", self.database, "--json")
        tasks = json.loads(text)["tasks"]
        self.assertGreater(len(tasks), 2)
        self.assertEqual({task["failed_trials"] for task in tasks}, {0})
        outputs = []
        for tuned in (self.database, "none"):
            folder = self.folder / f"integers-{len(outputs)}"
            self.succeed("vta-run", *options, "--tuned", tuned, "--no-cache", "--output", folder)
            outputs.append([file.read_bytes() for file in sorted(folder.iterdir())])
        self.assertEqual(*outputs)

    def test_what_does_not_go_together(self):
        for options, problem in (
                (("--target", "cpu", "--dram", "simple"), "it takes no --dram"),
                (("--target", "cpu", "--searcher", "exhaustive"), "nothing is proven of a CPU"),
                (("--target", "gpu"), "--target"),
                (("--html", "page.html"), "--compare"),
                (("--compare", "luck"), "'luck' is no searcher"),
                (("--best",), "--export")):
            result = tool("vta-tune", MODEL, *options, "--db", self.database)
            self.assertEqual(result.returncode, 2, options)
            self.assertIn(problem, result.stderr)


if __name__ == "__main__":
    unittest.main()
