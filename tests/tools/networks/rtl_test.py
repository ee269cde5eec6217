"""Whole networks on the Verilated RTL, every offloaded layer equal to its reference; waveforms."""

import shutil
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import DIGITS, DIGITS_OPTIONS, MODELS, ToolCase  # noqa: E402


@unittest.skipUnless(shutil.which("verilator"), "Verilator is not installed")
class RtlTest(ToolCase):
    def check(self, model, *options, simulator="rtl"):
        report = self.run_json(model, f"--sim={simulator}", "--verify", *options)
        self.assertGreater(report["verified_layers"], 0)
        self.assertGreater(report["totals"]["cycles"], 0)

    def test_digits(self):
        self.check(DIGITS / "digits.onnx", *DIGITS_OPTIONS)

    def test_profile_does_not_guess_whose_tokens_it_waits_for(self):
        module = self.folder / "digits.vta.so"
        self.succeed("vta-compile", DIGITS / "digits.onnx", *DIGITS_OPTIONS, "-o", module)
        texts = {simulator: self.succeed("vta-run", f"--sim={simulator}", module, "--profile=full")
                 for simulator in ("rtl", "cycle")}
        self.assertRegex(texts["rtl"], r"layer +busy +tokens +bus +hazards +fetch")
        self.assertRegex(texts["cycle"], r"layer +busy +loads +stores +bus +hazards +fetch")

    @unittest.skipUnless(MODELS.is_dir(), f"no models at {MODELS}")
    def test_small_networks(self):
        for name in ("cifar10/mlperf_resnet8_f32", "tinyml/mlperf_kws_dscnn_f32"):
            with self.subTest(name):
                self.check(MODELS / f"{name}.onnx")

    # With assertions, and with the packed multipliers that are built for an FPGA: layers of many shapes and sizes.
    @unittest.skipUnless(MODELS.is_dir(), f"no models at {MODELS}")
    def test_large_networks_as_on_an_fpga(self):
        for name in ("imagenet/resnet18_seeded_f32", "imagenet/mobilenet_v2_1.0_224_ptq_f32dq"):
            with self.subTest(name):
                self.check(MODELS / f"{name}.onnx", simulator="rtl:checked")

    def test_every_layer_takes_the_same_cycles_on_the_cycle_simulator(self):
        module = self.folder / "digits.vta.so"
        self.succeed("vta-compile", DIGITS / "digits.onnx", *DIGITS_OPTIONS, "-o", module)
        text = self.succeed("vta-validate", "--module", module, "--memory=simple", "--memory=DDR4-2400")
        self.assertRegex(text, r"(?m)^\| digits, default \| 64 \| 16 \| 0 \| 0 \| [\d,]+ \| [\d,]+ \| 0 \|$")
        self.refuse("vta-validate", "--module", module, "--memory=DDR9", says=["DDR9", "DDR3-1066"])
        self.refuse("vta-validate", "--module", DIGITS / "digits.onnx", says=["digits.onnx"])
        self.refuse("vta-validate", "--module", self.folder / "none.so", says=["none.so"])


if __name__ == "__main__":
    unittest.main()
