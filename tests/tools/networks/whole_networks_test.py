"""Whole networks of every family: the float ones against an independent evaluation, the integers on every accelerator.

On each configuration of the project every kernel is compared bit for bit with its reference (--verify), and the outputs
with the exact ones, or with those of the same integers on the CPU. Both are needed: a kernel that reads a wrong tensor
equals its reference.
"""

import sys
import unittest
from pathlib import Path

import numpy as np
import onnx

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from network_families import FAMILIES  # noqa: E402
from numpy_evaluator import evaluate  # noqa: E402
from tool_case import HW, ToolCase  # noqa: E402

# float32 sums of some hundred products, in any order, through a dozen layers.
FLOAT_TOLERANCE = 2e-6
# Noise of 8-bit integers: what these networks have with random weights is between 22 and 45 dB.
# A wrong layer leaves less than 10.
LEAST_SIGNAL_TO_NOISE_DB = 18
# At most, on hardware with tables. What is left are normalisations and products with ragged sizes.
CROSSINGS_WITH_TABLES = {
    "conv_next": 5, "lstm_language_model": 13, "vision_transformer": 10, "whisper_encoder": 5}

# On these the outputs are compared with the CPU's bit for bit; noise would show a wrong tensor on the others.
COMPARED = ("tables", "default", "vta-0.0.2", "zynq-7020")

WITH_TABLES = "name: tables\nisa: {extensions: [qmul, clip, pad_min, requant, lut]}\n"


# Every family runs on these and on one with tables whenever tests run; on the others of the project with all tests.
EVERYWHERE = ("default", "vta-0.0.2")


class WholeNetworksTest(ToolCase):
    def prepare(self, name):
        family = FAMILIES[name]()
        path = self.model(family.network.nodes, [("x", family.shape)], [(family.output, None)],
                          family.network.constants, opset=family.opset)
        x = np.random.RandomState(0).randn(*family.shape).astype(np.float32)
        np.save(self.folder / "x.npy", x)
        return path, evaluate(onnx.load(str(path)), {"x": x})

    def run_network(self, path, *options):
        report = self.run_json(path, "--schedules=estimated", "--input", f"x={self.folder / 'x.npy'}",
                               "--output", self.folder / "out", *options)
        return report["totals"], np.load(report["outputs"][0]["file"])

    def configurations(self):
        (self.folder / "tables.yaml").write_text(WITH_TABLES)
        return [self.folder / "tables.yaml", *(HW / f"{name}.yaml" for name in EVERYWHERE)]

    def check(self, name):
        path, exact = self.prepare(name)
        _, on_cpu = self.run_network(path, "--partition=cpu")
        np.testing.assert_allclose(on_cpu, exact, rtol=0, atol=FLOAT_TOLERANCE * np.abs(exact).max())
        for hw in self.configurations():
            with self.subTest(hw.stem):
                totals, result = self.run_network(path, f"--hw={hw}", "--verify")
                if hw.stem in COMPARED:
                    _, integers = self.run_network(path, f"--hw={hw}", "--partition=cpu-quantized")
                    np.testing.assert_array_equal(result, integers)
                noise = np.sum((result - exact)**2) / np.sum(exact**2)
                self.assertGreater(-10 * np.log10(noise), LEAST_SIGNAL_TO_NOISE_DB)
                if hw.stem == "tables":
                    self.assertLessEqual(totals["crossings"], CROSSINGS_WITH_TABLES.get(name, 0))


class WholeNetworksElsewhereTest(WholeNetworksTest):
    def configurations(self):
        return [path for path in sorted(HW.glob("*.yaml")) if path.stem not in EVERYWHERE]


def _test_of(name):
    return lambda self: self.check(name)


for _name in FAMILIES:
    setattr(WholeNetworksTest, f"test_{_name}", _test_of(_name))


if __name__ == "__main__":
    unittest.main()
