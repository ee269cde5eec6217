"""How NumPy arrays lie in the accelerator's memory: the first two axes are cut into blocks."""

import numpy as np

_LAYOUTS = {"INP": np.int8, "WGT": np.int8, "OUT": np.int8, "ACC": np.int32, "ACC_8BIT": np.int8}


class TensorType:
    """What a parameter of a kernel is: a memory and the names or lengths of its axes."""

    def __init__(self, memory, axes=None):
        self.memory = memory
        self.axes = axes

    def __getitem__(self, axes):
        return TensorType(self.memory, axes if isinstance(axes, tuple) else (axes,))

    def __repr__(self):
        axes = ", ".join(str(axis) for axis in self.axes or ())
        return f"{self.memory}[{axes}]"

    @property
    def dtype(self):
        return np.dtype(_LAYOUTS[self.memory])

    def lanes(self, hw):
        """Rows and columns of values in an element."""
        lanes = {"WGT": (hw.block_out, hw.block_in), "INP": (hw.batch, hw.block_in)}
        return lanes.get(self.memory, (hw.batch, hw.block_out))

    def blocks(self, hw):
        """Values of an element along each axis of an array."""
        rows, columns = self.lanes(hw)
        if len(self.axes) == 1:
            return (columns,)
        return (rows, columns) + (1,) * (len(self.axes) - 2)


inp = TensorType("INP")  # int8, the first factor of products
wgt = TensorType("WGT")  # int8, the second factor of products
acc = TensorType("ACC")  # int32, for operations
acc8 = TensorType("ACC_8BIT")  # int8 in memory, int32 for operations
out = TensorType("OUT")  # int8, what a kernel stores


def elements_of(kind, shape, name, hw, error):
    """The shape in elements of an array of values."""
    blocks = kind.blocks(hw)
    for axis, (extent, block) in enumerate(zip(shape, blocks)):
        if extent % block:
            fill = -(-extent // block) * block
            raise error(f"'{name}' has {extent} values along axis {axis}; an element of {kind.memory} on {hw.name} "
                        f"has {block} of them: pad the array to {fill}")
    return tuple(extent // block for extent, block in zip(shape, blocks))


def pack(array, kind, hw):
    """The bytes of an array as the accelerator reads them."""
    rows, columns = kind.lanes(hw)
    if len(kind.axes) == 1:  # the same for all rows of an element
        array = np.broadcast_to(array, (rows, array.shape[0]))
    rest = array.shape[2:]
    blocked = array.reshape((array.shape[0] // rows, rows, array.shape[1] // columns, columns) + rest)
    axes = (0, 2, *range(4, blocked.ndim), 1, 3)
    packed = np.ascontiguousarray(blocked.transpose(axes))
    if kind.memory == "WGT" and hw.wgt_width_bits < 8:
        return _pack_bits(packed, hw.wgt_width_bits)
    return packed.tobytes()


def _pack_bits(weights, width):
    """Narrow weights: several in a byte, the first in its low bits."""
    values = weights.reshape(-1, 8 // width).astype(np.uint8) & ((1 << width) - 1)
    shifts = np.arange(0, 8, width, dtype=np.uint8)
    return np.bitwise_or.reduce(values << shifts, axis=1).astype(np.uint8).tobytes()


def unpack(data, kind, elements, hw):
    """The array of values from an output's bytes."""
    rows, columns = hw.batch, hw.block_out
    values = np.frombuffer(data, kind.dtype)
    if len(elements) == 1:  # the rows of a batch, side by side
        return np.ascontiguousarray(values.reshape(elements[0], rows, columns).transpose(1, 0, 2)).reshape(rows, -1)
    blocked = values.reshape((*elements, rows, columns))
    last = blocked.ndim
    axes = (0, last - 2, 1, last - 1, *range(2, last - 2))
    shape = (elements[0] * rows, elements[1] * columns, *elements[2:])
    return np.ascontiguousarray(blocked.transpose(axes)).reshape(shape)
