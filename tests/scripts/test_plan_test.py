"""Which entries scripts/test runs: the quick plan, what a change concerns, and what options of ctest select."""

import json
import os
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("VTA_BINARY_DIR", ROOT / "build"))
sys.path.insert(0, str(ROOT / "scripts/testing"))

import test_plan  # noqa: E402
import test_times  # noqa: E402


def entry(number, name, labels=(), seconds=None, command=("/usr/bin/true",)):
    properties = [{"name": "LABELS", "value": list(labels)}]
    if seconds is not None:
        properties.append({"name": "COST", "value": seconds})
    return test_plan.Entry(number, {"name": name, "command": list(command), "properties": properties})


def names(entries):
    return [item.name for item in entries]


class EntriesTest(unittest.TestCase):
    """Of the build at hand."""

    @classmethod
    def setUpClass(cls):
        cls.entries = test_plan.all_entries(BUILD.resolve(), [])

    def test_every_entry_has_an_area_and_a_kind(self):
        kinds = {"unit", "lit", "conformance", "random", "fuzz", "network", "hardware", "cross", "docs", "command"}
        areas = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir()} | {"examples"}
        for item in self.entries:
            with self.subTest(item.name):
                self.assertEqual(len(item.labels & kinds - areas) + len(item.labels & kinds & areas - {"docs"}) > 0 or
                                 "docs" in item.labels, True)
                self.assertTrue(item.labels & areas or item.name == "lit", item.labels)

    def test_every_cost_is_of_an_entry(self):
        # Those of tests that need what this machine lacks are not there.
        known = {item.name for item in self.entries}
        lines = [line.split()[0] for line in test_times.COSTS.read_text().splitlines() if not line.startswith("#")]
        self.assertGreater(len(lines), 50)
        self.assertLess(len([name for name in lines if name not in known]), len(lines) // 4)

    def test_long_ones_have_the_label(self):
        for item in self.entries:
            if item.seconds > 40:
                self.assertIn("long", item.labels, item.name)

    def test_options_select(self):
        chosen = test_plan.all_entries(BUILD.resolve(), ["-L", "^repository$"])
        self.assertEqual({item.name for item in chosen}, {item.name for item in self.entries if "repository" in item.labels})
        by_name = {item.name: item.number for item in self.entries}
        self.assertEqual([item.number for item in chosen], [by_name[item.name] for item in chosen])

    def test_programs_are_known_before_they_are_built(self):
        with tempfile.TemporaryDirectory() as folder:
            build = Path(folder).resolve()
            (build / "CTestTestfile.cmake").write_text(
                f'add_test(unit "{build}/bin/unit")\n'
                f'set_tests_properties(unit PROPERTIES REQUIRED_FILES "{build}/bin/unit")\n')
            entries = test_plan.all_entries(build, [])
            self.assertEqual([item.program(build) for item in entries], ["bin/unit"])

    def test_targets(self):
        build = BUILD.resolve()
        unit = next(item for item in self.entries if item.name == "isa_test")
        self.assertEqual(test_plan.targets_of([unit], build), ["bin/isa_test"])
        text = next(item for item in self.entries if item.name == "repository_text")
        targets = test_plan.targets_of([unit, text], build)
        self.assertIn("tools/all", targets)
        self.assertIn("bin/isa_test", targets)
        self.assertNotIn("tests/all", targets)

    def test_scripts_get_the_programs_that_they_name(self):
        of = {item.name: item for item in self.entries}
        for name, program in (("tools_streams.lost_output_is_an_error", "vta-onnx-conformance"),
                              ("scripts_board_start", "make_still_board"), ("runtime_dependencies", "runtime_link_probe")):
            if name in of:
                self.assertIn(f"bin/{program}", test_plan.targets_of([of[name]], BUILD.resolve()))
        self.assertNotIn("bin/make_still_board", test_plan.targets_of([of["repository_text"]], BUILD.resolve()))

    def test_a_change_concerns_what_is_made_from_it(self):
        build = BUILD.resolve()
        includes = test_plan.Includes(build)
        by_name = {item.name: item for item in self.entries}
        changed = {ROOT / "isa" / "config" / "hw_config.cpp"}
        rank = lambda name, programs=True: test_plan.rank(by_name[name], changed, programs, includes)  # noqa: E731
        self.assertEqual(rank("isa_test"), 0)
        self.assertEqual(rank("sim_cycle_test"), 1)
        self.assertIsNone(rank("thread_pool_test"))
        self.assertEqual(rank("tools_output_files"), 2)
        self.assertIsNone(rank("tools_output_files", programs=False))
        self.assertEqual(rank("repository_text"), 0)
        changed = {ROOT / "tests/tools/cases/tool_case.py"}
        self.assertEqual(rank("tools_output_files", programs=False), 0)
        self.assertIsNone(rank("isa_test", programs=False))
        changed = {ROOT / "hw" / "vta_rtl" / "common" / "vta_fifo.sv"}
        self.assertEqual(rank("hw_proof.tokens", programs=False), 1)
        self.assertIsNone(rank("tools_output_files", programs=False))


class PlansTest(unittest.TestCase):
    def test_long_entries_take_turns(self):
        entries = [entry(1, "short"), entry(2, "board", ["cross"])] + [
            entry(number, f"long{number}", ["long"], 100) for number in range(3, 23)]
        drawn = test_plan.up_to(250, random.Random("one").sample(entries[2:], 20))
        self.assertEqual(len(drawn), 2)
        others = test_plan.up_to(250, random.Random("two").sample(entries[2:], 20))
        self.assertNotEqual(names(drawn), names(others))
        chosen = names(test_plan.quick(entries))
        self.assertIn("short", chosen)
        self.assertNotIn("board", chosen)
        self.assertEqual(len(chosen), 1 + test_plan.DRAWN_SECONDS // 100)

    def test_what_takes_a_program_of_its_own_is_not_drawn(self):
        own, shared, short = entry(1, "own", ["long"]), entry(2, "shared", ["long"]), entry(3, "short")
        own.required, shared.required, short.required = ["/build/bin/model"], ["/build/bin/unit"], ["/build/bin/unit"]
        self.assertEqual(names(test_plan.quick([own, shared, short])), ["short", "shared"])

    def test_a_sum_of_seconds(self):
        entries = [entry(1, "a", seconds=5), entry(2, "b", seconds=90), entry(3, "c", seconds=6), entry(4, "d")]
        self.assertEqual(names(test_plan.up_to(14, entries)), ["a", "c", "d"])


class TimesTest(unittest.TestCase):
    def test_the_longest_are_said_and_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            junit, costs = Path(folder) / "times.xml", Path(folder) / "costs.txt"
            cases = "".join(f'<testcase name="t{i}" time="{i}.4" status="run"/>' for i in range(1, 16))
            junit.write_text(f'<testsuite>{cases}<testcase name="skipped" time="99" status="notrun"/></testsuite>')
            result = subprocess.run([sys.executable, ROOT / "scripts/testing/test_times.py", junit, "--record", "--costs", costs],
                                    capture_output=True, text=True, check=True)
            self.assertIn("15.4 s  t15\n", result.stdout)
            self.assertNotIn("t5\n", result.stdout)
            self.assertEqual(costs.read_text().splitlines()[1:], [f"t{i} {i}" for i in range(10, 16)])


class CommandTest(unittest.TestCase):
    def test_wrong_usage(self):
        for arguments, message in ((["--changed", "no-such-commit"], "'no-such-commit' is no commit"),
                                   (["--record-costs"], "--record-costs needs --all")):
            result = subprocess.run([ROOT / "scripts" / "test", *arguments], capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 2)
            self.assertIn(message, result.stderr)

    def test_files_that_are_written(self):
        with tempfile.TemporaryDirectory() as folder:
            entries, targets = Path(folder) / "entries", Path(folder) / "targets"
            subprocess.run([sys.executable, ROOT / "scripts/testing/test_plan.py", "--plan", "quick", "--build", BUILD, "--entries", entries,
                            "--targets", targets, "-R", "^isa_test$"], check=True)
            self.assertEqual(targets.read_text(), "bin/isa_test\n")
            listed = json.loads(subprocess.run(["ctest", "--show-only=json-v1", "-I", entries], cwd=BUILD, check=True,
                                               capture_output=True, text=True).stdout)["tests"]
            self.assertEqual([test["name"] for test in listed], ["isa_test"])
            subprocess.run([sys.executable, ROOT / "scripts/testing/test_plan.py", "--plan", "quick", "--build", BUILD, "--entries", entries,
                            "--targets", targets, "-R", "^no_such_test$"], check=True)
            self.assertEqual(entries.read_text(), "")


if __name__ == "__main__":
    unittest.main()
