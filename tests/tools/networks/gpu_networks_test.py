"""Every network of docs/performance.md on each device that stands for a GPU: each step equal to the CPU's, integers bit for
bit and floats within the bound of docs/gpu-backend.md. Takes hours, and is skipped where a driver or the models are missing."""

import json
import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import MODELS, ROOT, ToolCase, tool  # noqa: E402

sys.path.append(str(ROOT / "scripts/testing"))

from every_model import SHAPES, model_files  # noqa: E402

# What shows the driver to its loader, and the name that --host takes.
DEVICES = {"llvmpipe": ("VK_ICD_FILENAMES", "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json", "llvmpipe"),
           "swiftshader": ("VK_ICD_FILENAMES", "/usr/lib/chromium/vk_swiftshader_icd.json", "swiftshader"),
           "pocl": ("OCL_ICD_VENDORS", "/etc/OpenCL/vendors", "opencl")}


@unittest.skipUnless(MODELS.is_dir(), f"no models at {MODELS}")
class GpuNetworksTest(ToolCase):
    def check(self, device):
        variable, driver, choice = DEVICES[device]
        if not Path(driver).exists():
            self.skipTest(f"no {driver}")
        os.environ[variable] = driver
        self.addCleanup(os.environ.pop, variable, None)
        for name, model in model_files().items():
            partition = "gpu-quantized" if name.endswith("_qdq") else "gpu"
            with self.subTest(name):
                report = self.run_json(model, *SHAPES.get(name, []), f"--partition={partition}", f"--host=gpu:{choice}", "--timeout=3600", "--verify")
                # A step that is a loop or a branch stays on the CPU, and of some networks there is no other.
                on_gpu = [layer for layer in report["layers"] if layer["where"] == "gpu"]
                self.assertEqual(report["verified_layers"] > 0, bool(on_gpu))

    def run_json(self, *arguments):
        result = tool("vta-run", *arguments, "--json", seconds=7200)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)


def _test_of(device):
    return lambda self: self.check(device)


for _device in DEVICES:
    setattr(GpuNetworksTest, f"test_{_device}", _test_of(_device))


if __name__ == "__main__":
    unittest.main()
