"""The models that have to run, on the default configuration and on published hardware's: every offloaded
layer equal to its reference, nearly all multiply-accumulates on the accelerator, and the float model's
output near that of ONNX Runtime. Skipped where the models are not beside the source tree."""

import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import HW, MODELS, ToolCase  # noqa: E402

NAMES = ["mnist/mnist-8", "mnist/tinymaix_mnist_resnet_f32", "cifar10/cifar_resnet20_f32",
         "cifar10/cifar_resnet32_f32", "cifar10/mlperf_resnet8_f32", "tinyml/mlperf_ad_autoencoder_f32",
         "tinyml/mlperf_kws_dscnn_f32", "tinyml/mlperf_vww_mbv1_f32", "imagenet/squeezenet1.0_deepcomp_f32",
         "imagenet/tinymaix_mbv1_0.25_128_f32", "imagenet/resnet18_seeded_f32"]


# Small quantised models, which keep their own scales. scripts/benchmarking/quantised_models.py runs all of them.
QUANTISED = ["mnist/tinymaix_mnist_resnet_qdq", "cifar10/mlperf_resnet8_qdq", "tinyml/mlperf_kws_dscnn_qdq"]


@unittest.skipUnless(MODELS.is_dir(), f"no models at {MODELS}")
class ModelsTest(ToolCase):
    def check(self, name, hw):
        recorded = MODELS.parent / "ref" / name / "input_0.npy"
        # The speed benchmark comes without recorded data: random ones do.
        data = ["--input", recorded] if recorded.exists() else []
        report = self.run_json(MODELS / f"{name}.onnx", "--hw", HW / f"{hw}.yaml", "--verify", *data)
        self.assertEqual(report["hw"], hw)
        self.assertGreater(report["verified_layers"], 0)
        self.assertGreaterEqual(report["totals"]["macs_on_vta"], 0.99 * report["totals"]["macs"])

    def test_default(self):
        for name in NAMES:
            with self.subTest(name):
                self.check(name, "default")

    def test_published_hardware(self):
        for name in NAMES:
            with self.subTest(name):
                self.check(name, "vta-0.0.2")

    def test_quantised(self):
        for name in QUANTISED:
            reference = MODELS.parent / "ref" / name
            # Steps of the output, 1/256 of a probability. Without `qmul` weights are requantised.
            for hw, steps in {"default": 2, "vta-0.0.2": 64}.items():
                with self.subTest(name, hw=hw):
                    report = self.run_json(MODELS / f"{name}.onnx", "--hw", HW / f"{hw}.yaml", "--verify", "--input",
                                           reference / "input_0.npy", "--reference", reference / "output_0.npy")
                    self.assertGreater(report["verified_layers"], 0)
                    self.assertEqual(report["totals"]["macs_on_vta"], report["totals"]["macs"])
                    self.assertLessEqual(report["outputs"][0]["reference"]["max_abs"], steps / 256)

    def test_float_equals_the_reference(self):
        for name in NAMES:
            with self.subTest(name):
                reference = MODELS.parent / "ref" / name
                if not reference.exists():
                    continue
                expected = np.load(reference / "output_0.npy")
                report = self.run_json(MODELS / f"{name}.onnx", "--partition=cpu", "--input", reference / "input_0.npy",
                                       "--reference", reference / "output_0.npy")
                difference = report["outputs"][0]["reference"]["max_abs"]
                self.assertLessEqual(difference, 1e-4 * max(1.0, np.abs(expected).max()))


if __name__ == "__main__":
    unittest.main()
