"""vta-flash against made-up bitstreams and boards: every way, every check, every mistake."""

import json
import os
import re
import shutil
import stat
import unittest
import xml.etree.ElementTree
from pathlib import Path

import bitstreams
from tool_case import ToolCase, tool


class FlashCase(ToolCase):
    def setUp(self):
        super().setUp()
        self.board = bitstreams.Board(self.folder / "board")
        self.file = self.write("vta.bit", bitstreams.bit(bitstreams.raw(bitstreams.packets())))

    def flash(self, *arguments):
        return self.succeed("vta-flash", self.file, "--root", self.board.root, *arguments)

    def refuse_flash(self, *says, arguments=()):
        return self.refuse("vta-flash", self.file, "--root", self.board.root, *arguments, says=says)

    def describe(self, family="zynq", **changes):
        return self.write("vta.json", bitstreams.description(family, **changes))

    def firmware(self):
        files = list((self.board.root / "lib/firmware").glob("vta-*.bin"))
        self.assertEqual(len(files), 1)
        return files[0]


class InfoTest(FlashCase):
    def info(self, name, data):
        return json.loads(self.succeed("vta-flash", "--info", self.write(name, data), "--json"))

    def test_formats(self):
        words = bitstreams.packets()
        found = self.info("a.bit", bitstreams.bit(bitstreams.raw(words)))
        self.assertEqual((found["format"], found["idcode"], found["die"]), (".bit", "0x03727093", "xc7z020"))
        self.assertEqual((found["part"], found["words_swapped"], found["frame_words"]), ("7z020clg484", False, 404))
        found = self.info("a.bin", bitstreams.raw(words))
        self.assertEqual((found["format"], found["words_swapped"]), (".bin", False))
        found = self.info("a.bit.bin", bitstreams.raw(words, swapped=True))
        self.assertEqual((found["format"], found["words_swapped"]), (".bin", True))
        found = self.info("a.xclbin", bitstreams.xclbin([(0, "bit", bitstreams.bit(bitstreams.raw(words)))]))
        self.assertEqual((found["format"], found["die"], found["sections"]), (".xclbin", "xc7z020", 1))
        self.assertEqual(found["platform"], "xilinx_u250_gen3x16_xdma_4_1")
        self.assertTrue(self.info("c.bit", bitstreams.bit(bitstreams.raw(bitstreams.packets(compressed=True))))["compressed"])

    def test_the_content_decides_not_the_name(self):
        self.assertEqual(self.info("a.bin", bitstreams.bit(bitstreams.raw(bitstreams.packets())))["format"], ".bit")

    def test_dies(self):
        for idcode, die in ((0x13722093, "xc7z010"), (0x04A42093, "xczu3"), (0x04A5A093, "xczu7"), (0x04A49093, "xck26")):
            self.assertEqual(self.info("a.bin", bitstreams.raw(bitstreams.packets(idcode)))["die"], die)
        self.assertIsNone(self.info("a.bin", bitstreams.raw(bitstreams.packets(0x0ABCD093)))["die"])

    def test_bad_files(self):
        good = bitstreams.bit(bitstreams.raw(bitstreams.packets()))
        raw = bitstreams.raw(bitstreams.packets())
        reversed_bits = bytes(int(f"{byte:08b}"[::-1], 2) for byte in raw)
        for name, data, says in (
                ("empty", b"", "empty"),
                ("text", b"hello" * 100, "no sync word"),
                ("cut header", good[:20], "cut off"),
                ("cut data", good[:-100], "announces"),
                ("extended", good + b"\0" * 8, "extended"),
                ("damaged header", good[:13] + b"z" + good[14:], "unknown field 0x7a"),
                ("cut packets", raw[:400], "ends within a packet of 404 words"),
                ("no end", bitstreams.raw(bitstreams.packets(desync=False)), "DESYNC"),
                ("no idcode", bitstreams.raw(bitstreams.packets(idcode=None)), "writes no IDCODE"),
                ("encrypted", bitstreams.raw(bitstreams.packets(encrypted=True)), "encrypted"),
                ("reversed", reversed_bits, "bits of every byte are reversed"),
                ("pdi", bitstreams.pdi(), "Versal"),
                ("boot image", bytes(0x20) + bitstreams.pdi()[0x10:], "boot image"),
                ("pdi in a container", bitstreams.xclbin([(18, "pdi", b"x" * 64)]), "Versal"),
                ("cut container", bitstreams.xclbin([(0, "b", raw)])[:-10], "says that it has"),
                ("container's header", bitstreams.xclbin([])[:300], "cut off"),
                ("container's sections", bitstreams.xclbin([], length=456)[:448] + b"\xff\xff\0\0" + bytes(4), "65535 sections")):
            with self.subTest(name):
                self.refuse("vta-flash", "--info", self.write("bad.bit", data), says=[says])

    def test_usage(self):
        self.refuse("vta-flash", code=2, says=["no bitstream"])
        self.refuse("vta-flash", "--list", self.file, code=2, says=["--list and --test take no bitstream"])
        self.refuse("vta-flash", "--info", "--list", code=2, says=["exclude each other"])
        self.refuse("vta-flash", self.file, "--via", "post", code=2, says=["--via"])
        self.refuse("vta-flash", self.folder / "none.bit", says=["none.bit"])


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


def tool_as_nobody(name, *arguments):
    import subprocess
    from tool_case import BIN
    command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", str(BIN / name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


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


class DescriptionTest(FlashCase):
    def test_mistakes(self):
        for changes, says in (
                ({"format": 2}, "format is not 1"),
                ({"family": "virtex"}, "neither zynq nor zynqmp"),
                ({"family": 3}, "has to be a text"),
                ({"reference_mhz": 0}, "above 0"),
                ({"registers": {"address": "0x43c00010", "bytes": 4096}}, "whole pages"),
                ({"registers": []}, "no object"),
                ({"clocks": [{"name": "pl0", "mhz": 100}]}, "no clock pl0; it has fclk0"),
                ({"clocks": [{"name": "fclk0", "mhz": 5000}]}, "clocks[0].mhz"),
                ({"clocks": {}}, "a list"),
                ({"ports": [{"name": "S_AXI_HP9", "width_bits": 64, "coherent": False}]}, "no port S_AXI_HP9"),
                ({"ports": [{"name": "S_AXI_HP0", "width_bits": 128, "coherent": False}]}, "only 64, 32"),
                ({"ports": [{"name": "S_AXI_HP0", "width_bits": 64, "coherent": 1}]}, "true or false"),
                ({"identity": {}}, "identity.id is missing"),
                ({"identity": dict(bitstreams.IDENTITY, fingerprint="12")}, "hexadecimal")):
            with self.subTest(says):
                self.describe(**changes)
                self.refuse_flash("vta.json", says)
        self.write("vta.json", "{")
        self.refuse_flash("not JSON")

    def test_of_another_family(self):
        self.describe("zynqmp")
        self.refuse_flash("its description is for a zynqmp")

    def test_named_file(self):
        path = self.write("other.json", bitstreams.description(board="mine"))
        self.assertIn("mine", self.succeed("vta-flash", "--info", self.file, "--description", path))


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

    def test_convert(self):
        target = self.folder / "vta.bit.bin"
        self.succeed("vta-flash", self.file, "--convert", target)
        self.assertEqual(target.read_bytes(), bitstreams.raw(bitstreams.packets(), swapped=True))


class PackageTest(FlashCase):
    def package(self, family="zynq"):
        self.describe(family)
        folder = self.folder / "package"
        self.succeed("vta-flash", "--package", folder, self.file)
        return folder

    def test_files(self):
        folder = self.package()
        self.assertEqual(sorted(file.name for file in folder.iterdir()),
                         ["accel.json", "shell.json", "vta.bit.bin", "vta.dtso", "vta.hwh"])
        accelerator = json.loads((folder / "accel.json").read_text())
        self.assertEqual(accelerator["accel_devices"][0]["reg_base"], "0x43c00000")

    def test_without_a_description(self):
        self.refuse("vta-flash", "--package", self.folder / "p", self.file, says=["--package needs the description"])

    def handoff(self, family):
        folder = self.package(family)
        return xml.etree.ElementTree.parse(folder / "vta.hwh").getroot()

    def test_handoff_has_what_pynq_reads(self):
        for family, processor, irq, clock, enable in (
                ("zynq", "processing_system7", "IRQ_F2P", "PCW_FCLK{}_PERIPHERAL_DIVISOR{}", "PCW_FPGA_FCLK{}_ENABLE"),
                ("zynqmp", "zynq_ultra_ps_e", "pl_ps_irq0", "PSU__CRL_APB__PL{}_REF_CTRL__DIVISOR{}",
                 "PSU__FPGA_PL{}_ENABLE")):
            idcode = bitstreams.IDCODE_Z020 if family == "zynq" else bitstreams.IDCODE_ZU3
            self.file = self.write("vta.bit", bitstreams.bit(bitstreams.raw(bitstreams.packets(idcode))))
            root = self.handoff(family)
            self.assertIsNotNone(root.find("./EXTERNALPORTS"))
            modules = {module.get("FULLNAME"): module for module in root.iter("MODULE")}
            self.assertEqual(modules["/ps"].get("MODTYPE"), processor)
            values = {p.get("NAME"): p.get("VALUE") for p in modules["/ps"].iter("PARAMETER")}
            divisors = [int(values[clock.format(0, i)]) for i in range(2)]
            self.assertEqual(divisors[0] * divisors[1], 10 if family == "zynq" else 15)
            self.assertEqual([values[enable.format(i)] for i in range(4)], ["1", "0", "0", "0"])
            area, = modules["/ps"].iter("MEMRANGE")
            self.assertEqual(area.get("INSTANCE"), "vta")
            self.assertEqual(int(area.get("HIGHVALUE"), 16) - int(area.get("BASEVALUE"), 16), 4095)
            nets = {(m.get("INSTANCE"), p.get("NAME")): p.get("SIGNAME") for m in root.iter("MODULE") for p in m.iter("PORT")}
            self.assertEqual(nets["ps", irq], nets["vta", "interrupt"])
            registers = {r.get("NAME"): r for r in modules["/vta"].iter("REGISTER")}
            offset = registers["insn_count"].find("./PROPERTY[@NAME='ADDRESS_OFFSET']").get("VALUE")
            self.assertEqual(int(offset, 16), 8)

    @unittest.skipUnless(shutil.which("dtc"), "needs dtc")
    def test_overlay_compiles(self):
        for family, idcode, says in (("zynq", bitstreams.IDCODE_Z020, r"xlnx,afi-width = <0x0+>"),
                                     ("zynqmp", bitstreams.IDCODE_ZU3, r"config-afi = <0x0?4 0x0?1 0x0?5 0x0?1 0x0?e 0x0+>")):
            self.file = self.write("vta.bit", bitstreams.bit(bitstreams.raw(bitstreams.packets(idcode))))
            source = self.package(family) / "vta.dtso"
            import subprocess
            compiled = subprocess.run(["dtc", "-q", "-@", "-I", "dts", "-O", "dtb", source], capture_output=True, check=True)
            text = subprocess.run(["dtc", "-q", "-I", "dtb", "-O", "dts"], input=compiled.stdout, capture_output=True,
                                  check=True).stdout.decode()
            self.assertRegex(text, says)
            self.assertRegex(text, r'firmware-name = "vta.bit.bin"')
            self.assertTrue(re.search(r"assigned-clock-rates = <0x5f5e100>", text), text)


if __name__ == "__main__":
    unittest.main()
