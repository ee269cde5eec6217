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

The function runs once, to write the kernel down: loops of vt.range and vt.grid become loops of the kernel, plain loops
of Python are unrolled. Lengths count elements of the hardware, which are blocks of values: M is the number of rows
divided by the batch, K and N are channels divided by the block. The manual's page is docs/tile-kernels.md.
"""

import builtins
import inspect
import itertools
import os
from pathlib import Path

import numpy as np

from . import Error, _tile
from .tile_layout import TensorType, acc, acc8, elements_of, inp, out, pack, unpack, wgt

__all__ = ["Compiled", "Kernel", "Run", "Tile", "Tuning", "acc", "acc8", "alu", "clip", "copy", "dot", "grid", "hardware", "inp",
           "kernel", "load", "maximum", "minimum", "out", "qmul", "range", "relu", "store", "wgt", "zeros"]

_builders = []  # of the kernels that are written down, the innermost last


def _builder():
    if not _builders:
        raise Error("operations on tiles are written in a function with the decorator vt.kernel")
    return _builders[-1]


# Tensors and boxes of them


class _Tensor:
    """A parameter while a kernel is written down: indexing it gives a box for load and store."""

    def __init__(self, native, name, shape):
        self.native = native
        self.name = name
        self.shape = shape

    def __getitem__(self, indices):
        return _Box(self, indices if isinstance(indices, tuple) else (indices,))


class _Box:
    """Where a box begins, its extents, and the axes that an index without a slice leaves out."""

    def __init__(self, tensor, indices):
        if len(indices) > len(tensor.shape):
            raise Error(f"{len(indices)} indices for '{tensor.name}', which has {len(tensor.shape)} axes")
        self.tensor = tensor
        self.begin, self.extents, self.dropped = [], [], []
        indices = list(indices) + [slice(None)] * (len(tensor.shape) - len(indices))
        for axis, (index, length) in enumerate(zip(indices, tensor.shape)):
            if isinstance(index, slice):
                begin, extent = self._slice(index, length)
            else:
                begin, extent = index, 1
                self.dropped.append(axis)
            self.begin.append(begin if isinstance(begin, _tile.Index) else _tile.Index(begin))
            self.extents.append(extent)

    def _slice(self, index, length):
        if index.step not in (None, 1):
            raise Error(f"'{self.tensor.name}': a box has no steps; load it whole and take a part of the tile")
        begin = 0 if index.start is None else index.start
        end = length if index.stop is None else index.stop
        extent = end - begin
        if isinstance(extent, _tile.Index):
            extent = extent.number
        if extent is None:
            raise Error(f"'{self.tensor.name}': the extent of a box depends on a loop; write x[m:m + BM]")
        return begin, extent


# Tiles


def _native(value):
    return value.native if isinstance(value, Tile) else None


class Tile:
    """Elements in a scratchpad. Operators give new tiles; += and the like change the tile itself."""

    def __init__(self, builder, native):
        self._builder = builder
        self._native = native

    @property
    def native(self):
        return self._native

    @property
    def shape(self):
        return self.native.shape

    def __getitem__(self, indices):
        """A part of the tile: slices, numbers and None, as with NumPy's arrays."""
        native, axis = self.native, 0
        for index in indices if isinstance(indices, tuple) else (indices,):
            if index is None:
                native = native.expand(axis)
                axis += 1
                continue
            if axis >= len(native.shape):
                raise Error(f"too many indices for a tile of {'x'.join(map(str, self.shape))}")
            if isinstance(index, slice):
                begin, end, step = index.indices(native.shape[axis])
                native = native.slice(axis, begin, len(builtins.range(begin, end, step)), step)
                axis += 1
            else:
                native = native.slice(axis, index, 1, 1).squeeze(axis)
        return Tile(self._builder, native)

    def _combine(self, op, other, imm=0):
        if isinstance(other, Tile):
            return Tile(self._builder, self._builder.combine(op, self.native, other.native, imm))
        return Tile(self._builder, self._builder.combine_immediate(op, self.native, _number(other, op)))

    def _apply(self, op, other, imm=0):
        if isinstance(other, Tile):
            self._builder.apply(op, self.native, other.native, imm)
        else:
            self._builder.apply_immediate(op, self.native, _number(other, op))
        return self

    def __add__(self, other):
        return self._combine("ADD", other)

    def __mul__(self, other):
        return self._combine("MUL", other)

    def __rshift__(self, other):
        return self._combine("SHR", other)

    def __lshift__(self, bits):
        return self._combine("SHR", -_number(bits, "<<"))

    def __sub__(self, other):
        return other * -1 + self if isinstance(other, Tile) else self + -_number(other, "-")

    def __neg__(self):
        return self * -1

    def __rsub__(self, number):
        return -self + number

    __radd__ = __add__
    __rmul__ = __mul__

    def __iadd__(self, other):
        if isinstance(other, _Product) and not other.is_made:
            other.add_to(self)
            return self
        return self._apply("ADD", other)

    def __imul__(self, other):
        return self._apply("MUL", other)

    def __irshift__(self, other):
        return self._apply("SHR", other)

    def __isub__(self, other):
        return self._apply("ADD", other * -1 if isinstance(other, Tile) else -_number(other, "-"))


class _Product(Tile):
    """A product that has not been added to anything yet: it gets a tile of its own when one is needed."""

    def __init__(self, builder, x, w, axes, shape):
        super().__init__(builder, None)
        self._factors = (x, w)
        self._axes = axes
        self._shape = shape

    @property
    def is_made(self):
        return self._native is not None

    @property
    def native(self):
        if not self.is_made:
            self._native = self._builder.zeros(self._shape)
            self._builder.dot(self._native, *(factor.native for factor in self._factors), self._axes)
        return self._native

    def add_to(self, tile):
        self._builder.dot(tile.native, *(factor.native for factor in self._factors), self._axes)


def _number(value, op):
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise Error(f"{op}: the second operand is {type(value).__name__}; a tile or an int is possible")
    return int(value)


def _tile_argument(value, use):
    if not isinstance(value, Tile):
        raise Error(f"{use}: {type(value).__name__} is no tile")
    return value


# What a kernel is written with


def range(extent, step=1, stages=1, name=None):
    """A loop of the kernel: 0, step, ... below extent, which step divides.

    Tiles that the body makes have `stages` slots, which iterations use in turn: with two, the next iteration loads while
    this one computes.
    """
    builder = _builder()
    depth = builder.depth
    index = builder.begin_loop(name or f"i{builder.loops}", extent, step, stages)
    yield index
    if builder.depth != depth + 1:
        raise Error("a loop of the kernel was left by break, return or an error; loops run to their ends")
    builder.end_loop()


def grid(*ranges, threads=1):
    """Loops in each other: grid((M, BM), (N, BN)) goes through M in steps of BM, and for each through N in steps of BN.

    `threads` are the stages of the innermost loop, known as virtual threads: with two, one tile is computed while the
    one before it is stored.
    """
    if not ranges:
        raise Error("grid needs a range: grid((M, BM), (N, BN))")
    (extent, step), *inner = [one if isinstance(one, tuple) else (one, 1) for one in ranges]
    for index in range(extent, step, stages=1 if inner else threads):
        if inner:
            for indices in grid(*inner, threads=threads):
                yield (index, *indices)
        else:
            yield (index,)


def load(box):
    """The tile with the elements of a box, x[m:m + BM, k]. Elements beside the tensor are 0: up to 15 at each side."""
    if isinstance(box, _Tensor):
        box = box[()]
    if not isinstance(box, _Box):
        raise Error(f"load: {type(box).__name__} is no box of a tensor such as x[m:m + BM, :]")
    builder = _builder()
    native = builder.load(box.tensor.native, box.begin, box.extents)
    for axis in reversed(box.dropped[:-1] if len(box.dropped) == len(box.extents) else box.dropped):
        native = native.squeeze(axis)
    return Tile(builder, native)


def store(box, tile):
    """Writes the low 8 bits of a tile's values to a box of an output."""
    if isinstance(box, _Tensor):
        box = box[()]
    if not isinstance(box, _Box):
        raise Error(f"store: {type(box).__name__} is no box of a tensor such as y[m:m + BM, :]")
    native = _tile_argument(tile, "store").native
    for axis in box.dropped[:-1] if len(box.dropped) == len(box.extents) else box.dropped:
        native = native.expand(axis)
    if tuple(native.shape) != tuple(box.extents):
        raise Error(f"store: a tile of {'x'.join(map(str, tile.shape))} does not fill the box of "
                    f"{'x'.join(map(str, box.extents))} elements of '{box.tensor.name}'")
    _builder().store(box.tensor.native, box.begin, native)


def zeros(*shape):
    """A tile of zeros, to add products to."""
    builder = _builder()
    return Tile(builder, builder.zeros(list(shape)))


def copy(tile):
    """A tile with the same values."""
    builder = _builder()
    return Tile(builder, builder.copy(_tile_argument(tile, "copy").native))


def dot(x, w, axes="mk,nk->mn"):
    """Sums of products, with axes as in numpy.einsum; "mk,nk->mn" multiplies rows of x with rows of w.

    `acc += dot(x, w)` adds the products to `acc`; this is what the GEMM core does.
    """
    operands, _, result = axes.partition("->")
    letters = dict(zip("".join(operands.split(",")), (*_tile_argument(x, "dot").shape, *_tile_argument(w, "dot").shape)))
    shape = [letters.get(letter, 1) for letter in result]
    return _Product(_builder(), x, w, axes, shape)


def clip(tile, low, high):
    """Values between two bounds."""
    builder = _builder()
    return Tile(builder, builder.clip(_tile_argument(tile, "clip").native, _number(low, "clip"), _number(high, "clip")))


def maximum(a, b):
    """The larger values of two tiles, or of a tile and a number."""
    return a._combine("MAX", b) if isinstance(a, Tile) else _tile_argument(b, "maximum")._combine("MAX", a)


def minimum(a, b):
    """The smaller values of two tiles, or of a tile and a number."""
    return a._combine("MIN", b) if isinstance(a, Tile) else _tile_argument(b, "minimum")._combine("MIN", a)


def relu(tile):
    """maximum(tile, 0)"""
    return maximum(tile, 0)


def qmul(tile, multiplier, shift):
    """tile * multiplier / 2^shift, rounded and saturated: hardware with the extension `qmul`."""
    return _tile_argument(tile, "qmul")._combine("QMUL", _tile_argument(multiplier, "qmul"), shift)


def alu(operation, tile, operand, shift=0):
    """Any operation of the hardware's ALU by its name in docs/isa.md, with a tile or a number as second operand."""
    return _tile_argument(tile, "alu")._combine(operation.upper(), operand, shift)


# Kernels


class _Writer:
    """The native builder, which also counts its loops."""

    def __init__(self, name, hw):
        self._native = _tile.Builder(name, hw)
        self.depth = 0
        self.loops = 0

    def __getattr__(self, name):
        return getattr(self._native, name)

    def begin_loop(self, *arguments):
        index = self._native.begin_loop(*arguments)
        self.depth += 1
        self.loops += 1
        return index

    def end_loop(self):
        self.depth -= 1
        self._native.end_loop()


def hardware(hw="default"):
    """A configuration: the path of a file, or the name of one in configs/hw."""
    if isinstance(hw, _tile.Hardware):
        return hw
    if os.path.exists(hw):
        return _tile.Hardware.load(os.fspath(hw))
    names = set()
    for parent in Path(__file__).resolve().parents:
        for folder in (parent / "configs" / "hw", parent / "share" / "vta" / "configs" / "hw"):
            if (folder / f"{hw}.yaml").exists():
                return _tile.Hardware.load(str(folder / f"{hw}.yaml"))
            names.update(path.stem for path in folder.glob("*.yaml"))
    known = f"; there are {', '.join(sorted(names))}" if names else "; install the package vta-tools, or give a file"
    raise Error(f"no configuration '{hw}'{known}")


def _show_rtl():
    """Tells the device `rtl` where an installed package has its sources."""
    for parent in Path(__file__).resolve().parents:
        folder = parent / "share" / "vta" / "rtl" / "hw" / "vta_rtl"
        if folder.exists():
            os.environ.setdefault("VTA_RTL_DIR", str(folder))
            return


class Run:
    """What a run gave: `outputs` by name, `output` if there is one, and `cycles` (0 where the device counts none)."""

    def __init__(self, outputs, cycles):
        self.outputs = outputs
        self.cycles = cycles

    @property
    def output(self):
        if len(self.outputs) != 1:
            raise Error(f"the kernel has {len(self.outputs)} outputs: {', '.join(self.outputs)}; see .outputs")
        return next(iter(self.outputs.values()))


class Compiled:
    """A kernel for one hardware and one size, with each stage of its way as text.

    ir: the loops and tiles; assembler: the instructions with their tokens; timeline: when they run; cycles.
    """

    def __init__(self, native, hw, parameters, elements):
        self._native = native
        self.hw = hw
        self._parameters = parameters
        self._elements = elements

    ir = property(lambda self: self._native.ir)
    assembler = property(lambda self: self._native.assembler)
    timeline = property(lambda self: self._native.timeline)
    cycles = property(lambda self: self._native.cycles)

    def run(self, *arrays, device="functional", check=False):
        """Runs the kernel on arrays; `check` compares the outputs with those of the reference."""
        inputs = [(name, kind) for name, kind in self._parameters.items() if kind.memory != "OUT"]
        data = [pack(_array(array, name, kind), kind, self.hw) for array, (name, kind) in zip(arrays, inputs)]
        if device == "reference":
            outputs, cycles = self._native.run_reference(data), 0
        else:
            if device.partition(":")[0] == "rtl":
                _show_rtl()
            outputs, cycles = self._native.run(data, device)
        if check and outputs != self._native.run_reference(data):
            raise Error(f"{device} gives other values than the reference")
        names = [(name, kind) for name, kind in self._parameters.items() if kind.memory == "OUT"]
        return Run({name: unpack(one, kind, self._elements[name], self.hw) for one, (name, kind) in zip(outputs, names)},
                   cycles)


def _array(array, name, kind):
    array = np.asarray(array)
    if array.dtype != kind.dtype:
        raise Error(f"'{name}' is {array.dtype}, but {kind.memory} holds {kind.dtype}: write "
                    f"{name}.astype(np.{kind.dtype}) if its values fit")
    return array


class Tuning:
    """What autotuning found: `best` parameters, `cycles` with them, and `rows` of all (parameters, cycles or reason)."""

    def __init__(self, rows):
        self.rows = rows
        measured = [row for row in rows if isinstance(row[1], int)]
        if not measured:
            raise Error("no combination of parameters makes a kernel; the first: " + str(rows[0][1]))
        self.best, self.cycles = min(measured, key=lambda row: row[1])


class Kernel:
    """A function that writes a kernel, with its parameters."""

    def __init__(self, function, parameters, autotune=None):
        self.function = function
        self.parameters = parameters
        self.autotune = autotune or {}
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self._compiled = {}
        self._tuned = {}
        signature = list(inspect.signature(function).parameters.values())
        self._names = [parameter.name for parameter in signature]
        self._constants = {one.name: one.default for one in signature if one.default is not inspect.Parameter.empty}
        self._check()

    def _check(self):
        symbols = {axis for kind in self.parameters.values() for axis in kind.axes or () if isinstance(axis, str)}
        for name, kind in self.parameters.items():
            if name not in self._names:
                raise Error(f"{self.__name__}: '{name}' is not a parameter of the function")
            if not kind.axes:
                raise Error(f"{self.__name__}: '{name}' has no axes; write vt.inp[\"M\", \"K\"]")
        for name in self._names:
            if name not in self.parameters and name not in symbols and name not in self._constants:
                raise Error(f"{self.__name__}: '{name}' is neither a tensor, an axis nor a number with a default")
        for name in self.autotune:
            if name not in self._constants:
                raise Error(f"{self.__name__}: autotune has '{name}', which is not a number with a default")
        if not any(kind.memory == "OUT" for kind in self.parameters.values()):
            raise Error(f"{self.__name__}: no parameter is an output (vt.out)")

    def __call__(self, *arrays, **options):
        """The output, on the functional simulator unless `device` says another one; see run."""
        run = self.run(*arrays, **options)
        return run.output if len(run.outputs) == 1 else run.outputs

    def run(self, *arrays, device="functional", hw="default", check=False, **constants):
        """Runs the kernel on NumPy arrays, in the order of its inputs.

        device: functional, cycle, rtl, or reference; hw: a configuration; other keywords are numbers of the function.
        """
        return self.compile(*arrays, hw=hw, **constants).run(*arrays, device=device, check=check)

    def compile(self, *arrays, hw="default", **constants):
        """The kernel for arrays of these shapes. Numbers with `autotune` that are not given are those of the tuner."""
        hw = hardware(hw)
        shapes = self._shapes(arrays, hw)
        self._check_constants(constants)
        missing = {name: values for name, values in self.autotune.items() if name not in constants}
        if missing:
            constants = {**self._tune(shapes, hw, constants, missing).best, **constants}
        return self._compile(shapes, hw, constants)

    def tune(self, *arrays, hw="default", space=None, **constants):
        """Measures all combinations of numbers in `space`, or in the kernel's own, on the cycle simulator."""
        hw = hardware(hw)
        self._check_constants({**constants, **(space or {})})
        return self._tune(self._shapes(arrays, hw), hw, constants, space or self.autotune)

    def _check_constants(self, constants):
        for name in constants:
            if name not in self._constants:
                raise Error(f"{self.__name__} has no number '{name}'; it has {', '.join(self._constants) or 'none'}")

    def _shapes(self, arrays, hw):
        """Lengths in elements, by symbol."""
        inputs = [(name, kind) for name, kind in self.parameters.items() if kind.memory != "OUT"]
        if len(arrays) != len(inputs):
            raise Error(f"{self.__name__} takes {len(inputs)} arrays: {', '.join(name for name, _ in inputs)}; "
                        f"{len(arrays)} are given")
        lengths = {}
        for array, (name, kind) in zip(arrays, inputs):
            shape = np.shape(_array(array, name, kind))
            if len(shape) != len(kind.axes):
                raise Error(f"'{name}' has {len(shape)} axes, but {kind} has {len(kind.axes)}")
            for axis, length in zip(kind.axes, elements_of(kind, shape, name, hw, Error)):
                known = lengths.setdefault(axis, length) if isinstance(axis, str) else axis
                if known != length:
                    raise Error(f"axis {axis} has {length} elements in '{name}', but {known} elsewhere")
        return lengths

    def _elements(self, shapes):
        """The shape of each tensor in elements."""
        elements = {}
        for name, kind in self.parameters.items():
            for axis in kind.axes:
                if isinstance(axis, str) and axis not in shapes:
                    raise Error(f"{self.__name__}: the length of axis {axis} of '{name}' is unknown: no input has it")
            elements[name] = tuple(shapes[axis] if isinstance(axis, str) else axis for axis in kind.axes)
        return elements

    def _compile(self, shapes, hw, constants):
        key = (repr(hw), tuple(sorted(shapes.items())), tuple(sorted(constants.items())))
        if key not in self._compiled:
            self._compiled[key] = self._write(shapes, hw, constants)
        return self._compiled[key]

    def _write(self, shapes, hw, constants):
        elements = self._elements(shapes)
        builder = _Writer(self.__name__, hw)
        arguments = {**self._constants, **constants}
        arguments.update({axis: length for axis, length in shapes.items() if axis in self._names})
        for name, kind in self.parameters.items():
            shape = list(elements[name])
            native = (builder.output(name, shape) if kind.memory == "OUT" else
                      builder.input(name, kind.memory, shape))
            arguments[name] = _Tensor(native, name, elements[name])
        _builders.append(builder)
        try:
            self.function(**arguments)
        finally:
            _builders.pop()
        return Compiled(builder.compile(), hw, self.parameters, elements)

    def _tune(self, shapes, hw, constants, space):
        key = (repr(hw), tuple(sorted(shapes.items())), tuple(sorted(constants.items())),
               tuple((name, tuple(values)) for name, values in space.items()))
        if key not in self._tuned:
            self._tuned[key] = self._measure(shapes, hw, constants, space)
        return self._tuned[key]

    def _measure(self, shapes, hw, constants, space):
        rows, best = [], 2**63 - 1
        for values in itertools.product(*space.values()):
            chosen = dict(zip(space, values))
            try:
                cycles = self._compile(shapes, hw, {**constants, **chosen})._native.cycles_up_to(best)
                rows.append((chosen, cycles if cycles is not None else "slower than others"))
                best = min(best, cycles or best)
            except Error as error:
                rows.append((chosen, str(error)))
        return Tuning(rows)

    def __repr__(self):
        return f"<vta.tile.Kernel {self.__name__}({', '.join(f'{name}: {kind}' for name, kind in self.parameters.items())})>"


def kernel(*, autotune=None, **parameters):
    """Makes a kernel of the function below: a keyword for each tensor says its memory and axes.

    autotune={"BM": [1, 2, 4]} tries numbers of the function on the cycle simulator and takes the fastest.
    """
    for name, kind in parameters.items():
        if not isinstance(kind, TensorType):
            raise Error(f"'{name}' is {kind!r}; vt.inp, vt.wgt, vt.acc, vt.acc8 and vt.out with axes are possible")
    return lambda function: Kernel(function, parameters, autotune)
