"""From a hardware configuration to a synthesised netlist: what hw/synth/synth and hw/synth/timing share."""

import pathlib
import re
import subprocess

SYNTH_DIR = pathlib.Path(__file__).resolve().parent
RTL_DIR = SYNTH_DIR.parent / "vta_rtl"


class SynthesisError(Exception):
    """Synthesis failed, or found what no design should have; the message says which."""


def add_design_arguments(parser):
    """The command line's part that says what is synthesised."""
    parser.add_argument("config", type=pathlib.Path)
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


def synthesise(arguments, family, work, flatten=True, netlist=None):
    """Runs Yosys in the folder `work`; returns its statistics. `netlist`: where to write the netlist as JSON, if
    anywhere. Raises SynthesisError: Yosys fails, or finds a combinational loop."""
    write_package(arguments, work / "vta_pkg.sv")
    sources = [work / "vta_pkg.sv"] + [arguments.rtl / name for name in (arguments.rtl / "files.f").read_text().split()]
    script = work / "synth.ys"
    log = arguments.log or work / "yosys.log"
    commands = [
        "read_verilog -sv -noassert " + " ".join(str(source) for source in sources),
        f"hierarchy -check -top {arguments.top}",
        f"synth_xilinx -family {family} -top {arguments.top} {'-flatten' if flatten else ''} -noiopad -noclkbuf",
        "check -assert",
        f"tee -q -o {work / 'stat.txt'} stat -top {arguments.top}",
    ]
    if netlist:
        commands.append(f"write_json {netlist}")
    script.write_text("\n".join(commands) + "\n")
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
