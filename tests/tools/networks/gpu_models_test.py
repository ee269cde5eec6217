"""Networks on a GPU: each step equal to the CPU's, integers bit for bit. Mesa's and Chromium's drivers stand for GPUs.
Skipped where neither is installed."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import BIN, DIGITS, DIGITS_OPTIONS, MODELS, ROOT, ToolCase, tool  # noqa: E402

DRIVERS = [path for path in ("/usr/share/vulkan/icd.d/lvp_icd.x86_64.json", "/usr/lib/chromium/vk_swiftshader_icd.json")
           if Path(path).exists()]
NAMES = ["mnist/mnist-8"]
QUANTISED = ["cifar10/mlperf_resnet8_qdq"]


@unittest.skipUnless(DRIVERS, "no Vulkan driver")
class GpuModelsTest(ToolCase):
    def check(self, *arguments):
        """The layers on the GPU, by driver."""
        for driver in DRIVERS:
            with self.subTest(arguments[0], driver=driver):
                os.environ["VK_ICD_FILENAMES"] = driver
                self.addCleanup(os.environ.pop, "VK_ICD_FILENAMES", None)
                report = self.run_json(*arguments, "--verify")
                self.assertGreater(report["verified_layers"], 0)

    def test_digits(self):
        self.check(DIGITS / "digits.onnx", "--partition=gpu")
        self.check(DIGITS / "digits.onnx", *DIGITS_OPTIONS, "--partition=gpu-quantized")

    def test_half_floats(self):
        self.check(DIGITS / "digits.onnx", "--partition=gpu", "--gpu-precision=float16")
        sizes = []
        for precision in ("float32", "float16"):
            file = self.folder / f"{precision}.vta.so"
            self.succeed("vta-compile", DIGITS / "digits.onnx", "--partition=gpu", f"--gpu-precision={precision}", "-o", file)
            sizes.append(file.stat().st_size)
        self.assertNotEqual(*sizes)

    def test_floats_need_no_calibration(self):
        for partition, count in (("gpu", 0), ("gpu-quantized", 1)):
            result = tool("vta-compile", DIGITS / "digits.onnx", f"--partition={partition}", "-o", self.folder / "m.so")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stderr.count("no --calibrate"), count, result.stderr)

    @unittest.skipUnless(MODELS.is_dir(), f"no models at {MODELS}")
    def test_float(self):
        for name in NAMES:
            self.check(MODELS / f"{name}.onnx", "--partition=gpu")

    @unittest.skipUnless(MODELS.is_dir(), f"no models at {MODELS}")
    def test_quantised(self):
        for name in QUANTISED:
            self.check(MODELS / f"{name}.onnx", "--partition=gpu-quantized")

    def test_a_gpu_that_is_named_is_there(self):
        self.refuse("vta-run", DIGITS / "digits.onnx", "--partition=cpu", "--host=gpu:zzz", says=["no GPU 'zzz'"])

    def test_self_test(self):
        os.environ["VK_ICD_FILENAMES"] = ":".join(DRIVERS)
        self.addCleanup(os.environ.pop, "VK_ICD_FILENAMES", None)
        tests = json.loads(self.succeed("vta-info", "--test-gpus", "--json"))
        self.assertTrue(all(test["passed"] for test in tests), tests)
        self.assertIn("products of integers: passed", self.succeed("vta-info", "--test-gpus"))

    def test_check_of_a_gpu(self):
        """Two networks and the smallest layers, in the time that a minute of a processor gives."""
        file = self.folder / "result.json"
        environment = {**os.environ, "VK_ICD_FILENAMES": DRIVERS[0], "VTA_CACHE_DIR": str(self.folder / "cache")}
        result = subprocess.run(
            ["/usr/bin/python3", "-B", ROOT / "scripts/testing/gpu_check.py", "--bin", BIN, "--gpu", "0", "--seconds", "60",
             "--json", file], env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        gpu, = json.loads(file.read_text())["gpus"]
        self.assertGreater(gpu["integers"][0]["verified_layers"], 0)
        self.assertIn("digits: ", result.stdout)

    def test_ptx_is_the_same_without_an_environment(self):
        """NVIDIA's toolkit would be found by CUDA_HOME, and nothing of it may come into a module."""
        files = []
        for environment in ({}, {**os.environ, "CUDA_HOME": "/usr/local/cuda", "CUDA_PATH": "/usr/local/cuda"}):
            files.append(self.folder / f"{len(files)}.vta.so")
            self.succeed("vta-compile", DIGITS / "digits.onnx", "--partition=gpu", "--no-cache", "-o", files[-1],
                         env=environment)
        first, second = (file.read_bytes() for file in files)
        self.assertEqual(first, second)
        self.assertIn(b".entry compute", first)
        self.assertNotIn(b"__nv_", first)
        self.assertNotIn(b".extern", first)

    def test_without_a_gpu(self):
        for variable in ("VK_ICD_FILENAMES", "OCL_ICD_VENDORS"):
            os.environ[variable] = "/nonexistent.json"
            self.addCleanup(os.environ.pop, variable, None)
        result = tool("vta-run", DIGITS / "digits.onnx", "--partition=gpu")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("no GPU that this program can use; compile the model with another --partition", result.stderr)
        result = tool("vta-run", DIGITS / "digits.onnx", "--partition=cpu", "--host=gpu")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("warning: --host=gpu: this machine has no GPU", result.stderr)


if __name__ == "__main__":
    unittest.main()
