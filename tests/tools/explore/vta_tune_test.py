"""vta-tune: search, database, and what compilations take from it."""

import importlib.util
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import unittest
from pathlib import Path

import numpy as np
from onnx import helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from report_case import data_of  # noqa: E402
from tool_case import BIN, DIGITS, DIGITS_OPTIONS, HW, ToolCase, tool  # noqa: E402

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
        process = self.start([MODEL, *DIGITS_OPTIONS, "--db", self.database, "--searcher", "random", "--trials", "100000",
                              "--patience", "0"])
        deadline = time.monotonic() + 120
        while self.stored_trials() < 20 and time.monotonic() < deadline:
            time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        text, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn("all layers:", text)
        stored = self.stored_trials()
        self.assertGreaterEqual(stored, 20)
        # The command that the message names goes on.
        self.assertIn("stopped by SIGINT", errors)
        self.assertIn("every finished trial", errors)
        resume = next(line for line in errors.splitlines() if "--resume" in line).strip()
        self.assertNotIn("--trials", resume)
        process = self.start(resume.split()[1:])
        while self.stored_trials() == stored and time.monotonic() < deadline:
            time.sleep(0.2)
        process.send_signal(signal.SIGTERM)
        text, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143)
        self.assertIn("stopped by SIGTERM", errors)
        self.assertGreater(self.stored_trials(), stored)

    def test_an_interrupted_run_has_no_json_of_results(self):
        page = self.folder / "page.html"
        lines = self.folder / "lines.jsonl"
        for options in (["--export", lines], ["--compare", "random", "--seeds", "100", "--html", page]):
            self.database.unlink(missing_ok=True)
            process = self.start([MODEL, *DIGITS_OPTIONS, "--db", self.database, "--searcher", "random", "--trials", "100000",
                                  "--patience", "0", "--json", *options])
            deadline = time.monotonic() + 120
            while self.stored_trials() < 20 and time.monotonic() < deadline:
                time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            text, _ = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130)
            self.assertEqual(json.loads(text)["format"], "vta-error")
            self.assertFalse(page.exists() or lines.exists())

    @staticmethod
    def start(arguments):
        return subprocess.Popen([str(part) for part in (BIN / "vta-tune", *arguments)], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

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
        resumed = json.loads(self.succeed("vta-tune", MODEL, "--resume", *DIGITS_OPTIONS, "--db", self.database,
                                          "--json"))["tasks"]
        self.assertEqual(sum(task["new_trials"] for task in resumed), len(expected) - len(expected) // 2)
        self.assertEqual(self.schedules_of(self.database), expected)
        self.refuse("vta-tune", MODEL, "--resume", *DIGITS_OPTIONS, "--db", self.database,
                    says=["no interrupted run", "--show"])

    def leave_open(self, arguments, folder="/somewhere"):
        """As a run of this command leaves the database that was killed."""
        with sqlite3.connect(self.database) as database:
            database.execute("DELETE FROM runs")
            database.execute("INSERT INTO runs VALUES(1, ?, ?, 0, 0)", (str(folder), json.dumps([str(a) for a in arguments])))

    def test_resume_refuses(self):
        self.refuse("vta-tune", MODEL, "--resume", "--db", self.folder / "absent.db", says=["absent.db"])
        self.assertFalse((self.folder / "absent.db").exists())
        self.refuse("vta-tune", MODEL, "--resume", "--db", self.database, "--trials", "9", code=2, says=["leave out --trials"])
        for other in ("--show", "--serve-candidates", "--compare=random"):
            self.refuse("vta-tune", MODEL, "--resume", other, "--db", self.database, code=2, says=["goes on with a search"])
        self.tune("--trials", "2")
        self.refuse("vta-tune", MODEL, "--resume", "--db", self.database, says=["no interrupted run"])
        # What is given has to be what the run was begun with; the message has the command.
        self.leave_open([MODEL, *DIGITS_OPTIONS, "--hw", "default", "--trials=2", "--seed", "3", "--dram", "a b's"])
        self.refuse("vta-tune", "--resume", "--db", self.database,
                    says=["model was", "now not given", "--hw was", "'/somewhere'", f"vta-tune {MODEL} --resume --calibrate",
                          f"--db {self.database}", r"--dram 'a b'\''s'"])
        result = self.refuse("vta-tune", MODEL, "--resume", *DIGITS_OPTIONS, "--hw", "zu3eg", "--dram", "a b's", "--db",
                             self.database, says=["--hw was"])
        self.assertNotIn("--trials", result.stderr)
        self.leave_open([MODEL, "--tune-faster"])
        self.refuse("vta-tune", MODEL, "--resume", "--db", self.database, says=["does not take", "--tune-faster"])

    def test_a_database_sets_nothing_but_the_search(self):
        """Whatever a stranger writes as the run's command: no program runs, no file is written, no other model is read."""
        marker = self.folder / "marker"
        launcher = self.write("launcher.yaml", "launcher: command\nworkers: 1\nstart_within_seconds: 5\ncommand:\n"
                              f"  submit: 'touch {marker}; echo 1 # {{command}} {{name}} {{log}}'\n"
                              "  status: 'echo RUN {job}'\n  cancel: 'true {job}'\n  pending: [PEND]\n  running: [RUN]\n")
        victim = self.write("victim.txt", "precious")
        self.tune("--trials", "2")
        begun = [MODEL, *DIGITS_OPTIONS, "--trials", "3"]
        evil = [["--launcher", "command", "--launcher-file", launcher], ["--compare", "random", "--html", victim],
                ["--export", victim], ["--watch", victim], ["--device", "tcp://127.0.0.1:9,token=/etc/passwd"], ["--import", victim],
                ["--cost-model", victim], ["--worker", self.folder], ["--show"], ["--serve-candidates"], ["--man"], ["--help"],
                ["--dram", victim], ["--target", "cpu"], ["--workers", "1024"]]
        for options in evil:
            for order in ([*begun, *options], [*options, *begun]):
                self.leave_open(order, self.folder)
                result = tool("vta-tune", MODEL, "--resume", *DIGITS_OPTIONS, "--db", self.database, cwd="/")
                harmless = options[0] in ("--workers", "--export", "--watch")
                self.assertEqual(result.returncode, 0 if harmless else 1, (options, result.stderr))
                self.assertFalse(marker.exists(), options)
                self.assertEqual(victim.read_text(), "precious", options)
        # Only the search's options are taken: three trials of each task, and the seed.
        self.leave_open([*begun, "--seed", "77", "--searcher", "random"], "/nowhere")
        tasks = json.loads(self.succeed("vta-tune", MODEL, "--resume", *DIGITS_OPTIONS, "--db", self.database, "--json"))["tasks"]
        self.assertEqual({task["trials"] for task in tasks}, {3})

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
        # The proven schedules are taken, but for those that make the network slower as a whole.
        with sqlite3.connect(self.database) as database:
            stored, untuned = database.execute("SELECT schedules, untuned_cycles FROM networks").fetchone()
        proven = [layer["reason"].startswith("proven schedule") for layer in on_vta]
        self.assertEqual(proven, [kept["is_tuned"] for kept in json.loads(stored)], on_vta)
        self.assertGreater(sum(proven), len(proven) / 2)
        self.assertLess(report["totals"]["cycles"], untuned)
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

    def network_of_many_kinds(self):
        """Few channels, a depthwise layer, a residual, two ends: a small network whose layers overlap a lot."""
        random = np.random.RandomState(13)
        constants, nodes = [], []

        def weight(*shape, scale):
            constants.append((f"w{len(constants)}", (random.randn(*shape) * scale).astype(np.float32)))
            return constants[-1][0]

        def op(kind, inputs, **attributes):
            nodes.append(helper.make_node(kind, inputs, [f"t{len(nodes)}"], **attributes))
            return nodes[-1].output[0]

        def conv(x, channels, outputs, kernel, group=1, **attributes):
            fan_in = channels // group * kernel * kernel
            inputs = [x, weight(outputs, channels // group, kernel, kernel, scale=(2 / fan_in) ** 0.5),
                      weight(outputs, scale=0.1)]
            return op("Relu", [op("Conv", inputs, group=group, pads=[kernel // 2] * 4, **attributes)])

        first = conv("x", 3, 20, 3)
        x = conv(conv(first, 20, 20, 3, group=20), 20, 20, 1)
        x = op("Relu", [op("Add", [x, first])])
        ends = [op("MaxPool", [x], kernel_shape=[2, 2], strides=[2, 2]), conv(x, 20, 9, 3, strides=[2, 2])]
        x = op("GlobalAveragePool", [conv(op("Concat", ends, axis=1), 29, 33, 1)])
        nodes.append(helper.make_node("Gemm", [op("Flatten", [x]), weight(33, 10, scale=0.3), weight(10, scale=0.1)], ["y"]))
        return self.model(nodes, [("x", [1, 3, 10, 10])], [("y", [1, 10])], constants)

    def cycles_of(self, model, *options):
        """What a run takes on the VTA, and the schedules of its layers."""
        report = self.run_json(model, "--sim=cycle", "--timing-only", "--no-cache", *options)
        return report["totals"]["cycles"], [layer["reason"] for layer in report["layers"] if layer["where"] == "vta"]

    def test_a_tuned_network_is_never_slower(self):
        slow = "kind: simple\nlatency_cycles: 400\nbeats_per_cycle: 1\noutstanding: 32\n"
        model = self.network_of_many_kinds()
        for name, memory in (("slow", slow), ("narrow", SLOW)):
            with self.subTest(name):
                options = ["--dram", self.write(f"{name}.yaml", memory)]
                database = self.folder / f"{name}.db"
                text = self.succeed("vta-tune", model, *options, "--trials", "60", "--db", database)
                self.assertRegex(text, r"the network with memory .*: [\d,]+ cycles untuned, [\d,]+ with all of these")
                networks = json.loads(self.succeed("vta-tune", model, *options, "--trials", "60", "--db", database,
                                                   "--json"))["networks"]
                self.assertEqual(len(networks), 1)
                network = networks[0]
                untuned, _ = self.cycles_of(model, *options, "--tuned", "none")
                tuned, reasons = self.cycles_of(model, *options, "--tuned", database)
                self.assertEqual(network["untuned_cycles"], untuned)
                self.assertEqual(network["cycles"], tuned)
                self.assertLessEqual(tuned, min(untuned, network["tuned_cycles"]))
                kept = sum(not reason.startswith("simulated schedule") for reason in reasons)
                self.assertEqual(kept > 0, network["kept"] > 0)
                # The same from lines of JSON.
                lines, imported = self.folder / f"{name}.jsonl", self.folder / f"{name}-2.db"
                self.succeed("vta-tune", "--db", database, "--export", lines, "--best")
                self.succeed("vta-tune", "--db", imported, "--import", lines)
                self.assertEqual(self.cycles_of(model, *options, "--tuned", imported), (tuned, reasons))
                # A network that the database has only as layers.
                with sqlite3.connect(database) as rows:
                    self.assertEqual(rows.execute("SELECT count(*) FROM networks").fetchone(), (1,))
                    rows.execute("DELETE FROM networks")
                chosen, _ = self.cycles_of(model, *options, "--tuned", database)
                self.assertLessEqual(chosen, min(untuned, network["tuned_cycles"]))

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

    def test_rows_that_cannot_be_true(self):
        self.tune("--trials", "8")
        options = (MODEL, *DIGITS_OPTIONS, "--db", self.database)
        for cycles, says in (("0", "cannot be true"), ("-5", "cannot be true"), ("1", "fewer cycles than are proven")):
            with sqlite3.connect(self.database) as database:
                database.execute(f"UPDATE trials SET cycles = {cycles} WHERE id % 2 = 0")
            shown = tool("vta-tune", "--show", "--db", self.database)
            self.assertEqual(shown.returncode, 0)
            self.assertNotIn("18,446,744", shown.stdout)
            for tool_name, more in (("vta-compile", ["-o", self.folder / "m.vta.so"]), ("vta-run", ["--sim", "--no-cache"])):
                result = tool(tool_name, MODEL, *DIGITS_OPTIONS, *more, "--tuned", self.database)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertRegex(result.stderr, f"warning: --tuned: .*tuning.db.*{says}")
            result = tool("vta-tune", *options, "--trials", "9")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(says, result.stderr)
            self.assertNotIn("Stack trace", result.stderr)
            self.assertNotIn("proven within -", result.stdout)

    def test_what_is_left_aside_is_said(self):
        memory = self.write("slow.yaml", SLOW)
        self.tune("--trials", "2", "--dram", memory)
        run = ("vta-run", MODEL, *DIGITS_OPTIONS, "--sim", "--no-cache", "--tuned", self.database)
        self.assertIn("no trial for the accelerator", tool(*run).stderr)
        self.assertNotIn("warning: --tuned", tool(*run[:-2], f"--dram={memory}", *run[-2:]).stderr)
        with sqlite3.connect(self.database) as database:
            database.execute("UPDATE trials SET compiler = '0'")
        self.assertIn("measured with other versions of the compiler (0;", tool(*run).stderr)
        page = self.folder / "page.html"
        result = tool(*run, "--json", "--report", page)
        self.assertIn("measured with other versions of the compiler", result.stderr)
        for warnings in (json.loads(result.stdout)["warnings"], data_of(page.read_text())["reports"][0]["summary"]["warnings"]):
            self.assertTrue(any("other versions of the compiler" in warning for warning in warnings), warnings)

    def test_what_is_no_database(self):
        pipe = self.folder / "pipe.db"
        os.mkfifo(pipe)
        for place, says in ((pipe, "is a pipe, not a file"), (self.folder, "is a directory, not a file"),
                            ("/dev/null", "is a device, not a file"), (self.folder / "none/tuning.db", "none")):
            self.refuse("vta-tune", "--show", "--db", place, says=[says])
            self.refuse("vta-tune", MODEL, "--trials", "2", "--db", place, says=[says])
            self.refuse("vta-tune", MODEL, "--resume", "--db", place, says=[says])
            self.refuse("vta-run", "--sim", MODEL, "--tuned", place, says=["--tuned", says])
            self.refuse("vta-compile", MODEL, "--tuned", place, says=["--tuned", says])
        self.tune("--trials", "2")
        for added in ("CREATE TRIGGER t AFTER INSERT ON trials BEGIN DELETE FROM trials; END",
                      "ALTER TABLE trials RENAME TO kept; CREATE VIEW trials AS WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL "
                      "SELECT x + 1 FROM r) SELECT * FROM r, kept"):
            copy = self.folder / "copy.db"
            shutil.copy(self.database, copy)
            with sqlite3.connect(copy) as database:
                database.executescript(added)
            self.refuse("vta-run", "--sim", MODEL, "--tuned", copy, says=["--tuned", "did not make"])
            self.refuse("vta-tune", MODEL, "--trials", "2", "--db", copy, says=["did not make"])

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
            outputs.append([np.load(output["file"]) for output in run["outputs"]])
        for tuned, default in zip(*outputs):  # schedules may differ in whether they transform
            np.testing.assert_allclose(tuned, default, rtol=1e-4, atol=1e-4)
        direct = []
        for tuned in (self.database, "none"):
            folder = self.folder / f"direct-{len(direct)}"
            self.run_json(MODEL, "--partition", "cpu", "--tuned", tuned, "--no-cache", "--no-winograd", "--output", folder)
            direct.append([file.read_bytes() for file in sorted(folder.iterdir())])
        self.assertEqual(*direct)  # without transforms, results do not depend on schedules
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

    def test_help_says_what_each_target_is(self):
        text = " ".join(self.succeed("vta-tune", "--help").split())
        self.assertIn("vta (default): kernels of the accelerator; cpu: convolutions and dense layers", text)
        self.assertIn("{vta,cpu,gpu}", text)

    def test_what_does_not_go_together(self):
        for options, problem in (
                (("--target", "cpu", "--dram", "simple"), "it takes no --dram"),
                (("--target", "cpu", "--searcher", "exhaustive"), "nothing is proven of a CPU"),
                (("--target", "cpu", "--serve-candidates"), "it takes no --serve-candidates"),
                (("--target", "fpga"), "--target"),
                (("--html", "page.html"), "--compare"),
                (("--compare", "luck"), "'luck' is no searcher"),
                (("--best",), "--export")):
            result = tool("vta-tune", MODEL, *options, "--db", self.database)
            self.assertEqual(result.returncode, 2, options)
            self.assertIn(problem, result.stderr)


if __name__ == "__main__":
    unittest.main()
