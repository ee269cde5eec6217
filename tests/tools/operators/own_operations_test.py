"""ALU operations of users: from a folder to the assembler, all simulators, the RTL and the compiler."""

import json
import shutil
import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import ROOT, ToolCase  # noqa: E402
from network_builder import Network  # noqa: E402

EXAMPLES = ROOT / "examples/extensions"
ABSDIFF, LEAK = EXAMPLES / "absdiff.vtax", EXAMPLES / "leak.vtax"
# Small, so that its RTL is compiled in seconds; PRELU beside the operation that is to equal it.
HARDWARE = """name: own
gemm: {block_in: 4, block_out: 4}
buffers: {uop_buf_bytes: 1024, inp_buf_bytes: 1024, wgt_buf_bytes: 4096, acc_buf_bytes: 4096}
isa: {extensions: [qmul, clip, pad_min, prelu]}
"""
# 32 elements of x, then 32 of y.
PROGRAM = """.buffer "uop" uop size=4 align=64
.buffer "acc" input size=1024 align=64
.buffer "out" output size=128 align=64
.uop 0 32 0
load uop sram=0 dram=@uop+0 size=1x1 stride=1
load acc sram=0 dram=@acc+0 size=1x64 stride=64
{operation} uop=0:1 iter=1x32 dst=0,1 src=0,1
alu shr imm={shift} uop=0:1 iter=1x32 dst=0,1 src=0,1 push_next
store out sram=0 dram=@out+0 size=1x32 stride=32 pop_prev push_prev
finish pop_next
"""

# Every step, on several widths: what the RTL and the simulator make of them is compared on random numbers.
MIX = """func.func @mix(%x: i32, %y: i32) -> i32 {
  %five = arith.constant 5 : i32
  %mask = arith.constant 31 : i32
  %amount = arith.andi %y, %mask : i32
  %left = arith.shli %x, %amount : i32
  %signed = arith.shrsi %x, %five : i32
  %unsigned = arith.shrui %x, %amount : i32
  %a = arith.minui %left, %signed : i32
  %b = arith.maxui %unsigned, %y : i32
  %wide_a = arith.extui %a : i32 to i64
  %wide_b = arith.extsi %b : i32 to i64
  %product = arith.muli %wide_a, %wide_b : i64
  %minus = arith.constant -9223372036854775808 : i64
  %flipped = arith.xori %product, %minus : i64
  %thirty = arith.constant 30 : i64
  %high = arith.shrsi %flipped, %thirty : i64
  %folded = arith.trunci %high : i64 to i32
  %byte = arith.trunci %y : i32 to i8
  %lowest = arith.constant -128 : i8
  %bounded = arith.maxsi %byte, %lowest : i8
  %negative = arith.subi %lowest, %bounded : i8
  %back = arith.extsi %negative : i8 to i32
  %nibble = arith.trunci %x : i32 to i3
  %small = arith.extui %nibble : i3 to i32
  %c0 = arith.cmpi ult, %folded, %back : i32
  %c1 = arith.cmpi sge, %x, %y : i32
  %c2 = arith.cmpi ugt, %small, %amount : i32
  %c3 = arith.cmpi ne, %c0, %c1 : i1
  %yes = arith.constant true
  %c4 = arith.andi %c3, %yes : i1
  %c5 = arith.ori %c4, %c2 : i1
  %sum = arith.addi %folded, %back : i32
  %least = arith.minsi %sum, %small : i32
  %flag = arith.extsi %c5 : i1 to i32
  %chosen = arith.select %c5, %sum, %least : i32
  %z = arith.addi %chosen, %flag : i32
  return %z : i32
}
"""
MIX_DESCRIPTION = "kind: alu\nname: mix\ncode: 14\noperand: tensor_or_immediate\nimmediate: number\n"


def wrapped(values):
    return ((np.asarray(values, np.int64) + 2**31) % 2**32 - 2**31).astype(np.int64)


class OwnOperationsTest(ToolCase):
    def setUp(self):
        super().setUp()
        self.hw = self.write("own.yaml", HARDWARE)
        self.options = ["--hw", self.hw, "--extension", ABSDIFF, "--extension", LEAK]
        random = np.random.RandomState(5)
        self.x = random.randint(-2**31, 2**31, 128)
        self.y = random.randint(-2**31, 2**31, 128)
        ends = [-2**31, 2**31 - 1, 0, 1, -1]
        self.x[:25], self.y[:25] = np.repeat(ends, 5), np.tile(ends, 5)
        self.data = self.write("acc.bin", np.concatenate([self.x, self.y]).astype("<i4").tobytes())

    def image(self, operation, shift=0):
        source = self.write("program.s", PROGRAM.format(operation=operation, shift=shift))
        image = self.folder / "program.img"
        self.succeed("vta-objdump", source, *self.options, "--verify", "--image", image, "--data", f"acc={self.data}")
        return image

    def results(self, image, device):
        """Memory after the run, and cycles."""
        after = self.folder / "after.img"
        text = self.succeed("vta-run", "--image", image, "--address", "0x10000", *self.options, f"--sim={device}", "--save", after, "--json",
                            seconds=900)
        return np.fromfile(after, np.int8), json.loads(text)["cycles"]

    def same_on_all(self, operation, shift=0):
        image = self.image(operation, shift)
        functional = self.results(image, "functional")[0]
        cycle = self.results(image, "cycle")
        rtl = self.results(image, "rtl")
        np.testing.assert_array_equal(functional, cycle[0])
        np.testing.assert_array_equal(functional, rtl[0])
        self.assertEqual(cycle[1], rtl[1])
        return functional, cycle[1]

    def has(self, memory, expected):
        """Memory has these results as bytes, somewhere behind the operands."""
        self.assertIn(expected.astype(np.int8).tobytes(), memory.tobytes())

    def test_absolute_difference(self):
        for shift in (0, 8, 24):
            memory, _ = self.same_on_all("alu absdiff", shift)
            self.has(memory, wrapped(np.abs(wrapped(self.x - self.y))) >> shift)
        memory, _ = self.same_on_all("alu absdiff imm=-300", 24)
        self.has(memory, wrapped(np.abs(wrapped(self.x + 300))) >> 24)

    def test_prelu_anew(self):
        for shift in (0, 1, 17, 30, 62):
            for result in (0, 24):
                own = self.same_on_all(f"alu leak shift={shift}", result)
                builtin = self.same_on_all(f"alu prelu shift={shift}", result)
                self.assertEqual(own[1], builtin[1])
                own, builtin = own[0], builtin[0]
                # The two programs differ in one code, and in nothing that they compute.
                self.assertLessEqual(np.count_nonzero(own != builtin), 2)

    def test_random_programs(self):
        mix = self.folder / "mix.vtax"
        mix.mkdir()
        (mix / "semantics.mlir").write_text(MIX)
        (mix / "extension.yaml").write_text(MIX_DESCRIPTION)
        self.succeed("vta-cosim", *self.options, "--extension", mix, "--count", 40, seconds=900)

    def test_assembler(self):
        source = self.write("program.s", PROGRAM.format(operation="alu absdiff", shift=0))
        listing = self.succeed("vta-objdump", source, *self.options, "--verify")
        self.assertIn("alu absdiff uop=0:1 iter=1x32", listing)
        text = self.write("again.s", self.succeed("vta-objdump", source, *self.options, "--asm"))
        self.assertEqual(self.succeed("vta-objdump", text, *self.options), listing)
        self.refuse("vta-objdump", source, "--hw", self.hw, says=["unknown ALU operation \"absdiff\"; legal: min, max"])
        wrong = self.write("wrong.s", PROGRAM.format(operation="alu leak imm=3", shift=0))
        self.refuse("vta-objdump", wrong, *self.options, "--verify", says=["LEAK has no immediate operand"])
        self.refuse("vta-objdump", source, *self.options, "--extension", ABSDIFF, says=["operations has \"absdiff\" twice"])

    def test_rtl_sources(self):
        hw = self.write("with.yaml", f"{HARDWARE}operations: [absdiff.vtax]\n")
        shutil.copytree(ABSDIFF, self.folder / "absdiff.vtax")
        self.succeed("vta-info", "--rtl-sources", self.folder / "rtl", "--hw", hw)
        self.assertIn("module vta_lane_absdiff", (self.folder / "rtl/vta_alu_lane.sv").read_text())
        self.refuse("vta-info", "--rtl-package", self.folder / "p.sv", "--hw", hw, says=["write all sources by --rtl-sources"])

    def network(self, distance):
        """The distance of two convolutions' results."""
        net = Network(3)
        a, b = net.relu_conv("x", 3, 20, 3), net.relu_conv("x", 3, 20, 3)
        y = distance(net, a, b)
        return self.model(net.nodes, [("x", [1, 3, 12, 12])], [(y, [1, 20, 12, 12])], net.constants)

    def test_compiled_network(self):
        forms = {
            "abs": lambda net, a, b: net.op("Abs", net.op("Sub", a, b)),
            "max": lambda net, a, b: net.op("Max", net.op("Sub", a, b), net.op("Sub", b, a)),
        }
        for name, form in forms.items():
            with self.subTest(name):
                model = self.network(form)
                reports, outputs = {}, {}
                for device in ("functional", "cycle", "rtl"):
                    folder = self.folder / f"{name}-{device}"
                    reports[device] = self.run_json(model, *self.options, f"--sim={device}", "--verify", "--compare-float", "--output", folder)
                    outputs[device] = np.load(next(folder.glob("*.npy")))
                np.testing.assert_array_equal(outputs["functional"], outputs["cycle"])
                np.testing.assert_array_equal(outputs["functional"], outputs["rtl"])
                self.assertEqual(reports["cycle"]["totals"]["cycles"], reports["rtl"]["totals"]["cycles"])
                self.assertRegex(self.succeed("vta-run", model, *self.options, "--sim=cycle", "--profile"), r"absdiff +vta ")
                self.assertGreater(outputs["functional"].max(), 0)
                self.assertGreaterEqual(outputs["functional"].min(), 0)

    def programs(self, module):
        """All programs of a module as assembler text."""
        count = len(json.loads(self.succeed("vta-objdump", module, "--json"))["programs"])
        self.assertGreater(count, 0)
        return "".join(self.succeed("vta-objdump", module, "--program", i, "--asm") for i in range(count))

    def test_the_compiler_uses_it(self):
        model = self.network(lambda net, a, b: net.op("Abs", net.op("Sub", a, b)))
        module = self.folder / "with.vta.so"
        self.succeed("vta-compile", model, *self.options, "-o", module)
        self.assertIn("alu absdiff", self.programs(module))
        # The module's hardware has the operation; another one has not.
        self.succeed("vta-run", module, "--sim=functional")
        self.refuse("vta-run", module, "--hw", self.hw, "--sim=functional", says=["lacks the ALU operation absdiff", "--extension"])
        without = self.folder / "without.vta.so"
        self.succeed("vta-compile", model, "--hw", self.hw, "-o", without)
        self.assertNotIn("absdiff", self.programs(without))

    def test_nothing_runs(self):
        folder = self.folder / "evil.vtax"
        shutil.copytree(ABSDIFF, folder)
        (folder / "semantics.mlir").write_text("func.func @absdiff(%x: i32, %y: i32) -> i32 {\n  llvm.call @system() : () -> ()\n")
        self.refuse("vta-objdump", self.write("p.s", ""), "--extension", folder, says=["semantics.mlir:2:"])


if __name__ == "__main__":
    unittest.main()
