"""vta.commands: instructions of the accelerator, issued while a program runs.

>>> device = vta.Device.for_configuration("configs/hw/default.yaml", "cycle")
>>> x, y = Buffer(device, 64), Buffer(device, 16)
>>> x.write(np.arange(16, dtype=np.int32))
>>> c = Commands(device)
>>> c.load("acc", 0, x)
>>> c.alu("add", [(0, 0)], immediate=5)
>>> c.push("compute", "store"); c.pop("compute", "store")
>>> c.store(0, y)
>>> c.run(), y.read(np.int8)

The caller places the tokens. run() proves them first: a race, a deadlock or an access out of bounds is an error.
"""

import numpy as np

from . import Error, _native

__all__ = ["Buffer", "Commands"]

_MEMORIES = {"wgt": 1, "inp": 2, "acc": 3, "acc8": 5}
_UNITS = {"load": 0, "compute": 1, "store": 2}


def _number(name, names, what):
    if name in names:
        return names[name]
    raise Error(f"there is no {what} '{name}'; there are {', '.join(names)}")


class Buffer(_native.Buffer):
    """Memory of a device: Buffer(device, size_bytes), with zeros. write(array, offset_bytes=0) copies an array to it."""

    def read(self, dtype=np.uint8):
        """A copy of all elements."""
        return self.read_bytes().view(dtype)


class Commands(_native.Commands):
    """Instructions of one launch on a device: Commands(device). Pairs are of the outer and the inner loop."""

    def load(self, memory, sram_index, buffer, first_elem=0, x_size=1, y_size=1, x_stride=0, pads=(0, 0, 0, 0)):
        """Rows of `buffer` into "inp", "wgt", "acc" or "acc8", counted in its elements.

        x_stride: from row to row in the buffer; 0: x_size. pads: zeros before and after each row, rows of zeros before and
        after.
        """
        self.add_load(_number(memory, _MEMORIES, "memory to load"), sram_index, buffer, first_elem, x_size, y_size, x_stride,
                      pads)

    def store(self, sram_index, buffer, first_elem=0, x_size=1, y_size=1, x_stride=0):
        """Rows of OUT into `buffer`."""
        self.add_store(sram_index, buffer, first_elem, x_size, y_size, x_stride)

    def gemm(self, micro_ops, iterations=(1, 1), dst=(0, 0), src=(0, 0), wgt=(0, 0), reset=False):
        """ACC[d] += INP[s] x WGT[w] for each (d, s, w) of `micro_ops`, in two loops that add these factors; reset: ACC[d] = 0."""
        self.add_gemm(micro_ops, iterations, dst, src, wgt, reset)

    def alu(self, operation, micro_ops, iterations=(1, 1), dst=(0, 0), src=(0, 0), immediate=None):
        """ACC[d] = operation(ACC[d], ACC[s], or the immediate) for each (d, s) of `micro_ops`."""
        self.add_alu(operation, [(d, s, 0) for d, s in micro_ops], iterations, dst, src, immediate)

    def push(self, sender, receiver):
        """The newest instruction of a unit, "load", "compute" or "store", sends a token to its neighbour."""
        self.add_push(_number(sender, _UNITS, "unit"), _number(receiver, _UNITS, "unit"))

    def pop(self, sender, receiver):
        """The next instruction of `receiver` waits for a token of `sender`."""
        self.add_pop(_number(sender, _UNITS, "unit"), _number(receiver, _UNITS, "unit"))

    def run(self, timeout_seconds=0.0):
        """Proves the instructions, runs them and forgets them; returns the cycles, 0 from devices without timing."""
        return self.launch(timeout_seconds)
