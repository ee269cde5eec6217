"""How much a program does: a count that says the same on a fast machine, a slow one and a busy one."""

import ctypes
import os
import platform
import resource
import struct
import subprocess

PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241, "armv7l": 364}
INHERIT, EXCLUDE_KERNEL, EXCLUDE_HYPERVISOR = 1 << 1, 1 << 5, 1 << 6
ATTRIBUTE_BYTES = 112
# About so many a second, for machines that count no instructions.
INSTRUCTIONS_PER_SECOND = 4e9


def open_instruction_counter():
    """A descriptor that counts the instructions of this process and its children; None where there is none."""
    number = PERF_EVENT_OPEN.get(platform.machine())
    if number is None:
        return None
    hardware, instructions = 0, 1
    attribute = struct.pack("=IIQQQQQ", hardware, ATTRIBUTE_BYTES, instructions, 0, 0, 0,
                            INHERIT | EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR).ljust(ATTRIBUTE_BYTES, b"\0")
    libc = ctypes.CDLL(None, use_errno=True)
    counter = libc.syscall(number, attribute, 0, -1, -1, 0)
    return counter if counter >= 0 else None


class WorkCounter:
    """Counts the instructions of programs where the machine can. Where it cannot, as in many virtual machines, it takes
    the time of their processor, which other programs disturb: `is_exact` says which."""

    def __init__(self):
        self.counter = open_instruction_counter()
        # Virtual machines may give a counter that stands still.
        self.is_exact = self.counter is not None and self.read() > 0

    def close(self):
        if self.counter is not None:
            os.close(self.counter)

    def read(self):
        return struct.unpack("=Q", os.read(self.counter, 8))[0]

    def seconds(self):
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    def run(self, command, timeout):
        """The finished process, and how many instructions it took."""
        before = self.read() if self.is_exact else self.seconds()
        result = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
        if self.is_exact:
            return result, self.read() - before
        return result, (self.seconds() - before) * INSTRUCTIONS_PER_SECOND
