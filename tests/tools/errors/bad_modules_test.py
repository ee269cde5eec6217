"""Modules that are damaged or for something else, and options that come too late for them."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import DIGITS, DIGITS_OPTIONS, DigitsModuleCase, HW  # noqa: E402

MODEL = DIGITS / "digits.onnx"
IMAGE = DIGITS / "images/three-1.png"


class ModuleTest(DigitsModuleCase):
    def test_modules_for_other_accelerators(self):
        for simulator in ("--sim", "--sim=functional", "--sim=rtl"):
            self.refuse("vta-run", simulator, self.module, "--hw", HW / "small-1x8x8.yaml",
                        says=["built for configuration 'default'", "has 'small-1x8x8'", "compile the model for that one"])

    def test_modules_are_compiled_already(self):
        for option, *value in [["--calibrate", IMAGE], ["--calibration-method", "kl"], ["--activations", "alu"],
                               ["--float-layers", "conv1"], ["--wide-activations", "conv1"],
                               ["--weight-groups", "64"], ["--rescaling", "fast"],
                               ["--partition", "cpu"], ["--schedules", "estimated"], ["--shape", "n=1"],
                               ["--dump-ir", self.folder / "ir"], ["--compare-float"]]:
            with self.subTest(option):
                self.refuse("vta-run", self.module, option, *value, says=[option, "compiled already"])

    def test_modules_for_something_else(self):
        self.refuse("vta-run", self.module, "--hw", HW / "small-1x8x8.yaml", says=["'default'", "'small-1x8x8'"])
        other = self.folder / "arm.so"
        self.succeed("vta-compile", MODEL, *DIGITS_OPTIONS, "--target", "aarch64", "-o", other)
        self.refuse("vta-run", other, says=["aarch64", "this machine"])
        self.assertIn("aarch64", self.succeed("vta-objdump", other))

    def test_damaged_modules(self):
        data = self.module.read_bytes()
        self.refuse("vta-run", self.write("cut.so", data[:-100]), says=["truncated"])
        self.refuse("vta-run", self.write("long.so", data + b"x"), says=["bytes, its header says"])
        for at in (len(data) // 5, len(data) // 2, len(data) - 1):
            flipped = data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]
            self.refuse("vta-run", self.write("bit.so", flipped), says=["checksum"])
        self.refuse("vta-run", self.write("libc.so", Path("/proc/self/exe").read_bytes()), says=["libc.so"])


if __name__ == "__main__":
    unittest.main()
