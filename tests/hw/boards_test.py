"""The board flow as far as it runs without Vivado: board files, what hw/boards/build writes, the Tcl scripts against
stubs of Vivado's commands, the wrapper around the core, and kernel.xml against the register map."""

import importlib.machinery
import importlib.util
import json
import math
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

    def prepare(self, board, *options):
        subprocess.run([FLOW / "build", board, "--prepare", "--build", BUILD, "--out", self.out, *options], check=True)

    def refuse(self, says, *arguments):
        result = subprocess.run([FLOW / "build", *arguments, "--build", BUILD, "--out", self.out], capture_output=True,
                                text=True, check=False)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn(says, result.stderr)

    def tcl(self, script, **environment):
        return subprocess.run(["tclsh", STUBS, script, self.out / "board.tcl"], capture_output=True, text=True,
                              check=False, env={**os.environ, **environment})

    def succeed(self, script, **environment):
        result = self.tcl(FLOW / script, **environment)
        self.assertEqual(result.returncode, 0, script + result.stdout + result.stderr)
        return result.stdout

    def test_the_boards(self):
        self.assertEqual(BOARDS, ["kv260", "pynq-z1", "pynq-z2", "ultra96", "zcu104"])

    @unittest.skipUnless(shutil.which("tclsh"), "needs tclsh")
    def test_scripts_of_every_board(self):
        for board in BOARDS:
            for options in ((), ("--coherent",)):
                with self.subTest(board=board, options=options):
                    self.prepare(board, *options)
                    self.check_scripts(board)

    def check_scripts(self, board):
        package = self.succeed("package_core.tcl")
        build = self.succeed("build_board.tcl")
        self.succeed("constraints.xdc")
        self.assertNotIn("_drc", package)
        data = _load_build().read_board(ROOT / "configs" / "boards" / f"{board}.yaml")
        self.assertIn(f"object:segment offset {hex(data['registers_address'])}", build)
        self.assertIn(f"FREQMHZ {data['clock_mhz']}\n", build)
        # A Zynq-7000 has double-pumped multipliers, whose second clock is one more cell, and narrow ports.
        is_zynq = data["family"] == "zynq"
        self.assertIn(f"validated {6 if is_zynq else 5} cells", build)
        self.assertIn(f"C_M_AXI_GMEM_DATA_WIDTH={64 if is_zynq else 128}", package)
        for name in ("vta.bit", "vta.hwh", "vta.json", "vta_top.v"):
            self.assertTrue((self.out / name).is_file(), name)
        for name in ("utilization.rpt", "utilization_totals.rpt", "timing.rpt"):
            self.assertIn(name, build)

    @unittest.skipUnless(shutil.which("tclsh"), "needs tclsh")
    def test_kernel_for_xrt(self):
        for options, control, first in (((), "user_managed", 0xc0),
                                        (("--control", "ap_ctrl_chain"), "ap_ctrl_chain", 0x10)):
            with self.subTest(control):
                self.prepare("zcu104", "--xo", "--hw", "configs/boards/hw/xrt.yaml", *options)
                self.check_kernel(control, first)

    def check_kernel(self, control, first):
        package = self.succeed("package_core.tcl")
        self.succeed("xrt/package_xo.tcl")
        self.assertIn("set_property object:core ipi_drc ignore_freq_hz true", package)
        self.assertIn(f"set_property object:core vitis_drc ctrl_protocol {control}", package)
        self.assertIn("C_M_AXI_GMEM_ADDR_WIDTH=64", package)
        self.assertIn(f"C_AP_CTRL_CHAIN={int(control == 'ap_ctrl_chain')}", package)
        # The same arguments, places and sizes as in kernel.xml.
        kernel = xml.etree.ElementTree.parse(self.out / "kernel.xml").getroot().find("kernel")
        self.assertEqual(kernel.get("hwControlProtocol"), control)
        self.assertEqual([int(arg.get("id")) for arg in kernel.iter("arg")], list(range(len(kernel.find("args")))))
        numbers = [arg for arg in kernel.iter("arg") if arg.get("addressQualifier") == "0"]
        self.assertEqual([(arg.get("name"), arg.get("offset"), arg.get("size"), arg.get("port")) for arg in numbers],
                         [("insn_count", "0x40", "0x4", "s_axi_control")] if control == "ap_ctrl_chain" else [])
        arguments = [(arg.get("name"), int(arg.get("offset"), 16), 8 * int(arg.get("size"), 16)) for arg in kernel.iter("arg")
                     if arg.get("addressQualifier") == "1"]
        names = re.findall(r"^register (\w+)$", package, re.M)
        offsets = [int(offset, 16) for offset in re.findall(r"address_offset (\w+)", package)]
        sizes = [int(size) for size in re.findall(r"object:register size (\d+)", package)]
        self.assertEqual(arguments, list(zip(names, offsets, sizes)))
        self.assertEqual(names, ["insn", "uop", "inp", "wgt", "acc", "out"])
        self.assertEqual(offsets[0], first)
        self.assertIn("nk=vta_top:1:vta_top_1", (self.out / "vta.cfg").read_text())

    @unittest.skipUnless(shutil.which("tclsh"), "needs tclsh")
    def test_double_pumped_multipliers_have_their_clock(self):
        for board in ("pynq-z1", "zcu104"):
            self.prepare(board, "--hw", "configs/hw/zynq-7020.yaml")
            self.succeed("package_core.tcl")
            build = self.succeed("build_board.tcl")
            self.assertIn("validated 6 cells", build)
            data = _load_build().read_board(ROOT / "configs" / "boards" / f"{board}.yaml")
            # The MMCM is told what the processor's PLL makes, 142.9 MHz of 1,000 for 150.
            mhz = float(re.search(r"PRIM_IN_FREQ ([\d.]+)", build)[1])
            pll_mhz = 1000 if board == "pynq-z1" else 1500
            self.assertEqual(mhz, pll_mhz / math.ceil(pll_mhz / data["clock_mhz"]))
            self.assertEqual(float(re.search(r"CLKOUT2_REQUESTED_OUT_FREQ ([\d.]+)", build)[1]), 2 * mhz)
            self.assertIn("RESET_TYPE ACTIVE_LOW", build)
            self.assertTrue(json.loads((self.out / "vta.json").read_text())["clocks"][0]["multiplied"])
        self.refuse("the second clock of a Vitis kernel does not rise with the first", "zcu104", "--xo", "--prepare",
                    "--hw", "configs/hw/zynq-7020.yaml")

    @unittest.skipUnless(shutil.which("tclsh"), "needs tclsh")
    def test_memory_ports(self):
        for board, ports, names in (("pynq-z1", 2, ["S_AXI_HP0", "S_AXI_HP1"]),
                                    ("zcu104", 4, [f"S_AXI_HP{i}_FPD" for i in range(4)])):
            with self.subTest(board):
                hw = self.out / "ports.yaml"
                hw.write_text(f"name: ports\naxi: {{ports: {ports}}}\n")
                self.prepare(board, "--hw", str(hw))
                self.succeed("package_core.tcl")
                self.assertIn(f"validated {4 + ports} cells", self.succeed("build_board.tcl"))
                described = json.loads((self.out / "vta.json").read_text())["ports"]
                self.assertEqual([port["name"] for port in described[1:]], names)
                self.lint_top(ports)
                self.refuse("there is one coherent port; build without --coherent", board, "--prepare", "--coherent",
                            "--hw", str(hw))
                self.refuse("an XRT kernel has one memory port", board, "--prepare", "--xo", "--hw", str(hw))

    def lint_top(self, ports):
        """The copy of vta_top fits the core."""
        if not shutil.which("verilator"):
            self.skipTest("needs verilator")
        rtl = ROOT / "hw" / "vta_rtl"
        sources = [self.out / "vta_pkg.sv", *(FLOW / name for name in _load_build().OWN_SOURCES),
                   *(rtl / name for name in (rtl / "files.f").read_text().split()), self.out / "vta_top.v"]
        result = subprocess.run(["verilator", "--lint-only", "-Wno-fatal", "-Wno-lint", "--top-module", "vta_top", *sources],
                                capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        declared = set(re.findall(r"input  wire (m_axi_gmem\d?)_arready,", (self.out / "vta_top.v").read_text()))
        self.assertEqual(len(declared), ports)

    def test_kernels_need_wide_addresses(self):
        self.refuse("Vitis takes kernels with 64-bit addresses only", "zcu104", "--xo", "--prepare")
        self.refuse("give --xo, too", "zcu104", "--prepare", "--control", "ap_ctrl_chain")
        self.refuse("no file none.yaml", "zcu104", "--xo", "--prepare", "--hw", "none.yaml")

    @unittest.skipUnless(shutil.which("tclsh"), "needs tclsh")
    def test_timing_decides(self):
        self.prepare("pynq-z1")
        second = self.tcl(FLOW / "build_board.tcl", STUB_WNS="-0.4 0.1")
        self.assertEqual(second.returncode, 0, second.stderr)
        self.assertIn("WARNING: strategy Vivado Implementation Defaults: setup (STATS.WNS -0.4)", second.stdout)
        self.assertIn("timing is met at 100 MHz with strategy Performance_ExplorePostRoutePhysOpt", second.stdout)
        for environment, says in (({"STUB_WNS": "-2.5"}, "to at most 80"),
                                  ({"STUB_WHS": "-0.1"}, "hold and pulse width do not depend on clock_mhz"),
                                  ({"STUB_TPWS": "-0.1"}, "pulse width (STATS.TPWS -0.1)"),
                                  ({"STUB_PROGRESS": "40%"}, "implementation failed with strategy")):
            self.prepare("pynq-z1")
            (self.out / "vta.bit").write_text("of an earlier build")
            result = self.tcl(FLOW / "build_board.tcl", **environment)
            self.assertEqual(result.returncode, 1)
            self.assertIn(says, result.stderr)
            if "STUB_PROGRESS" not in environment:
                self.assertIn("with any of 4 strategies", result.stderr)
                self.assertFalse((self.out / "vta.bit").exists())

    @unittest.skipUnless(shutil.which("tclsh"), "needs tclsh")
    def test_without_board_files(self):
        for board in ("pynq-z1", "ultra96"):
            self.prepare(board)
            output = self.succeed("build_board.tcl", STUB_BOARD_FILES="no")
            self.assertIn("WARNING: no board files for", output)
            self.assertNotIn("object:project board_part", output)
            self.assertIn("automation apply_board_preset 0", output)
            self.assertIn("automation apply_board_preset 1", self.succeed("build_board.tcl"))

    def test_description(self):
        """vta.json is what vta-flash reads."""
        for options, port, coherent in (((), "S_AXI_HP0_FPD", False), (("--coherent",), "S_AXI_HPC0_FPD", True)):
            self.prepare("ultra96", *options)
            data = json.loads((self.out / "vta.json").read_text())
            self.assertEqual(data["ports"][1], {"name": port, "width_bits": 128, "coherent": coherent})
            self.assertEqual(data["clocks"], [{"name": "pl0", "mhz": 150, "multiplied": False}])
            self.assertEqual(data["identity"]["id"], "0x31415456")
        self.prepare("pynq-z1", "--coherent")
        self.assertEqual(json.loads((self.out / "vta.json").read_text())["ports"][1]["name"], "S_AXI_ACP")

    def test_interface_attribute(self):
        self.prepare("pynq-z1", "--hw", "configs/hw/default.yaml")
        text = (self.out / "vta_top.v").read_text()
        self.assertIn("SUPPORTS_NARROW_BURST 0, NUM_READ_OUTSTANDING 20, NUM_WRITE_OUTSTANDING 8, MAX_BURST_LENGTH 16", text)
        self.assertNotIn("@", text)
        self.prepare("pynq-z1", "--hw", "configs/boards/hw/xrt.yaml")
        self.assertIn("NUM_READ_OUTSTANDING 36, NUM_WRITE_OUTSTANDING 16,", (self.out / "vta_top.v").read_text())

    @unittest.skipUnless(shutil.which("tclsh"), "needs tclsh")
    def test_stubs_reject_what_vivado_would(self):
        self.prepare("pynq-z1")
        script = "".join((FLOW / name).read_text() for name in ("clocks.tcl", "memory_ports.tcl", "zynq.tcl"))
        tail = "\nvalidate_bd_design\n"
        wrong = self.out / "wrong.tcl"
        for old, new, message in (
                ("connect_bd_intf_net", "connect_bd_intf_nets", "invalid command name"),
                ("vta/ap_clk]", "vta/clk]", "no pin vta/clk"),
                ("connect_bd_net [get_bd_pins vta/interrupt] [get_bd_pins ps/IRQ_F2P]", "", "IRQ_F2P is not driven"),
                ("[get_bd_intf_pins vta/[of_port m_axi_gmem $number]]", "[get_bd_intf_pins vta/s_axi_control]",
                 "connect_bd_intf_net"),
                ("CONFIG.PCW_IRQ_F2P_INTR", "CONFIG.PCW_IRQ", "no property"),
                ("ip:processing_system7", "ip:processing_system9", "unknown IP")):
            self.assertIn(old, script)
            wrong.write_text(f"source {self.out / 'board.tcl'}\ndict set board preset 1\n" + script.replace(old, new) + tail)
            result = self.tcl(wrong)
            self.assertEqual(result.returncode, 1, new)
            self.assertIn(message, result.stderr)

    @unittest.skipUnless(shutil.which("verilator"), "needs verilator")
    def test_wrapper_fits_the_core(self):
        self.prepare("pynq-z1")
        command = ["verilator", "--lint-only", "-Wall", "-Wno-DECLFILENAME", "-Wno-PINCONNECTEMPTY", "-Wno-SYMRSVDWORD",
                   "--top-module", "vta_top", *self.sources()]
        for options in ([], ["-GC_AP_CTRL_CHAIN=1"]):
            result = subprocess.run(command + options, capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
        for parameter, says in (("C_M_AXI_GMEM_DATA_WIDTH=128", "not axi.data_width_bits"),
                                ("C_M_AXI_GMEM_ADDR_WIDTH=64", "not axi.addr_width_bits"),
                                ("C_M_AXI_GMEM_COHERENT=2", "COHERENT is 0 or 1"),
                                ("C_AP_CTRL_CHAIN=2", "CHAIN is 0 or 1")):
            wrong = subprocess.run(command + [f"-G{parameter}"], capture_output=True, text=True, check=False)
            self.assertNotEqual(wrong.returncode, 0)
            self.assertIn(says, wrong.stderr)

    def sources(self):
        """What Vivado reads, in its order."""
        text = (self.out / "board.tcl").read_text()
        return re.findall(r"\{([^}]+)\}", re.search(r"sources \[list (.*)\]", text).group(1))

    @unittest.skipUnless(shutil.which("verilator"), "needs verilator")
    def test_argument_window(self):
        self.prepare("pynq-z1")
        subprocess.run(["verilator", "--binary", "-Wall", "-Wno-DECLFILENAME", "-Wno-UNUSEDPARAM", "-Wno-SYMRSVDWORD", "--Mdir",
                        self.out / "model", "--top-module", "argument_window_tb", self.out / "vta_pkg.sv",
                        FLOW / "vta_argument_window.sv", ROOT / "tests/hw/argument_window_tb.sv"], check=True,
                       capture_output=True)
        result = subprocess.run([self.out / "model/Vargument_window_tb"], capture_output=True, text=True, check=False)
        self.assertIn("4096 addresses", result.stdout)

    def test_host_program(self):
        """Against stubs of XRT's headers: it compiles, and it tells a VTA from something else."""
        program = self.out / "host"
        subprocess.run(["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-I", ROOT / "tests/hw/xrt_stub",
                        FLOW / "xrt/host.cpp", "-o", program], check=True)
        for card, code, says in (("0", 0, "register map"), ("1", 1, "does not reach"), ("2", 1, "no VTA")):
            result = subprocess.run([program, "vta.xclbin", card], capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, code)
            self.assertIn(says, result.stdout + result.stderr)

    def test_kernel_widths(self):
        self.prepare("zcu104")
        kernel = xml.etree.ElementTree.parse(self.out / "kernel.xml").getroot().find("kernel")
        widths = {port.get("name"): port.get("dataWidth") for port in kernel.iter("port")}
        self.assertEqual(widths, {"s_axi_control": "32", "m_axi_gmem": "128"})

    def test_bad_board_files(self):
        build = _load_build()
        good = (ROOT / "configs" / "boards" / "pynq-z1.yaml").read_text()
        path = self.out / "board.yaml"
        for old, new, message in (
                ("family: zynq", "family: virtex", "family virtex is none of zynq, zynqmp"),
                ("clock_mhz: 100", "clock_mhz: 1000", "clock_mhz outside"),
                ("clock_mhz: 100", "clock_mhz: fast", "has to be of type int"),
                ("clock_mhz: 100", "clock: 100", "key clock"),
                ("memory_port: HP0", "memory_port: HPC0", "memory_port HPC0 is none of HP0, ACP"),
                ("reference_mhz: 50", "reference_mhz: fast", "of type number"),
                ("memory_port_bits: 64", "memory_port_bits: 128", "memory_port_bits"),
                ("0x43C00000", "0x43C00010", "no multiple"),
                ("zynq-7020.yaml", "none.yaml", "no hardware configuration"),
                ("name: pynq-z1", "name: [", "board.yaml")):
            self.assertIn(old, good)
            path.write_text(good.replace(old, new))
            with self.assertRaisesRegex(build.BoardError, message):
                build.read_board(path)

    def test_unknown_board_and_missing_vivado(self):
        result = subprocess.run([FLOW / "build", "atari", "--build", BUILD], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("unknown board atari; known: kv260, pynq-z1", result.stderr)
        if not shutil.which("vivado"):
            result = subprocess.run([FLOW / "build", "ultra96", "--build", BUILD, "--out", self.out],
                                    capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 1)
            self.assertIn("vivado is not on the PATH", result.stderr)


if __name__ == "__main__":
    unittest.main()
