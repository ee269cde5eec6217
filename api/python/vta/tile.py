"""Kernels of one's own on the accelerator's tiles.

>>> import vta.tile as vt
>>> @vt.kernel(x=vt.inp["M", "K"], w=vt.wgt["N", "K"], y=vt.out["M", "N"])
... def matmul(x, w, y, M, N, K, BM=1, BN=4, BK=16, shift=8):
...     for m, n in vt.grid((M, BM), (N, BN), threads=2):
...         acc = vt.zeros(BM, BN)
...         for k in vt.range(K, BK, stages=2):
...             acc += vt.dot(vt.load(x[m:m + BM, k:k + BK]), vt.load(w[n:n + BN, k:k + BK]))
...         vt.store(y[m:m + BM, n:n + BN], vt.clip(acc >> shift, 0, 127))
>>> y = matmul(x, w)                                  # NumPy arrays, on the functional simulator
>>> run = matmul.run(x, w, device="cycle"); run.output, run.cycles
>>> print(matmul.compile(x, w).timeline)
>>> vt.save("matmul.yaml", matmul.compile(x, w))      # for nodes vta.kernels.matmul of ONNX models

The function runs once, to write the kernel down: loops of vt.range and vt.grid become loops of the kernel, plain loops
of Python are unrolled. Lengths count elements of the hardware, which are blocks of values: M is the number of rows
divided by the batch, K and N are channels divided by the block. The manual's page is docs/tile-kernels.md.
"""

from .tile_kernel import Compiled, Kernel, Run, Tuning, hardware, kernel, save
from .tile_layout import acc, acc8, inp, out, wgt
from .tile_program import Program
from .tile_trace import (Tile, alu, clip, copy, dot, grid, load, maximum, minimum, qmul, range, relu, store,  # noqa: A004
                         table, zeros)

__all__ = ["Compiled", "Kernel", "Program", "Run", "Tile", "Tuning", "acc", "acc8", "alu", "clip", "copy", "dot", "grid", "hardware", "inp",
           "kernel", "load", "maximum", "minimum", "out", "qmul", "range", "relu", "save", "store", "table", "wgt", "zeros"]
