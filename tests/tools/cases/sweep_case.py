"""Base class of the tests of vta-sweep."""

import json
import re

from tool_case import DIGITS, HW, ToolCase

MODEL = DIGITS / "digits.onnx"
SMALL = f"base: {HW / 'small-1x8x8.yaml'}\nmodels: {MODEL}\n"
# Six points.
GRID = SMALL + "grid: {gemm.block_out: [8, 16], axi.outstanding_bursts: [2, 4, 8]}\n" \
               "derive: {buffers.acc_buf_bytes: 2048 * 4 * gemm.block_out}\n"


class SweepCase(ToolCase):
    def setUp(self):
        super().setUp()
        self.cache = self.folder / "cache.db"
        self.output = self.folder / "results.json"

    def description(self, text, name="sweep.yaml"):
        return self.write(name, text)

    def sweep(self, text, *arguments):
        self.succeed("vta-sweep", self.description(text), "--cache", self.cache, "--output", self.output, *arguments)
        return json.loads(self.output.read_text())

    def fruitless_sweep(self, text, *arguments):
        """Its results, which say why no point has any; that is an error."""
        self.refuse_sweep(text, says=["no point", "has a result"], arguments=("--output", self.output, *arguments))
        return json.loads(self.output.read_text())

    def refuse_sweep(self, text, says, code=1, arguments=(), **options):
        return self.refuse("vta-sweep", self.description(text), "--cache", self.cache, *arguments, code=code, says=says, **options)

    def assert_equal_to_vta_run(self, model, point, memory, schedules):
        """The network's cycles are those of vta-run, for the configuration that the results have."""
        hw = self.write("point.yaml", point["hw"])
        text = self.succeed("vta-run", model, "--sim=cycle", "--timing-only", "--hw", hw, "--dram", memory,
                            "--schedules", schedules, "--weight-groups=none")
        cycles = int(re.search(r"([\d,]+) cycles on the VTA", text)[1].replace(",", ""))
        self.assertEqual(point["models"][0]["cycles"], cycles, point["text"])
        return hw
