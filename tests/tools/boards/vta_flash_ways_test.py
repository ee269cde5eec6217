"""The other ways of vta-flash into a board: overlays, dfx-mgr, JTAG and XRT."""

import json
import shutil
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

import bitstreams  # noqa: E402
from flash_case import FlashCase  # noqa: E402


@unittest.skipUnless(shutil.which("dtc"), "needs dtc")
class OverlayTest(FlashCase):
    def setUp(self):
        super().setUp()
        self.describe()
        self.board.command("dtc", f'exec {shutil.which("dtc")} "$@"')

    def overlay(self):
        return (self.board.root / "sys/kernel/config/device-tree/overlays/vta/dtbo").read_bytes()

    def test_loads_an_overlay(self):
        report = json.loads(self.flash("--via", "overlay", "--json"))
        overlay = self.overlay()
        self.assertEqual(overlay[:4], bytes.fromhex("d00dfeed"))
        for text in (self.firmware().name, "generic-uio", "xlnx,zynq-afi-fpga", "fpga_full", "xlnx,fclk"):
            self.assertIn(text.encode(), overlay)
        self.assertEqual(report["width of S_AXI_HP0"], "64 bits (set)")

    def test_is_chosen_where_the_manager_has_no_attribute(self):
        (self.board.manager / "firmware").unlink()
        self.assertEqual(json.loads(self.flash("--json"))["via"], "overlay")

    def test_dfx_package(self):
        self.board.command("dfx-mgr-client", f'echo "$@" >> {self.board.root}/log')
        self.assertEqual(json.loads(self.flash("--json"))["via"], "dfx")
        package, = (self.board.root / "lib/firmware/xilinx").iterdir()
        self.assertEqual(sorted(file.name for file in package.iterdir()),
                         ["accel.json", "shell.json", f"{package.name}.bit.bin", f"{package.name}.dtbo"])
        self.assertEqual((self.board.root / "log").read_text(), f"-remove\n-load {package.name}\n")
        self.assertEqual(json.loads((package / "shell.json").read_text())["shell_type"], "XRT_FLAT")
        self.assertIn(f"{package.name}.bit.bin".encode(), (package / f"{package.name}.dtbo").read_bytes())

    def test_mistakes(self):
        shutil.rmtree(self.board.root / "sys/kernel")
        self.refuse_flash("mount configfs", arguments=["--via", "overlay"])
        (self.folder / "vta.json").unlink()
        self.refuse_flash("--via overlay needs the description", arguments=["--via", "overlay"])
        self.describe()
        self.board.command("dtc", "echo broken; exit 3")
        (self.board.root / "sys/kernel/config/device-tree/overlays").mkdir(parents=True)
        self.refuse_flash("broken", arguments=["--via", "overlay"])
        (self.board.root / "usr/bin/dtc").unlink()
        self.refuse_flash("no command 'dtc'", arguments=["--via", "overlay"])


class CommandsTest(FlashCase):
    def test_jtag(self):
        self.board.command("openFPGALoader", f'echo "$@" >> {self.board.root}/log; echo "idcode 0x3727093"')
        self.flash("--via", "jtag", "--jtag-option", "--cable", "--jtag-option", "digilent")
        self.assertEqual((self.board.root / "log").read_text(), f"--cable digilent --detect\n--cable digilent {self.file}\n")
        self.board.command("openFPGALoader", 'echo "idcode 0x3722093"')
        self.refuse_flash("this device is xc7z010", arguments=["--via", "jtag"])
        self.board.command("openFPGALoader", "echo nothing")
        self.refuse_flash("found no known Zynq", arguments=["--via", "jtag"])
        self.board.command("openFPGALoader", "echo no cable; exit 1")
        self.refuse_flash("no cable", arguments=["--via", "jtag"])
        self.board.command("openFPGALoader", 'echo "idcode 0x3727093"')
        self.file = self.write("vta.bin", bitstreams.raw(bitstreams.packets()))
        self.refuse_flash("takes .bit files", arguments=["--via", "jtag"])

    def test_xrt(self):
        self.board.command("xbutil", f'echo "$@" >> {self.board.root}/log')
        self.refuse_flash("takes .xclbin files", arguments=["--via", "xrt"])
        self.file = self.write("vta.xclbin", bitstreams.xclbin([(0, "bitstream", b"opaque" * 10)]))
        self.assertEqual(json.loads(self.flash("--json", "--card", "0000:03:00.1"))["via"], "xrt")
        self.assertEqual((self.board.root / "log").read_text(),
                         f"program --user {self.file} --device 0000:03:00.1\n")
        self.refuse_flash("use --via xrt", arguments=["--via", "manager"])


if __name__ == "__main__":
    unittest.main()
