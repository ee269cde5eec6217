"""How scripts/benchmarking/model_accuracy.py splits its data."""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts/benchmarking"))
import model_accuracy  # noqa: E402


class SplitTest(unittest.TestCase):
    def test_no_sample_is_both_calibrated_on_and_scored(self):
        for count, calibration, scored in ((100, 32, 1000), (1000, 32, 200), (40, 32, 40)):
            first, second = model_accuracy.split(count, calibration, scored)
            self.assertEqual(len(first), calibration)
            self.assertEqual(len(second), min(scored, count - calibration))
            self.assertFalse(set(first) & set(second))

    @unittest.skipUnless(model_accuracy.MODELS.is_dir(), "../shared/models is absent")
    def test_raw_data_has_the_models_shapes(self):
        unit = {"mean": [0], "std": [1]}
        for key, shape in (("cifar10/", (1000, 1, 3, 32, 32)), ("mnist/", (2000, 1, 1, 28, 28)),
                           ("kws", (500, 1, 1, 49, 10))):
            inputs, labels = model_accuracy.raw_samples(key, unit)
            self.assertEqual((inputs.shape, len(labels)), (shape, shape[0]))
            self.assertTrue(0 <= inputs.min() < inputs.max() <= 1)
        inputs, labels = model_accuracy.raw_samples("autoencoder", None)
        self.assertEqual((inputs.shape[1:], labels), ((1, 640), None))


if __name__ == "__main__":
    unittest.main()
