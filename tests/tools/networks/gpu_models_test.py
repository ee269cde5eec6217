"""Networks on a GPU: each step equal to the CPU's, integers bit for bit. Mesa's and Chromium's drivers stand for GPUs.
Skipped where neither is installed."""

import csv
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

import numpy as np  # noqa: E402
from onnx import helper  # noqa: E402
from report_case import data_of  # noqa: E402
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

    def test_layers_go_where_they_are_wanted(self):
        """Rules of --place, the reasons and shares of the profile, and --no-fallback."""
        os.environ["VK_ICD_FILENAMES"] = DRIVERS[0]
        self.addCleanup(os.environ.pop, "VK_ICD_FILENAMES", None)
        model = self.model([helper.make_node("Conv", ["x", "w"], ["c"], name="first"),
                            helper.make_node("ScatterElements", ["c", "i", "u"], ["s"], name="second"),
                            helper.make_node("Softmax", ["s"], ["y"], name="third", axis=1)],
                           [("x", [1, 16, 8, 8])], [("y", [1, 16, 8, 8])],
                           [("w", np.full((16, 16, 1, 1), 0.01, np.float32)), ("i", np.zeros((1, 1, 1, 1), np.int64)),
                            ("u", np.ones((1, 1, 1, 1), np.float32))])
        report = self.run_json("--sim=functional", model, "--place", "third=gpu", "--verify", "--profile=full")
        places = {layer["name"]: layer for layer in report["layers"]}
        self.assertEqual(places["third"]["where"], "gpu")
        self.assertIn("--place says so", places["third"]["reason"])
        text = self.succeed("vta-run", "--sim", model, "--place", "third=gpu", "--profile")
        self.assertRegex(text, r"share of the time: .*vta \d+ %.*gpu \d+ %|share of the time: .*gpu \d+ %.*vta \d+ %")
        self.check_copies(model, "--place", "third=gpu")
        self.succeed("vta-run", model, "--partition=gpu", "--place", "second=cpu", "--no-fallback")
        self.refuse("vta-run", model, "--partition=gpu", "--no-fallback", says=["layer 'second' is for the gpu, but runs on the cpu"])
        self.refuse("vta-run", model, "--place", "thirt=gpu", says=["the model has no layer of this name; did you mean third?"])
        self.refuse("vta-run", model, "--place", "third=npu", says=["operators run on vta, cpu, gpu here"])
        self.refuse("vta-run", model, "--place", "third", code=2, says=["write LAYER=MACHINE"])
        warned = tool("vta-compile", model, "--partition=gpu", "--place", "second=gpu", "-o", self.folder / "m.so")
        self.assertIn("warning: layer 'second' is for the gpu, but runs on the cpu", warned.stderr)
        memory = json.loads(self.succeed("vta-info", "--module", self.folder / "m.so", "--json"))
        self.assertGreater(memory["gpu_bytes"], 16 * 8 * 8 * 4)

    def check_copies(self, *arguments):
        """In the tables of all reports, for the layers on the GPU alone."""
        page, table = self.folder / "page.html", self.folder / "table.csv"
        report = self.run_json("--sim", *arguments, "--report", page, "--profile-csv", table)
        with_copies = [layer["copy_ms"] for layer in report["layers"] if layer["where"] == "gpu"]
        self.assertTrue(with_copies)
        self.assertTrue(all(copy_ms > 0 for copy_ms in with_copies), with_copies)
        self.assertEqual({layer["copy_ms"] for layer in report["layers"] if layer["where"] != "gpu"}, {None})
        totals = {machine["name"]: machine["copy_ms"] for machine in report["totals"]["machines"]}
        self.assertAlmostEqual(totals["gpu"], sum(with_copies))
        data = data_of(page.read_text())["reports"][0]["table"]
        self.assertEqual([column["title"] for column in data["columns"] if column["key"] == "copy_ms"], ["copies"])
        self.assertEqual([row["copy_ms"] for row in data["rows"] if "copy_ms" in row], with_copies)
        self.assertAlmostEqual(data["total"]["copy_ms"], sum(with_copies))
        with table.open() as file:
            cells = [row["copy_ms"] for row in csv.DictReader(file) if row["on"] == "gpu"]
        self.assertEqual(cells, [f"{copy_ms:.6f}" for copy_ms in with_copies])

    @unittest.skipUnless(MODELS.is_dir(), f"no models at {MODELS}")
    def test_fallback_operators_of_a_detector_go_to_the_gpu(self):
        """On a simulated VTA; each step on the GPU is the CPU's, and so are the results."""
        detector = MODELS / "vision-other/ultraface-rfb-320.onnx"
        outputs = []
        for host in (["--host=gpu"], []):
            outputs.append(self.folder / f"{len(outputs)}")
            verify = ["--verify"] if host else []
            report = self.run_json("--sim=functional", detector, *host, *verify, "--output", outputs[-1])
            there = [layer for layer in report["layers"] if layer["where"] == "gpu"]
            self.assertEqual(bool(there), bool(host), report["layers"])
        for file in outputs[1].iterdir():
            want, got = np.load(file), np.load(outputs[0] / file.name)
            np.testing.assert_allclose(got, want, atol=1e-4 * max(1, np.abs(want).max()))

    def test_the_cpu_takes_over_from_a_gpu_that_fails(self):
        """The library that stands for NVIDIA's runs no kernels, so that it fails its self-test."""
        fake = BIN.parent / "lib/libvta_fake_cuda.so"
        if not fake.exists():
            self.skipTest("no fake of NVIDIA's library")
        (self.folder / "libcuda.so.1").symlink_to(fake)
        environment = {**os.environ, "LD_LIBRARY_PATH": str(self.folder), "VTA_CACHE_DIR": str(self.folder / "cache")}
        digits = [DIGITS / "digits.onnx", "--partition=cpu"]
        result = tool("vta-run", *digits, "--host=gpu", env=environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("warning: --host=gpu: operators stay on the CPU: the GPU 'Fake GPU' (cuda) fails its self-test", result.stderr)
        self.refuse("vta-run", *digits, "--host=gpu:cuda", says=["fails its self-test"], env=environment)

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


class GpuCodesTest(ToolCase):
    """Codes that a module has where they are asked for. No GPU runs them here."""

    def compile(self, *options, model=DIGITS / "digits.onnx"):
        file = self.folder / "m.vta.so"
        result = tool("vta-compile", model, *options, "-o", file)
        self.assertEqual(result.returncode, 0, result.stderr)
        return file, result.stderr

    def test_modules_have_the_codes_that_are_asked_for(self):
        file, errors = self.compile("--partition=gpu", "--gpu-code", "gfx90a", "--gpu-code", "wgsl")
        self.assertEqual(errors, "")
        listing = self.succeed("vta-objdump", file, "--program", 0)
        for text in ("PTX for sm_75", "AMD code object for gfx90a: ", "WGSL: "):
            self.assertIn(text, listing)
        self.succeed("vta-objdump", file, "--program", 0, "--kernels", self.folder / "kernels")
        self.assertEqual((self.folder / "kernels/0-3.hsaco").read_bytes()[:4], b"\x7fELF")
        for name, text in (("0-1.cl", "__kernel"), ("0-2.ptx", ".entry compute"), ("0-4.wgsl", "fn compute(")):
            self.assertIn(text, (self.folder / "kernels" / name).read_text())
        self.refuse("vta-objdump", file, "--kernels", self.folder / "kernels",
                    says=["--kernels takes a program for a GPU; name one by --program"])
        self.assertNotIn("WGSL", self.succeed("vta-objdump", self.compile("--partition=gpu")[0], "--program", 0))

    def test_unknown_codes_are_refused(self):
        self.refuse("vta-compile", DIGITS / "digits.onnx", "--partition=gpu", "--gpu-code", "gfx1", "-o", self.folder / "m",
                    says=["code for GPUs is wgsl or of an architecture", "'gfx1'", "gfx1100"])

    def test_codes_for_a_gpu_that_nothing_runs_on(self):
        _, errors = self.compile("--partition=cpu", "--gpu-code", "wgsl")
        self.assertIn("no layer runs on a GPU, so that --gpu-code changes nothing", errors)


if __name__ == "__main__":
    unittest.main()
