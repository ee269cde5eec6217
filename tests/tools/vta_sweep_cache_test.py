"""vta-sweep: nothing is computed twice, nor lost."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import time
import unittest

from sweep_case import GRID, SMALL, SweepCase
from tool_case import BIN


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

    def test_an_interrupted_sweep_goes_on(self):
        text = GRID.replace("[2, 4, 8]", "{from: 1, to: 64, step: 1}")
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
        self.refuse_sweep(GRID, says=["cache.db"])
        self.cache.unlink()
        with sqlite3.connect(self.cache) as database:
            database.execute("CREATE TABLE t(x)")
        self.refuse_sweep(GRID, says=["no cache of vta-sweep", "--cache"])


if __name__ == "__main__":
    unittest.main()
