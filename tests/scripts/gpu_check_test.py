"""scripts/testing/gpu_check.py with programs that stand for vta-info and vta-run; the layers that it times."""

import contextlib
import io
import json
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts/testing"), str(ROOT / "scripts/models")]
import gpu_check  # noqa: E402
import layer_models  # noqa: E402

INFO = {"gpus": [{"name": "Processor", "kind": "CPU", "interface": "vulkan"},
                 {"name": "Some A100", "kind": "discrete GPU", "interface": "cuda"}]}
TESTS = [{"name": "Some A100", "interface": "cuda", "passed": True, "steps": []}]
REPORT = {"layers": [{"where": "gpu", "ms": 2.0}, {"where": "cpu", "ms": 7.0}], "verified_layers": 5,
          "totals": {"cpu_ms": 7.0}, "seconds": {"compile": 1.0, "load": 0.5}, "warnings": []}
SHOWN = {"tasks": [{"layer": "conv", "trials": 24, "failed_trials": 1, "best_cycles": 900, "schedule": {"block_rows": 64}}]}
# Prints what a file holds: for vta-info by its option, for vta-run by whether it verifies. A search makes a database and
# goes on until it is interrupted.
TOOL = """#!/bin/sh
here=$(dirname "$0")
case "$0 $*" in
  *vta-info*--test-gpus*) cat "$here/tests.json" ;;
  *vta-info*) cat "$here/info.json" ;;
  *vta-tune*--show*) cat "$here/shown.json" ;;
  *vta-tune*) touch "$5"; trap 'exit 130' INT; while :; do sleep 0.1; done ;;
  *"$(cat "$here/broken")"*) echo "vta-run: error: the layer is wrong" >&2; exit 3 ;;
  *) sleep "$(cat "$here/sleep")"; cat "$here/report.json" ;;
esac
"""


class GpuCheckTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        for name in ("vta-info", "vta-run", "vta-tune"):
            (self.folder / name).write_text(TOOL)
            (self.folder / name).chmod(0o755)
        for name, value in (("MATMULS", ((64, 64, 64), (1024, 1024, 1024))), ("TUNING_SECONDS", 0.5)):
            smaller = unittest.mock.patch.object(gpu_check, name, value)
            smaller.start()
            self.addCleanup(smaller.stop)
        self.write("info", INFO)
        self.write("tests", TESTS)
        self.write("report", REPORT)
        self.write("shown", SHOWN)
        (self.folder / "broken").write_text("no such word")
        (self.folder / "sleep").write_text("0")

    def write(self, name, value):
        (self.folder / f"{name}.json").write_text(json.dumps(value))

    def check(self, *options):
        """The exit code, what is printed, and the JSON object."""
        file = self.folder / "result.json"
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            code = gpu_check.main(["--bin", str(self.folder), "--json", str(file), *options])
        return code, printed.getvalue(), json.loads(file.read_text()) if file.exists() else None

    def test_all_parts(self):
        code, text, result = self.check()
        self.assertEqual(code, 0, text)
        gpu, = result["gpus"]  # the one that is no processor
        self.assertEqual((gpu["number"], gpu["info"]["name"]), (1, "Some A100"))
        self.assertEqual(gpu["integers"][0], {"network": "digits", "verified_layers": 5, "gpu_ms": 2.0})
        self.assertEqual(len(gpu["kernels"]), len(gpu_check.MATMULS) + len(gpu_check.CONVS))
        product = next(row for row in gpu["kernels"] if row["kernel"] == "matmul 1024x1024x1024")
        self.assertAlmostEqual(product["gmacs_per_second"], 1024**3 / 2e-3 / 1e9)
        self.assertAlmostEqual(product["roofline_share"], 1024**3 / 9.75e12 / 2e-3)
        self.assertEqual(gpu["networks"][0]["cpu_ms"], 7.0)
        self.assertIn("digits: 5 layers have the CPU's integers", text)
        self.assertIn("% of the roofline", text)
        tuning = gpu["tuning"]
        self.assertEqual((tuning["tasks"], tuning["trials"], tuning["failed_trials"]), (1, 24, 1))
        self.assertEqual(tuning["schedules"], [{"layer": "conv", "best_ns": 900, "schedule": {"block_rows": 64}}])
        self.assertIn("24 trials of 1 layers, 1 failed: 2.000 ms untuned, 2.000 ms tuned", text)

    def test_processors_time_small_layers_only(self):
        code, text, result = self.check("--gpu", "0")
        self.assertEqual(code, 0, text)
        self.assertLess(len(result["gpus"][0]["kernels"]), len(gpu_check.MATMULS) + len(gpu_check.CONVS))
        self.assertIn("left out: kernel matmul 1024x1024x1024: a processor stands for the GPU", text)
        self.assertIsNone(result["gpus"][0]["kernels"][0]["roofline_share"])  # nobody knows its peaks

    def test_peaks_may_be_given(self):
        _, _, result = self.check("--gpu", "0", "--peak-tmacs", "1", "--peak-gbytes", "1")
        row = result["gpus"][0]["kernels"][0]
        self.assertAlmostEqual(row["roofline_share"], max(row["macs"] / 1e12, row["bytes"] / 1e9) / 2e-3)

    def test_failures_are_listed(self):
        (self.folder / "broken").write_text("--verify")
        code, text, result = self.check()
        self.assertEqual(code, 1)
        self.assertEqual(result["failures"][0], {"what": "integers of digits", "message": "vta-run: error: the layer is wrong"})
        self.assertIn("FAILED integers of digits", text)
        self.assertTrue(result["gpus"][0]["kernels"])  # the rest goes on

    def test_a_gpu_that_fails_its_test_is_named(self):
        self.write("tests", [{"name": "Some A100", "interface": "cuda", "passed": False, "steps": [
            {"name": "int8", "outcome": "failed", "detail": "word 3 is wrong"}]}])
        _, text, _ = self.check()
        self.assertIn("self-test FAILED\n  int8: word 3 is wrong", text)

    def test_what_does_not_fit_is_left_out(self):
        (self.folder / "sleep").write_text("5")
        code, text, result = self.check("--seconds", "2")
        self.assertLess(result["seconds"], 4)
        self.assertIn("integers of digits", result["left_out"])
        self.assertIn("left out: time of digits", text)
        self.assertEqual(code, 0)

    def test_without_a_gpu(self):
        self.write("info", {"gpus": []})
        code, text, result = self.check()
        self.assertEqual((code, result["gpus"]), (1, []))
        self.assertIn("there is no GPU", text)

    def test_without_programs(self):
        code, text, _ = self.check("--bin", "/nonexistent")
        self.assertEqual(code, 1)
        self.assertIn("no vta-info in /nonexistent", text)


class LayerModelsTest(unittest.TestCase):
    def test_they_are_onnx(self):
        try:
            import onnx
        except ImportError:
            self.skipTest("no onnx module")
        for layer, shape in ((layer_models.matmul_model(3, 5, 7), [3, 7]), (layer_models.conv_model(9, 2, 5, 3), [1, 5, 9, 9])):
            model = onnx.shape_inference.infer_shapes(onnx.load_from_string(layer.onnx), strict_mode=True)
            onnx.checker.check_model(model)
            found = [dim.dim_value for dim in model.graph.output[0].type.tensor_type.shape.dim]
            self.assertEqual(found, shape)

    def test_work_and_bytes(self):
        product = layer_models.matmul_model(3, 5, 7)
        self.assertEqual((product.macs, product.bytes), (105, 4 * (15 + 35 + 21)))
        conv = layer_models.conv_model(9, 2, 5, 3)
        self.assertEqual((conv.macs, conv.bytes), (81 * 2 * 5 * 9, 4 * (81 * 7 + 90)))


if __name__ == "__main__":
    unittest.main()
