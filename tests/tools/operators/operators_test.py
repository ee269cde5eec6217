"""Operators that the frontend takes apart give what their definitions say; on the CPU, in float32."""

import itertools
import sys
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from operator_case import OperatorCase  # noqa: E402


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def convolve(x, w, strides, pads, dilations, group):
    """A convolution with any number of spatial dimensions, by its definition."""
    spatial = x.ndim - 2
    x = np.pad(x, [(0, 0), (0, 0)] + [(pads[i], pads[spatial + i]) for i in range(spatial)])
    reach = [(w.shape[2 + i] - 1) * dilations[i] + 1 for i in range(spatial)]
    out = [(x.shape[2 + i] - reach[i]) // strides[i] + 1 for i in range(spatial)]
    y = np.zeros((x.shape[0], w.shape[0], *out))
    per_group, channels = w.shape[0] // group, w.shape[1]
    for o in range(w.shape[0]):
        part = x[:, o // per_group * channels:(o // per_group + 1) * channels]
        for at in itertools.product(*map(range, out)):
            window = tuple(slice(a * s, a * s + r, d) for a, s, r, d in zip(at, strides, reach, dilations))
            y[(slice(None), o, *at)] = (part[(slice(None), slice(None), *window)] * w[o]).sum(tuple(range(1, x.ndim)))
    return y


def convolve_transposed(x, w, strides, pads, dilations, output_padding):
    spatial = x.ndim - 2
    full = [(x.shape[2 + i] - 1) * strides[i] + (w.shape[2 + i] - 1) * dilations[i] + 1 + output_padding[i]
            for i in range(spatial)]
    y = np.zeros((x.shape[0], w.shape[1], *full))
    for at in itertools.product(*(range(n) for n in x.shape[2:])):
        for k in itertools.product(*(range(n) for n in w.shape[2:])):
            place = tuple(a * s + i * d for a, s, i, d in zip(at, strides, k, dilations))
            y[(slice(None), slice(None), *place)] += x[(slice(None), slice(None), *at)] @ w[(slice(None), slice(None), *k)]
    return y[(slice(None), slice(None), *(slice(pads[i], full[i] - pads[spatial + i]) for i in range(spatial)))]


def smoothed(size, target, reach, kernel):
    """[target, size]: the share of each input in an output that is as much smaller as its kernel is wider."""
    scale = min(target / size, 1)
    shares = np.zeros((target, size))
    for i in range(target):
        at = (i + 0.5) * size / target - 0.5
        places = np.arange(np.floor(at) - np.ceil(reach / scale), np.floor(at) + np.ceil(reach / scale) + 2).astype(int)
        weights = kernel(np.abs(places - at) * scale)
        np.add.at(shares[i], places.clip(0, size - 1), weights / weights.sum())
    return shares


def recurrent(kind, x, w, r, b, h0, c0=None, p=None, lengths=None, backwards=False, functions=(), clip=None, linear=False):
    """One direction; gates as ONNX orders them. All steps' outputs, and the last states."""
    hidden = r.shape[1]
    wb, rb = b[:len(b) // 2], b[len(b) // 2:]
    h, c = h0, c0
    outputs = np.zeros((x.shape[0], x.shape[1], hidden))
    bounded = (lambda v: np.clip(v, -clip, clip)) if clip else (lambda v: v)
    for t in range(x.shape[0])[::-1] if backwards else range(x.shape[0]):
        own, state = x[t] @ w.T + wb, h @ r.T + rb
        new_c = c
        if kind == "RNN":
            new = functions[0](bounded(own + state))
        elif kind == "GRU":
            z, reset = (functions[0](bounded((own + state)[:, i * hidden:(i + 1) * hidden])) for i in (0, 1))
            last = slice(2 * hidden, 3 * hidden)
            inner = reset * state[:, last] if linear else (reset * h) @ r[last].T + rb[last]
            new = (1 - z) * functions[1](bounded(own[:, last] + inner)) + z * h
        else:
            i, o, f, g = np.split(own + state, 4, axis=1)
            pi, po, pf = np.split(p, 3)
            i, f = functions[0](bounded(i + pi * c)), functions[0](bounded(f + pf * c))
            new_c = f * c + i * functions[1](bounded(g))
            new = functions[0](bounded(o + po * new_c)) * functions[2](new_c)
        inside = (t < lengths)[:, None] if lengths is not None else np.ones((x.shape[1], 1), bool)
        outputs[t] = np.where(inside, new, 0)
        h = np.where(inside, new, h)
        c = np.where(inside, new_c, c) if c is not None else None
    return outputs, h, c


class OperatorsTest(OperatorCase):
    def recurrent_inputs(self, prefix, gates, directions, steps=4, batch=3, size=5, hidden=2, peepholes=False):
        shapes = {"x": (steps, batch, size), "w": (directions, gates * hidden, size), "r": (directions, gates * hidden, hidden),
                  "b": (directions, 2 * gates * hidden), "h": (directions, batch, hidden)}
        if peepholes:
            shapes |= {"c": (directions, batch, hidden), "p": (directions, 3 * hidden)}
        return {key: self.value(f"{prefix}_{key}", shape, constant=key in "wrbp") for key, shape in shapes.items()}

    def expect_recurrent(self, kind, v, settings, **common):
        """All outputs for directions with `settings`, in ONNX's shapes."""
        runs = [recurrent(kind, v["x"], v["w"][i], v["r"][i], v["b"][i], v["h"][i], v["c"][i] if "c" in v else None,
                          v["p"][i] if "p" in v else None, **setting, **common) for i, setting in enumerate(settings)]
        return (np.stack([run[0] for run in runs], 1), np.stack([run[1] for run in runs]),
                np.stack([run[2] for run in runs]) if "c" in v else None)

    def test_long_sequences(self):
        """As many steps as nobody would unroll; the accelerator multiplies the inputs of all of them."""
        functions = {"functions": (sigmoid, np.tanh, np.tanh)}
        v = self.recurrent_inputs("lstm", 4, 2, steps=700, batch=2, peepholes=True)
        y, h, c = self.expect_recurrent("LSTM", v, [functions, {**functions, "backwards": True}])
        self.add("LSTM", ["lstm_x", "lstm_w", "lstm_r", "lstm_b", "", "lstm_h", "lstm_c", "lstm_p"],
                 {"lstm_y": y, "lstm_yh": h, "lstm_yc": c}, hidden_size=2, direction="bidirectional")
        for steps in (1, 2):
            v = self.recurrent_inputs(f"rnn{steps}", 1, 1, steps=steps)
            y, h, _ = self.expect_recurrent("RNN", v, [{"functions": (np.tanh,), "backwards": True}])
            names = [f"rnn{steps}_{key}" for key in ("x", "w", "r", "b")]
            self.add("RNN", [*names, "", f"rnn{steps}_h"], {f"rnn{steps}_y": y, f"rnn{steps}_yh": h}, hidden_size=2,
                     direction="reverse")
        self.check(opset=14)

    def test_the_accelerator_multiplies_the_inputs_of_all_steps(self):
        steps, size, hidden = 40, 16, 16
        weights = [(name, self.random.uniform(-1, 1, (1, 3 * hidden, size)).astype(np.float32)) for name in "wr"]
        layer = helper.make_node("GRU", ["x", "w", "r"], ["y"], hidden_size=hidden)
        path = self.model([layer], [("x", [steps, 1, size])], [("y", [steps, 1, 1, hidden])], weights)
        totals = self.run_json(path)["totals"]
        self.assertEqual(totals["macs_on_vta"], steps * size * 3 * hidden)
        self.assertEqual(totals["macs"], totals["macs_on_vta"] + steps * hidden * 3 * hidden)
        self.assertEqual(totals["crossings"], 0)

    def test_recurrent_layers(self):
        lengths = np.array([4, 2, 3], np.int32)
        self.constant("lengths", lengths, np.int32)
        v = self.recurrent_inputs("lstm", 4, 2, peepholes=True)
        setting = {"functions": (sigmoid, np.tanh, np.tanh), "clip": 0.7}
        y, h, c = self.expect_recurrent("LSTM", v, [setting, {**setting, "backwards": True}], lengths=lengths)
        self.add("LSTM", ["lstm_x", "lstm_w", "lstm_r", "lstm_b", "lengths", "lstm_h", "lstm_c", "lstm_p"],
                 {"lstm_y": y, "lstm_yh": h, "lstm_yc": c}, hidden_size=2, direction="bidirectional", clip=0.7)
        for linear in (0, 1):
            v = self.recurrent_inputs(f"gru{linear}", 3, 1)
            hard = lambda x: np.clip(0.3 * x + 0.4, 0, 1)
            relu = lambda x: np.maximum(x, 0)
            y, h, _ = self.expect_recurrent("GRU", v, [{"functions": (hard, relu), "backwards": True}],
                                            lengths=lengths, linear=bool(linear))
            names = [f"gru{linear}_{key}" for key in ("x", "w", "r", "b")]
            self.add("GRU", [*names, "lengths", f"gru{linear}_h"], {f"gru{linear}_y": y, f"gru{linear}_yh": h}, hidden_size=2,
                     direction="reverse", linear_before_reset=linear, activations=["HardSigmoid", "Relu"],
                     activation_alpha=[0.3], activation_beta=[0.4])
        v = self.recurrent_inputs("rnn", 1, 2)
        softsign = lambda x: x / (1 + np.abs(x))
        affine = lambda x: 0.5 * x + 0.25
        y, h, _ = self.expect_recurrent("RNN", v, [{"functions": (softsign,)}, {"functions": (affine,), "backwards": True}])
        self.add("RNN", ["rnn_x", "rnn_w", "rnn_r", "rnn_b", "", "rnn_h"], {"rnn_y": y, "rnn_yh": h}, hidden_size=2,
                 direction="bidirectional", activations=["Softsign", "Affine"], activation_alpha=[0.5], activation_beta=[0.25])
        self.check(opset=14)

    def test_recurrent_layers_with_weights_in_integers(self):
        functions = {"functions": (sigmoid, np.tanh, np.tanh)}
        for name, each, dtype in (("tensor", 1, np.int8), ("outputs", 8, np.uint8)):
            v = self.recurrent_inputs(name, 4, 2, peepholes=True)
            low, high = (-127, 128) if dtype == np.int8 else (0, 256)
            for key, inputs in (("w", 5), ("r", 2)):
                integers = self.random.integers(low, high, (2, inputs, 8)).astype(dtype)
                scale = self.random.uniform(0.003, 0.006, (2, each)).astype(np.float32)
                zero = np.full(scale.shape, 0 if dtype == np.int8 else 120, dtype)
                v[key] = ((integers.astype(float) - zero[:, None]) * scale[:, None]).swapaxes(1, 2)
                self.constants[f"{name}_{key}"] = integers
                shape = (2,) if each == 1 else (2, 8)
                self.constants |= {f"{name}_{key}s": scale.reshape(shape), f"{name}_{key}z": zero.reshape(shape)}
            y, h, c = self.expect_recurrent("LSTM", v, [functions, {**functions, "backwards": True}])
            inputs = [f"{name}_{key}" for key in ("x", "w", "r", "b")]
            inputs += ["", *(f"{name}_{key}" for key in ("h", "c", "p", "ws", "wz", "rs", "rz"))]
            self.add("DynamicQuantizeLSTM", inputs, {f"{name}_y": y, f"{name}_yh": h, f"{name}_yc": c}, hidden_size=2,
                     direction="bidirectional", domain="com.microsoft")
        self.check(opset=14)

    def test_scales_that_recurrent_layers_do_not_have_are_refused(self):
        self.value("x", (2, 1, 5))
        for name, shape, dtype in (("w", (1, 5, 8), np.int8), ("r", (1, 2, 8), np.int8), ("scale", (1, 1, 8), np.float32),
                                   ("b", (1, 16), np.float32)):
            self.constants[name] = np.ones(shape, dtype)
        self.add("DynamicQuantizeLSTM", ["x", "w", "r", "b", "", "", "", "", "scale", "", "scale"],
                 {"y": np.zeros((2, 1, 1, 2))}, hidden_size=2, domain="com.microsoft")
        with self.assertRaisesRegex(AssertionError, "scales of at most two"):
            self.check(opset=14)

    def test_tensors_without_elements(self):
        """Behind and between layers that become kernels; a product over no terms is 0."""
        x, w = self.value("x", (1, 3, 6, 6)), self.value("w", (8, 3, 1, 1), constant=True)
        v, m = self.value("v", (4, 8, 1, 1), constant=True), self.value("m", (0, 5), constant=True)
        for name, numbers in (("at_end", [8]), ("axis", [1]), ("flat", [36, 8])):
            self.constant(name, numbers, np.int64)
        y = np.einsum("oc,ncij->noij", w[:, :, 0, 0], x)
        self.add("Conv", ["x", "w"], {"y": y})
        self.add("Slice", ["y", "at_end", "at_end", "axis"], {"none": y[:, 8:]})
        self.add("Relu", ["none"], {"still_none": y[:, 8:]})
        self.add("Concat", ["y", "none"], {"all": y}, axis=1)
        self.add("Conv", ["all", "v"], {"z": np.einsum("oc,ncij->noij", v[:, :, 0, 0], y)})
        self.add("Reshape", ["y", "flat"], {"rows": y.reshape(36, 8)})
        self.add("Slice", ["rows", "at_end", "at_end", "axis"], {"no_columns": np.zeros((36, 0))})
        self.add("MatMul", ["no_columns", "m"], {"zeros": np.zeros((36, 5))})
        self.check(13)
        self.check(13, tolerance=0.05, options=("--sim=functional", "--schedules=estimated", "--verify"))

    def test_volumes(self):
        x = self.value("x", (2, 4, 5, 6, 7))
        w, b = self.value("w", (6, 2, 3, 2, 3), constant=True), self.value("b", (6,), constant=True)
        places = {"strides": [2, 1, 2], "pads": [1, 0, 1, 2, 1, 0], "dilations": [1, 2, 1]}
        self.add("Conv", ["x", "w", "b"], {"conv": convolve(x, w, group=2, **places) + b[:, None, None, None]}, group=2, **places)
        w = self.value("t", (4, 3, 3, 2, 2), constant=True)
        places = {"strides": [2, 1, 3], "pads": [1, 0, 1, 0, 1, 0], "dilations": [2, 1, 1]}
        self.add("ConvTranspose", ["x", "t"], {"transposed": convolve_transposed(x, w, output_padding=[1, 0, 2], **places)},
                 output_padding=[1, 0, 2], **places)
        blocks = np.pad(x, [(0, 0), (0, 0), (1, 1), (0, 0), (0, 0)], constant_values=-np.inf)
        windows = np.lib.stride_tricks.sliding_window_view(blocks, (3, 2, 2), (2, 3, 4))[:, :, ::2, ::2, ::1]
        self.add("MaxPool", ["x"], {"most": windows.max((5, 6, 7))}, kernel_shape=[3, 2, 2], strides=[2, 2, 1],
                 pads=[1, 0, 0, 1, 0, 0])
        blocks = np.pad(x, [(0, 0), (0, 0), (1, 1), (0, 0), (0, 0)], constant_values=np.nan)
        windows = np.lib.stride_tricks.sliding_window_view(blocks, (3, 2, 2), (2, 3, 4))[:, :, ::2, ::2, ::1]
        self.add("AveragePool", ["x"], {"mean": np.nanmean(windows, (5, 6, 7))}, kernel_shape=[3, 2, 2], strides=[2, 2, 1],
                 pads=[1, 0, 0, 1, 0, 0])
        self.add("GlobalAveragePool", ["x"], {"all": x.mean((2, 3, 4), keepdims=True)})
        self.check(opset=13, tolerance=1e-4)

    def test_smaller_images_are_smoothed(self):
        x = self.value("x", (1, 2, 13, 16))
        self.constant("sizes", [5, 16], np.int64)
        kernels = {"linear": (1, lambda d: np.maximum(0, 1 - d)),
                   "cubic": (2, lambda d: np.where(d <= 1, (1.25 * d - 2.25) * d * d + 1,
                                                   np.where(d < 2, ((-0.75 * d + 3.75) * d - 6) * d + 3, 0)))}
        for mode, (reach, kernel) in kernels.items():
            rows = smoothed(13, 5, reach, kernel)
            self.add("Resize", ["x", "", "", "sizes"], {f"smooth_{mode}": np.einsum("oi,bciw->bcow", rows, x)},
                     mode=mode, antialias=1, axes=[2, 3])
        self.check(opset=18)

    def test_images_keep_their_proportions(self):
        x = self.value("x", (1, 2, 6, 4))
        self.constant("wanted", [8, 9], np.int64)
        for policy, height, width in (("not_larger", 8, 5), ("not_smaller", 14, 9), ("stretch", 8, 9)):
            scale = {"not_larger": 8 / 6, "not_smaller": 9 / 4}.get(policy)
            rows, columns = (np.floor(np.arange(out) / (scale or out / size)).astype(int)
                             for out, size in ((height, 6), (width, 4)))
            self.add("Resize", ["x", "", "", "wanted"], {policy: x[:, :, rows][:, :, :, columns]}, mode="nearest",
                     coordinate_transformation_mode="asymmetric", nearest_mode="floor", axes=[-2, -1],
                     keep_aspect_ratio_policy=policy)
        self.check(opset=18)

    def test_one_pixel_becomes_an_image(self):
        x = self.value("x", (1, 3, 1, 1))
        self.constant("image", [1, 3, 4, 5], np.int64)
        for mode in ("nearest", "linear", "cubic"):
            self.add("Resize", ["x", "", "", "image"], {mode: np.broadcast_to(x, (1, 3, 4, 5))}, mode=mode)
        self.check(opset=13)

    def test_normalisations(self):
        x = self.value("x", (2, 6, 3, 5))
        scale, bias = self.value("scale", (6,), constant=True), self.value("bias", (6,), constant=True)
        grouped = x.reshape(2, 3, -1)
        grouped = (grouped - grouped.mean(2, keepdims=True)) / np.sqrt(grouped.var(2, keepdims=True) + 1e-5)
        self.add("GroupNormalization", ["x", "scale", "bias"],
                 {"group": grouped.reshape(x.shape) * scale[:, None, None] + bias[:, None, None]}, num_groups=3)
        last = self.value("last", (5,), constant=True)
        self.add("RMSNormalization", ["x", "last"], {"rms": x / np.sqrt((x**2).mean(3, keepdims=True) + 1e-5) * last})
        self.add("LpNormalization", ["x"], {"l1": x / np.abs(x).sum(1, keepdims=True)}, axis=1, p=1)
        windows = np.lib.stride_tricks.sliding_window_view(x, (2, 2), (2, 3))
        self.add("LpPool", ["x"], {"lp": (np.abs(windows)**3).sum((4, 5))**(1 / 3)}, kernel_shape=[2, 2], p=3)
        self.add("GlobalLpPool", ["x"], {"global": np.sqrt((x**2).sum((2, 3), keepdims=True))})
        self.add("Swish", ["x"], {"swish": x * sigmoid(0.5 * x)}, alpha=0.5)
        self.add("Gelu", ["x"], {"gelu": x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))}, approximate="tanh")
        self.check(opset=24)

    def test_attention(self):
        q, k, v = self.value("q", (2, 4, 5, 8)), self.value("k", (2, 2, 3, 8)), self.value("v", (2, 2, 3, 6))
        past_k, past_v = self.value("past_k", (2, 2, 4, 8)), self.value("past_v", (2, 2, 4, 6))
        mask = self.value("mask", (5, 7))
        keys, values = np.concatenate([past_k, k], 2), np.concatenate([past_v, v], 2)
        scores = 2 * np.tanh(q @ np.repeat(keys, 2, 1).swapaxes(2, 3) / np.sqrt(8) / 2) + mask
        scores = np.where(np.arange(7) <= np.arange(5)[:, None] + 4, scores, -np.inf)
        self.add("Attention", ["q", "k", "v", "mask", "past_k", "past_v"],
                 {"attention": softmax(scores) @ np.repeat(values, 2, 1), "keys": keys, "values": values},
                 is_causal=1, softcap=2.0)
        flat = self.value("flat", (2, 5, 12))
        allowed = np.array([[1, 0, 1, 1, 1]] * 5, bool)
        self.constant("allowed", allowed, bool)
        heads = flat.reshape(2, 5, 3, 4).swapaxes(1, 2)
        scores = np.where(allowed, heads @ heads.swapaxes(2, 3) * 0.3, -np.inf)
        self.add("Attention", ["flat", "flat", "flat", "allowed"],
                 {"flat_y": (softmax(scores) @ heads).swapaxes(1, 2).reshape(2, 5, 12)}, q_num_heads=3, kv_num_heads=3, scale=0.3)
        for interleaved in (0, 1):
            angles = self.random.uniform(-3, 3, (10, 2))
            self.constant(f"cos{interleaved}", np.cos(angles))
            self.constant(f"sin{interleaved}", np.sin(angles))
            at = np.array([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]])
            self.constant("at", at, np.int64)
            cos, sin = np.cos(angles)[at][:, None], np.sin(angles)[at][:, None]
            pairs = (heads[..., ::2], heads[..., 1::2]) if interleaved else np.split(heads, 2, -1)
            turned = [cos * pairs[0] - sin * pairs[1], sin * pairs[0] + cos * pairs[1]]
            turned = np.stack(turned, -1).reshape(heads.shape) if interleaved else np.concatenate(turned, -1)
            self.add("RotaryEmbedding", ["flat", f"cos{interleaved}", f"sin{interleaved}", "at"],
                     {f"turned{interleaved}": turned.swapaxes(1, 2).reshape(2, 5, 12)}, num_heads=3, interleaved=interleaved)
        self.check(opset=23)

    def test_fused_operators(self):
        microsoft = {"domain": "com.microsoft"}
        a, b = self.value("a", (3, 2, 4)), self.value("b", (3, 5, 4))
        self.add("FusedMatMul", ["a", "b"], {"matmul": 0.5 * a @ b.swapaxes(1, 2)}, transB=1, alpha=0.5, **microsoft)
        swapped = np.transpose(a, (1, 0, 2))
        self.add("FusedMatMul", ["a", "a"], {"batch": swapped @ swapped.swapaxes(1, 2)}, transBatchA=1, transBatchB=1,
                 transB=1, **microsoft)
        bias, skip = self.value("bias", (4,), constant=True), self.value("skip", (3, 2, 4))
        fast = lambda x: x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
        self.add("FastGelu", ["a", "bias"], {"fast": fast(a + bias)}, **microsoft)
        self.add("QuickGelu", ["a"], {"quick": a * sigmoid(1.702 * a)}, **microsoft)
        gamma, beta = self.value("gamma", (4,), constant=True), self.value("beta", (4,), constant=True)
        total = a + skip + bias
        centred = (total - total.mean(2, keepdims=True)) / np.sqrt(total.var(2, keepdims=True) + 1e-3)
        self.add("SkipLayerNormalization", ["a", "skip", "gamma", "beta", "bias"],
                 {"skipped": centred * gamma + beta, "no_mean": None, "no_deviation": None, "sum": total}, epsilon=1e-3,
                 **microsoft)
        total = a + skip
        self.add("SkipSimplifiedLayerNormalization", ["a", "skip", "gamma"],
                 {"simple": total / np.sqrt((total**2).mean(2, keepdims=True) + 1e-3) * gamma}, epsilon=1e-3, **microsoft)
        image, w = self.value("image", (1, 2, 5, 5)), self.value("w", (3, 2, 3, 3), constant=True)
        residual = self.value("residual", (1, 3, 3, 3))
        sums = convolve(image, w, [1, 1], [0] * 4, [1, 1], 1) + residual
        self.add("FusedConv", ["image", "w", "", "residual"], {"conv": np.where(sums < 0, 0.2 * sums, sums)},
                 activation="LeakyRelu", activation_params=[0.2], **microsoft)
        left, right = self.value("left", (2, 3)), self.value("right", (3, 4))
        self.add("FusedGemm", ["left", "right", "bias"], {"gemm": np.maximum(left @ right + 2 * bias, 0)}, beta=2.0,
                 activation="Relu", **microsoft)
        self.check(opset=17)

    def test_layer_normalisation_of_any_opset(self):
        x = self.value("x", (2, 3, 5))
        scale, bias = self.value("scale", (5,), constant=True), self.value("bias", (5,), constant=True)
        wanted = (x - x.mean(2, keepdims=True)) / np.sqrt(x.var(2, keepdims=True) + 1e-5) * scale + bias
        self.add("LayerNormalization", ["x", "scale", "bias"], {"plain": wanted})
        self.add("LayerNormalization", ["x", "scale", "bias"], {"microsoft": wanted}, domain="com.microsoft")
        self.check(opset=13)

    def test_integer_products_of_vectors(self):
        row = self.value("row", (6,), 0, 256, np.uint8).astype(np.int32)
        column = self.value("column", (6,), -128, 128, np.int8).astype(np.int32)
        matrix = self.value("matrix", (3, 6), -128, 128, np.int8).astype(np.int32)
        zero = int(self.value("zero", (), 0, 256, np.uint8))
        self.add("MatMulInteger", ["row", "column", "zero"], {"number": ((row - zero) @ column).astype(np.int32)})
        self.add("MatMulInteger", ["matrix", "column"], {"numbers": (matrix @ column).astype(np.int32)})
        self.constants["turned"] = matrix.T.astype(np.int8).copy()
        self.add("MatMulInteger", ["row", "turned", "zero"], {"line": ((row - zero) @ matrix.T).astype(np.int32)})
        self.check(opset=13)

    def test_dynamic_quantisation(self):
        microsoft = {"domain": "com.microsoft"}
        a = self.value("a", (2, 4, 6), 0, 256, np.uint8).astype(np.int32)
        b = self.value("b", (6, 5), -128, 128, np.int8, constant=True).astype(np.int32)
        zero_a, zero_b = self.value("za", (), 0, 256, np.uint8), self.constant("zb", [1, -2, 3, 0, -5], np.int8)
        product = ((a - int(zero_a)) @ (b - zero_b)).astype(np.int32)
        self.add("MatMulInteger", ["a", "b", "za", "zb"], {"matmul": product})
        scale_a, scale_b = self.value("sa", ()), self.constant("sb", [0.1, 0.2, 0.3, 0.4, 0.5])
        bias = self.value("bias", (5,), constant=True)
        self.add("MatMulIntegerToFloat", ["a", "b", "sa", "sb", "za", "zb", "bias"],
                 {"real": product * (scale_a * scale_b.astype(float)) + bias}, **microsoft)
        x = self.value("x", (2, 3, 6, 5), 0, 256, np.uint8).astype(np.int32)
        w = self.value("w", (4, 3, 3, 3), 0, 256, np.uint8, constant=True).astype(np.int32)
        zero_x, zero_w = self.value("zx", (), 0, 256, np.uint8), self.constant("zw", [128, 0, 255, 7], np.uint8)
        places = {"strides": [1, 2], "pads": [1, 1, 1, 1], "dilations": [1, 1]}
        sums = convolve(x - int(zero_x), w - zero_w.astype(int)[:, None, None, None], group=1, **places)
        self.add("ConvInteger", ["x", "w", "zx", "zw"], {"conv": sums.astype(np.int32)}, **places)
        self.check(opset=13)

    def test_quantisation_by_arithmetic(self):
        x = self.value("x", (4, 6), -3, 3)
        scale, zero = self.constant("s16", 0.0002), self.constant("z16", 1000, np.uint16)
        steps = np.clip(np.rint(x.astype(np.float32) / scale) + 1000, 0, 65535).astype(np.uint16)
        self.add("QuantizeLinear", ["x", "s16", "z16"], {"q16": steps})
        self.add("DequantizeLinear", ["q16", "s16", "z16"], {"d16": (steps.astype(float) - 1000) * float(scale)})
        # Scales that are inputs, one for each column.
        scales = self.value("scales", (6,), 0.01, 0.02)
        steps = np.clip(np.rint(x.astype(np.float32) / scales.astype(np.float32)), -128, 127).astype(np.int8)
        self.constant("zeros", np.zeros(6), np.int8)
        self.add("QuantizeLinear", ["x", "scales", "zeros"], {"q8": steps}, axis=1)
        self.add("DequantizeLinear", ["q8", "scales"], {"d8": steps * scales}, axis=1)
        # One scale for three rows.
        blocks = self.constant("blocks", self.random.uniform(0.1, 0.2, (2, 6)))
        integers = self.value("integers", (4, 6), -128, 128, np.int8)
        self.add("DequantizeLinear", ["integers", "blocks"], {"blocked": integers * np.repeat(blocks, 3, 0)[:4]}, axis=0,
                 block_size=3)
        self.check(opset=21)


    def test_sequences(self):
        x = self.value("x", (7, 4))
        self.constants.update(three=np.array(3, np.int64), last=np.array(-1, np.int64), first=np.array(0, np.int64))
        node = helper.make_node
        self.nodes += [node("SplitToSequence", ["x", "three"], ["parts"]),
                       node("SequenceAt", ["parts", "last"], ["rest"]), node("Neg", ["rest"], ["negative"]),
                       node("SequenceErase", ["parts", "last"], ["most"]),
                       node("SequenceInsert", ["most", "negative", "first"], ["turned"])]
        self.add("SequenceLength", ["turned"], {"count": np.array(3, np.int64)})
        self.add("ConcatFromSequence", ["turned"], {"y": np.concatenate([-x[6:], x[:6]])}, axis=0)
        self.check(opset=17)

    def test_half_precision(self):
        bits = self.random.integers(0, 1 << 16, 4096).astype(np.uint16)
        x = bits.view(np.float16)
        x = x[np.isfinite(x)]
        self.inputs["x"] = x
        self.constants["three"] = np.array(3, np.float16)
        with np.errstate(over="ignore"):
            self.add("Mul", ["x", "three"], {"y": (x.astype(np.float32) * 3).astype(np.float16)})
            self.nodes.append(helper.make_node("Cast", ["x"], ["wide"], to=TensorProto.FLOAT))
            self.expected["wide"] = x.astype(np.float32)
        self.check(opset=17)

    def test_bfloat16(self):
        port = helper.make_tensor_value_info
        # Models with bfloat16 beyond NumPy's types: made and read by way of float32.
        constant = helper.make_tensor("w", TensorProto.BFLOAT16, [4], [1.0, 2.0, 3.0, -4.0])
        graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"])], "g",
                                  [port("x", TensorProto.BFLOAT16, ["n", 4])],
                                  [port("y", TensorProto.BFLOAT16, ["n", 4])], initializer=[constant])
        path = self.folder / "model.onnx"
        onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]), path)
        x = np.array([[0.5, 1 / 3, 1e30, 4.0], [-1.0, 0.25, 3.0, 4.0]], np.float32)
        np.save(self.folder / "x.npy", x)
        data = helper.make_tensor("x", TensorProto.BFLOAT16, [2, 4], x.flatten())
        (self.folder / "x.pb").write_bytes(data.SerializeToString())
        for file in ("x.npy", "x.pb"):
            with self.subTest(file):
                text = self.succeed("vta-run", path, "--input", self.folder / file, "--output", self.folder / "out")
                self.assertIn("y: 2x4 bfloat16", text)
                found = np.load(self.folder / "out/y.npy")
                self.assertEqual(found.dtype, np.float32)
                np.testing.assert_allclose(found, x + np.array([1, 2, 3, -4], np.float32), rtol=2 ** -7)
                self.assertFalse((found.view(np.uint32) & 0xffff).any())
        np.save(self.folder / "whole.npy", np.zeros((2, 4), np.int32))
        self.refuse("vta-run", path, "--input", self.folder / "whole.npy", says=["int32 given", "2x4 bfloat16"])
        np.save(self.folder / "none.npy", x[:0])
        self.refuse("vta-run", path, "--input", self.folder / "none.npy",
                    says=["dimension 0 of input 'x' is 0; it has to be positive"])

    def test_half_precision_on_the_accelerator(self):
        x = self.value("x", (1, 16, 6, 6)).astype(np.float16)
        self.inputs["x"] = x
        w = self.random.uniform(-0.2, 0.2, (16, 16, 3, 3)).astype(np.float16)
        self.constants["w"] = w
        self.nodes.append(helper.make_node("Conv", ["x", "w"], ["y"], name="y"))
        exact = convolve(x.astype(float), w.astype(float), [1, 1], [0] * 4, [1, 1], 1)
        port = helper.make_tensor_value_info
        graph = helper.make_graph(self.nodes, "g", [port("x", TensorProto.FLOAT16, ["batch", 16, 6, 6])],
                                  [port("y", TensorProto.FLOAT16, ["batch", 16, 4, 4])],
                                  initializer=[numpy_helper.from_array(w, "w")])
        path = self.folder / "model.onnx"
        onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]), path)
        # Two samples: the batch is the data's.
        np.save(self.folder / "x.npy", np.concatenate([x, x]))
        report = self.run_json(path, "--input", self.folder / "x.npy", "--output", self.folder / "out", "--verify")
        self.assertEqual(report["totals"]["macs_on_vta"], report["totals"]["macs"])
        found = np.load(self.folder / "out/y.npy")
        self.assertEqual((found.dtype, found.shape), (np.float16, (2, 16, 4, 4)))
        # 8 bits: some steps of the output's range.
        self.assertLess(np.abs(found - exact).max(), 4 * np.abs(exact).max() / 127)


if __name__ == "__main__":
    unittest.main()
