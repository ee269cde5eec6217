"""vta-tune where something fails: a database that others hold, a full disk, a client that is gone; devices; progress."""

import json
import os
import pty
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import BIN, DIGITS, DIGITS_OPTIONS, ToolCase, tool  # noqa: E402

MODEL = DIGITS / "digits.onnx"
SLOW = "kind: simple\nlatency_cycles: 120\nbeats_per_cycle: 2/3\noutstanding: 2\n"
LINES = ".unsaved.jsonl"


def trials_of(database):
    result = tool("vta-tune", "--show", "--json", "--db", database)
    return sum(task["trials"] for task in json.loads(result.stdout)["tasks"]) if result.returncode == 0 else 0


class VtaTuneFailuresTest(ToolCase):
    def setUp(self):
        super().setUp()
        self.database = self.folder / "tuning.db"

    def start(self, *arguments, **options):
        command = [BIN / "vta-tune", MODEL, *DIGITS_OPTIONS, "--db", self.database, "--searcher", "random", *arguments]
        return subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                **options)

    def lock(self, process):
        """Holds the database as soon as `process` has stored trials; another process would do it in the same way."""
        deadline = time.monotonic() + 120
        while (not self.database.exists() or trials_of(self.database) == 0) and time.monotonic() < deadline:
            time.sleep(0.02)
        connection = sqlite3.connect(self.database, timeout=30, isolation_level=None)
        connection.execute("BEGIN IMMEDIATE")
        self.assertIsNone(process.poll(), "the search was over before the database was locked")
        return connection

    def test_a_search_outlasts_a_lock(self):
        process = self.start("--trials", "400", "--patience", "0", "--json")
        connection = self.lock(process)
        time.sleep(6)  # longer than SQLite itself waits
        connection.close()
        text, errors = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(trials_of(self.database), sum(task["trials"] for task in json.loads(text)["tasks"]))

    def test_a_lock_that_stays(self):
        process = self.start("--trials", "100000", "--patience", "0", "--db-wait", "1")
        connection = self.lock(process)
        _, errors = process.communicate(timeout=300)
        connection.close()
        self.assertEqual(process.returncode, 1, errors)
        for text in ("another process holds it", "measured trials that it lacks", f"--import {self.database}{LINES}"):
            self.assertIn(text, errors)
        before = trials_of(self.database)
        self.succeed("vta-tune", "--db", self.database, "--import", f"{self.database}{LINES}")
        self.assertGreater(trials_of(self.database), before)

    def test_a_file_that_may_not_grow(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))

        process = self.start("--trials", "100000", "--patience", "0", "--db-wait", "0", preexec_fn=limit)
        _, errors = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 1, errors)
        for text in ("disk", "ulimit", "measured trials that it lacks"):
            self.assertIn(text, errors)
        self.take_over_lines(f"{self.database}{LINES}")

    def take_over_lines(self, lines):
        with sqlite3.connect(self.database) as connection:
            self.assertEqual(connection.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        before = trials_of(self.database)
        self.assertGreater(before, 0)
        other = self.folder / "other.db"
        self.succeed("vta-tune", "--db", other, "--import", lines)
        self.assertGreater(trials_of(other), 0)

    @unittest.skipUnless(os.geteuid() == 0, "only root can mount a small file system")
    def test_a_full_disk(self):
        small = self.folder / "small"
        small.mkdir()
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", small], capture_output=True, check=False)
        if mount.returncode != 0:
            self.skipTest("a small file system cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", small], check=False)
        self.database = small / "tuning.db"
        process = self.start("--trials", "100000", "--patience", "0", "--db-wait", "0",
                             env={**os.environ, "TMPDIR": str(self.folder)})
        _, errors = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 1, errors)
        lines = self.folder / f"tuning.db{LINES}"
        for text in ("disk is full", f"--import {lines}'"):
            self.assertIn(text, errors)
        (small / f"tuning.db{LINES}").unlink(missing_ok=True)  # room for SQLite
        self.take_over_lines(lines)

    def test_a_database_that_goes_away(self):
        """Deleted, moved or replaced under a search: an error, and every trial is saved."""
        def delete():
            for suffix in ("", "-wal", "-shm"):
                self.database.with_name(self.database.name + suffix).unlink(missing_ok=True)

        def replace():
            self.write("other", "something else").rename(self.database)

        lines = self.folder / f"tuning.db{LINES}"
        for take_away in (delete, lambda: self.database.rename(self.folder / "moved.db"), replace):
            delete()
            lines.unlink(missing_ok=True)
            process = self.start("--trials", "100000", "--patience", "0")
            deadline = time.monotonic() + 120
            while (not self.database.exists() or trials_of(self.database) < 20) and time.monotonic() < deadline:
                time.sleep(0.02)
            stored = trials_of(self.database)
            take_away()
            _, errors = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 1, errors)
            for text in ("was deleted, moved or replaced", "what was in it is kept", f"--import {lines}"):
                self.assertIn(text, errors)
            saved = self.folder / "saved.db"
            saved.unlink(missing_ok=True)
            self.succeed("vta-tune", "--db", saved, "--import", lines)
            self.assertGreaterEqual(trials_of(saved), stored)
            if take_away is replace:
                self.assertEqual(self.database.read_text(), "something else")

    def test_exports_that_cannot_be_written(self):
        self.succeed("vta-tune", MODEL, *DIGITS_OPTIONS, "--db", self.database, "--searcher", "random", "--trials", "24")
        self.refuse("vta-tune", "--db", self.database, "--export", "/dev/full", says=["/dev/full", "No space left"])
        self.refuse("vta-tune", MODEL, *DIGITS_OPTIONS, "--db", self.database, "--compare", "random", "--trials", "4",
                    "--seeds", "1", "--html", "/dev/full", says=["/dev/full", "No space left"])
        lines = self.folder / "lines.jsonl"

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))

        self.refuse("vta-tune", "--db", self.database, "--export", lines, says=["lines.jsonl", "too large"],
                    preexec_fn=limit)
        self.assertEqual([path for path in self.folder.iterdir() if "lines" in path.name], [])

    def test_a_client_that_is_gone(self):
        command = [BIN / "vta-tune", MODEL, *DIGITS_OPTIONS, "--db", self.database, "--serve-candidates"]
        process = subprocess.Popen([str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        process.stdin.write('{"do": "evaluate", "task": 1, "candidates": [0, 1]}\n')
        process.stdin.flush()
        self.assertIn("results", json.loads(process.stdout.readline()))
        process.stdout.close()
        process.stdin.write('{"do": "evaluate", "task": 1, "candidates": [2]}\n' * 2)
        process.stdin.close()
        errors = process.stderr.read()
        process.stderr.close()
        self.assertEqual(process.wait(timeout=60), 1, errors)
        self.assertIn("standard output", errors)
        self.assertGreaterEqual(trials_of(self.database), 3)  # what was measured is kept

    def tune(self, *arguments):
        text = self.succeed("vta-tune", MODEL, *DIGITS_OPTIONS, "--db", self.database, "--json", "--searcher", "random",
                            "--trials", "3", *arguments)
        return json.loads(text)["tasks"]

    def test_a_device_has_the_memory_of_its_cycles(self):
        slow = self.write("slow.yaml", SLOW)
        expected = [task["default_cycles"] for task in self.tune("--dram", slow)]
        for options in (("--device", "cycle", "--dram", slow), ("--device", f"cycle:dram={slow}"),
                        ("--device", f"cycle:dram={slow}", "--dram", slow)):
            tasks = self.tune(*options)
            self.assertEqual([task["default_cycles"] for task in tasks], expected, options)
            self.assertEqual({task["rank_agreement"] for task in tasks}, {1.0})
        self.refuse("vta-tune", MODEL, "--device", f"cycle:dram={slow}", "--dram", "ddr3-1066", code=2,
                    says=["slow.yaml", "ddr3-1066", "leave one out"])

    @unittest.skipUnless(shutil.which("verilator"), "Verilator is not installed")
    def test_the_rtl_measures(self):
        expected = [task["default_cycles"] for task in self.tune()]
        tasks = self.tune("--device", "rtl", "--launches", "1")
        self.assertEqual([task["default_cycles"] for task in tasks], expected)
        sources = {task["source"] for task in json.loads(self.succeed("vta-tune", "--show", "--db", self.database,
                                                                      "--json"))["tasks"]}
        self.assertEqual(len(sources), 2)

    def progress_of(self, name, *arguments):
        """What a tool shows on a terminal meanwhile; it is stopped in the end."""
        ours, its = pty.openpty()
        process = subprocess.Popen([str(part) for part in (BIN / name, *arguments)], stdout=subprocess.DEVNULL, stderr=its)
        os.close(its)
        text = ""
        deadline = time.monotonic() + 60
        while " s left" not in text and time.monotonic() < deadline:
            try:
                text += os.read(ours, 65536).decode(errors="replace")
            except OSError:  # the tool has ended
                break
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        os.close(ours)
        return text

    def test_progress_shows_the_time_that_is_left(self):
        options = (MODEL, *DIGITS_OPTIONS, "--db", self.database, "--trials", "2000", "--patience", "0")
        self.assertRegex(self.progress_of("vta-tune", *options),
                         r"tune \d+/\d+, \d+ s left: .*trial \d+ of 2000, best [\d,]+, \d+ trials a second")
        self.assertRegex(self.progress_of("vta-tune", *options, "--compare", "random", "--compare", "grid"),
                         r"compare \d+/\d+, \d+ s left: .*, (random|grid), seed \d")
        self.assertRegex(self.progress_of("vta-dataset", self.folder / "points", "--points", "5000"),
                         r"make points \d+/5000, \d+ s left: \d+ a second")
        self.assertRegex(self.progress_of("vta-dataset", "--cost-model", self.folder / "model", "--points", "5000"),
                         r"make points \d+/5000, \d+ s left")

    def test_rules_that_reject_schedules_are_counted(self):
        text = self.succeed("vta-tune", MODEL, *DIGITS_OPTIONS, "--db", self.database, "--trials", "2")
        self.assertRegex(text, r"[0-9,]+ schedules are not legal: .*: [0-9,]+")


if __name__ == "__main__":
    unittest.main()
