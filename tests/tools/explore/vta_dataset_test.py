"""vta-dataset: the sample of the repository, resuming, and bad input."""

import json
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import BIN, ROOT, ToolCase  # noqa: E402

SAMPLE = ROOT / "examples/data-set"


class VtaDatasetTest(ToolCase):
    def make(self, name, *arguments):
        folder = self.folder / name
        self.succeed("vta-dataset", folder, *arguments)
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    def test_the_sample_is_made_again_byte_for_byte(self):
        made = self.make("sample", "--points", "500", "--seed", "7")
        for name, data in made.items():
            self.assertEqual(data, (SAMPLE / name).read_bytes(), name)
        self.assertEqual(set(made), {path.name for path in SAMPLE.iterdir()})

    def test_the_sample_makes_sense(self):
        description = json.loads((SAMPLE / "data-set.json").read_text())
        with numpy.load(SAMPLE / "points-00000.npz") as file:
            points = dict(file)
        self.assertEqual([column["name"] for column in description["columns"]], list(points))
        for column in description["columns"]:
            array = points[column["name"]]
            self.assertEqual((array.dtype.str, array.shape), (column["type"], (500,)))
            self.assertNotEqual(column["doc"], "")
        cycles = points["cycles"]
        self.assertTrue((cycles >= points["floor_cycles"]).all())
        self.assertTrue((points["floor_cycles"] > 0).all())
        for unit in ("fetch", "load", "compute", "store"):
            times = sum(points[f"{unit}_{kind}_cycles"] for kind in
                        ("busy", "stall_token", "stall_memory", "stall_hazard"))
            self.assertTrue((times <= cycles).all(), unit)
        waits = points["compute_waits_for_load_cycles"] + points["compute_waits_for_store_cycles"]
        self.assertTrue((waits == points["compute_stall_token_cycles"]).all())
        # A group is one kernel on one accelerator, under several schedules and memories.
        for group in numpy.unique(points["group"]):
            rows = points["group"] == group
            for name, array in points.items():
                if name.startswith(("workload_", "hw_")):
                    self.assertEqual(len(numpy.unique(array[rows])), 1, name)
        for name in ("workload_kind", "hw_gemm_block_in", "memory_kind", "schedule_tile_height"):
            self.assertGreater(len(numpy.unique(points[name])), 1, name)

    def test_a_cost_model_learns_the_points(self):
        models = []
        for workers in ("1", "2"):
            file = self.folder / f"model-{workers}.json"
            self.succeed("vta-dataset", "--cost-model", file, "--points", "1010", "--workers", workers)
            models.append(file.read_bytes())
        self.assertEqual(*models)
        self.refuse("vta-dataset", code=2, says=["a folder is required", "--cost-model"])
        self.refuse("vta-dataset", self.folder / "both", "--cost-model", file, code=2, says=["--cost-model", "excludes"])
        self.refuse("vta-dataset", "--cost-model", self.folder / "none" / "model.json", "--points", "10", says=["model.json"])

    def test_threads_and_interruptions_change_nothing(self):
        expected = self.make("expected", "--points", "1100", "--workers", "1")
        self.assertEqual(len(expected), 3)
        folder = self.folder / "interrupted"
        process = subprocess.Popen([BIN / "vta-dataset", folder, "--points", "1100", "--workers", "2"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 200
        while not list(folder.glob("*.npz")) and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=100)
        if len(list(folder.glob("*.npz"))) < 3:  # it may just have ended
            self.assertEqual(process.returncode, 130)
            self.assertIn("stopped by SIGINT: the same command goes on", errors)
        self.assertEqual(self.make("interrupted", "--points", "1100", "--workers", "2"), expected)

    def test_nothing_is_written_through_a_link(self):
        folder = self.folder / "given"
        self.make("given", "--points", "10")
        (folder / "points-00000.npz").unlink()
        (folder / "points-00000.npz").symlink_to(self.folder / "elsewhere")
        self.refuse("vta-dataset", folder, "--points", "10", says=["points-00000.npz", "is a link"])
        self.assertFalse((self.folder / "elsewhere").exists())

    def test_more_points_come_behind_the_others(self):
        folder = self.folder / "grown"
        self.make("grown", "--points", "40")
        with numpy.load(folder / "points-00000.npz") as file:
            before = dict(file)
        grown = self.make("grown", "--points", "90")
        self.assertEqual(grown, self.make("at once", "--points", "90"))
        with numpy.load(folder / "points-00000.npz") as file:
            for name, array in before.items():
                self.assertTrue((file[name][:40] == array).all())
        self.refuse("vta-dataset", folder, "--points", "40", says=["of 90 points already"])

    def test_bad_input(self):
        self.refuse("vta-dataset", code=2, says=["folder"])
        self.refuse("vta-dataset", self.folder / "x", "--points", "0", code=2, says=["--points"])
        self.make("seeded", "--points", "1", "--seed", "3")
        self.refuse("vta-dataset", self.folder / "seeded", "--points", "1", says=["seed 3", "--seed 3"])
        description = self.folder / "seeded/data-set.json"
        other = json.loads(description.read_text()) | {"compiler": "0"}
        description.write_text(json.dumps(other))
        self.refuse("vta-dataset", self.folder / "seeded", "--points", "1", "--seed", "3", says=["another version"])
        description.write_text("{")
        self.refuse("vta-dataset", self.folder / "seeded", "--points", "1", says=["does not describe a data set"])
        foreign = self.folder / "foreign"
        foreign.mkdir()
        (foreign / "thesis.txt").write_text("precious")
        self.refuse("vta-dataset", foreign, says=["foreign", "not empty"])
        self.assertEqual(os.listdir(foreign), ["thesis.txt"])
        self.refuse("vta-dataset", self.write("file", "x"), says=["file"])


if __name__ == "__main__":
    unittest.main()
