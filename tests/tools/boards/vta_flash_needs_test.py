"""What vta-flash sets up beside a bitstream, clocks and ports, and what it reads back from the accelerator."""

import json
import shutil
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

import bitstreams  # noqa: E402
from flash_case import FlashCase  # noqa: E402
from tool_case import tool  # noqa: E402


class NeedsTest(FlashCase):
    def test_clock_is_set(self):
        self.describe()
        self.board.clock("fclk0", 50000000)
        report = json.loads(self.flash("--json"))
        self.assertEqual(report["clock fclk0"], "100 MHz (set)")
        self.assertEqual((self.board.root / "sys/devices/soc0/fclk0/set_rate").read_text(), "100000000")

    def test_what_cannot_be_checked_is_said(self):
        self.describe()
        report = json.loads(self.flash("--json"))
        self.assertIn("not checked", report["clock fclk0"])
        self.assertIn("not checked", report["width of S_AXI_HP0"])

    def test_registers_of_a_zynq(self):
        self.describe()
        # 50 MHz times 20, by 5 and 1: 200 MHz; the port is 32 bits wide.
        self.board.memory({0xF8000108: 20 << 12, 0xF8000170: 5 << 8 | 1 << 20, 0xF8008000: 1, 0xF8008014: 1})
        report = json.loads(self.flash("--json", "--dev-mem"))
        self.assertEqual(report["clock fclk0"], "100 MHz (set)")
        self.assertEqual(report["width of S_AXI_HP0"], "64 bits (set)")
        self.assertEqual(self.board.word(0xF8000170), 10 << 8 | 1 << 20)
        self.assertEqual((self.board.word(0xF8008000), self.board.word(0xF8008014)), (0, 0))
        self.assertEqual(json.loads(self.flash("--json", "--dev-mem"))["clock fclk0"], "100 MHz (as it was)")

    def test_registers_of_a_zynqmp(self):
        self.board = bitstreams.Board(self.folder / "other", "zynqmp")
        self.file = self.write("vta.bit", bitstreams.bit(bitstreams.raw(bitstreams.packets(bitstreams.IDCODE_ZU3))))
        self.describe("zynqmp")
        self.board.memory({0xFF5E0020: 90 << 8 | 1 << 16, 0xFF5E00C0: 1 << 24 | 10 << 8 | 1 << 16,
                           0xFD380000: 0, 0xFD380014: 0, 0xFD615000: 0xA00})
        report = json.loads(self.flash("--json", "--dev-mem"))
        self.assertEqual(report["clock pl0"], "99.999 MHz (set)")
        self.assertEqual(report["width of S_AXI_HP0_FPD"], "64 bits (set)")
        self.assertEqual((self.board.word(0xFD380000), self.board.word(0xFD380014)), (1, 1))
        self.assertEqual(self.board.word(0xFD615000), 0x800)

    def test_clock_that_stays_too_fast(self):
        self.describe()
        self.board.clock("fclk0", 250000000)
        attribute = self.board.root / "sys/devices/soc0/fclk0/set_rate"
        attribute.unlink()
        attribute.symlink_to("/dev/full")  # takes no value
        self.refuse_flash("set_rate")

    def test_unknown_clock_source(self):
        self.describe()
        self.board.memory({0xFF5E0020: 0})
        shutil.rmtree(self.board.root / "sys/devices/soc0")
        self.board.write("proc/device-tree/compatible", b"avnet,ultra96\0")
        self.file = self.write("vta.bit", bitstreams.bit(bitstreams.raw(bitstreams.packets(bitstreams.IDCODE_ZU3))))
        self.describe("zynqmp")
        self.board.memory({0xFF5E00C0: 3})
        self.refuse_flash("source 3", arguments=["--dev-mem"])


class ReadBackTest(FlashCase):
    def test_another_configuration(self):
        self.describe()
        self.board.registers(fingerprint="0x1", depths="0x0b0a0b0c")
        self.refuse_flash("another configuration", "0x0000000000000001", "0x371437367438c1b9")

    def test_nothing_answers(self):
        self.describe()
        self.board.registers(id="0xffffffff")
        self.refuse_flash("no VTA answers")

    def test_no_uio(self):
        self.board = bitstreams.Board(self.folder / "other", uio=False)
        self.describe()
        result = tool("vta-flash", self.file, "--root", self.board.root, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("warning: what was loaded is not verified", result.stderr)
        self.assertFalse(json.loads(result.stdout)["verified"])

    def test_without_a_description(self):
        result = tool("vta-flash", self.file, "--root", self.board.root)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("no description beside the bitstream", result.stderr)


if __name__ == "__main__":
    unittest.main()
