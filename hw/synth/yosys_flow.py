"""From a hardware configuration, or from any Verilog, to a synthesised netlist: what hw/synth/synth and hw/synth/timing
share."""

import pathlib
import re
import subprocess
from dataclasses import dataclass

SYNTH_DIR = pathlib.Path(__file__).resolve().parent
RTL_DIR = SYNTH_DIR.parent / "vta_rtl"
# Files of files.f that no FPGA's netlist is made of.
SIMULATION_ONLY = ("compute/vta_gemm_sums_fast.sv",)
# Modules that stand many times in a design and have registers at their borders. Each is mapped once, by itself, and put
# into the netlist afterwards: a third of the time, and nothing is lost across those borders.
REPEATED = ("vta_alu_lane", "vta_gemm_dot", "vta_gemm_pump")
# Units that are mapped by themselves where delays are wanted, because ABC lets every path of a module become as many
# levels long as the module's longest one. Those with registers at their borders, where nothing is lost, and the
# comparisons of ranges, which stand sixteen times in one unit. Patterns of Yosys.
UNITS = ("vta_gemm", "*vta_alu*", "*vta_acc_memory*", "vta_regs", "vta_counters", "*vta_compute_conflict*")


class SynthesisError(Exception):
    """Synthesis failed, or found what no design should have; the message says which."""


def add_design_arguments(parser):
    """The command line's part that says what is synthesised, but the configuration."""
    parser.add_argument("--device", default="xc7z020")
    parser.add_argument("--top", default="vta_core")
    parser.add_argument("--no-packing", action="store_true")
    parser.add_argument("--no-counters", action="store_true")
    parser.add_argument("--rtl", type=pathlib.Path, default=RTL_DIR, help="folder with files.f and the sources")
    parser.add_argument("--build", type=pathlib.Path, default=SYNTH_DIR.parent.parent / "build")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--log", type=pathlib.Path, help="keep Yosys's log here")


def write_package(arguments, path):
    """Writes the configuration's SystemVerilog package. Raises SynthesisError with vta-info's message."""
    command = [arguments.build / "bin" / "vta-info", "--rtl-package", path, "--hw", arguments.config]
    if arguments.no_packing:
        command.append("--rtl-no-packing")
    if arguments.no_counters:
        command.append("--rtl-no-counters")
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise SynthesisError(f"no vta-info in {arguments.build}; build it, or name the folder by --build") from error
    if result.returncode != 0:
        raise SynthesisError(f"vta-info: {result.stderr.strip()}")


# What synth_xilinx does in its step map_luts, but that every function is mapped to the fewest levels. ABC else saves LUTs
# wherever the longest path of the whole design leaves time, so that any path may become nearly as long.
_SPEED_SCRIPT = "+strash;&get,-n;&fraig,-x;&put;scorr;dc2;dretime;strash;dch,-f;if,-F,0,-A,0;mfs2"
_MAP_FOR_SPEED = {
    "xc7": "2:2,3,6:5,10,20",
    "xcup": "2:2,3,6:5,10,20,40",
}


def _map_for_speed(family):
    """The commands from synth_xilinx's step map_luts to its end."""
    return [
        "opt_expr -mux_undef -noclkinv",
        f"abc -luts {_MAP_FOR_SPEED[family]} -script {_SPEED_SCRIPT}",
        "clean",
        "techmap -map +/xilinx/ff_map.v",
        "xilinx_srl -fixed -minlen 3",
        "techmap -map +/xilinx/lut_map.v -map +/xilinx/cells_map.v -D LUT_WIDTH=6",
        "xilinx_dffopt",
        "opt_lut_ins -tech xilinx",
        "clean",
    ]


@dataclass(frozen=True)
class Design:
    """What Yosys reads: sources, the top module and parameters of it."""
    sources: tuple
    top: str
    parameters: tuple = ()
    has_ultra_ram: bool = False  # else large memories are block RAMs, also where the device has UltraRAM


def vta_design(arguments, work):
    """The core, or its module `arguments.top`, for a configuration. Raises SynthesisError with vta-info's message."""
    write_package(arguments, work / "vta_pkg.sv")
    names = [name for name in (arguments.rtl / "files.f").read_text().split() if name not in SIMULATION_ONLY]
    has_ultra_ram = 'Ram = "ultra"' in (work / "vta_pkg.sv").read_text()
    return Design((work / "vta_pkg.sv", *(arguments.rtl / name for name in names)), arguments.top,
                  has_ultra_ram=has_ultra_ram)


def script_of(design, family, work, flatten, netlist):
    """The commands of Yosys. A netlist is mapped for speed, since its delays are what is wanted of it."""
    own = " ".join((*(f"*{name}*" for name in REPEATED), *(UNITS if netlist else ())))
    options = f"-family {family} -top {design.top} {'-flatten' if flatten else ''} -noiopad -noclkbuf"
    if design.has_ultra_ram:
        options += " -uram"
    commands = [
        "read_verilog -sv -noassert " + " ".join(str(source) for source in design.sources),
        *(f"chparam -set {name} {value} {design.top}" for name, value in design.parameters),
        f"hierarchy -check -top {design.top}",
        f"setattr -mod -set keep_hierarchy 1 {own}",
        f"synth_xilinx {options}" + (" -run begin:map_luts" if netlist else ""),
        *(_map_for_speed(family) if netlist else ()),
    ]
    if flatten:
        commands += ["setattr -mod -unset keep_hierarchy *", "flatten", "clean"]
    commands += ["check -assert", f"tee -q -o {work / 'stat.txt'} stat -top {design.top}"]
    if netlist:
        commands.append(f"write_json {netlist}")
    return "\n".join(commands) + "\n"


def synthesise(design, family, work, log=None, flatten=True, netlist=None):
    """Runs Yosys in the folder `work`; returns its statistics. `log`, `netlist`: where to write its log and the netlist
    as JSON, if anywhere. Raises SynthesisError: Yosys fails, or finds a combinational loop."""
    script = work / "synth.ys"
    log = log or work / "yosys.log"
    script.write_text(script_of(design, family, work, flatten, netlist))
    try:
        result = subprocess.run(["yosys", "-q", "-l", log, "-s", script], capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise SynthesisError("yosys is missing; scripts/setup installs it") from error
    text = log.read_text() if log.exists() else result.stderr
    if result.returncode != 0:
        errors = re.findall(r"^.*ERROR.*$", text, re.M) or [f"ended with status {result.returncode}"]
        raise SynthesisError(f"yosys: {errors[-1]}")
    if "found logic loop" in text.lower():
        raise SynthesisError("yosys: a combinational loop; see the log")
    return (work / "stat.txt").read_text()
