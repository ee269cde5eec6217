"""Compile models for the VTA accelerator, and run them on its simulators and devices.

>>> import vta
>>> module = vta.compile("model.onnx", hw="default")      # needs the tool vta-compile
>>> outputs = module.run(x)                               # NumPy arrays in and out
>>> session = module.session(device="cycle", per_layer=True)
>>> session.run(x), session.cycles, session.profile
>>> vta.generate("stories.vta.so", "tokenizer.json", "Once upon a time", temperature=0.8)["text"]
"""

import numpy as np

from . import _native
from ._native import Device, Error, LayerInfo, TensorInfo, Tokenizer, load_operators, version
from .compiler import compile  # noqa: A004, the name of the tool

__all__ = ["Device", "Error", "LayerInfo", "Module", "Session", "TensorInfo", "Tokenizer", "compile", "generate", "load_operators",
           "version"]
__version__ = version()


def _count(items, word):
    return f"{len(items)} {word}{'' if len(items) == 1 else 's'}"


class Module(_native.Module):
    """A compiled model: the path of a module, or its bytes. It is native code: load only what you trust."""

    def __repr__(self):
        inputs, outputs, layers = (_count(part, word) for part, word in (
            (self.inputs, "input"), (self.outputs, "output"), (self.layers, "layer")))
        other = ", for a GPU" if any(layer.where == "gpu" for layer in self.layers) else ", for the CPU alone"
        hardware = f" for {self.hardware}" if self.hardware else other
        return f"<vta.Module {self.model!r}{hardware}: {inputs}, {outputs}, {layers}>"

    def session(self, device="functional", **options):
        """A session on `device`: a Device, the text that describes one, or None for a module without a VTA.

        Options: per_layer, verify, num_threads, timeout_seconds; gpu, the number or a part of the name of the GPU that
        runs what the module has for one.
        """
        return Session(self, device, **options)

    def run(self, *inputs, **named):
        """Runs the module once on the functional simulator; see Session.run."""
        if getattr(self, "_session", None) is None:
            self._session = self.session()
        return self._session.run(*inputs, **named)


class Session(_native.Session):
    """A module on a device. One run at a time; other threads go on while it runs."""

    def __init__(self, module, device="functional", **options):
        if isinstance(device, str):
            device = Device(module, device) if module.hardware else None
        super().__init__(module, device, **options)
        self.module = module
        self.device = device
        self._inputs = module.inputs
        self._outputs = module.outputs

    def __repr__(self):
        device = self.device.name if self.device is not None else "the CPU"
        return f"<vta.Session of {self.module.model!r} on {device}>"

    def _set(self, arrays, named):
        names = [info.name for info in self._inputs]
        if len(arrays) > len(names):
            raise Error(f"{len(arrays)} inputs for a module that has {len(names)}: {', '.join(names)}")
        given = dict(zip(names, arrays))
        for name, array in named.items():
            if name not in names:
                raise Error(f"no input '{name}'; the module has {', '.join(names)}")
            given[name] = array
        for name in names:
            if name not in given:
                raise Error(f"input '{name}' is missing")
        for index, info in enumerate(self._inputs):
            array = np.asarray(given[info.name])
            if array.dtype != info.dtype and np.can_cast(array.dtype, info.dtype, "same_kind"):
                array = array.astype(info.dtype)
            self.set_input(index, info, array)

    def outputs(self):
        """The outputs of the last run, by name."""
        return {info.name: self.output(index, info) for index, info in enumerate(self._outputs)}

    def run(self, *inputs, **named):
        """Runs the module on arrays, in the order of module.inputs or by name, or on one dictionary.

        Returns the output, or a dictionary of them by name when there are several.
        """
        if len(inputs) == 1 and isinstance(inputs[0], dict):
            inputs, named = (), inputs[0]
        self._set(inputs, named)
        super().run()
        outputs = self.outputs()
        return next(iter(outputs.values())) if len(outputs) == 1 else outputs

    def start(self, *inputs, **named):
        """Begins a run in the background. outputs() has its results after wait().

        wait(seconds) is False when the run has not ended by then; wait() waits until it has.
        """
        self._set(inputs, named)
        super().start()


def generate(module, tokenizer, prompt, device="functional", **options):
    """Makes a text with a module that keeps its caches (vta.compile("model.onnx", context_length=256)).

    `module` and `tokenizer` may be paths. Options are those of Session.generate: max_tokens, temperature, top_k, top_p,
    seed, stops, show, a function that gets each piece of the text as it is made, and speculate: so many tokens are guessed
    and checked in one run, for which the module needs room (prompt_chunk). draft is a session of a small model with the
    same tokenizer that guesses; without it, the text itself does.

    Returns a dictionary: "text" behind the prompt, why it ended ("end": "end", "stop", "length" or "capacity"), and what
    it took.
    """
    module = module if isinstance(module, Module) else Module(str(module))
    tokenizer = tokenizer if isinstance(tokenizer, Tokenizer) else Tokenizer(str(tokenizer))
    return module.session(device).generate(tokenizer, prompt, **options)
