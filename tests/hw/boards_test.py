"""The board flow as far as it runs without Vivado: board files, what hw/boards/build writes, the Tcl scripts against
stubs of Vivado's commands, the wrapper around the core, and kernel.xml against the register map."""

import importlib.machinery
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
BOARDS = sorted(path.stem for path in (ROOT / "configs" / "boards").glob("*.yaml"))
FLOW = ROOT / "hw" / "boards"
BUILD = os.environ["VTA_BINARY_DIR"]
STUBS = ROOT / "tests" / "hw" / "vivado_stubs.tcl"


def _load_build():
    loader = importlib.machinery.SourceFileLoader("board_build", str(FLOW / "build"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("board_build", loader))
    loader.exec_module(module)
    return module


class BoardsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name)

    def prepare(self, board):
        subprocess.run([FLOW / "build", board, "--prepare", "--build", BUILD, "--out", self.out], check=True)

    def tcl(self, script):
        return subprocess.run(["tclsh", STUBS, script, self.out / "board.tcl"], capture_output=True, text=True,
                              check=False)

    def test_the_boards(self):
        self.assertEqual(BOARDS, ["pynq-z1", "pynq-z2", "ultra96", "zcu104"])

    @unittest.skipUnless(shutil.which("tclsh"), "needs tclsh")
    def test_scripts_of_every_board(self):
        for board in BOARDS:
            with self.subTest(board=board):
                self.prepare(board)
                outputs = {}
                for name in ("package_core.tcl", "build_board.tcl", "xrt/package_xo.tcl", "constraints.xdc"):
                    result = self.tcl(FLOW / name)
                    self.assertEqual(result.returncode, 0, name + result.stdout + result.stderr)
                    outputs[name] = result.stdout
                self.assertIn("validated 5 cells", outputs["build_board.tcl"])
                self.assertIn("C_M_AXI_GMEM_DATA_WIDTH=64", outputs["package_core.tcl"])
                self.assertEqual(re.findall(r"^register (\w+)$", outputs["package_core.tcl"], re.M),
                                 ["control", "insn", "uop", "inp", "wgt", "acc", "out"])
                # The same places as in kernel.xml.
                kernel = xml.etree.ElementTree.parse(self.out / "kernel.xml").getroot()
                offsets = [int(offset, 16) for offset in re.findall(r"address_offset (\w+)", outputs["package_core.tcl"])]
                self.assertEqual(offsets, [0] + [int(arg.get("offset"), 16) for arg in kernel.iter("arg")])
                data = _load_build().read_board(ROOT / "configs" / "boards" / f"{board}.yaml")
                self.assertIn(f"object:segment offset {hex(data['registers_address'])}", outputs["build_board.tcl"])
                self.assertIn(f"FREQMHZ {data['clock_mhz']}\n", outputs["build_board.tcl"])

    @unittest.skipUnless(shutil.which("tclsh"), "needs tclsh")
    def test_stubs_reject_what_vivado_would(self):
        self.prepare("pynq-z1")
        script = (FLOW / "zynq.tcl").read_text()
        tail = "\nvalidate_bd_design\n"
        wrong = self.out / "wrong.tcl"
        for old, new, message in (
                ("connect_bd_intf_net", "connect_bd_intf_nets", "invalid command name"),
                ("vta/ap_clk", "vta/clk", "no pin vta/clk"),
                ("connect_bd_net [get_bd_pins vta/interrupt] [get_bd_pins ps/IRQ_F2P]", "", "IRQ_F2P is not driven"),
                ("[get_bd_intf_pins vta/m_axi_gmem]", "[get_bd_intf_pins vta/s_axi_control]", "connect_bd_intf_net"),
                ("CONFIG.PCW_IRQ_F2P_INTR", "CONFIG.PCW_IRQ", "no property"),
                ("ip:processing_system7", "ip:processing_system9", "unknown IP")):
            self.assertIn(old, script)
            wrong.write_text(f"source {self.out / 'board.tcl'}\n" + script.replace(old, new) + tail)
            result = self.tcl(wrong)
            self.assertEqual(result.returncode, 1, new)
            self.assertIn(message, result.stderr)

    @unittest.skipUnless(shutil.which("verilator"), "needs verilator")
    def test_wrapper_fits_the_core(self):
        self.prepare("pynq-z1")
        sources = [ROOT / "hw" / "vta_rtl" / name for name in (ROOT / "hw/vta_rtl/files.f").read_text().split()]
        command = ["verilator", "--lint-only", "-Wall", "-Wno-DECLFILENAME", "-Wno-PINCONNECTEMPTY", "-Wno-SYMRSVDWORD",
                   "--top-module", "vta_top", self.out / "vta_pkg.sv", FLOW / "vta_top.v"]
        result = subprocess.run(command + sources, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        wrong = subprocess.run(command + ["-GC_M_AXI_GMEM_DATA_WIDTH=128"] + sources, capture_output=True, text=True,
                               check=False)
        self.assertIn("WIDTH", wrong.stderr)

    def test_kernel_arguments_are_registers(self):
        self.prepare("zcu104")
        package = (self.out / "vta_pkg.sv").read_text()
        kernel = xml.etree.ElementTree.parse(self.out / "kernel.xml").getroot().find("kernel")
        arguments = {arg.get("name"): int(arg.get("offset"), 16) for arg in kernel.iter("arg")}
        registers = {"insn": "RegInsnAddr", "uop": "RegUopBase", "inp": "RegInpBase", "wgt": "RegWgtBase",
                     "acc": "RegAccBase", "out": "RegOutBase"}
        expected = {name: int(re.search(rf" {register} = 12'h(\w+);", package).group(1), 16)
                    for name, register in registers.items()}
        self.assertEqual(arguments, expected)
        widths = {port.get("name"): port.get("dataWidth") for port in kernel.iter("port")}
        self.assertEqual(widths, {"s_axi_control": "32", "m_axi_gmem": "64"})

    def test_bad_board_files(self):
        build = _load_build()
        good = (ROOT / "configs" / "boards" / "pynq-z1.yaml").read_text()
        path = self.out / "board.yaml"
        for old, new, message in (
                ("family: zynq", "family: virtex", "family virtex is none of zynq, zynqmp"),
                ("clock_mhz: 100", "clock_mhz: 1000", "clock_mhz outside"),
                ("clock_mhz: 100", "clock_mhz: fast", "has to be of type int"),
                ("clock_mhz: 100", "clock: 100", "key clock"),
                ("memory_port: HP0", "memory_port: ACP", "memory_port ACP"),
                ("memory_port_bits: 64", "memory_port_bits: 128", "memory_port_bits"),
                ("0x43C00000", "0x43C00010", "no multiple"),
                ("default.yaml", "none.yaml", "no hardware configuration"),
                ("name: pynq-z1", "name: [", "board.yaml")):
            self.assertIn(old, good)
            path.write_text(good.replace(old, new))
            with self.assertRaisesRegex(build.BoardError, message):
                build.read_board(path)

    def test_unknown_board_and_missing_vivado(self):
        result = subprocess.run([FLOW / "build", "atari", "--build", BUILD], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("unknown board atari; known: pynq-z1", result.stderr)
        if not shutil.which("vivado"):
            result = subprocess.run([FLOW / "build", "ultra96", "--build", BUILD, "--out", self.out],
                                    capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 1)
            self.assertIn("vivado is not on the PATH", result.stderr)


if __name__ == "__main__":
    unittest.main()
