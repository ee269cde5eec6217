"""Small decoders of language models with seeded weights, as three kinds of exporters write them, and the same in NumPy."""

from typing import NamedTuple

import numpy as np
import onnx
from network_builder import Network
from onnx import TensorProto, helper, numpy_helper

# How exporters write attention with a cache: keys and values joined by Concat (Optimum, PyTorch); GroupQueryAttention with
# weights of 4 bits in MatMulNBits (ONNX Runtime GenAI); Attention of opset 23.
STYLES = ("concat", "grouped", "attention")
BLOCK = 32  # weights of MatMulNBits with one scale
EPSILON = 1e-5


class Sizes(NamedTuple):
    """Of a decoder. Keys and values have `key_heads` heads, which several of the `heads` of queries share."""

    width: int = 64
    layers: int = 2
    heads: int = 4
    key_heads: int = 2
    hidden: int = 128
    words: int = 96
    positions: int = 512  # that the angles of the rotary embedding are known for

    @property
    def depth(self):
        return self.width // self.heads


def rounded_to_4_bits(weight):
    """Of [inputs, outputs]: integers from 0 to 15 as [outputs, blocks, BLOCK], a scale of each block, what they mean."""
    inputs, outputs = weight.shape
    blocks = -(-inputs // BLOCK)
    rows = np.zeros((outputs, blocks * BLOCK), np.float32)
    rows[:, :inputs] = weight.T
    rows = rows.reshape(outputs, blocks, BLOCK)
    scales = np.maximum(np.abs(rows).max(-1) / 7, 1e-6).astype(np.float32)
    integers = np.clip(np.round(rows / scales[..., None]) + 8, 0, 15).astype(np.uint8)
    meant = (integers.astype(np.float32) - 8) * scales[..., None]
    return integers, scales, meant.reshape(outputs, -1)[:, :inputs].T


class Weights:
    """Seeded weights by name; those of `style` "grouped" are what 4 bits make of them."""

    def __init__(self, sizes, style="concat", seed=1):
        self.sizes, self.style = sizes, style
        random = np.random.RandomState(seed)
        self.embedding = (random.randn(sizes.words, sizes.width) * 0.5).astype(np.float32)
        rate = 1.0 / 10000 ** (np.arange(0, sizes.depth, 2) / sizes.depth)
        angles = np.arange(sizes.positions)[:, None] * rate[None]
        self.cosines, self.sines = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
        keys = sizes.key_heads * sizes.depth
        shapes = {"q": (sizes.width, sizes.width), "k": (sizes.width, keys), "v": (sizes.width, keys),
                  "o": (sizes.width, sizes.width), "gate": (sizes.width, sizes.hidden), "up": (sizes.width, sizes.hidden),
                  "down": (sizes.hidden, sizes.width)}
        self.matrices, self.norms = {}, {}
        for layer in range(sizes.layers):
            for name, (inputs, outputs) in shapes.items():
                matrix = (random.randn(inputs, outputs) / np.sqrt(inputs)).astype(np.float32)
                self.matrices[f"l{layer}.{name}"] = matrix
            for name in ("before", "between"):
                self.norms[f"l{layer}.{name}"] = (1 + 0.1 * random.randn(sizes.width)).astype(np.float32)
        self.norms["last"] = (1 + 0.1 * random.randn(sizes.width)).astype(np.float32)
        self.matrices["head"] = (random.randn(sizes.width, sizes.words) / np.sqrt(sizes.width)).astype(np.float32)
        self.rounded = {}
        if style == "grouped":
            for name, matrix in self.matrices.items():
                integers, scales, meant = rounded_to_4_bits(matrix)
                self.rounded[name], self.matrices[name] = (integers, scales), meant

    def macs(self):
        """Multiplications with weights for one word."""
        return sum(matrix.size for matrix in self.matrices.values())


class Reference:
    """Decodes in NumPy, one word after the other."""

    def __init__(self, weights):
        self.weights = weights
        self.clear()

    def clear(self):
        self.keys = [[] for _ in range(self.weights.sizes.layers)]
        self.values = [[] for _ in range(self.weights.sizes.layers)]

    def _norm(self, x, name):
        return x / np.sqrt(np.mean(x * x) + EPSILON) * self.weights.norms[name]

    def _turned(self, x, position):
        half = x.shape[-1] // 2
        first, second = x[:, :half], x[:, half:]
        cos, sin = self.weights.cosines[position], self.weights.sines[position]
        return np.concatenate([first * cos - second * sin, second * cos + first * sin], 1)

    def step(self, word):
        """The scores of all words as the next one."""
        weights, sizes = self.weights, self.weights.sizes
        x = weights.embedding[word].astype(np.float64)
        position = len(self.keys[0])
        for layer in range(sizes.layers):
            dense = lambda value, name, layer=layer: value @ weights.matrices[f"l{layer}.{name}"].astype(np.float64)
            h = self._norm(x, f"l{layer}.before")
            query = self._turned(dense(h, "q").reshape(sizes.heads, -1), position)
            self.keys[layer].append(self._turned(dense(h, "k").reshape(sizes.key_heads, -1), position))
            self.values[layer].append(dense(h, "v").reshape(sizes.key_heads, -1))
            keys, values = np.stack(self.keys[layer], 1), np.stack(self.values[layer], 1)
            mixed = []
            for head in range(sizes.heads):
                group = head // (sizes.heads // sizes.key_heads)
                scores = keys[group] @ query[head] / np.sqrt(sizes.depth)
                scores = np.exp(scores - scores.max())
                mixed.append(scores / scores.sum() @ values[group])
            x = x + dense(np.concatenate(mixed), "o")
            h = self._norm(x, f"l{layer}.between")
            gate = dense(h, "gate")
            x = x + dense(gate / (1 + np.exp(-gate)) * dense(h, "up"), "down")
        return self._norm(x, "last") @ weights.matrices["head"].astype(np.float64)


class Decoder(Network):
    """The graph of a step with `rows` new words after `past` earlier ones; a name is a symbolic extent."""

    def __init__(self, weights, past, rows=1, has_mask=True):
        super().__init__(1)
        self.has_mask = has_mask  # of style "concat"
        self.weights, self.sizes, self.style = weights, weights.sizes, weights.style
        self.past, self.rows = past, rows
        self.row_extent = rows if isinstance(rows, int) else -1  # for Reshape
        self.total = past + rows if isinstance(past, int) and isinstance(rows, int) else "total_sequence_length"
        self.inputs, self.outputs = [], []

    def input(self, name, kind, shape):
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, name, shape):
        self.outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def node(self, kind, inputs, outputs, name="", **attributes):
        self.nodes.append(helper.make_node(kind, inputs, outputs, name=name or outputs[0], **attributes))
        return outputs[0]

    def scalar(self, value):
        return self.constant(np.float32(value))

    def axes(self, *axes):
        return self.constant(np.array(axes, np.int64))

    def dense(self, x, name):
        if self.style != "grouped":
            return self.node("MatMul", [x, self.constant(self.weights.matrices[name])], [name])
        integers, scales = self.weights.rounded[name]
        pairs = (integers[..., 0::2] | integers[..., 1::2] << 4).astype(np.uint8)
        inputs, outputs = self.weights.matrices[name].shape
        return self.node("MatMulNBits", [x, self.constant(pairs), self.constant(scales.reshape(-1))], [name],
                         domain="com.microsoft", K=inputs, N=outputs, bits=4, block_size=BLOCK)

    def norm(self, x, name):
        scale = self.constant(self.weights.norms[name])
        if self.style == "grouped":
            return self.op("SimplifiedLayerNormalization", x, scale, axis=-1, epsilon=EPSILON)
        if self.style == "attention":
            return self.op("RMSNormalization", x, scale, axis=-1, epsilon=EPSILON)
        mean = self.op("ReduceMean", self.op("Pow", x, self.scalar(2)), axes=[-1], keepdims=1)
        root = self.op("Sqrt", self.op("Add", mean, self.scalar(EPSILON)))
        return self.op("Mul", self.op("Mul", x, self.op("Div", self.scalar(1), root)), scale)

    def begin(self):
        """The inputs that are the same for all layers, and what is computed of them once."""
        kind = TensorProto.INT64
        x = self.op("Gather", self.constant(self.weights.embedding), self.input("input_ids", kind, [1, self.rows]))
        cosines, sines = self.weights.cosines, self.weights.sines
        if self.style == "attention":
            self.places = self.input("position_ids", kind, [1, self.rows])
            self.angles = self.constant(cosines), self.constant(sines)
            return x
        mask = self.input("attention_mask", kind, [1, self.total]) if self.has_mask else None
        if self.style == "grouped":
            seen = self.op("ReduceSum", mask, self.axes(1), keepdims=0)
            self.last = self.op("Cast", self.op("Sub", seen, self.axes(1)), to=TensorProto.INT32)
            total = self.op("Gather", self.op("Shape", mask), self.constant(np.int64(1)), axis=0)
            self.length = self.op("Cast", total, to=TensorProto.INT32)
            self.angles = self.constant(cosines), self.constant(sines)
            return x
        places = self.input("position_ids", kind, [1, self.rows])
        self.angles = [self.op("Unsqueeze", self.op("Gather", self.constant(np.concatenate([table] * 2, 1)), places),
                               self.axes(1)) for table in (cosines, sines)]
        if not self.has_mask:
            return x
        hidden = self.op("Sub", self.scalar(1), self.op("Cast", self.op("Unsqueeze", mask, self.axes(1, 2)),
                                                        to=TensorProto.FLOAT))
        self.added = self.op("Mul", hidden, self.scalar(-1e30))
        if self.row_extent > 1 and isinstance(self.past, int):
            later = np.triu(np.full((self.rows, self.total), -1e30, np.float32), self.past + 1)
            self.added = self.op("Add", self.added, self.constant(later[None, None]))
        return x

    def turned(self, x):
        half = self.sizes.depth // 2
        first = self.op("Slice", x, self.axes(0), self.axes(half), self.axes(3))
        second = self.op("Slice", x, self.axes(half), self.axes(2 * half), self.axes(3))
        across = self.op("Concat", self.op("Neg", second), first, axis=3)
        return self.op("Add", self.op("Mul", x, self.angles[0]), self.op("Mul", across, self.angles[1]))

    def by_heads(self, x, heads):
        shape = self.axes(1, self.row_extent, heads, self.sizes.depth)
        return self.op("Transpose", self.op("Reshape", x, shape), perm=[0, 2, 1, 3])

    def repeated(self, x):
        shared = self.sizes.heads // self.sizes.key_heads
        if shared == 1:
            return x
        copies = self.op("Concat", *[self.op("Unsqueeze", x, self.axes(2))] * shared, axis=2)
        return self.op("Reshape", copies, self.axes(1, self.sizes.heads, -1, self.sizes.depth))

    def joined(self, layer, query, key, value, past, present):
        """Attention of single operators."""
        heads = self.sizes.heads
        query = self.turned(self.by_heads(query, heads))
        key = self.turned(self.by_heads(key, self.sizes.key_heads))
        value = self.by_heads(value, self.sizes.key_heads)
        keys = self.repeated(self.node("Concat", [past[0], key], [present[0]], axis=2))
        values = self.repeated(self.node("Concat", [past[1], value], [present[1]], axis=2))
        scores = self.op("MatMul", query, self.op("Transpose", keys, perm=[0, 1, 3, 2]))
        scores = self.op("Mul", scores, self.scalar(self.sizes.depth**-0.5))
        if self.has_mask:
            scores = self.op("Add", scores, self.added)
        mixed = self.op("MatMul", self.op("Softmax", scores, axis=-1), values)
        return self.op("Reshape", self.op("Transpose", mixed, perm=[0, 2, 1, 3]), self.axes(1, self.row_extent, self.sizes.width))

    def attention(self, layer, h):
        query, key, value = (self.dense(h, f"l{layer}.{name}") for name in "qkv")
        past = [f"past_key_values.{layer}.{name}" for name in ("key", "value")]
        present = [f"present.{layer}.{name}" for name in ("key", "value")]
        for name in past:
            self.input(name, TensorProto.FLOAT, [1, self.sizes.key_heads, self.past, self.sizes.depth])
        for name in present:
            self.output(name, [1, self.sizes.key_heads, self.total, self.sizes.depth])
        heads, key_heads = self.sizes.heads, self.sizes.key_heads
        if self.style == "concat":
            return self.joined(layer, query, key, value, past, present)
        name = f"l{layer}.attention"
        if self.style == "grouped":
            operands = [query, key, value, *past, self.last, self.length, *self.angles]
            return self.node("GroupQueryAttention", operands, [name, *present], domain="com.microsoft", num_heads=heads,
                             kv_num_heads=key_heads, do_rotary=1)
        query = self.op("RotaryEmbedding", query, *self.angles, self.places, num_heads=heads)
        key = self.op("RotaryEmbedding", key, *self.angles, self.places, num_heads=key_heads)
        return self.node("Attention", [query, key, value, "", *past], [name, *present], q_num_heads=heads,
                         kv_num_heads=key_heads, is_causal=1)

    def build(self):
        x = self.begin()
        for layer in range(self.sizes.layers):
            h = self.norm(x, f"l{layer}.before")
            x = self.op("Add", x, self.dense(self.attention(layer, h), f"l{layer}.o"))
            h = self.norm(x, f"l{layer}.between")
            gated = self.op("Mul", self.silu(self.dense(h, f"l{layer}.gate")), self.dense(h, f"l{layer}.up"))
            x = self.op("Add", x, self.dense(gated, f"l{layer}.down"))
        head = self.dense(self.norm(x, "last"), "head")
        self.node("Identity", [head], ["logits"])
        self.outputs.insert(0, helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, self.rows, self.sizes.words]))
        return self

    def save(self, path):
        constants = [numpy_helper.from_array(np.asarray(value), name) for name, value in self.constants]
        graph = helper.make_graph(self.nodes, "decoder", self.inputs, self.outputs, initializer=constants)
        opsets = [helper.make_opsetid("", 23 if self.style == "attention" else 17), helper.make_opsetid("com.microsoft", 1)]
        model = helper.make_model(graph, opset_imports=opsets)
        model.ir_version = 10
        onnx.save(model, str(path))
        return path


def save_decoder(path, sizes=None, style="concat", past="past_sequence_length", rows=1, seed=1):
    """Writes a model; its weights."""
    weights = Weights(sizes or Sizes(), style, seed)
    Decoder(weights, past, rows).build().save(path)
    return weights
