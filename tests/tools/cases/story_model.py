"""A small trained language model of shared/models as a decoder with caches, and small tokenizers."""

import struct

import numpy as np
import onnx
from onnx import numpy_helper

from language_model import Sizes, Weights
from tool_case import MODELS

STORIES = MODELS / "llm/stories260K_prefill128_f32.onnx"
STORY_TOKENIZER = MODELS.parent / "data/llm/tok512.bin"
STORY_SIZES = Sizes(width=64, layers=5, heads=8, key_heads=4, hidden=172, words=512, positions=512)


def story_weights():
    """The trained weights, for language_model.Decoder."""
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load(STORIES).graph.initializer}
    weights = Weights(STORY_SIZES)
    weights.embedding = constants["e"]
    weights.matrices["head"] = constants["w"]
    weights.norms["last"] = constants["n.w"]
    for layer in range(STORY_SIZES.layers):
        for name in ("q", "k", "v", "o", "gate", "up", "down"):
            weights.matrices[f"l{layer}.{name}"] = constants[f"b.{layer}.{name[0]}"]
        for name, number in (("before", 1), ("between", 2)):
            weights.norms[f"l{layer}.{name}"] = constants[f"b.{layer}.n{number}.w"]
    return weights


def write_tokenizer(path, pieces=()):
    """A tokenizer.bin of llama2.c: tokens that steer, bytes, letters, and `pieces`; their texts by number."""
    texts = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    texts += [" ", *"abcdefghijklmnopqrstuvwxyz", *pieces]
    file = struct.pack("<i", max(len(text.encode()) for text in texts))
    for i, text in enumerate(texts):
        data = text.encode()
        file += struct.pack("<fi", -float(i), len(data)) + data
    path.write_bytes(file)
    return texts


def text_of(texts, tokens):
    """What tokens behind a prompt add to it."""
    data = b""
    for token in tokens:
        text = texts[token]
        data += bytes([int(text[3:5], 16)]) if 3 <= token < 259 else text.encode()
    return data


def read_tokenizer(path):
    """The texts of a tokenizer.bin by number."""
    file, at, texts = path.read_bytes(), 4, []
    while at < len(file):
        size = struct.unpack_from("<i", file, at + 4)[0]
        texts.append(file[at + 8:at + 8 + size].decode())
        at += 8 + size
    return texts


def greedy(reference, prompt, count, known):
    """Tokens behind `prompt`, up to one that ends the text."""
    for token in prompt:
        scores = reference.step(token)
    tokens = []
    while len(tokens) < count:
        token = int(np.argmax(scores[:known]))
        if token in (1, 2):
            break
        tokens.append(token)
        scores = reference.step(token)
    return tokens
