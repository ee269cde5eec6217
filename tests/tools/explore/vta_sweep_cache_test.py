"""vta-sweep: nothing is computed twice, nor lost."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from sweep_case import GRID, SMALL, SweepCase  # noqa: E402
from tool_case import BIN  # noqa: E402


class CacheTest(SweepCase):
    def counts(self, text):
        return [int(number) for number in re.search(
            r"(\d+) networks simulated, (\d+) taken from the cache, (\d+) equal", text).groups()]

    def run_sweep(self, *arguments):
        return self.succeed("vta-sweep", self.description(GRID), "--cache", self.cache, *arguments)

    def test_nothing_is_done_twice(self):
        self.assertEqual(self.counts(self.run_sweep()), [6, 0, 0])
        self.assertEqual(self.counts(self.run_sweep()), [0, 6, 0])

    def test_points_that_differ_in_the_clock_are_simulated_once(self):
        text = self.succeed("vta-sweep", self.description(SMALL + "grid: {clock_mhz: [50, 100, 200]}\n"), "--cache",
                            self.cache)
        self.assertEqual(self.counts(text), [1, 0, 2])

    def test_the_cache_is_in_the_users_folder(self):
        description = self.description(GRID)
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
        command = [BIN / "vta-sweep", self.description(GRID), "--cache", self.cache, "--json"]
        processes = [subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      text=True) for _ in range(3)]
        outputs = [process.communicate(timeout=240) for process in processes]
        self.assertEqual([process.returncode for process in processes], [0, 0, 0], outputs)
        results = [json.loads(output)["points"] for output, _ in outputs]
        self.assertEqual(results[0], results[1])
        self.assertEqual(results[0], results[2])

    LONG = GRID.replace("[2, 4, 8]", "{from: 1, to: 64, step: 1}")

    def interrupted(self, number, *arguments):
        """What a sweep of 128 points says that a signal stops in the middle."""
        before = self.stored()
        command = [BIN / "vta-sweep", self.description(self.LONG), "--cache", self.cache, "--workers", "1", *arguments]
        process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 120
        while self.stored() < before + 3 and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(number)
        output, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 128 + number, errors)
        self.assertIn(f"stopped by {signal.Signals(number).name}", errors)
        self.assertIn("the same command goes on", errors)
        return output

    def test_an_interrupted_sweep_goes_on(self):
        self.assertIn("128 points", self.interrupted(signal.SIGTERM))
        self.assertEqual(json.loads(self.interrupted(signal.SIGINT, "--json"))["format"], "vta-error")
        stored = self.stored()
        self.assertGreaterEqual(stored, 6)
        self.assertLess(stored, 128)
        again = self.counts(self.succeed("vta-sweep", self.description(self.LONG), "--cache", self.cache))
        self.assertEqual(again, [128 - stored, stored, 0])

    def test_half_a_sweep_is_in_no_file(self):
        files = {option: self.folder / option.strip("-") for option in ("--output", "--csv", "--report", "--best-output")}
        files["--csv"].write_text("of before")
        options = [part for option, file in files.items() for part in (option, file)]
        self.interrupted(signal.SIGINT, *options, "--best", "lut")
        self.assertEqual(files.pop("--csv").read_text(), "of before")
        self.assertFalse(any(file.exists() for file in files.values()))

    def test_damaged_entries_are_computed_again(self):
        page = self.folder / "page.html"
        expected = self.sweep(GRID, "--report", page)
        del expected["manifest"]
        for kind in ("network", "outline", "layers", "schedule"):
            for value in ("'{{'", "''", "substr(value, 1, 40)", "replace(value, '1', '2')"):
                with sqlite3.connect(self.cache) as database:
                    database.execute(f"UPDATE entries SET value = {value} WHERE kind = '{kind}'")
                    # An outline is asked for where a network is not known.
                    if kind == "outline":
                        database.execute("DELETE FROM entries WHERE kind = 'network'")
                again = self.sweep(GRID, "--report", page)
                self.assertEqual({key: again[key] for key in expected}, expected, (kind, value))
        self.assertEqual(self.counts(self.run_sweep()), [0, 6, 0])  # and are there again

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
        self.refuse_sweep(GRID, says=["cache.db"])
        self.cache.unlink()
        with sqlite3.connect(self.cache) as database:
            database.execute("CREATE TABLE t(x)")
        self.refuse_sweep(GRID, says=["no cache of vta-sweep", "--cache"])


if __name__ == "__main__":
    unittest.main()
