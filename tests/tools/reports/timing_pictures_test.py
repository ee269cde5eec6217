"""The timing diagrams of docs/timing.md show what the cycle simulator does: programs that differ by one instruction differ
by the cycles that its diagram shows."""

import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import ROOT, ToolCase  # noqa: E402

sys.path.insert(0, str(ROOT / "scripts/docs"))

import draw_pictures  # noqa: E402
from pictures import waves  # noqa: E402

HEAD = """
.buffer "uop" uop size=4 align=64
.buffer "inp" input size=64 align=64
.buffer "wgt" constant size=256 align=64
.buffer "out" output size=64 align=64
.uop 0 0 0
load wgt sram=0 dram=@wgt+0 size=1x1 stride=1
load uop sram=0 dram=@uop+0 size=1x1 stride=1
gemm uop=0:1 iter=1x4 dst=0,1 src=0,1 wgt=0,0 reset"""
GEMM = "gemm uop=0:1 iter=1x4 dst=0,1 src=0,1 wgt=0,0 pop_prev"
# Each is the one before and an instruction that waits for it.
PROGRAMS = {
    "none": f"{HEAD}\nfinish\n",
    "load": f"{HEAD} push_prev\nload inp sram=0 dram=@inp+0 size=1x4 stride=4 pop_next push_next\nfinish pop_prev\n",
    "gemm": f"{HEAD} push_prev\nload inp sram=0 dram=@inp+0 size=1x4 stride=4 pop_next push_next\n{GEMM}\nfinish\n",
    "store": f"{HEAD} push_prev\nload inp sram=0 dram=@inp+0 size=1x4 stride=4 pop_next push_next\n{GEMM} push_next\n"
             "store out sram=0 dram=@out+0 size=1x4 stride=4 pop_prev push_prev\nfinish pop_next\n"}


class TimingPicturesTest(ToolCase):
    def cycles(self, name):
        source, image = self.write("program.s", PROGRAMS[name]), self.folder / "memory.img"
        memory = self.write("memory.yaml", f"kind: simple\nlatency_cycles: {waves.LATENCY}\nbeats_per_cycle: 1\n"
                                           "outstanding: 32\n")
        self.succeed("vta-objdump", source, "--image", image)
        text = self.succeed("vta-run", "--image", image, "--address", "0x10000", "--sim=cycle", "--dram", memory)
        return int(re.search(r"([\d,]+) cycles", text)[1].replace(",", ""))

    def test_instructions_take_the_cycles_of_their_diagrams(self):
        timing = draw_pictures.timing_constants()
        load, gemm, store = waves.load_cycles(timing), waves.gemm_cycles(timing), waves.store_cycles(timing)
        cycles = {name: self.cycles(name) for name in PROGRAMS}
        # From the cycle in which the token comes to the one in which the next can be taken.
        for before, name, begin, events in (("none", "load", load["started"][0], load),
                                            ("load", "gemm", gemm["issued"][0], gemm),
                                            ("gemm", "store", store["started"][0], store)):
            with self.subTest(name):
                self.assertEqual(cycles[name] - cycles[before], events["retired"][0] + 1 - begin)


if __name__ == "__main__":
    unittest.main()
