"""scripts/benchmarking/network_cycles.py: its command line, and what it says when the benchmarks are not built or fail."""

import contextlib
import io
import json
import stat
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/benchmarking"))

import network_cycles  # noqa: E402

ROWS = '{"conv": {"bound": 10, "cycles": 11}, "network": {"bound": 10, "cycles": 11}}'


def run(*arguments, bench=None, name="bench_cycles"):
    """Exit code, output and error output; `bench` is the text of a script that stands for the benchmark `name`."""
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(network_cycles, "BIN", Path(folder)):
        if bench is not None:
            path = Path(folder) / name
            path.write_text("#!/bin/sh\n" + bench)
            path.chmod(path.stat().st_mode | stat.S_IXUSR)
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            try:
                code = network_cycles.main(list(arguments))
            except SystemExit as exit_:
                code = exit_.code
        return code, output.getvalue(), errors.getvalue()


class NetworkCyclesTest(unittest.TestCase):
    def test_wrong_usage_names_what_is_legal(self):
        for arguments, expected in (((), "required"), (("tables",), "choose from"), (("layers", "vgg"), "choose from"),
                                    (("layers", "resnet18", "nothing"), "choose from"), (("more", "x"), "unrecognized")):
            code, output, errors = run(*arguments)
            self.assertEqual((code, output), (2, ""), arguments)
            self.assertIn(expected, errors)

    def test_a_benchmark_that_is_not_built(self):
        code, output, errors = run("more")
        self.assertEqual((code, output), (1, ""))
        self.assertRegex(errors, "bench_cycles is missing: build it with scripts/build")

    def test_a_benchmark_that_fails(self):
        code, output, errors = run("more", bench="echo no such network >&2; exit 1\n")
        self.assertEqual((code, output), (1, ""))
        self.assertRegex(errors, "bench_cycles failed: no such network")

    def test_rows_of_both_configurations_stand_side_by_side(self):
        code, output, errors = run("layers", bench=f"echo '{ROWS}'\n")
        self.assertEqual((code, errors), (0, ""))
        self.assertIn('"default.cycles": 11', output)
        self.assertIn('"vta_0_0_2.cycles": 11', output)

    def test_each_saving_is_turned_off_for_itself(self):
        bench = """case "$*" in *--without*extensions*) cycles=19;; *--without*merged*) cycles=13;; *) cycles=11;; esac
echo "{\\"network\\": {\\"cycles\\": $cycles}}"
"""
        code, output, errors = run("savings", bench=bench)
        self.assertEqual((code, errors), (0, ""))
        row = json.loads(output)["ResNet-18, vta-0.0.2"]
        self.assertEqual(row, {"all": 11, "merged-relu.cycles": 13, "merged-relu.more": 2,
                               "extensions.cycles": 19, "extensions.more": 8})

    def test_equal_layers_are_one_row(self):
        layers = '{"a": {"bound": 10, "cycles": 11}, "b": {"bound": 10, "cycles": 12}, "c": {"bound": 10, "cycles": 11}}'
        code, output, errors = run("every_layer", "resnet50", bench=f"echo '{layers}'\n")
        self.assertEqual((code, errors), (0, ""))
        rows = json.loads(output)
        self.assertEqual(list(rows), ["a (x2)", "b"])
        self.assertEqual(rows["b"]["vta-0.0.2.cycles"], 12)
        self.assertEqual(len(rows["b"]), 2 * len(network_cycles.CONFIGS))

    def test_schedules_name_the_layer_that_is_furthest_behind(self):
        def bench(cycles):
            rows = {"a": {"estimated": 110, "cycles": cycles, "best": 100, "space": 7, "lowered": 5, "simulated": 3},
                    "b": {"estimated": 101, "cycles": 101, "best": 100, "space": 2, "lowered": 1, "simulated": 0}}
            return f"echo '{json.dumps(rows)}'\n"

        for cycles, within, worst in ((106, 1, "a, 6.0%"), (101, 2, "none by more than 2%")):
            code, output, errors = run("schedules", bench=bench(cycles), name="bench_schedules")
            self.assertEqual((code, errors), (0, ""))
            rows = json.loads(output)
            self.assertEqual(len(rows), 2 * len(network_cycles.SEARCHED))
            self.assertEqual(rows["ResNet-18, default"],
                             {"layers": 2, "within_5": within, "estimated_within_5": 1, "worst": worst, "space": 9,
                              "lowered": 6, "simulated": 3, "proven": 1})


if __name__ == "__main__":
    unittest.main()
