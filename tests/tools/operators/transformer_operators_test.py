"""Operators of com.microsoft that ONNX Runtime's optimiser makes of transformers, against their definitions."""

import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from operator_case import OperatorCase  # noqa: E402

DOMAIN = "com.microsoft"


def by_heads(value, heads):
    batch, length, size = value.shape
    return value.reshape(batch, length, heads, size // heads).transpose(0, 2, 1, 3)


def attend(query, key, value, added):
    scores = query @ key.transpose(0, 1, 3, 2) / np.sqrt(query.shape[-1]) + added
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    output = weights / weights.sum(-1, keepdims=True) @ value
    batch, heads, length, size = output.shape
    return output.transpose(0, 2, 1, 3).reshape(batch, length, heads * size)


def normalised(value, gamma, beta, epsilon):
    mean, variance = value.mean(-1, keepdims=True), value.var(-1, keepdims=True)
    return (value - mean) / np.sqrt(variance + epsilon) * gamma + beta


class TransformerOperatorsTest(OperatorCase):
    def projected(self, heads=2):
        x, w = self.value("x", (2, 5, 8)), self.value("w", (8, 24), constant=True)
        bias = self.value("b", (24,), constant=True)
        return [by_heads(part, heads) for part in np.split(x @ w + bias, 3, axis=2)]

    def test_attention(self):
        query, key, value = self.projected()
        lengths = np.array([5, 3], np.int32)
        self.inputs["lengths"] = lengths
        keeps = np.arange(5) < lengths[:, None]
        self.inputs["keeps"] = keeps.astype(np.int32)
        hidden = np.where(keeps, 0, -10000.0)[:, None, None]
        below = np.where(np.tri(5, dtype=bool), 0, -np.inf)
        bias = self.value("scores", (1, 2, 5, 5))
        options = {"domain": DOMAIN, "num_heads": 2}
        self.add("Attention", ["x", "w", "b"], {"plain": attend(query, key, value, 0)}, **options)
        for mask in ("lengths", "keeps"):
            self.add("Attention", ["x", "w", "b", mask], {f"with_{mask}": attend(query, key, value, hidden)}, **options)
        self.add("Attention", ["x", "w", "b"], {"causal": attend(query, key, value, below)}, unidirectional=1, **options)
        self.add("Attention", ["x", "w", "b", "", "", "scores"], {"biased": attend(query, key, value, bias)}, **options)
        self.check(13)

    def test_attention_after_earlier_steps(self):
        query, key, value = self.projected()
        past = self.value("past", (2, 2, 2, 3, 4))
        keys, values = (np.concatenate([old, new], 2) for old, new in zip(past, (key, value)))
        below = np.where(np.tri(5, 8, 3, dtype=bool), 0, -np.inf)
        self.add("Attention", ["x", "w", "b", "", "past"],
                 {"y": attend(query, keys, values, below), "present": np.stack([keys, values])},
                 domain=DOMAIN, num_heads=2, unidirectional=1)
        self.check(13)

    def test_attention_with_values_of_another_size(self):
        x, w = self.value("x", (1, 4, 8)), self.value("w", (8, 8 + 8 + 12), constant=True)
        query, key, value = (by_heads(part, 2) for part in np.split(x @ w, [8, 16], axis=2))
        self.add("Attention", ["x", "w"], {"y": attend(query, key, value, 0)}, domain=DOMAIN, num_heads=2,
                 qkv_hidden_sizes=[8, 8, 12])
        self.check(13)

    def test_quantised_attention(self):
        x = self.value("x", (2, 5, 8), 0, 256, np.uint8)
        bias, past = self.value("b", (24,), constant=True), self.value("past", (2, 2, 2, 3, 4))
        self.constant("x_scale", 0.01), self.constant("x_zero", 120, np.uint8)
        real = (x.astype(np.float64) - 120) * np.float32(0.01)
        below = np.where(np.tri(5, 8, 3, dtype=bool), 0, -np.inf)
        self.inputs["lengths"] = np.array([5, 3], np.int32)
        hidden = np.where(np.arange(5) < np.array([[5], [3]]), 0, -10000.0)[:, None, None]
        for name, dtype, low, scales, zeros in (("one", np.int8, -128, 0.02, 3),
                                                ("each", np.uint8, 0, self.random.uniform(0.01, 0.03, 24), [128] * 24)):
            weights = self.value(f"{name}_w", (8, 24), low, low + 256, dtype, constant=True)
            scales = self.constant(f"{name}_scale", scales)
            zeros = self.constant(f"{name}_zero", zeros, dtype)
            all = real @ ((weights.astype(np.float64) - zeros) * scales) + bias
            query, key, value = (by_heads(part, 2) for part in np.split(all, 3, axis=2))
            inputs = ["x", f"{name}_w", "b", "x_scale", f"{name}_scale"]
            self.add("QAttention", [*inputs, "lengths", "x_zero", f"{name}_zero"],
                     {f"{name}_masked": attend(query, key, value, hidden)}, domain=DOMAIN, num_heads=2)
            keys, values = (np.concatenate([old, new], 2) for old, new in zip(past, (key, value)))
            self.add("QAttention", [*inputs, "", "x_zero", f"{name}_zero", "past"],
                     {f"{name}_after": attend(query, keys, values, below), f"{name}_present": np.stack([keys, values])},
                     domain=DOMAIN, num_heads=2, unidirectional=1)
        self.check(13)

    def test_multi_head_attention(self):
        q, k, v = self.value("q", (2, 4, 8)), self.value("k", (2, 6, 8)), self.value("v", (2, 6, 12))
        bias = self.value("bias", (28,), constant=True)
        q_bias, k_bias, v_bias = np.split(bias, [8, 16])
        query, key, value = by_heads(q + q_bias, 2), by_heads(k + k_bias, 2), by_heads(v + v_bias, 2)
        padding = np.array([[1] * 6, [1, 1, 1, 1, 0, 0]], np.int32)
        self.inputs["padding"] = padding
        hidden = np.where(padding, 0, -10000.0)[:, None, None]
        options = {"domain": DOMAIN, "num_heads": 2}
        self.add("MultiHeadAttention", ["q", "k", "v"],
                 {"plain": attend(by_heads(q, 2), by_heads(k, 2), by_heads(v, 2), 0)}, **options)
        self.add("MultiHeadAttention", ["q", "k", "v", "bias", "padding"],
                 {"masked": attend(query, key, value, hidden), "keys": key, "values": value}, **options)
        heads_k, heads_v = self.value("heads_k", (2, 2, 6, 4)), self.value("heads_v", (2, 2, 6, 6))
        self.add("MultiHeadAttention", ["q", "heads_k", "heads_v"],
                 {"of_heads": attend(by_heads(q, 2), heads_k, heads_v, 0)}, **options)
        past_k, past_v = self.value("past_k", (2, 2, 3, 4)), self.value("past_v", (2, 2, 3, 6))
        keys, values = np.concatenate([past_k, key], 2), np.concatenate([past_v, value], 2)
        self.add("MultiHeadAttention", ["q", "k", "v", "bias", "", "", "past_k", "past_v"],
                 {"after": attend(query, keys, values, 0)}, **options)
        self.check(13)

    def test_embeddings(self):
        ids = self.value("ids", (2, 4), 0, 9, np.int32)
        segments = self.value("segments", (2, 4), 0, 2, np.int32)
        places = self.value("places", (2, 4), 0, 6, np.int32)
        self.inputs["mask"] = np.array([[1, 1, 1, 1], [1, 1, 0, 0]], np.int32)
        word, position, segment = (self.value(name, shape, constant=True) for name, shape in
                                   [("word", (9, 8)), ("position", (6, 8)), ("segment", (2, 8))])
        gamma, beta = self.value("gamma", (8,), constant=True), self.value("beta", (8,), constant=True)
        total = word[ids] + position[:4] + segment[segments]
        self.add("EmbedLayerNormalization", ["ids", "segments", "word", "position", "segment", "gamma", "beta", "mask"],
                 {"y": normalised(total, gamma, beta, 1e-5), "counts": np.array([4, 2], np.int32), "sum": total},
                 domain=DOMAIN, epsilon=1e-5)
        self.add("EmbedLayerNormalization", ["ids", "", "word", "position", "", "gamma", "beta", "", "places"],
                 {"placed": normalised(word[ids] + position[places], gamma, beta, 1e-5),
                  "no_counts": np.zeros(2, np.int32)}, domain=DOMAIN, epsilon=1e-5)
        self.check(13)

    def test_products_with_weights_of_few_bits(self):
        x = self.value("x", (2, 3, 40))
        for bits in (4, 8):
            limit, blocks, per_byte = 2**bits, 3, 8 // bits
            levels = self.random.integers(0, limit, (6, blocks, 16))
            scales = self.random.uniform(0.01, 0.1, (6, blocks))
            zeros = self.random.integers(0, limit, (6, blocks))

            def packed(values, per_byte=per_byte, bits=bits):
                rest = -values.shape[-1] % per_byte
                values = np.pad(values, [(0, 0)] * (values.ndim - 1) + [(0, rest)])
                groups = values.reshape(*values.shape[:-1], -1, per_byte)
                return (groups << (np.arange(per_byte) * bits)).sum(-1).astype(np.uint8)
            self.constant(f"b{bits}", packed(levels), np.uint8)
            self.constant(f"s{bits}", scales.reshape(-1))
            self.constant(f"z{bits}", packed(zeros).reshape(-1), np.uint8)
            for name, zero, inputs in (("given", zeros, [f"z{bits}"]), ("middle", np.full((6, blocks), limit // 2), [])):
                real = ((levels - zero[..., None]) * scales.astype(np.float32)[..., None]).reshape(6, -1)[:, :40]
                self.add("MatMulNBits", ["x", f"b{bits}", f"s{bits}", *inputs], {f"{name}{bits}": x @ real.T},
                         domain=DOMAIN, K=40, N=6, bits=bits, block_size=16)
        self.check(13, tolerance=1e-4)

    def test_other_forms_are_named(self):
        self.value("x", (2, 5, 8)), self.value("w", (8, 24), constant=True)
        self.inputs["mask"] = np.ones(8, np.int32)
        self.add("Attention", ["x", "w", "", "mask"], {"y": np.zeros((2, 5, 8))}, domain=DOMAIN, num_heads=2)
        with self.assertRaisesRegex(AssertionError, r"a mask of shape \[8\] for 5 keys is not supported"):
            self.check(13)


if __name__ == "__main__":
    unittest.main()
