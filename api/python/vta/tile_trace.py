"""What kernels are written with: boxes of tensors, tiles, and functions on them. vta.tile has the names for users."""

import builtins

import numpy as np

from . import Error, _tile

builders = []  # of the kernels that are written down, the innermost last


def current_builder():
    if not builders:
        raise Error("operations on tiles are written in a function with the decorator vt.kernel")
    return builders[-1]


# Tensors and boxes of them


class TracedTensor:
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
    builder = current_builder()
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
    if isinstance(box, TracedTensor):
        box = box[()]
    if not isinstance(box, _Box):
        raise Error(f"load: {type(box).__name__} is no box of a tensor such as x[m:m + BM, :]")
    builder = current_builder()
    native = builder.load(box.tensor.native, box.begin, box.extents)
    for axis in reversed(box.dropped[:-1] if len(box.dropped) == len(box.extents) else box.dropped):
        native = native.squeeze(axis)
    return Tile(builder, native)


def store(box, tile):
    """Writes the low 8 bits of a tile's values to a box of an output."""
    if isinstance(box, TracedTensor):
        box = box[()]
    if not isinstance(box, _Box):
        raise Error(f"store: {type(box).__name__} is no box of a tensor such as y[m:m + BM, :]")
    native = _tile_argument(tile, "store").native
    for axis in box.dropped[:-1] if len(box.dropped) == len(box.extents) else box.dropped:
        native = native.expand(axis)
    if tuple(native.shape) != tuple(box.extents):
        raise Error(f"store: a tile of {'x'.join(map(str, tile.shape))} does not fill the box of "
                    f"{'x'.join(map(str, box.extents))} elements of '{box.tensor.name}'")
    current_builder().store(box.tensor.native, box.begin, native)


def zeros(*shape):
    """A tile of zeros, to add products to."""
    builder = current_builder()
    return Tile(builder, builder.zeros(list(shape)))


def copy(tile):
    """A tile with the same values."""
    builder = current_builder()
    return Tile(builder, builder.copy(_tile_argument(tile, "copy").native))


def dot(x, w, axes="mk,nk->mn"):
    """Sums of products, with axes as in numpy.einsum; "mk,nk->mn" multiplies rows of x with rows of w.

    `acc += dot(x, w)` adds the products to `acc`; this is what the GEMM core does.
    """
    operands, _, result = axes.partition("->")
    letters = dict(zip("".join(operands.split(",")), (*_tile_argument(x, "dot").shape, *_tile_argument(w, "dot").shape)))
    shape = [letters.get(letter, 1) for letter in result]
    return _Product(current_builder(), x, w, axes, shape)


def clip(tile, low, high):
    """Values between two bounds."""
    builder = current_builder()
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


def table(tile, results):
    """results[value + 128] for each value's low 8 bits: hardware with the extension `lut`. A kernel has one table.

    `results` are 256 int8 numbers, or a function of one number, which is rounded and saturated.
    """
    if callable(results):
        results = [int(np.clip(np.rint(results(value)), -128, 127)) for value in builtins.range(-128, 128)]
    builder = current_builder()
    results = [int(one) for one in results]
    if any(not -128 <= one <= 127 for one in results):
        raise Error("table: a result is no int8, -128 to 127")
    return Tile(builder, builder.look_up(_tile_argument(tile, "table").native, results))


def alu(operation, tile, operand, shift=0):
    """Any operation of the hardware's ALU by its name in docs/isa.md, with a tile or a number as second operand."""
    return _tile_argument(tile, "alu")._combine(operation.upper(), operand, shift)
