"""Bitstreams and boards that are made up: files with the structure that tools write, and a folder with the files that
the kernel of a board shows."""

import json
import struct
from pathlib import Path

IDCODE_Z020 = 0x03727093
IDCODE_ZU3 = 0x04A42093
SYSTEM_ZU3 = 0x04710093
SYNC = 0xAA995566

IDENTITY = {"id": "0x31415456", "version": 1, "fingerprint": "0x371437367438c1b9", "config": "0x2037e440",
            "depths": "0x0b0a0b0d", "last_uop_inp": "0x07ff1fff", "last_wgt_acc": "0x07ff03ff", "extensions": "0x7"}
REGISTER_OFFSETS = {"id": 0x40, "version": 0x44, "config": 0x50, "depths": 0x54, "last_uop_inp": 0x98, "last_wgt_acc": 0x9C,
                    "extensions": 0x58}


def write_packet(register, *words):
    return [0x30000000 | register << 13 | len(words), *words]


def packets(idcode=IDCODE_Z020, frame_words=404, compressed=False, encrypted=False, desync=True):
    """Configuration packets as words, in the order in which Vivado writes them."""
    words = [0xFFFFFFFF] * 8 + [0x000000BB, 0x11220044, 0xFFFFFFFF, 0xFFFFFFFF, SYNC, 0x20000000]
    if encrypted:
        words += write_packet(5, 0x40) + write_packet(11, 1, 2, 3, 4) + [0x12345678] * 64
        return words
    words += write_packet(4, 7) + [0x20000000] * 2 + write_packet(9, 0x02003FE5)
    words += write_packet(12, idcode) if idcode is not None else []
    words += write_packet(4, 1)
    if compressed:
        words += write_packet(10, 0, 0)
    words += [0x30004000, 0x50000000 | frame_words] + [(i * 0x9E3779B1) & 0xFFFFFFFF for i in range(frame_words)]
    words += write_packet(0, 0xDEADBEEF) + (write_packet(4, 13) if desync else []) + [0x20000000] * 4
    return words


def raw(words, swapped=False):
    return struct.pack(f"{'<' if swapped else '>'}{len(words)}I", *words)


def bit(data, part="7z020clg484", design="vta_wrapper;UserID=0XFFFFFFFF;Version=2022.1"):
    def text(key, value):
        value = value.encode() + b"\0"
        return key + struct.pack(">H", len(value)) + value
    header = bytes.fromhex("00090ff00ff00ff00ff0000001")
    header += text(b"a", design) + text(b"b", part) + text(b"c", "2026/01/02") + text(b"d", "03:04:05")
    return header + b"e" + struct.pack(">I", len(data)) + data


def xclbin(sections, platform="xilinx_u250_gen3x16_xdma_4_1", length=None):
    """`sections`: (kind, name, data)."""
    body = b""
    table = b""
    start = 456 + 40 * len(sections)
    for kind, name, data in sections:
        table += struct.pack("<I16s4xQQ", kind, name.encode(), start + len(body), len(data))
        body += data
    header = bytearray(456)
    header[0:8] = b"xclbin2\0"
    header[304:312] = struct.pack("<Q", start + len(body) if length is None else length)
    header[352:352 + len(platform)] = platform.encode()
    header[416:432] = bytes(range(16))
    header[448:452] = struct.pack("<I", len(sections))
    return bytes(header) + table + body


def pdi():
    return bytes.fromhex("000000dd112233445566778899aabbcc") + struct.pack("<II", SYNC, 0x584C4E58) + bytes(200)


def description(family="zynq", **changes):
    zynq = family == "zynq"
    values = {"format": 1, "board": "pynq-z1" if zynq else "ultra96", "family": family,
              "part": "xc7z020clg400-1" if zynq else "xczu3eg-sbva484-1-i",
              "reference_mhz": 50 if zynq else 33.333,
              "registers": {"address": "0x43c00000" if zynq else "0xa0000000", "bytes": 4096},
              "interrupt_spi": 29 if zynq else 89,
              "clocks": [{"name": "fclk0" if zynq else "pl0", "mhz": 100}],
              "ports": [{"name": "M_AXI_GP0" if zynq else "M_AXI_HPM0_FPD", "width_bits": 32, "coherent": False},
                        {"name": "S_AXI_HP0" if zynq else "S_AXI_HP0_FPD", "width_bits": 64, "coherent": False}],
              "identity": dict(IDENTITY)}
    values.update(changes)
    return json.dumps(values)


class Board:
    """A made-up board below `root`."""

    def __init__(self, root, family="zynq", firmware_attribute=True, overlays=True, uio=True):
        self.root = Path(root)
        soc = {"zynq": ("Xilinx Zynq", "0x7", "0x0"), "zynqmp": ("jep106:0049", "jep106:0049:0000", hex(SYSTEM_ZU3))}
        for name, text in zip(("family", "soc_id", "revision"), soc[family]):
            self.write(f"sys/devices/soc0/{name}", text + "\n")
        self.manager = self.root / "sys/class/fpga_manager/fpga0"
        self.write("sys/class/fpga_manager/fpga0/name", "Xilinx Zynq FPGA Manager\n")
        self.write("sys/class/fpga_manager/fpga0/state", "operating\n")
        if firmware_attribute:
            self.write("sys/class/fpga_manager/fpga0/firmware", "")
            self.write("sys/class/fpga_manager/fpga0/flags", "1f\n")
        if overlays:
            (self.root / "sys/kernel/config/device-tree/overlays").mkdir(parents=True)
        (self.root / "lib/firmware").mkdir(parents=True)
        if uio:
            self.write("sys/class/uio/uio0/name", "vta\n")
            self.write("sys/class/uio/uio0/maps/map0/addr", "0x43c00000\n" if family == "zynq" else "0xa0000000\n")
            self.write("sys/class/uio/uio0/maps/map0/size", "0x1000\n")
            self.registers()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def registers(self, **changes):
        """The registers behind UIO."""
        values = {**IDENTITY, **changes}
        page = bytearray(4096)
        for name, offset in REGISTER_OFFSETS.items():
            value = values[name]
            struct.pack_into("<I", page, offset, int(value, 16) if isinstance(value, str) else value)
        struct.pack_into("<Q", page, 0x48, int(values["fingerprint"], 16))
        self.write("dev/uio0", bytes(page))

    def clock(self, name, hertz):
        self.write(f"sys/devices/soc0/{name}/set_rate", f"{hertz}\n")

    def command(self, name, script):
        self.write(f"usr/bin/{name}", f"#!/bin/sh\n{script}\n")
        (self.root / "usr/bin" / name).chmod(0o755)

    def memory(self, values):
        """/dev/mem, sparse, with words at addresses."""
        self.write("dev/mem", "")
        with open(self.root / "dev/mem", "r+b") as file:
            file.truncate(1 << 32)
            for address, value in values.items():
                file.seek(address)
                file.write(struct.pack("<I", value))

    def word(self, address):
        with open(self.root / "dev/mem", "rb") as file:
            file.seek(address)
            return struct.unpack("<I", file.read(4))[0]
