"""Files of vta-flash: what it says of bitstreams and descriptions, each mistake in them, and what it makes of them."""

import json
import re
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

import bitstreams  # noqa: E402
from flash_case import FlashCase  # noqa: E402


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


class DescriptionTest(FlashCase):
    def test_mistakes(self):
        for changes, says in (
                ({"format": 2}, "format is not 1"),
                ({"family": "virtex"}, "neither zynq nor zynqmp"),
                ({"family": 3}, "has to be a text"),
                ({"board": "pynq\n/incbin/(\"/etc/shadow\")"}, "board has to be a text of one line"),
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


class ConvertTest(FlashCase):
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
            compiled = subprocess.run(["dtc", "-q", "-@", "-I", "dts", "-O", "dtb", source], capture_output=True, check=True)
            text = subprocess.run(["dtc", "-q", "-I", "dtb", "-O", "dts"], input=compiled.stdout, capture_output=True,
                                  check=True).stdout.decode()
            self.assertRegex(text, says)
            self.assertRegex(text, r'firmware-name = "vta.bit.bin"')
            self.assertTrue(re.search(r"assigned-clock-rates = <0x5f5e100>", text), text)


if __name__ == "__main__":
    unittest.main()
