"""What scripts/testing/every_model.py makes of commands and their figures."""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts/testing"))
import every_model  # noqa: E402


class EveryModelTest(unittest.TestCase):
    def test_commands_give_output_and_cost(self):
        output, seconds, megabytes = every_model.run(["/bin/echo", "text"])
        self.assertEqual(output, b"text\n")
        self.assertLess(seconds, 10)
        self.assertGreater(megabytes, 0.1)

    def test_failures_say_what_the_command_said(self):
        with self.assertRaisesRegex(every_model.Failure, "no such thing"):
            every_model.run(["/bin/sh", "-c", "echo no such thing >&2; exit 3"])

    def test_summary_is_over_all_configurations(self):
        row = {"a.seconds": 2.0, "a.mb": 9, "a.layers": 3, "a.macs_on_vta": 1.0,
               "b.seconds": 1.0, "b.mb": 10, "b.layers": 4, "b.macs_on_vta": 0.5}
        self.assertEqual(every_model.summary(row),
                         {"configurations": 2, "slowest": 2.0, "largest": 10, "checked": 7, "least_on_vta": 0.5})

        rtl = {"a.seconds": 2.0, "a.mb": 9, "a.layers": 3, "a.cycles": 70, "b.seconds": 1.0, "b.mb": 10, "b.layers": 3,
               "b.cycles": 30}
        self.assertEqual(every_model.summary(rtl),
                         {"configurations": 2, "slowest": 2.0, "largest": 10, "checked": 6, "cycles": 100})

    def rtl_part(self, rtl_cycles, simulated_cycles):
        """rtl_part of a layer that took these cycles on either."""
        def report_of(_module, sim, _data):
            cycles = {"rtl": rtl_cycles, "cycle": simulated_cycles}[sim]
            return {"layers": [{"name": "conv", "cycles": cycles}], "verified_layers": 1, "totals": {"cycles": cycles}}, 2.0, 70.0

        original, every_model.report_of = every_model.report_of, report_of
        try:
            return every_model.rtl_part(Path("model.vta.so"), [])
        finally:
            every_model.report_of = original

    def test_the_rtl_takes_as_long_as_the_cycle_simulator(self):
        self.assertEqual(self.rtl_part(90, 90), {"seconds": 2.0, "mb": 70.0, "layers": 1, "cycles": 90})
        with self.assertRaisesRegex(every_model.Failure, "conv: 90 cycles on the RTL, 91 on the cycle simulator"):
            self.rtl_part(90, 91)

    def test_column_names_have_no_dots(self):
        self.assertEqual(every_model.column(Path("configs/hw/vta-0.0.2.yaml")), "vta_0_0_2")

    def run_models(self, name, results):
        """measure_model with `results` in place of measurements, one for each configuration."""
        measured = iter(results)

        def measure(*_):
            result = next(measured)
            if isinstance(result, str):
                raise every_model.Failure(result)
            return result

        original, every_model.measure = every_model.measure, measure
        try:
            return every_model.measure_model(name, Path("model.onnx"), [Path("a.yaml"), Path("b.yaml")][:len(results)])
        finally:
            every_model.measure = original

    def test_a_failure_does_not_hide_the_rest(self):
        part = {"seconds": 1.0, "mb": 2, "layers": 3, "macs_on_vta": 1.0}
        row, failures = self.run_models("mnist/x", ["layer y differs", part])
        self.assertEqual(row["b.layers"], 3)
        self.assertEqual(failures, ["mnist/x on a: layer y differs"])

    def test_only_some_models_may_be_refused(self):
        refusal = "2 node(s) with an unsupported operator: ..."
        self.assertEqual(self.run_models("audio/x", [refusal]), ({"refused": refusal}, []))
        self.assertEqual(len(self.run_models("mnist/x", [refusal])[1]), 1)


if __name__ == "__main__":
    unittest.main()
