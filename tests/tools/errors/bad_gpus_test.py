"""Machines without a GPU that works: what vta-info and vta-run say, and that the CPU takes over unless a GPU was named.

Libraries of the tests stand in front of Mesa's and PoCL's drivers and spoil them, or in the place of NVIDIA's. Cases
whose driver is not installed are skipped.
"""

import json
import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

import numpy as np  # noqa: E402
from onnx import helper  # noqa: E402
from tool_case import BIN, DIGITS, DigitsModuleCase, tool  # noqa: E402

LIBRARIES = Path("/usr/lib/x86_64-linux-gnu")
MESA = LIBRARIES / "libvulkan_lvp.so"
POCL = LIBRARIES / "libpocl.so.2"
FAKES = BIN.parent / "lib"
MODEL = DIGITS / "digits.onnx"
STAYS = "--host=gpu: operators stay on the CPU: "


class BadGpuCase(DigitsModuleCase):
    """Starts with no driver at all, whatever this machine has."""

    COMPILE_OPTIONS = ["--partition=gpu"]

    def setUp(self):
        super().setUp()
        # Large enough that a GPU is the faster machine for it.
        self.convolution = self.model([helper.make_node("Conv", ["x", "w"], ["y"], name="conv", pads=[1, 1, 1, 1])],
                                      [("x", [1, 64, 48, 48])], [("y", [1, 64, 48, 48])],
                                      [("w", np.full((64, 64, 3, 3), 0.01, np.float32))])
        self.libraries = self.folder / "libraries"
        self.libraries.mkdir()
        (self.libraries / "libcuda.so.1").write_text("no library")
        vendors = self.folder / "vendors"
        vendors.mkdir()
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("CUDA_", "FAKE_", "LD_", "MESA_", "OCL_", "POCL_", "VK_"))}
        self.environment = {**kept, "LD_LIBRARY_PATH": str(self.libraries), "OCL_ICD_VENDORS": str(vendors),
                            "VK_ICD_FILENAMES": str(self.folder / "none.json"), "VTA_CACHE_DIR": str(self.folder / "cache"),
                            "XDG_DATA_HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder)}

    def describe_driver(self, library):
        """The only driver of Vulkan."""
        manifest = {"file_format_version": "1.0.0", "ICD": {"library_path": str(library), "api_version": "1.3.0"}}
        self.environment["VK_ICD_FILENAMES"] = str(self.write("icd.json", json.dumps(manifest)))

    def use_mesa(self, fault=""):
        """Mesa's driver, behind the library that spoils it."""
        fake = FAKES / "libvta_fake_vulkan.so"
        if not MESA.exists() or not fake.exists():
            self.skipTest(f"no {MESA}, or no headers of Vulkan")
        self.describe_driver(fake)
        self.environment.update(FAKE_VULKAN_DRIVER=str(MESA), FAKE_VULKAN=fault)

    def use_pocl(self, fault=""):
        fake = FAKES / "libvta_fake_opencl.so"
        if not POCL.exists() or not fake.exists():
            self.skipTest(f"no {POCL}, or no headers of Vulkan")
        self.environment["OCL_ICD_VENDORS"] = str(self.write("fake.icd", f"{fake}\n"))
        self.environment.update(FAKE_OPENCL_DRIVER=str(POCL), FAKE_OPENCL=fault, POCL_CACHE_DIR=str(self.folder / "pocl"))

    def use_cuda(self, **variables):
        fake = FAKES / "libvta_fake_cuda.so"
        if not fake.exists():
            self.skipTest("no headers of Vulkan")
        (self.libraries / "libcuda.so.1").unlink()
        (self.libraries / "libcuda.so.1").symlink_to(fake)
        self.environment.update(variables)

    def run_where_it_is_fast(self, *options):
        """On a GPU if there is one that works: the report, and what is on standard error."""
        result = tool("vta-run", self.convolution, "--partition=cpu", "--host=gpu", *options, "--json", env=self.environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout), result.stderr

    def expect_cpu_takes_over(self, *says, options=()):
        """With --host gpu and no name: everything runs, and a warning says why it does so on the CPU."""
        report, errors = self.run_where_it_is_fast(*options)
        self.assertEqual({layer["where"] for layer in report["layers"]}, {"cpu"})
        warnings = [text for text in report["warnings"] if text.startswith("--host=gpu: ")]
        self.assertEqual(len(warnings), 1, report["warnings"])
        for text in says:
            self.assertIn(text, warnings[0])
        self.assertIn(f"warning: {warnings[0]}", errors)

    def expect_refused(self, *says, options=()):
        """With a GPU that is named, and for a module that needs one."""
        for arguments in ([self.convolution, "--partition=cpu", "--host=gpu:0"], [self.module]):
            with self.subTest(arguments):
                self.refuse("vta-run", *arguments, *options, says=says, env=self.environment)

    def expect_listed(self, *says):
        """In vta-info's list."""
        text = self.succeed("vta-info", env=self.environment)
        for wanted in says:
            self.assertIn(wanted, text)


class NoGpuTest(BadGpuCase):
    MISSING = "this machine has no GPU that this program can use"

    def test_loaders_that_are_missing(self):
        loaders = ("libvulkan.so.1", "libOpenCL.so.1")
        for name in loaders:
            (self.libraries / name).write_text("no library")
        says = ["vulkan: no Vulkan: ", "libvulkan1 on Debian", "opencl: no OpenCL: ", "ocl-icd-libopencl1 on Debian",
                "cuda: no CUDA: ", "NVIDIA's driver brings it"]
        self.expect_listed(*says, *(str(self.libraries / name) for name in loaders))
        self.expect_refused(self.MISSING, "compile the model with another --partition", *says)
        self.refuse("vta-run", MODEL, "--partition=gpu", says=says, env=self.environment)
        self.expect_cpu_takes_over(self.MISSING, "vta-info says what is missing")

    def test_drivers_that_are_missing(self):
        says = ["Vulkan finds no driver; install that of your GPU", "VK_ICD_FILENAMES",
                "OpenCL finds no driver; install that of your GPU"]
        self.expect_listed(*says)
        self.expect_refused(self.MISSING, *says)
        self.expect_cpu_takes_over(self.MISSING)

    def test_drivers_whose_library_is_missing(self):
        self.describe_driver("/no/such/driver.so")
        self.environment["OCL_ICD_VENDORS"] = str(self.write("broken.icd", "/no/such/driver.so\n"))
        says = ["Vulkan finds no driver", "OpenCL finds no driver"]
        self.expect_listed(*says)
        self.expect_refused(self.MISSING, *says)
        self.expect_cpu_takes_over(self.MISSING)

    def test_drivers_without_a_device(self):
        self.use_cuda(FAKE_CUDA_INIT="100")
        says = ["cuda: CUDA: cuInit: no CUDA-capable device is detected"]
        self.expect_listed(*says)
        self.expect_refused(self.MISSING, *says)
        self.use_pocl("empty")
        self.expect_listed("opencl: no GPU")

    def test_a_driver_that_is_too_old(self):
        self.use_mesa("old")
        says = ["vulkan: ", "llvmpipe", "has Vulkan 1.1; 1.2 is needed", "update the driver"]
        self.expect_listed(*says)
        self.expect_refused(*says)
        self.expect_cpu_takes_over(self.MISSING)

    def test_a_driver_that_crashes(self):
        self.use_pocl("crash")
        says = ["opencl: a driver, or a layer that is loaded with it, crashes: ", "update it, or take it out"]
        self.expect_listed(*says)
        self.expect_refused(*says)
        self.expect_cpu_takes_over(self.MISSING)

    def test_a_layer_that_crashes(self):
        layer = FAKES / "libvta_broken_layer.so"
        self.use_mesa()
        name = "VK_LAYER_VTA_broken"
        manifest = {"file_format_version": "1.0.0", "layer": {
            "name": name, "type": "GLOBAL", "library_path": str(layer), "api_version": "1.3.0",
            "implementation_version": "1", "description": "ends the process"}}
        (self.folder / "layers").mkdir()
        self.environment.update(VK_LAYER_PATH=str(self.write("layers/layer.json", json.dumps(manifest)).parent),
                                VK_INSTANCE_LAYERS=name)
        says = ["vulkan: a driver, or a layer that is loaded with it, crashes: "]
        self.expect_listed(*says)
        self.expect_refused(*says)
        self.expect_cpu_takes_over(self.MISSING)

    def test_a_driver_that_does_not_answer(self):
        self.use_pocl("mute")
        self.refuse("vta-run", self.module, env=self.environment,  # after 20 seconds
                    says=["opencl: a driver, or a layer that is loaded with it, does not answer: ", "update it, or take it out"])

    def test_one_interface_that_is_broken_leaves_the_others(self):
        self.use_mesa()
        self.use_pocl("crash")
        self.expect_listed("0: llvmpipe", "opencl: a driver, or a layer that is loaded with it, crashes")
        self.succeed("vta-run", MODEL, "--partition=gpu", "--verify", env=self.environment)


class FailingGpuTest(BadGpuCase):
    """Those that were well when they were tested: that is remembered."""

    def after_a_good_run(self, use, fault, variable):
        use()
        report, _ = self.run_where_it_is_fast()
        self.assertIn("gpu", {layer["where"] for layer in report["layers"]})
        self.assertFalse([text for text in report["warnings"] if text.startswith("--host=gpu")])
        self.environment[variable] = fault

    def test_memory_that_is_full(self):
        self.after_a_good_run(self.use_mesa, "full", "FAKE_VULKAN")
        says = ["llvmpipe", "not enough memory for ", "choose another GPU with --host gpu:N, or compile the model"]
        self.expect_refused(*says)
        self.expect_cpu_takes_over(STAYS, *says)

    def test_a_gpu_that_is_lost(self):
        self.after_a_good_run(self.use_mesa, "lost", "FAKE_VULKAN")
        says = ["layer '", "GPU 'llvmpipe", "the GPU has stopped", "update its driver, or choose another GPU"]
        self.expect_refused(*says)
        self.expect_cpu_takes_over(STAYS, *says)

    def test_kernels_that_hang(self):
        self.after_a_good_run(self.use_mesa, "hang", "FAKE_VULKAN")
        says = ["layer '", "did not end within 1 seconds on GPU 'llvmpipe", "a longer --timeout"]
        self.expect_refused(*says, options=["--timeout=1"])
        self.expect_cpu_takes_over(STAYS, *says, options=["--timeout=1"])

    def test_kernels_that_end_with_an_error(self):
        self.after_a_good_run(self.use_pocl, "stop", "FAKE_OPENCL")
        says = ["layer '", "GPU '", "a kernel ended with code -5", "update its driver, or choose another GPU"]
        self.expect_refused(*says)
        self.expect_cpu_takes_over(STAYS, *says)


class TestedGpuTest(BadGpuCase):
    def kept(self):
        """What is remembered of tests, by file; a file that is written again is another one."""
        found = {file.name: (file.read_bytes(), file.stat().st_ino) for file in (self.folder / "cache").rglob("*.gpu")}
        return {name: entry for name, entry in found.items() if b"self-test" in entry[0]}

    def test_a_gpu_that_fails_its_test_is_not_used(self):
        self.use_mesa("lost")
        says = ["the GPU 'llvmpipe", "(vulkan) fails its self-test: ", "the GPU has stopped", "update its driver",
                "--host gpu:N"]
        self.expect_refused(*says)
        self.expect_cpu_takes_over(STAYS, *says)
        self.assertEqual(self.kept(), {})
        self.refuse("vta-info", "--test-gpus", says=["a GPU fails its self-test"], env=self.environment)

    def test_a_feature_that_a_gpu_has_not_is_not_used_and_remembered(self):
        self.use_pocl("lies")
        found = []
        for _ in range(2):
            result = tool("vta-run", MODEL, "--partition=gpu", "--gpu-precision=float16", "--verify", "--json", env=self.environment)
            self.assertEqual(result.returncode, 0, result.stderr)
            report = json.loads(result.stdout)
            warnings = [text for text in report["warnings"] if "claims float16" in text]
            self.assertEqual(len(warnings), 1, report["warnings"])
            self.assertIn("used without", warnings[0])
            self.assertGreater(report["verified_layers"], 0)
            found.append(self.kept())
        self.assertEqual(len(found[0]), 1)
        self.assertEqual(found[0], found[1])  # not tested again


if __name__ == "__main__":
    unittest.main()
