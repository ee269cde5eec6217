"""Operators of windows and blocks of images, and constants of signal processing, against their definitions."""

import itertools
import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from operator_case import OperatorCase  # noqa: E402


class WindowOperatorsTest(OperatorCase):
    def test_places_of_the_largest_elements(self):
        for name, shape, window, kind in (
                ("line", (2, 3, 9), {"kernel_shape": [3], "strides": [2], "pads": [1, 1]}, np.float32),
                ("image", (2, 3, 7, 8), {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1]}, np.float32),
                ("columns", (2, 3, 7, 8), {"kernel_shape": [2, 3], "storage_order": 1}, np.float32),
                ("wide", (1, 2, 9, 9), {"kernel_shape": [2, 2], "dilations": [3, 2], "strides": [2, 3]}, np.float32),
                ("to_the_end", (1, 2, 6, 5), {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}, np.float32),
                ("integers", (2, 2, 6, 6), {"kernel_shape": [2, 2], "pads": [1, 1, 1, 1]}, np.uint8),
                ("volume", (1, 2, 4, 5, 6), {"kernel_shape": [2, 3, 2], "strides": [1, 2, 2]}, np.float32)):
            # Few values, so that several elements of a window are the largest.
            x = self.value(name, shape, 0, 4, kind)
            if kind == np.float32:
                x = self.inputs[name] = np.round(x).astype(np.float32)
            self.add("MaxPool", [name], dict(zip((f"{name}_y", f"{name}_at"), self.pooled(x, window))), **window)
        self.check(13)

    @staticmethod
    def pooled(x, window):
        """The largest element of each window and its first place, by MaxPool's definition."""
        spatial, kernel = x.ndim - 2, window["kernel_shape"]
        strides, dilations = (window.get(key, [1] * spatial) for key in ("strides", "dilations"))
        pads = window.get("pads", [0] * 2 * spatial)
        extents, strides_at = x.shape[2:], list(np.cumprod([1, *x.shape[:1:-1]])[-2::-1])
        if window.get("storage_order"):
            strides_at = list(np.cumprod([1, *extents])[:-1])
        round_up = np.ceil if window.get("ceil_mode") else np.floor
        out = [int(round_up((extents[i] + pads[i] + pads[spatial + i] - (kernel[i] - 1) * dilations[i] - 1) / strides[i])) + 1
               for i in range(spatial)]
        most = np.zeros((*x.shape[:2], *out), x.dtype)
        places = np.zeros(most.shape, np.int64)
        for at in itertools.product(*map(range, most.shape)):
            best = None
            for tap in itertools.product(*map(range, kernel)):
                place = [a * s + t * d - p for a, s, t, d, p in zip(at[2:], strides, tap, dilations, pads)]
                if any(p < 0 or p >= e for p, e in zip(place, extents)):
                    continue
                value = x[(*at[:2], *place)]
                if best is None or value > best:
                    best = value
                    image = (at[0] * x.shape[1] + at[1]) * int(np.prod(extents))
                    most[at], places[at] = value, image + sum(p * s for p, s in zip(place, strides_at))
        return most, places

    def test_images_of_blocks(self):
        for name, image, block, attributes in (
                ("line", [7], [3], {"strides": [2]}),
                ("image", [5, 6], [2, 3], {"pads": [1, 0, 1, 2], "dilations": [1, 2], "strides": [1, 2]}),
                ("volume", [3, 4, 4], [2, 2, 3], {})):
            rank = len(image)
            dilations, strides = (attributes.get(key, [1] * rank) for key in ("dilations", "strides"))
            pads = attributes.get("pads", [0] * 2 * rank)
            counts = [(image[i] + pads[i] + pads[rank + i] - dilations[i] * (block[i] - 1) - 1) // strides[i] + 1
                      for i in range(rank)]
            x = self.value(name, (2, 3 * int(np.prod(block)), int(np.prod(counts))))
            y = np.zeros((2, 3, *image))
            blocks = x.reshape(2, 3, *block, *counts)
            for tap in itertools.product(*map(range, block)):
                for at in itertools.product(*map(range, counts)):
                    place = [a * s + t * d - p for a, s, t, d, p in zip(at, strides, tap, dilations, pads)]
                    if all(0 <= p < e for p, e in zip(place, image)):
                        y[(..., *place)] += blocks[(..., *tap, *at)]
            self.constant(f"{name}_image", image, np.int64), self.constant(f"{name}_block", block, np.int64)
            self.add("Col2Im", [name, f"{name}_image", f"{name}_block"], {f"{name}_y": y}, **attributes)
        self.check(18)

    def test_mel_filter_bank(self):
        for name, triangles, length, rate, low, high in (("speech", 8, 64, 8000, 0.0, 4000.0),
                                                         ("narrow", 12, 30, 16000, 20.0, 3000.0)):
            mels = np.linspace(*(2595 * np.log10(1 + f / 700) for f in (low, high)), triangles + 2, endpoint=False)
            edges = ((length + 1) * 700 * (10 ** (mels / 2595) - 1) // rate).astype(int)
            weights = np.zeros((length // 2 + 1, triangles))
            for i, (begin, peak, end) in enumerate(zip(edges, edges[1:], edges[2:])):
                for bin in range(begin, max(end, peak + 1)):
                    weights[bin, i] = (1 if bin == peak else (bin - begin) / (peak - begin) if bin < peak
                                       else (end - bin) / (end - peak))
            for key, value, dtype in (("triangles", triangles, np.int64), ("length", length, np.int64),
                                      ("rate", rate, np.int64), ("low", low, np.float32), ("high", high, np.float32)):
                self.constant(f"{name}_{key}", value, dtype)
            self.add("MelWeightMatrix", [f"{name}_{key}" for key in ("triangles", "length", "rate", "low", "high")],
                     {name: weights})
        self.check(17)

    @staticmethod
    def parts(values):
        """Complex numbers as pairs of real ones."""
        return np.stack([values.real, values.imag], -1)

    def test_fourier_transforms(self):
        x = self.value("x", (2, 3, 10, 1))
        z = self.value("z", (2, 6, 4, 2))
        pairs = z[..., 0] + 1j * z[..., 1]
        for name, value in (("longer", 13), ("shorter", 5)):
            self.constant(name, value, np.int64)
        self.add("DFT", ["x"], {"along_1": self.parts(np.fft.fft(x[..., 0], axis=1))})
        self.add("DFT", ["x"], {"one_side": self.parts(np.fft.rfft(x[..., 0], axis=2))}, axis=2, onesided=1)
        self.add("DFT", ["x", "longer"], {"filled": self.parts(np.fft.rfft(x[..., 0], 13, 2))}, axis=-2, onesided=1)
        self.add("DFT", ["z", "shorter"], {"cut": self.parts(np.fft.fft(pairs, 5, 1))})
        self.add("DFT", ["z"], {"back": self.parts(np.fft.ifft(pairs, axis=2))}, axis=2, inverse=1)
        self.check(17)

    def test_fourier_transforms_along_an_input(self):
        x = self.value("x", (2, 6, 7, 1))
        self.constant("axis", 1, np.int64)
        self.add("DFT", ["x", "", "axis"], {"along_1": self.parts(np.fft.fft(x[..., 0], axis=1))})
        self.add("DFT", ["x"], {"last": self.parts(np.fft.rfft(x[..., 0], axis=2))}, onesided=1)
        self.check(20)

    def test_transforms_of_frames(self):
        x, flat = self.value("x", (2, 50, 1)), self.value("flat", (2, 33))
        z = self.value("z", (1, 20, 2))
        window = self.value("window", (16,), constant=True)
        for name, value in (("step", 7), ("length", 9)):
            self.constant(name, value, np.int64)

        def frames(signal, length):
            return np.stack([signal[:, at:at + length] for at in range(0, signal.shape[1] - length + 1, 7)], 1)
        self.add("STFT", ["x", "step", "window"], {"windowed": self.parts(np.fft.rfft(frames(x[..., 0], 16) * window))})
        self.add("STFT", ["flat", "step", "", "length"], {"plain": self.parts(np.fft.fft(frames(flat, 9)))}, onesided=0)
        pairs = frames(z[..., 0] + 1j * z[..., 1], 9)
        self.add("STFT", ["z", "step", "", "length"], {"complex": self.parts(np.fft.fft(pairs))}, onesided=0)
        self.check(17)

    def test_wrong_transforms_are_refused(self):
        self.value("x", (1, 12, 1)), self.value("three", (1, 12, 3)), self.value("window", (5,), constant=True)
        for name, value in (("zero", 0), ("four", 4), ("long", 13), ("longest", 1 << 14), ("pair", [4, 4])):
            self.constant(name, value, np.int64)
        for kind, inputs, attributes, message in (
                ("DFT", ["three"], {}, "has to be 1 \\(real\\) or 2"),
                ("DFT", ["x"], {"axis": 2}, "the last dimension has the parts"),
                ("DFT", ["x"], {"inverse": 1, "onesided": 1}, "an inverse transform of one side is not supported"),
                ("DFT", ["x", "longest"], {}, "a transform of 16384 numbers is not supported; 1 to 8192 are"),
                ("DFT", ["x", "pair"], {}, "'dft_length' is not one number"),
                ("STFT", ["x", "four"], {}, "it needs 'window' or 'frame_length'"),
                ("STFT", ["three", "four", "window"], {}, "'signal' is not"),
                ("STFT", ["x", "four", "x"], {}, "'window' is not a vector"),
                ("STFT", ["x", "four", "window", "four"], {}, "frames of 4 with a step of 4 do not fit .* a window of 5"),
                ("STFT", ["x", "zero", "window"], {}, "frames of 5 with a step of 0"),
                ("STFT", ["x", "four", "", "long"], {}, "frames of 13 .* do not fit a signal of 12")):
            with self.subTest(message):
                self.nodes, self.expected = [], {}
                self.add(kind, inputs, {"y": np.zeros((1, 2, 3, 2))}, **attributes)
                with self.assertRaisesRegex(AssertionError, message):
                    self.check(17)

    def test_wrong_blocks_and_filter_banks_are_refused(self):
        self.value("x", (1, 6, 4))
        self.constant("image", [5], np.int64), self.constant("block", [2], np.int64), self.constant("long", [7], np.int64)
        for key, value in (("few", 4), ("none", 0)):
            self.constant(key, value, np.int64)
        self.constant("low", 100.0), self.constant("high", 5000.0)
        for kind, inputs, attributes, message in (
                ("Col2Im", ["x", "image", "block"], {"strides": [2]}, "is not 2 blocks of 2 elements"),
                ("Col2Im", ["x", "image", "long"], {}, "dimension 0 of its blocks does not fit"),
                ("Col2Im", ["x", "image", "block"], {"pads": [0]}, "does not fit 'image_shape'"),
                ("MelWeightMatrix", ["few", "few", "few", "high", "low"], {}, "out of range"),
                ("MelWeightMatrix", ["none", "few", "few", "low", "low"], {}, "out of range")):
            with self.subTest(message):
                self.nodes, self.expected = [], {}
                self.add(kind, inputs, {"y": np.zeros((1, 3, 5))}, **attributes)
                with self.assertRaisesRegex(AssertionError, message):
                    self.check(18)


if __name__ == "__main__":
    unittest.main()
