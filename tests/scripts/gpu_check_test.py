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
sys.path.append(str(ROOT / "scripts/benchmarking"))
import gpu_check  # noqa: E402
import gpu_peer  # noqa: E402
import gpu_tables  # noqa: E402
import layer_models  # noqa: E402
import residual_networks  # noqa: E402

INFO = {"gpus": [{"name": "Processor", "kind": "CPU", "interface": "vulkan"},
                 {"name": "Some A100", "kind": "discrete GPU", "interface": "cuda"}]}
TESTS = [{"name": "Some A100", "interface": "cuda", "passed": True, "steps": []}]
REPORT = {"layers": [{"where": "gpu", "ms": 2.0, "copy_ms": 0.5}, {"where": "cpu", "ms": 7.0, "copy_ms": None}],
          "verified_layers": 5,
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
PEER = {"torch": "9", "products": [{"kind": "float16", "size": 4096, "ms": 0.5}],
        "networks": [{"network": f"ResNet-{depth}", "batch": batch, "ms": 1.0} for depth, batch in gpu_check.PEER_NETWORKS]}
PYTHON = """#!/bin/sh
here=$(dirname "$0")
case "$*" in *"--gpu 0 "*) cat "$here/peer.json" ;; *) exit 5 ;; esac
"""
NO_TORCH = """#!/bin/sh
echo 'gpu_peer: PyTorch is not installed for this Python' >&2
exit 1
"""
SANITIZER = """#!/bin/sh
case "$*" in *racecheck*) echo '========= 1 hazard'; exit 9 ;; esac
"""


class GpuCheckTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        for name in ("vta-info", "vta-run", "vta-tune"):
            self.program(name, TOOL)
        self.program("python", NO_TORCH)
        for name, value in (("MATMULS", ((64, 64, 64), (1024, 1024, 1024))), ("TUNING_SECONDS", 0.5),
                            ("sanitizer", lambda: None)):
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

    def program(self, name, text):
        (self.folder / name).write_text(text)
        (self.folder / name).chmod(0o755)

    def check(self, *options):
        """The exit code, what is printed, and the JSON object."""
        file = self.folder / "result.json"
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            code = gpu_check.main(["--bin", str(self.folder), "--json", str(file), "--python", str(self.folder / "python"), *options])
        return code, printed.getvalue(), json.loads(file.read_text()) if file.exists() else None

    def test_all_parts(self):
        code, text, result = self.check()
        self.assertEqual(code, 0, text)
        gpu, = result["gpus"]  # the one that is no processor
        self.assertEqual((gpu["number"], gpu["info"]["name"]), (1, "Some A100"))
        self.assertEqual(gpu["integers"][0], {"network": "digits", "verified_layers": 5, "gpu_ms": 2.0})
        self.assertEqual(len(gpu["kernels"]), 3 * (len(gpu_check.MATMULS) + len(gpu_check.CONVS)))
        for kind, peak, size_bytes in (("float32", 9.75e12, 4), ("float16", 156e12, 2), ("int8", 312e12, 1)):
            product = next(row for row in gpu["kernels"] if (row["kernel"], row["kind"]) == ("matmul 1024x1024x1024", kind))
            self.assertAlmostEqual(product["gmacs_per_second"], 1024**3 / 1.5e-3 / 1e9)
            self.assertEqual(product["bytes"], 3 * 1024**2 * size_bytes)
            self.assertAlmostEqual(product["roofline_share"], max(1024**3 / peak, product["bytes"] / 2039e9) / 1.5e-3)
        self.assertEqual(gpu["networks"][0]["cpu_ms"], 7.0)
        self.assertIn("digits: 5 layers have the CPU's integers", text)
        self.assertIn("% of the roofline", text)
        tuning = gpu["tuning"]
        self.assertEqual((tuning["tasks"], tuning["trials"], tuning["failed_trials"]), (1, 24, 1))
        self.assertEqual(tuning["schedules"], [{"layer": "conv", "best_ns": 900, "schedule": {"block_rows": 64}}])
        self.assertIn("24 trials of 1 layers, 1 failed: 2.000 ms untuned, 2.000 ms tuned", text)

    def test_a_peer_runs_the_same_networks(self):
        self.program("python", PYTHON)
        self.write("peer", PEER)
        _, text, result = self.check()
        gpu, = result["gpus"]
        self.assertEqual([row["vta_ms"] for row in gpu["peer"]["networks"]], [1.5] * 3)
        self.assertIn("ResNet-50 of 64 images in float16: 1.500 ms, PyTorch 1.000 ms", text)
        rows = gpu_tables.network_rows(gpu)
        self.assertEqual(rows["ResNet-18, batch 1, float16"], {"gpu": "Some A100", "ms": 1.5, "peer_ms": 1.0, "ratio": 1.5})
        self.assertEqual(gpu_tables.kernel_rows(gpu)["matmul 64x64x64, int8"]["ms"], 1.5)

    def test_without_a_peer(self):
        _, text, result = self.check()
        self.assertIsNone(result["gpus"][0]["peer"])
        self.assertIn("left out: comparison with PyTorch: gpu_peer: PyTorch is not installed for this Python", text)
        self.assertIn("left out: memcheck: compute-sanitizer is not installed", text)

    def test_races_are_failures(self):
        self.program("sanitizer", SANITIZER)
        with unittest.mock.patch.object(gpu_check, "sanitizer", lambda: str(self.folder / "sanitizer")):
            code, text, result = self.check()
        self.assertEqual(code, 1)
        self.assertEqual(result["gpus"][0]["accesses"], [{"tool": "memcheck", "passed": True}, {"tool": "racecheck", "passed": False}])
        self.assertIn("FAILED racecheck: ========= 1 hazard", text)

    def test_processors_time_small_layers_only(self):
        code, text, result = self.check("--gpu", "0")
        self.assertEqual(code, 0, text)
        self.assertLess(len(result["gpus"][0]["kernels"]), len(gpu_check.MATMULS) + len(gpu_check.CONVS))
        self.assertIn("left out: kernel matmul 1024x1024x1024: a processor stands for the GPU", text)
        self.assertIsNone(result["gpus"][0]["kernels"][0]["roofline_share"])  # nobody knows its peaks

    def test_peaks_may_be_given(self):
        _, _, result = self.check("--gpu", "0", "--peak-tmacs", "1", "--peak-gbytes", "1")
        row = result["gpus"][0]["kernels"][0]
        self.assertAlmostEqual(row["roofline_share"], max(row["macs"] / 1e12, row["bytes"] / 1e9) / 1.5e-3)

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


class GpuTablesTest(unittest.TestCase):
    def test_what_was_not_measured_is_said(self):
        for rows in (gpu_tables.kernel_rows(None), gpu_tables.network_rows(None)):
            self.assertEqual({row["ms"] for row in rows.values()}, {"not measured"})
        with tempfile.TemporaryDirectory() as folder:
            self.assertIsNone(gpu_tables.first_gpu(Path(folder) / "missing.json"))

    def test_results_of_another_version_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "check.json"
            file.write_text('{"format": "gpu-check", "version": 1}')
            with self.assertRaisesRegex(ValueError, "run that again"):
                gpu_tables.first_gpu(file)


class GpuPeerTest(unittest.TestCase):
    def test_on_a_processor(self):
        try:
            import torch
        except ImportError:
            self.skipTest("no torch module")
        options = gpu_peer.parse(["--device=cpu", "--size=8", "--kinds", "float32", "--networks", "18x2"])
        result = gpu_peer.measure(torch, options)
        self.assertEqual([row["kind"] for row in result["products"]], ["float32"])
        self.assertEqual([(row["network"], row["batch"]) for row in result["networks"]], [("ResNet-18", 2)])
        self.assertGreater(result["networks"][0]["ms"], 0)

    def test_both_networks_are_the_same(self):
        try:
            import onnx
            import torch
        except ImportError:
            self.skipTest("no onnx or torch module")
        for depth in residual_networks.BLOCKS:
            model = onnx.load_from_string(residual_networks.residual_network(depth, 1))
            ours = sorted(tuple(tensor.dims) for tensor in model.graph.initializer)
            peers = [tuple(tensor.shape) for tensor in gpu_peer.build_network(torch, depth).parameters()]
            peers = sorted(shape[::-1] if len(shape) == 2 else shape for shape in peers)  # the dense layer is stored transposed
            self.assertEqual(ours, peers)


class LayerModelsTest(unittest.TestCase):
    def test_they_are_onnx(self):
        try:
            import onnx
        except ImportError:
            self.skipTest("no onnx module")
        for data, shape in ((layer_models.matmul_model(3, 5, 7).onnx, [3, 7]),
                            (layer_models.conv_model(9, 2, 5, 3).onnx, [1, 5, 9, 9]),
                            (residual_networks.residual_network(18, 2), [2, 1000]),
                            (residual_networks.residual_network(50, 1), [1, 1000])):
            model = onnx.shape_inference.infer_shapes(onnx.load_from_string(data), strict_mode=True)
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
