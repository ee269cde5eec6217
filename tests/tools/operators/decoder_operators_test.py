"""Operators of com.microsoft that exporters of language models make, against their definitions."""

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


def without_heads(value):
    batch, heads, length, size = value.shape
    return value.transpose(0, 2, 1, 3).reshape(batch, length, heads * size)


def turned(x, cosines, sines, interleaved=False):
    """Rotary embeddings of x [batch, heads, length, size]; angles [batch or 1, length, half of what is turned]."""
    half = cosines.shape[-1]
    places = (slice(0, 2 * half, 2), slice(1, 2 * half, 2)) if interleaved else (slice(0, half), slice(half, 2 * half))
    cosines, sines, y = cosines[:, None], sines[:, None], x.copy()
    first, second = x[..., places[0]], x[..., places[1]]
    y[..., places[0]] = cosines * first - sines * second
    y[..., places[1]] = sines * first + cosines * second
    return y


class Step:
    """One step of grouped attention, sequence by sequence and query by query."""

    def __init__(self, query, key, value, past_key, past_value, seen, room, **options):
        self.options = {"scale": query.shape[-1] ** -0.5, "softcap": 0, "window": None, "sinks": None, "bias": None,
                        "causal": True, **options}
        batch, key_heads, length, _ = key.shape
        self.keys, self.values = (np.zeros((batch, key_heads, room, part.shape[3])) for part in (key, value))
        self.output = np.zeros((batch, query.shape[1], length, value.shape[3]))
        for b in range(batch):
            total = seen[b] + length
            for cache, past, new in ((self.keys, past_key, key), (self.values, past_value, value)):
                if seen[b]:
                    cache[b, :, :seen[b]] = past[b, :, :seen[b]]
                cache[b, :, seen[b]:total] = new[b]
            for h in range(query.shape[1]):
                for i in range(length):
                    self.output[b, h, i] = self.attend(query, b, h, i, seen[b], total)

    def attend(self, query, b, h, i, seen, total):
        options, shared = self.options, query.shape[1] // self.keys.shape[1]
        last = seen + i + 1 if options["causal"] else total
        first = max(last - options["window"], 0) if options["window"] else 0
        scores = self.keys[b, h // shared, first:last] @ query[b, h, i] * options["scale"]
        if options["softcap"]:
            scores = options["softcap"] * np.tanh(scores / options["softcap"])
        if options["bias"] is not None:
            bias = options["bias"]
            scores = scores + bias[b % bias.shape[0], h % bias.shape[1], i, first:last]
        weights = np.exp(scores)
        more = 0 if options["sinks"] is None else np.exp(options["sinks"][h])
        return weights @ self.values[b, h // shared, first:last] / (weights.sum() + more)


class DecoderOperatorsTest(OperatorCase):
    def test_rotary_embeddings(self):
        flat, apart = self.value("flat", (2, 3, 24)), self.value("apart", (2, 3, 4, 8))
        cosines, sines = self.value("cosines", (10, 4), constant=True), self.value("sines", (10, 4), constant=True)
        places = self.value("places", (2, 3), 0, 10, np.int64)
        self.inputs["first"] = np.array([5], np.int64)
        x, angles = by_heads(flat, 3), (cosines[places], sines[places])
        self.add("RotaryEmbedding", ["flat", "places", "cosines", "sines"], {"plain": without_heads(turned(x, *angles))},
                 domain=DOMAIN)
        self.add("RotaryEmbedding", ["flat", "places", "cosines", "sines"],
                 {"neighbours": without_heads(turned(x, *angles, True))}, domain=DOMAIN, interleaved=1, num_heads=3)
        following = [table[None, 5:9] for table in (cosines, sines)]
        self.add("RotaryEmbedding", ["apart", "first", "cosines", "sines"], {"following": turned(apart, *following)},
                 domain=DOMAIN)
        part = [table[..., :2] for table in angles]
        self.constant("few_cosines", cosines[:, :2]), self.constant("few_sines", sines[:, :2])
        self.add("RotaryEmbedding", ["flat", "places", "few_cosines", "few_sines"],
                 {"part": without_heads(turned(x, *part))}, domain=DOMAIN, rotary_embedding_dim=4, num_heads=3)
        self.check(13)

    def step(self, batch, length, heads, key_heads, size, past, room):
        """Inputs of a step; queries, keys and values by heads, and what the cache held before."""
        query = self.value("query", (batch, length, heads * size))
        key, value = (self.value(name, (batch, length, key_heads * size)) for name in ("key", "value"))
        caches = [self.value(name, (batch, key_heads, past, size)) for name in ("past_key", "past_value")] if past else [None] * 2
        self.constant("total", room, np.int32)
        return [by_heads(query, heads), by_heads(key, key_heads), by_heads(value, key_heads), *caches]

    def add_step(self, name, wanted, *more, past=True, **attributes):
        cache = ["past_key", "past_value"] if past else ["", ""]
        self.add("GroupQueryAttention", ["query", "key", "value", *cache, "last", "total", *more],
                 {name: without_heads(wanted.output), f"{name}_keys": wanted.keys, f"{name}_values": wanted.values},
                 domain=DOMAIN, **attributes)

    def test_grouped_attention_of_a_prompt(self):
        operands = self.step(2, 5, 4, 2, 6, 0, 5)
        self.inputs["last"] = np.array([4, 4], np.int32)
        bias, sinks = self.value("bias", (1, 4, 5, 5)), self.value("sinks", (4,), constant=True)
        common = {"past": False, "num_heads": 4, "kv_num_heads": 2}
        seen = [0, 0]
        self.add_step("plain", Step(*operands, seen, 5), **common)
        self.add_step("capped", Step(*operands, seen, 5, softcap=0.5, scale=0.7), softcap=0.5, scale=0.7, **common)
        self.add_step("near", Step(*operands, seen, 5, window=2), local_window_size=2, **common)
        self.add_step("smooth", Step(*operands, seen, 5, sinks=np.zeros(4)), smooth_softmax=1, **common)
        self.add_step("both_ways", Step(*operands, seen, 5, causal=False), causal=0, **common)
        self.add_step("biased", Step(*operands, seen, 5, bias=bias, sinks=sinks), "", "", "", "bias", "sinks", **common)
        self.check(13)

    def test_grouped_attention_after_earlier_steps(self):
        """Sequences of different lengths, with room for more in the cache."""
        operands = self.step(2, 1, 4, 2, 6, 7, 6)
        self.inputs["last"] = np.array([5, 2], np.int32)
        common = {"num_heads": 4, "kv_num_heads": 2}
        self.add_step("plain", Step(*operands, [5, 2], 7), **common)
        self.add_step("near", Step(*operands, [5, 2], 7, window=3), local_window_size=3, **common)
        self.check(13)

    def test_grouped_attention_turns_queries_and_keys(self):
        query, key, value, *past = self.step(1, 2, 2, 1, 6, 4, 6)
        self.inputs["last"] = np.array([5], np.int32)
        cosines, sines = self.value("cosines", (9, 2), constant=True), self.value("sines", (9, 2), constant=True)
        common = {"num_heads": 2, "kv_num_heads": 1, "do_rotary": 1}
        angles = [table[None, 4:6] for table in (cosines, sines)]
        for name, interleaved in (("halves", False), ("neighbours", True)):
            both = [turned(part, *angles, interleaved) for part in (query, key)]
            self.add_step(name, Step(*both, value, *past, [4], 6), "cosines", "sines",
                          rotary_interleaved=int(interleaved), **common)
        self.check(13)

    def test_grouped_attention_of_packed_operands_that_are_normalised(self):
        packed = self.value("packed", (1, 3, 6 * 8))
        scales = {name: self.value(name, (8,), constant=True) for name in ("query_norm", "key_norm")}
        self.constant("total", 3, np.int32)
        self.inputs["last"] = np.array([2], np.int32)
        query, key, value = np.split(by_heads(packed, 6), [4, 5], axis=1)
        plain = Step(query, key, value, None, None, [0], 3)
        normalised = [x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5) * scale
                      for x, scale in zip((query, key), scales.values())]
        common = {"domain": DOMAIN, "num_heads": 4, "kv_num_heads": 1}
        inputs = ["packed", "", "", "", "", "last", "total"]
        self.add("GroupQueryAttention", inputs, {"plain": without_heads(plain.output)}, **common)
        self.add("GroupQueryAttention", [*inputs, *[""] * 7, *scales],
                 {"normalised": without_heads(Step(*normalised, value, None, None, [0], 3).output)},
                 qk_norm_epsilon=1e-5, **common)
        self.check(13)

    def test_other_forms_are_named(self):
        self.step(1, 2, 2, 1, 6, 4, 6)
        self.inputs["last"] = np.array([5], np.int32)
        self.value("x", (1, 2, 6)), self.value("places", (1, 2), 0, 4, np.int64), self.value("angles", (4, 3))
        group = {"num_heads": 2, "kv_num_heads": 1}
        inputs = ["query", "key", "value", "past_key", "past_value", "last", "total"]
        for kind, given, attributes, message in (
                ("GroupQueryAttention", inputs, {**group, "k_quant_type": "PER_TENSOR"}, "a quantised cache"),
                ("GroupQueryAttention", inputs, {**group, "sliding_window_cache": 1}, "'sliding_window_cache'"),
                ("GroupQueryAttention", [*inputs, "", "", "places"], group, "'position_ids' is not supported"),
                ("GroupQueryAttention", inputs, {"num_heads": 3, "kv_num_heads": 2}, "3 heads of queries and 2 of keys"),
                ("GroupQueryAttention", ["query", "key", "value", "", "", "last", "total"], group,
                 "'total_sequence_length' does not fit 2 new keys after at most 0"),
                ("GroupQueryAttention", [*inputs, "angles", "x"], {**group, "do_rotary": 1}, "matrices of one shape"),
                ("RotaryEmbedding", ["x", "places", "angles", "angles"], {"scale": 2.0}, "'scale' is not supported"),
                ("RotaryEmbedding", ["x", "places", "angles", "angles"], {"is_packed_batching": 1}, "packed_batching"),
                ("RotaryEmbedding", ["x", "places", "angles", "angles"], {"num_heads": 2, "rotary_embedding_dim": 3},
                 "3 elements of each head of 3 cannot be turned in pairs"),
        ):
            with self.subTest(message):
                self.nodes, self.expected = [], {}
                self.add(kind, given, {"y": np.zeros((1, 2, 12 if kind[0] == "G" else 6))}, domain=DOMAIN, **attributes)
                with self.assertRaisesRegex(AssertionError, message):
                    self.check(13)


if __name__ == "__main__":
    unittest.main()
