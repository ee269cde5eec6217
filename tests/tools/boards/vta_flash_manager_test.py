"""vta-flash loads bitstreams by the FPGA manager, of the right die, and lists what is there."""

import fcntl
import json
import os
import shutil
import stat
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

import bitstreams  # noqa: E402
from flash_case import FlashCase  # noqa: E402
from tool_case import BIN  # noqa: E402


def tool_as_nobody(name, *arguments):
    command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", str(BIN / name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


class ManagerTest(FlashCase):
    def test_loads_by_the_manager(self):
        self.describe()
        self.board.clock("fclk0", 100000000)
        report = json.loads(self.flash("--json"))
        firmware = self.firmware()
        self.assertEqual((self.board.manager / "firmware").read_text(), firmware.name)
        self.assertEqual((self.board.manager / "flags").read_text(), "0")
        self.assertEqual(firmware.read_bytes(), bitstreams.raw(bitstreams.packets(), swapped=True))
        self.assertEqual((report["via"], report["device"], report["verified"]), ("manager", "xc7z020", True))
        self.assertEqual(report["hardware_from"], "/dev/uio0")
        self.assertIn("100 MHz (as it was)", report["clock fclk0"])

    def test_swapped_and_unaligned_files_give_the_same_firmware(self):
        raw = bitstreams.raw(bitstreams.packets())
        self.flash()
        wanted = self.firmware().read_bytes()
        for data in (bitstreams.raw(bitstreams.packets(), swapped=True), bitstreams.bit(raw)):
            self.file = self.write("other.bin", data)
            self.flash()
            self.assertEqual(self.firmware().read_bytes(), wanted)
        self.file = self.write("unaligned.bin", b"\xff\xff\xff" + raw)
        self.flash()
        for file in (self.board.root / "lib/firmware").glob("vta-*.bin"):
            self.assertEqual(file.read_bytes().find(b"\x66\x55\x99\xaa") % 4, 0)

    def test_another_content_has_another_name(self):
        self.flash()
        first = self.firmware().name
        self.file = self.write("vta.bit", bitstreams.bit(bitstreams.raw(bitstreams.packets(frame_words=808))))
        self.flash()
        names = {file.name for file in (self.board.root / "lib/firmware").glob("vta-*.bin")}
        self.assertEqual(len(names), 2)
        self.assertNotEqual((self.board.manager / "firmware").read_text(), first)

    def test_stale_firmware_of_the_same_name_is_replaced(self):
        self.flash()
        firmware = self.firmware()
        content = firmware.read_bytes()
        firmware.write_bytes(b"stale")
        self.flash()
        self.assertEqual(firmware.read_bytes(), content)

    def test_a_board_that_a_driver_uses_is_left_alone(self):
        for name in ("dev/uio0", "dev/mem"):
            with self.subTest(name):
                if name == "dev/mem":
                    self.board.memory({})
                with open(self.board.root / name, "r+b") as file:
                    fcntl.flock(file, fcntl.LOCK_EX)
                    self.refuse_flash("is in use by process", f"{name} ", "wait for its end")
                self.assertEqual((self.board.manager / "firmware").read_text(), "")
        self.flash()
        (self.board.root / "sys/class/uio/uio0/name").write_text("other\n")
        with open(self.board.root / "dev/uio0", "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.flash()

    def test_firmware_folder_of_users(self):
        folder = self.board.root / "lib/firmware/vta"
        folder.mkdir()
        self.flash()
        file, = folder.iterdir()
        self.assertEqual((self.board.manager / "firmware").read_text(), f"vta/{file.name}")
        self.assertIn(f"vta/{file.name}", self.succeed("vta-flash", "--list", "--root", self.board.root))

    def test_wrong_die(self):
        self.file = self.write("vta.bit", bitstreams.bit(bitstreams.raw(bitstreams.packets(bitstreams.IDCODE_ZU3))))
        self.refuse_flash("for xczu3 (IDCODE 0x04a42093), this device is xc7z020 (IDCODE 0x03727093)")
        self.assertEqual(list((self.board.root / "lib/firmware").glob("*")), [])

    def test_the_package_does_not_matter(self):
        self.file = self.write("vta.bit", bitstreams.bit(bitstreams.raw(bitstreams.packets()), part="7z010clg225"))
        self.flash()

    def test_partial(self):
        data = bitstreams.bit(bitstreams.raw(bitstreams.packets()), design="r;PARTIAL=TRUE;Version=2022.1")
        self.file = self.write("vta.bit", data)
        self.refuse_flash("partial bitstream")

    def test_the_manager_fails(self):
        self.board.write("sys/class/fpga_manager/fpga0/state", "write init error\n")
        self.refuse_flash("'write init error'", "dmesg")

    def test_no_manager(self):
        shutil.rmtree(self.board.manager)
        self.refuse_flash("no FPGA manager", "--via jtag")
        self.refuse_flash("try --via overlay", arguments=["--via", "manager"])

    def test_mainline_kernel_without_description(self):
        (self.board.manager / "firmware").unlink()
        self.refuse_flash("no attribute 'firmware'", "--description")

    @unittest.skipIf(os.geteuid() == 0 and not shutil.which("setpriv"), "root may write anywhere")
    def test_no_permission(self):
        (self.board.manager / "firmware").chmod(stat.S_IRUSR)
        (self.board.root / "lib/firmware").chmod(0o777)
        if os.geteuid() != 0:
            self.refuse_flash("Permission denied", "docs/board-setup.md")
            return
        self.folder.chmod(0o755)
        result = tool_as_nobody("vta-flash", self.file, "--root", self.board.root)
        self.assertEqual(result.returncode, 1)
        self.assertIn("Permission denied", result.stderr)
        self.assertIn("docs/board-setup.md", result.stderr)

    def test_unknown_device(self):
        shutil.rmtree(self.board.root / "sys/devices/soc0")
        self.refuse_flash("cannot tell which FPGA", "--die")
        self.flash("--die", "xc7z020clg400-1")
        self.flash("--die", "0x03727093")
        self.refuse_flash("no die 'spartan'", "xczu3", arguments=["--die", "spartan"])

    def test_device_tree_tells_the_board(self):
        shutil.rmtree(self.board.root / "sys/devices/soc0")
        self.board.write("proc/device-tree/compatible", b"avnet,ultra96-rev1\0xlnx,zynqmp\0")
        self.refuse_flash("this device is xczu3")

    def test_zynqmp_firmware_tells_the_die(self):
        self.board = bitstreams.Board(self.folder / "other", "zynqmp")
        self.refuse_flash("this device is xczu3")
        self.file = self.write("vta.bit", bitstreams.bit(bitstreams.raw(bitstreams.packets(bitstreams.IDCODE_ZU3))))
        self.assertEqual(json.loads(self.flash("--json"))["device"], "xczu3")


class ListTest(FlashCase):
    def test_list(self):
        self.describe()
        self.flash()
        self.board.write("lib/firmware/xilinx/other/other.bit.bin", b"nonsense")
        found = json.loads(self.succeed("vta-flash", "--list", "--root", self.board.root, "--json"))
        self.assertEqual((found["state"], found["uio"]), ("operating", ["uio0: vta at 0x43c00000"]))
        contents = {Path(entry["file"]).name: entry["content"] for entry in found["firmware"]}
        self.assertEqual(contents[self.firmware().name], "for xc7z020 (IDCODE 0x03727093)")
        self.assertIn("no sync word", contents["other.bit.bin"])
        text = self.succeed("vta-flash", "--list", "--root", self.board.root)
        self.assertIn("FPGA manager: Xilinx Zynq FPGA Manager, operating", text)
        self.assertIn("no FPGA manager", self.succeed("vta-flash", "--list", "--root", self.folder / "nothing"))


if __name__ == "__main__":
    unittest.main()
