"""Decoders of language models, which multiply each weight once in a step: their weights are on the VTA, which has them."""

import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import HW, ToolCase  # noqa: E402
from language_model import STYLES, Sizes, save_decoder  # noqa: E402  (tool_case finds scripts/models)

CONFIGURATIONS = sorted(path.stem for path in HW.glob("*.yaml"))
RUN = ("--schedules=estimated",)
# Cycles over those that the bus needs for the weights alone; 1.05 elsewhere.
MORE_CYCLES = {
    "batched-4x16x16": 1.12,  # biases and factors are loaded for each of the four rows
    "vta-0.0.2-hls": 2.1,  # the published core waits for memory between its bursts
}


class PlacementTest(ToolCase):
    def totals(self, path, hw, *options):
        return self.run_json(path, *RUN, f"--hw={hw}", *options)["totals"]

    def bus_bytes(self, hw):
        width = re.search(r"data_width_bits: (\d+)", (HW / f"{hw}.yaml").read_text())
        return int(width.group(1)) // 8 if width else 8

    def test_weights_of_all_kinds_of_exports_are_on_the_vta(self):
        for style in STYLES:
            path = self.folder / f"{style}.onnx"
            macs = save_decoder(path, style=style, past=6).macs()
            for hw in ("default", "zynq-7020", "vta-0.0.2"):
                with self.subTest(style=style, hw=hw):
                    self.assertGreaterEqual(self.totals(path, hw, "--verify")["macs_on_vta"], 0.95 * macs)

    def test_every_configuration_takes_as_long_as_its_bus_takes_for_the_weights(self):
        path = self.folder / "model.onnx"
        sizes = Sizes(width=512, layers=1, heads=8, key_heads=4, hidden=1024, words=4096)
        macs = save_decoder(path, sizes, past=6).macs()
        for hw in CONFIGURATIONS:
            with self.subTest(hw):
                totals = self.totals(path, hw)
                self.assertGreaterEqual(totals["macs_on_vta"], 0.95 * macs)
                self.assertLessEqual(totals["cycles"] * self.bus_bytes(hw), MORE_CYCLES.get(hw, 1.05) * macs)


if __name__ == "__main__":
    unittest.main()
