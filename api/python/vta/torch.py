"""vta.torch: modules of PyTorch on the VTA.

>>> import torch, vta.torch
>>> network = vta.torch.compile(model, examples, hw="default")    # examples: typical inputs, for export and calibration
>>> y = network(x)                                                # tensors in and out
>>> network.session.cycles

PyTorch exports the module as ONNX, and the compiler takes it from there, so the tool vta-compile has to be there.
"""

import inspect
import tempfile
from pathlib import Path

import numpy as np
import torch

from . import Error, Session
from .compiler import compile as compile_file

__all__ = ["Compiled", "compile", "export"]

_OPSET = 13


def _calls(examples):
    """The inputs of each call: a tuple of tensors for each example."""
    calls = examples if isinstance(examples, list) else [examples]
    calls = [call if isinstance(call, tuple) else (call,) for call in calls]
    if not calls:
        raise Error("vta.torch needs an example of the inputs: a tensor, a tuple of tensors for one call, or a list of these")
    for call in calls:
        for value in call:
            if not isinstance(value, torch.Tensor):
                raise Error(f"an example has a {type(value).__name__}; give a tensor, a tuple of tensors for one call, or a "
                            "list of these")
        if [value.shape for value in call] != [value.shape for value in calls[0]]:
            shapes = [", ".join(str(tuple(value.shape)) for value in one) for one in (calls[0], call)]
            raise Error(f"examples of different shapes: {shapes[0]} and {shapes[1]}; a compiled module has one shape")
    return calls


def _flatten(value):
    """The tensors of a module's result, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for part in value for tensor in _flatten(part)]
    raise Error(f"the module returns a {type(value).__name__}; tensors, lists, tuples and dictionaries of them can be compiled")


def _rebuild(form, tensors):
    """A result with the form of another one; takes its tensors from the iterator `tensors`."""
    if isinstance(form, torch.Tensor):
        return next(tensors)
    if isinstance(form, dict):
        return {key: _rebuild(part, tensors) for key, part in form.items()}
    parts = [_rebuild(part, tensors) for part in form]
    return type(form)(*parts) if hasattr(form, "_fields") else type(form)(parts)


def _to_numpy(tensor):
    return tensor.detach().cpu().contiguous().numpy()


def export(module, call, file):
    """Writes `module` as ONNX, for the inputs `call`, a tuple of tensors. Returns the names of inputs and outputs, and what
    the module returned.

    The module is exported as it is used for inference, and has the mode afterwards that it had before.
    """
    inputs = [f"x{index}" for index in range(len(call))]
    was_training = module.training
    module.eval()
    try:
        with torch.no_grad():
            form = module(*call)
        outputs = [f"y{index}" for index in range(len(_flatten(form)))]
        options = {"input_names": inputs, "output_names": outputs, "opset_version": _OPSET}
        # Newer versions have another exporter, which needs packages of its own.
        if "dynamo" in inspect.signature(torch.onnx.export).parameters:
            options["dynamo"] = False
        problem = _export(module, call, file, options)
    finally:
        module.train(was_training)
    if problem:
        raise Error(f"PyTorch cannot export {type(module).__name__} as ONNX: {problem}")
    return inputs, outputs, form


def _export(module, call, file, options):
    """The exporter's message; empty where it succeeds.

    Its exception is not kept: its frames hold graphs that PyTorch frees, and later exports would meet them again.
    """
    try:
        torch.onnx.export(module, call, str(file), **options)
    except (RuntimeError, torch.onnx.errors.OnnxExporterError) as error:
        return str(error)
    return ""


class Compiled:
    """A module of PyTorch that was compiled: called with tensors, it returns what the module returns.

    module: the vta.Module; session: the vta.Session of the last call, with cycles and profile.
    """

    def __init__(self, module, session, names, form):
        self.module = module
        self.session = session
        self._inputs, self._outputs = names
        self._form = form

    def __repr__(self):
        return f"<vta.torch.Compiled {self.module!r}>"

    def __call__(self, *inputs):
        if len(inputs) != len(self._inputs):
            raise Error(f"{len(inputs)} inputs for a module that takes {len(self._inputs)}")
        given = dict(zip(self._inputs, inputs))
        # PyTorch leaves out inputs that nothing reads.
        arrays = {info.name: _to_numpy(given[info.name]) for info in self.module.inputs}
        result = self.session.run(arrays)
        found = result if isinstance(result, dict) else {self._outputs[0]: result}
        return _rebuild(self._form, (torch.from_numpy(np.array(found[name])) for name in self._outputs))


def compile(module, examples, device="functional", output=None, session=None, **options):  # noqa: A001, as torch.compile
    """Compiles a torch.nn.Module; returns a Compiled.

    examples: a tensor, a tuple of tensors for one call, or a list of these. The first one gives the shapes. Without the
        option `calibrate`, all of them are the typical inputs that integer ranges are chosen from.
    device: what runs the module, as for vta.Session: "functional", "cycle", ...
    output: where the module's file stays; without it nothing stays.
    session: options of vta.Session, as a dictionary: {"per_layer": True}.
    options: those of vta-compile, with underscores: hw="wide", partition="cpu", float_layers="auto:1", ...
    Errors: vta.Error with the message of PyTorch's exporter or of the compiler.
    """
    if not isinstance(module, torch.nn.Module):
        raise Error(f"vta.torch.compile takes a torch.nn.Module, and this is a {type(module).__name__}")
    calls = _calls(examples)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{type(module).__name__}.onnx"
        inputs, outputs, form = export(module, calls[0], file)
        if "calibrate" not in options and options.get("partition") not in ("cpu", "gpu"):
            options["calibrate"] = [f"{name}={_write_samples(Path(folder) / name, calls, index)}"
                                    for index, name in enumerate(inputs)]
        compiled = compile_file(file, output=output, **options)
    return Compiled(compiled, Session(compiled, device, **(session or {})), (inputs, outputs), form)


def _write_samples(folder, calls, index):
    folder.mkdir()
    for number, call in enumerate(calls):
        np.save(folder / f"{number:05}.npy", _to_numpy(call[index]))
    return folder
