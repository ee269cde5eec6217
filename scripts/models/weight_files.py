"""Weights of decoders in the form of LLaMA from files: llama2.c's checkpoints, and GGUF of llama.cpp."""

import struct

import numpy as np
from language_model import Sizes, Weights, rotations

LAYER_MATRICES = ("q", "k", "v", "o", "gate", "up", "down")


class FileError(Exception):
    """What is wrong with a file."""


class FileWeights(Weights):
    """Weights for language_model.Decoder; `tokens` are texts with scores, or None."""

    def __init__(self, sizes, base=10000.0):
        self.sizes, self.style, self.rounded = sizes, "concat", {}
        self.cosines, self.sines = rotations(sizes, base)
        self.matrices, self.norms, self.tokens = {}, {}, None


def checked(sizes):
    """The same sizes. A decoder's heads divide its width, and those of keys divide its heads."""
    if min(sizes) < 1 or sizes.width % sizes.heads or sizes.heads % sizes.key_heads or sizes.depth % 2:
        raise FileError(f"these sizes are those of no decoder: {sizes}")
    return sizes


def with_halves(matrix, heads):
    """Of [outputs, inputs] of queries or keys: pairs that are turned together lie half a head apart, not side by side."""
    outputs, inputs = matrix.shape
    return matrix.reshape(heads, outputs // heads // 2, 2, inputs).swapaxes(1, 2).reshape(outputs, inputs)


def set_layer(weights, layer, name, matrix):
    """`matrix` is [outputs, inputs], as in both formats."""
    heads = {"q": weights.sizes.heads, "k": weights.sizes.key_heads}.get(name)
    matrix = with_halves(matrix, heads) if heads else matrix
    weights.matrices[f"l{layer}.{name}"] = np.ascontiguousarray(matrix.T)


class Checkpoint:
    """Floats of a llama2.c file, one array behind the other."""

    HEADER = struct.Struct("<7i")

    def __init__(self, data):
        self.data, self.at = data, self.HEADER.size

    def take(self, what, *shape):
        size = int(np.prod(shape)) * 4
        if self.at + size > len(self.data):
            raise FileError(f"the file is cut off: it ends in '{what}'")
        array = np.frombuffer(self.data, np.dtype("<f4"), size // 4, self.at).reshape(shape)
        self.at += size
        return array


def read_llama2c(data):
    """A checkpoint as llama2.c's export.py writes it with --version 0, which run.c reads."""
    if data[:4] == struct.pack("<I", 0x616B3432):
        raise FileError("a checkpoint of llama2.c with version 1 or 2; export it with --version 0")
    if len(data) < Checkpoint.HEADER.size:
        raise FileError("the file is shorter than the header of a checkpoint")
    width, hidden, layers, heads, key_heads, words, positions = Checkpoint.HEADER.unpack_from(data)
    if min(heads, key_heads) < 1:
        raise FileError(f"no checkpoint of llama2.c: it has {heads} heads, {key_heads} of keys")
    weights = FileWeights(checked(Sizes(width, layers, heads, key_heads, hidden, abs(words), positions)))
    sizes, file = weights.sizes, Checkpoint(data)
    keys = key_heads * sizes.depth
    weights.embedding = file.take("token embedding", sizes.words, width)
    for layer, norm in enumerate(file.take("norms before attention", layers, width)):
        weights.norms[f"l{layer}.before"] = norm
    shapes = {"q": (width, width), "k": (keys, width), "v": (keys, width), "o": (width, width), "gate": (hidden, width),
              "down": (width, hidden), "up": (hidden, width)}
    for name, shape in shapes.items():
        if name == "gate":
            for layer, norm in enumerate(file.take("norms behind attention", layers, width)):
                weights.norms[f"l{layer}.between"] = norm
        for layer, matrix in enumerate(file.take(name, layers, *shape)):
            set_layer(weights, layer, name, matrix)
    weights.norms["last"] = file.take("last norm", width)
    file.take("rotations", 2, positions, sizes.depth // 2)
    head = weights.embedding if words > 0 else file.take("classifier", sizes.words, width)
    weights.matrices["head"] = np.ascontiguousarray(head.T)
    return weights
