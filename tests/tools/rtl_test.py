"""Whole networks on the Verilated RTL, every offloaded layer equal to its reference; waveforms."""

import shutil
import unittest

from tool_case import DIGITS, DIGITS_OPTIONS, MODELS, ToolCase


@unittest.skipUnless(shutil.which("verilator"), "Verilator is not installed")
class RtlTest(ToolCase):
    def check(self, model, *options):
        report = self.run_json(model, "--sim=rtl", "--verify", *options)
        self.assertGreater(report["verified_layers"], 0)
        self.assertGreater(report["totals"]["cycles"], 0)

    def test_digits(self):
        self.check(DIGITS / "digits.onnx", *DIGITS_OPTIONS)

    @unittest.skipUnless(MODELS.is_dir(), f"no models at {MODELS}")
    def test_small_networks(self):
        for name in ("cifar10/mlperf_resnet8_f32", "tinyml/mlperf_kws_dscnn_f32"):
            with self.subTest(name):
                self.check(MODELS / f"{name}.onnx")


if __name__ == "__main__":
    unittest.main()
