#!/usr/bin/env python3
"""From the start of a board's vta-run to its first result, without the accelerator's own time: what that takes, and how much
memory. The driver is the real one; its files stand for a board whose launches have ended before they begin
(tests/driver/board/still_board.h), so the result means nothing.

Prints one JSON object. Megabytes are of 10^6 bytes.
  module_mb     the module's file
  device_mb     what the session has put into the board's contiguous memory
  beside_mb     the process's peak memory beyond these two, without an emulator only
  read_ms       reading the module's file, and
  beyond_ms     from the process's start to its end, beyond that: the least of all runs, without an emulator only
  instructions  of the process, under an emulator only, and
  at_667_mhz_ms what they take a Zynq-7000 with 667 MHz when each takes a cycle
Random input is part of the run: 13 million instructions for the 150528 numbers of ResNet-18.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("VTA_BINARY_DIR", ROOT / "build")) / "bin"
# Emulator and folder with the C library of the other processors.
EMULATORS = {"armv7": ["qemu-arm-static", "-L", "/usr/arm-linux-gnueabihf"],
             "aarch64": ["qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu"]}
CYCLES_PER_MS = 667e3


def run(command):
    """Wall-clock milliseconds and standard output of `command`."""
    start = time.monotonic()
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, check=False)
    milliseconds = 1e3 * (time.monotonic() - start)
    if result.returncode != 0:
        raise SystemExit(f"board_start: error: {command[0]} ended with {result.returncode}; output above")
    return milliseconds, result.stdout


def count_instructions(log):
    """Instructions that qemu's log (-d exec,nochain,in_asm) shows as executed. It shows each block of code once, and then its
    address each time it runs."""
    size_of, instructions, block = {}, 0, None
    for line in log:
        if line.startswith("Trace"):
            instructions += size_of.get(int(line.split("/", 2)[1], 16), 0)
        elif line.startswith("IN:"):
            block = None
        elif line.startswith("0x"):
            if block is None:
                block = int(line[:line.index(":")], 16)
                size_of[block] = 0
            size_of[block] += 1
    return instructions


def emulated(emulator, command):
    """How many instructions `command` takes under qemu."""
    reader, writer = os.pipe()
    log = ["-d", "exec,nochain,in_asm", "-D", f"/dev/fd/{writer}"]
    process = subprocess.Popen([str(word) for word in [*emulator, *log, *command]], stdout=subprocess.DEVNULL,
                               pass_fds=[writer])
    os.close(writer)
    with os.fdopen(reader, errors="replace") as lines:
        instructions = count_instructions(lines)
    if process.wait() != 0:
        raise SystemExit(f"board_start: error: {command[0]} ended with {process.returncode} under {emulator[0]}")
    return instructions


def read_ms(path):
    start = time.monotonic()
    path.read_bytes()
    return 1e3 * (time.monotonic() - start)


def measure(model, target, runs):
    with tempfile.TemporaryDirectory() as folder:
        module, board = Path(folder) / "model.vta.so", Path(folder) / "board"
        board.mkdir()
        run([BIN / "vta-compile", model, "--target", target, "-o", module])
        device = run([BIN / "make_still_board", module, board])[1].strip()
        result = {"module_mb": module.stat().st_size / 1e6}
        programs = BIN if target == "x86_64" else ROOT / f"build-{target}" / "bin"
        command = [programs / "vta-run-module", module, "--device", device, "--threads", 1]
        is_native = target == "x86_64"
        if is_native:
            measured = [run(command)[0] for _ in range(runs)]
            result["read_ms"] = min(read_ms(module) for _ in range(runs))
            result["beyond_ms"] = min(measured) - result["read_ms"]
        else:
            result["instructions"] = emulated(EMULATORS[target], command)
            result["at_667_mhz_ms"] = result["instructions"] / CYCLES_PER_MS
        result["device_mb"] = 512 * (board / "dev/udmabuf0").stat().st_blocks / 1e6
        if is_native:
            peak_bytes = json.loads(run([*command, "--json"])[1])["peak_memory_bytes"]
            result["beside_mb"] = peak_bytes / 1e6 - result["module_mb"] - result["device_mb"]
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--target", choices=["x86_64", *EMULATORS], default="x86_64",
                        help="the board's processor; others than this machine's need scripts/cross")
    parser.add_argument("--runs", type=int, default=20, help="how often, without an emulator")
    options = parser.parse_args()
    json.dump(measure(options.model, options.target, options.runs), sys.stdout)
    print()


if __name__ == "__main__":
    main()
