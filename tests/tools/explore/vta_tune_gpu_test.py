"""vta-tune --target gpu, and what compilations take from it. Mesa's or Chromium's driver stands for a GPU. Skipped where
neither is installed."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import BIN, DIGITS, DIGITS_OPTIONS, ToolCase, tool  # noqa: E402

MODEL = DIGITS / "digits.onnx"
DRIVERS = [path for path in ("/usr/share/vulkan/icd.d/lvp_icd.x86_64.json", "/usr/lib/chromium/vk_swiftshader_icd.json")
           if Path(path).exists()]


@unittest.skipUnless(DRIVERS, "no Vulkan driver")
class VtaTuneGpuTest(ToolCase):
    def setUp(self):
        super().setUp()
        self.database = self.folder / "tuning.db"
        os.environ["VK_ICD_FILENAMES"] = DRIVERS[0]
        self.addCleanup(os.environ.pop, "VK_ICD_FILENAMES", None)

    def tune(self, *arguments):
        text = self.succeed("vta-tune", MODEL, "--target", "gpu", "--host", "gpu:vulkan", "--db", self.database, "--json",
                            *arguments)
        return json.loads(text)["tasks"]

    def run_tuned(self, tuned, *arguments):
        """The report, and the origins of schedules."""
        report = self.run_json(MODEL, "--host", "gpu:vulkan", "--tuned", tuned, "--no-cache", *arguments)
        return report, {row["schedule"] for layer in report["layers"] for row in layer["convolutions"]
                        if layer["where"] == "gpu"}

    def test_floats_are_tuned_and_used(self):
        tasks = self.tune("--trials", "3")
        self.assertGreater(len(tasks), 2)
        for task in tasks:
            self.assertLessEqual(task["best_ns"], task["default_ns"])
            self.assertEqual((task["trials"], task["failed_trials"]), (3, 0))
            self.assertGreater(sum(task["rejected"].values()), 0)
            self.assertIn("block_rows", task["schedule"])
        shown = json.loads(self.succeed("vta-tune", "--show", "--db", self.database, "--json"))["tasks"]
        source, = {task["source"] for task in shown}
        self.assertEqual(source, f"{tasks[0]['gpu']}, ns")
        outputs = []
        for tuned, origin in ((self.database, "tuned schedule"), ("none", "default schedule")):
            folder = self.folder / origin
            report, origins = self.run_tuned(tuned, "--partition=gpu", "--verify", "--output", folder)
            self.assertEqual(origins, {origin})
            self.assertGreater(report["verified_layers"], 0)
            outputs.append([np.load(output["file"]) for output in report["outputs"]])
        for tuned, default in zip(*outputs, strict=True):
            np.testing.assert_allclose(tuned, default, rtol=1e-4, atol=1e-4)
        # Where no GPU is at hand, the only one of the database, or the one that is named.
        module = self.folder / "tuned.vta.so"
        for more in ((), ("--tuned-on", source)):
            self.succeed("vta-compile", MODEL, "--partition=gpu", "--tuned", self.database, *more, "-o", module)
            _, origins = self.run_module(module)
            self.assertEqual(origins, {"tuned schedule"})
        # What was measured is not measured again.
        again = self.tune("--trials", "3")
        self.assertEqual(sum(task["new_trials"] for task in again), 0)

    @staticmethod
    def start(arguments):
        return subprocess.Popen([str(part) for part in (BIN / "vta-tune", *arguments)], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def stored_trials(self):
        result = tool("vta-tune", "--show", "--json", "--db", self.database)
        return sum(task["trials"] for task in json.loads(result.stdout)["tasks"]) if result.returncode == 0 else 0

    def wait_for_trials(self, count):
        deadline = time.monotonic() + 120
        while self.stored_trials() < count and time.monotonic() < deadline:
            time.sleep(0.2)

    def run_module(self, module):
        report = self.run_json(module, "--host", "gpu:vulkan", "--verify")
        return report, {row["schedule"] for layer in report["layers"] for row in layer["convolutions"]
                        if layer["where"] == "gpu"}

    def test_integers_are_tuned_and_used(self):
        options = (*DIGITS_OPTIONS, "--partition=gpu-quantized")
        tasks = self.tune("--trials", "2", *options)
        self.assertEqual({task["failed_trials"] for task in tasks}, {0})
        report, origins = self.run_tuned(self.database, *options, "--verify")
        self.assertEqual(origins, {"tuned schedule"})
        self.assertGreater(report["verified_layers"], 0)

    def test_schedules_of_another_gpu_are_left_aside(self):
        self.tune("--trials", "1")
        connection = sqlite3.connect(self.database)
        connection.execute("UPDATE tasks SET configuration = 'Other GPU (cuda)'")
        connection.execute("UPDATE trials SET source = 'Other GPU (cuda), ns'")
        connection.commit()
        connection.close()
        report, origins = self.run_tuned(self.database, "--partition=gpu")
        self.assertEqual(origins, {"default schedule"})
        self.assertTrue([text for text in report["warnings"] if "no trial for this GPU" in text], report["warnings"])

    def test_an_interrupted_search_goes_on(self):
        process = self.start([MODEL, "--target", "gpu", "--host", "gpu:vulkan", "--db", self.database, "--searcher", "random",
                              "--trials", "100000", "--patience", "0"])
        self.wait_for_trials(3)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130)
        resume = next(line for line in errors.splitlines() if "--resume" in line).split()
        self.assertIn("gpu:vulkan", resume)
        stored = self.stored_trials()
        process = self.start(resume[1:])
        self.wait_for_trials(stored + 1)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
        self.assertGreater(self.stored_trials(), stored)

    def test_what_does_not_go_together(self):
        for options, problem in (
                (("--dram", "simple"), "it takes no --dram"),
                (("--device", "cycle"), "it takes no --device"),
                (("--searcher", "exhaustive"), "nothing is proven of a GPU"),
                (("--serve-candidates",), "it takes no --serve-candidates"),
                (("--host", "cpu"), "write gpu, gpu:N or gpu:NAME")):
            result = tool("vta-tune", MODEL, "--target", "gpu", *options, "--db", self.database)
            self.assertEqual(result.returncode, 2, options)
            self.assertIn(problem, result.stderr)
        result = tool("vta-tune", MODEL, "--host", "gpu:0", "--db", self.database)
        self.assertEqual(result.returncode, 2)
        self.assertIn("goes with --target gpu", result.stderr)
        self.refuse("vta-tune", MODEL, "--target", "gpu", "--host", "gpu:nothing", "--db", self.database,
                    says=["there is no GPU 'nothing'"])


if __name__ == "__main__":
    unittest.main()
