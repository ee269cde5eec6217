"""GGUF, the files of llama.cpp: metadata and tensors, and decoders of the architecture "llama" from them."""

import struct

import numpy as np
from language_model import Sizes
from weight_files import FileError, FileWeights, checked, set_layer

NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
STRING, ARRAY = 8, 9
BLOCK = 32  # weights of the quantised types with one scale
LAYER_NAMES = {"q": "attn_q", "k": "attn_k", "v": "attn_v", "o": "attn_output", "gate": "ffn_gate", "up": "ffn_up",
               "down": "ffn_down"}


def from_q8_0(blocks):
    """Of [blocks, 34] bytes: a scale and 32 integers."""
    scales = blocks[:, :2].copy().view("<f2").astype(np.float32)
    return scales * blocks[:, 2:].view(np.int8)


def from_q4_0(blocks):
    """Of [blocks, 18] bytes: a scale and 32 integers from -8 to 7; the low halves of bytes are the first 16."""
    scales = blocks[:, :2].copy().view("<f2").astype(np.float32)
    halves = np.concatenate([blocks[:, 2:] & 15, blocks[:, 2:] >> 4], 1)
    return scales * (halves.astype(np.float32) - 8)


# By number of the type: its name, weights and bytes of a block, and what makes floats of blocks.
TYPES = {0: ("F32", 1, 4, lambda blocks: blocks.view("<f4")),
         1: ("F16", 1, 2, lambda blocks: blocks.view("<f2").astype(np.float32)),
         2: ("Q4_0", BLOCK, 18, from_q4_0),
         8: ("Q8_0", BLOCK, 34, from_q8_0)}


class Reader:
    """Values one behind the other."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def bytes(self, size):
        if self.at + size > len(self.data):
            raise FileError("the file is cut off")
        self.at += size
        return self.data[self.at - size:self.at]

    def number(self, code):
        return struct.unpack("<" + code, self.bytes(struct.calcsize("<" + code)))[0]

    def text(self):
        return self.bytes(self.number("Q")).decode("utf-8", "replace")

    def value(self, kind):
        if kind == STRING:
            return self.text()
        if kind == ARRAY:
            kind, count = self.number("I"), self.number("Q")
            if kind == ARRAY or count > len(self.data):
                raise FileError("an array of metadata that cannot be read")
            return [self.value(kind) for _ in range(count)]
        if kind not in NUMBERS:
            raise FileError(f"metadata of type {kind}, which is not known")
        return self.number(NUMBERS[kind])


class GgufFile:
    """`metadata` by key, and tensors by name."""

    def __init__(self, data):
        reader = Reader(data)
        if reader.bytes(4) != b"GGUF":
            raise FileError("no GGUF file")
        version = reader.number("I")
        if version not in (2, 3):
            raise FileError(f"GGUF of version {version}; supported are 2 and 3")
        tensors, values = reader.number("Q"), reader.number("Q")
        self.metadata = {}
        for _ in range(values):
            key = reader.text()
            self.metadata[key] = reader.value(reader.number("I"))
        self.tensors = {}
        for _ in range(tensors):
            name = reader.text()
            extents = [reader.number("Q") for _ in range(reader.number("I"))]
            self.tensors[name] = (extents[::-1], reader.number("I"), reader.number("Q"))
        alignment = self.metadata.get("general.alignment", 32)
        if not isinstance(alignment, int) or alignment < 1:
            raise FileError(f"tensors are aligned to {alignment} bytes")
        self.data, self.begin = data, -(-reader.at // alignment) * alignment

    def get(self, key, default=None):
        if key not in self.metadata and default is None:
            raise FileError(f"'{key}' is missing")
        return self.metadata.get(key, default)

    def tensor(self, name, *shape):
        """In float32. Errors: none of this name, of another shape or of a type that is not supported."""
        if name not in self.tensors:
            raise FileError(f"tensor '{name}' is missing")
        found, kind, offset = self.tensors[name]
        if tuple(found) != shape:
            raise FileError(f"tensor '{name}' has shape {found}, not {list(shape)}")
        if kind not in TYPES:
            raise FileError(f"tensor '{name}' has type {kind}; supported are {', '.join(row[0] for row in TYPES.values())}")
        _, elements, size, floats = TYPES[kind]
        if shape[-1] % elements:
            raise FileError(f"rows of tensor '{name}' are no whole blocks of {elements}")
        blocks = int(np.prod(shape)) // elements
        begin = self.begin + offset
        if begin + blocks * size > len(self.data):
            raise FileError(f"the file is cut off: it ends in tensor '{name}'")
        array = np.frombuffer(self.data, np.uint8, blocks * size, begin).reshape(blocks, size)
        return floats(array).reshape(shape)


def sizes_of(file):
    if file.get("general.architecture") != "llama":
        raise FileError(f"a model of architecture '{file.get('general.architecture')}'; supported is llama")
    heads = file.get("llama.attention.head_count")
    words = len(file.get("tokenizer.ggml.tokens", [])) or file.tensors.get("token_embd.weight", [[0]])[0][0]
    sizes = checked(Sizes(file.get("llama.embedding_length"), file.get("llama.block_count"), heads,
                          file.get("llama.attention.head_count_kv", heads), file.get("llama.feed_forward_length"), words,
                          file.get("llama.context_length")))
    for key in ("llama.rope.dimension_count", "llama.attention.key_length", "llama.attention.value_length"):
        if file.get(key, sizes.depth) != sizes.depth:
            raise FileError(f"'{key}' is {file.get(key)}; supported is the width of a head, {sizes.depth}")
    for key in file.metadata:
        if key.startswith("llama.rope.scaling") and file.metadata[key] not in ("none", 1.0):
            raise FileError(f"'{key}' is not supported")
    return sizes


def tokens_of(file):
    """Texts with scores, if the tokenizer is of the kind that llama2.c has."""
    if file.get("tokenizer.ggml.model", "none") != "llama":
        return None
    for name, token in (("bos", 1), ("eos", 2)):
        if file.get(f"tokenizer.ggml.{name}_token_id", token) != token:
            raise FileError(f"'tokenizer.ggml.{name}_token_id' is {file.get(f'tokenizer.ggml.{name}_token_id')}; it has to "
                            f"be {token} for tokenizer.bin")
    texts, scores = file.get("tokenizer.ggml.tokens"), file.get("tokenizer.ggml.scores")
    if len(texts) != len(scores):
        raise FileError(f"{len(texts)} tokens with {len(scores)} scores")
    return [(text.replace("▁", " "), score) for text, score in zip(texts, scores)]


def read_gguf(data):
    file = GgufFile(data)
    sizes = sizes_of(file)
    weights = FileWeights(sizes, file.get("llama.rope.freq_base", 10000.0))
    weights.epsilon = file.get("llama.attention.layer_norm_rms_epsilon")
    width, hidden, keys = sizes.width, sizes.hidden, sizes.key_heads * sizes.depth
    shapes = {"q": (width, width), "k": (keys, width), "v": (keys, width), "o": (width, width), "gate": (hidden, width),
              "up": (hidden, width), "down": (width, hidden)}
    weights.embedding = file.tensor("token_embd.weight", sizes.words, width)
    for layer in range(sizes.layers):
        for name, shape in shapes.items():
            set_layer(weights, layer, name, file.tensor(f"blk.{layer}.{LAYER_NAMES[name]}.weight", *shape))
        for name, norm in (("before", "attn_norm"), ("between", "ffn_norm")):
            weights.norms[f"l{layer}.{name}"] = file.tensor(f"blk.{layer}.{norm}.weight", width)
    weights.norms["last"] = file.tensor("output_norm.weight", width)
    is_tied = "output.weight" not in file.tensors
    head = weights.embedding if is_tied else file.tensor("output.weight", sizes.words, width)
    weights.matrices["head"] = np.ascontiguousarray(head.T)
    weights.tokens = tokens_of(file)
    return weights
