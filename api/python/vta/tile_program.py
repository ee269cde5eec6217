"""Programs by hand: instructions with tokens and micro-ops as text, verified, run and timed."""

import numpy as np

from . import Error, _tile
from .tile_kernel import Run, hardware


class Program:
    """A program in the assembler's syntax (docs/isa.md), for one hardware.

    The verifier checks it first: a race, a deadlock, a token too few or too many, and an access out of bounds are errors
    that name the instruction. `buffers` are (name, kind, size in bytes).
    """

    def __init__(self, text, hw="default", source="program"):
        self.hw = hardware(hw)
        self._native = _tile.assemble(text, source, self.hw)

    assembler = property(lambda self: self._native.assembler)
    timeline = property(lambda self: self._native.timeline)
    cycles = property(lambda self: self._native.cycles)
    buffers = property(lambda self: self._native.buffers)

    def run(self, device="functional", **contents):
        """Runs the program with these contents of buffers, as they lie in memory; others are zeros.

        The outputs are the bytes of all buffers that the program may write, as arrays of uint8: view them as what they
        are, output.view(np.int8).
        """
        known = {name: size for name, _, size in self.buffers}
        data = {}
        for name, array in contents.items():
            if name not in known:
                raise Error(f"no buffer '{name}'; the program has {', '.join(known)}")
            data[name] = np.ascontiguousarray(array).tobytes()
            if len(data[name]) != known[name]:
                raise Error(f"{len(data[name])} bytes for buffer '{name}', which has {known[name]}")
        results, cycles = self._native.run_with_buffers(data, device)
        return Run({name: np.frombuffer(results[name], np.uint8) for name, kind, _ in self.buffers
                    if kind in ("output", "scratch")}, cycles)
