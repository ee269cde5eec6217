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

    def test_clocks_are_set_before_loading(self):
        """The loading fails: the clock is as the design needs it all the same."""
        self.describe()
        self.board.clock("fclk0", 50000000)
        manager = self.board.root / "sys/class/fpga_manager/fpga0/firmware"
        manager.unlink()
        manager.symlink_to("/dev/full")
        self.refuse_flash(arguments=["--via", "manager"])
        self.assertEqual((self.board.root / "sys/devices/soc0/fclk0/set_rate").read_text(), "100000000")

    def test_a_multiplied_clock_has_to_be_known_before_loading(self):
        self.describe(clocks=[{"name": "fclk0", "mhz": 100, "multiplied": True}])
        self.refuse_flash("clock fclk0 has to be right before the design is loaded", "--dev-mem")
        self.assertFalse(list((self.board.root / "lib/firmware").glob("vta-*.bin")))
        self.board.clock("fclk0", 50000000)
        self.assertEqual(json.loads(self.flash("--json"))["clock fclk0"], "100 MHz (set)")

    def test_a_multiplied_clock_that_the_loading_changes(self):
        """An overlay whose loading sets the clock: dtc stands for the kernel here."""
        self.board = bitstreams.Board(self.folder / "other", firmware_attribute=False)
        self.describe(clocks=[{"name": "fclk0", "mhz": 100, "multiplied": True}])
        self.board.clock("fclk0", 100000000)
        rate = self.board.root / "sys/devices/soc0/fclk0/set_rate"
        real = shutil.which("dtc")
        self.board.command("dtc", f"echo 50000000 > {rate}\nexec {real} \"$@\"")
        self.refuse_flash("clock fclk0 changed from 100 MHz while the design was loaded", "load the bitstream again",
                          arguments=["--via", "overlay"])

    def test_a_clock_that_the_pll_cannot_make(self):
        self.describe(clocks=[{"name": "fclk0", "mhz": 150}])
        words = {0xF8000108: 20 << 12, 0xF8000170: 10 << 8 | 1 << 20, 0xF8008000: 0, 0xF8008014: 0}
        self.board.memory(words)
        self.refuse_flash("fclk0 cannot have 150 MHz", "1000 MHz", "142.857 and 166.667 MHz", "--slower-clock",
                          arguments=["--dev-mem"])
        self.assertEqual(self.board.word(0xF8000170), words[0xF8000170])
        report = json.loads(self.flash("--json", "--dev-mem", "--slower-clock"))
        self.assertEqual(report["clock fclk0"], "142.857 MHz (slower than the 150 MHz that the design allows)")
        self.assertEqual(self.board.word(0xF8000170), 7 << 8 | 1 << 20)
        # Of so slow a PLL nothing is fast enough to be too fast.
        self.board.memory(words | {0xF8000108: 2 << 12})
        self.refuse_flash("fclk0 cannot have 150 MHz", "100 MHz next to it", arguments=["--dev-mem"])

    def test_a_clock_that_the_kernel_makes_slower(self):
        self.describe(clocks=[{"name": "fclk0", "mhz": 150}])
        self.board.clock("fclk0", 142857132)
        rate = self.board.root / "sys/devices/soc0/fclk0/set_rate"
        rate.unlink()
        rate.symlink_to("/dev/null")  # reads as nothing
        self.refuse_flash("the kernel makes 0 MHz of the 150 MHz")

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
