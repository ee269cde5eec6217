"""Kernels: functions that write tiles down, compiled for hardware and sizes, run, shown and tuned."""

import inspect
import itertools
import os
from pathlib import Path

import numpy as np

from . import Error, _tile
from .tile_layout import TensorType, elements_of, pack, unpack
from .tile_trace import TracedTensor, builders


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
    if hw == "default":  # what the libraries know without a file
        return _tile.Hardware.default()
    known = f"; there are {', '.join(sorted(names))}" if names else "; install the package vta-tools, or give a file"
    raise Error(f"no configuration '{hw}'{known}")


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

    def __init__(self, native, hw, parameters, elements, numbers):
        self._native = native
        self.hw = hw
        self._parameters = parameters
        self._elements = elements
        self._numbers = numbers

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
            outputs, cycles = self._native.run(data, device)
        if check and outputs != self._native.run_reference(data):
            raise Error(f"{device} gives other values than the reference")
        names = [(name, kind) for name, kind in self._parameters.items() if kind.memory == "OUT"]
        return Run({name: unpack(one, kind, self._elements[name], self.hw) for one, (name, kind) in zip(outputs, names)},
                   cycles)


def save(path, *kernels):
    """Writes compiled kernels to a file for `vta-compile --kernels`: each for arrays of its size, on hardware like its own.

    A node of the domain vta.kernels takes the kernel that has its name and its sizes.
    """
    for one in kernels:
        if not isinstance(one, Compiled):
            raise Error(f"{one!r} is not compiled for a size: write kernel.compile(arrays)")
    if not kernels:
        raise Error("there is no kernel to save")
    Path(path).write_text(_tile.kernels_text([one._native for one in kernels], [one._numbers for one in kernels]))


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
            arguments[name] = TracedTensor(native, name, elements[name])
        builders.append(builder)
        try:
            self.function(**arguments)
        finally:
            builders.pop()
        numbers = {name: value for name, value in {**self._constants, **constants}.items()
                   if isinstance(value, int) and -2**63 <= value < 2**63}
        return Compiled(builder.compile(), hw, self.parameters, elements, numbers)

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
