"""Forms of operators that exporters of all ages write give what their definitions say; on the CPU, in float32."""

import itertools
import json
import sys
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from operator_case import OperatorCase  # noqa: E402
from tool_case import tool  # noqa: E402


def convolve_transposed(x, w, strides, pads, extents):
    """By its definition; the output has the given extents, with zeros where the kernel does not reach."""
    spatial = x.ndim - 2
    full = [max((x.shape[2 + i] - 1) * strides[i] + w.shape[2 + i], pads[i] + extents[i]) for i in range(spatial)]
    y = np.zeros((x.shape[0], w.shape[1], *full))
    for at in itertools.product(*(range(n) for n in x.shape[2:])):
        for k in itertools.product(*(range(n) for n in w.shape[2:])):
            place = tuple(a * s + i for a, s, i in zip(at, strides, k))
            y[(slice(None), slice(None), *place)] += x[(slice(None), slice(None), *at)] @ w[(slice(None), slice(None), *k)]
    return y[(slice(None), slice(None), *(slice(p, p + e) for p, e in zip(pads, extents)))]


def windows(shape, kernel, strides, pads, dilations, ceil):
    """For every output the places of its window along each axis, those in pads and beyond too."""
    spatial = len(kernel)
    outputs = []
    for i in range(spatial):
        span = shape[2 + i] + pads[i] + pads[spatial + i] - (kernel[i] - 1) * dilations[i] - 1
        count = (-(-span // strides[i]) if ceil else span // strides[i]) + 1
        if ceil and (count - 1) * strides[i] >= shape[2 + i] + pads[i]:
            count -= 1
        outputs.append(count)
    for at in itertools.product(*map(range, outputs)):
        yield at, [a * s - p + d * np.arange(k) for a, s, p, d, k in zip(at, strides, pads, dilations, kernel)]


def pool(x, function, kernel, strides, pads, dilations, ceil=False, counts_pads=False):
    """function(values inside of the window, number of places that count)."""
    spatial = len(kernel)
    results = {}
    for at, places in windows(x.shape, kernel, strides, pads, dilations, ceil):
        inside = [p[(p >= 0) & (p < n)] for p, n in zip(places, x.shape[2:])]
        counted = inside
        if counts_pads:
            counted = [p[p < n + pads[spatial + i]] for i, (p, n) in enumerate(zip(places, x.shape[2:]))]
        values = x[(slice(None), slice(None), *np.ix_(*inside))].reshape(*x.shape[:2], -1)
        results[at] = function(values, np.prod([len(p) for p in counted]))
    extents = [max(at[i] for at in results) + 1 for i in range(spatial)]
    y = np.zeros((*x.shape[:2], *extents))
    for at, value in results.items():
        y[(slice(None), slice(None), *at)] = value
    return y


def mean(values, count):
    return values.sum(-1) / count


def largest(values, _):
    return values.max(-1)


def roi_align(x, rois, batches, outputs, scale, half_pixel, mode):
    """With as many samples as a region has pixels for an output, as ONNX Runtime does."""
    height, width = x.shape[2:]
    y = np.zeros((len(rois), x.shape[1], *outputs))
    for r, (roi, batch) in enumerate(zip(rois, batches)):
        x1, y1, x2, y2 = roi * scale - (0.5 if half_pixel else 0)
        sizes = [y2 - y1, x2 - x1]
        if not half_pixel:
            sizes = [max(size, 1) for size in sizes]
        bins = [size / count for size, count in zip(sizes, outputs)]
        grid = [max(int(np.ceil(b)), 0) for b in bins]
        for i, j in itertools.product(*map(range, outputs)):
            samples = []
            for a, b in itertools.product(*map(range, grid)):
                row, column = y1 + (i + (a + 0.5) / grid[0]) * bins[0], x1 + (j + (b + 0.5) / grid[1]) * bins[1]
                if row < -1 or row > height or column < -1 or column > width:
                    samples.append(np.zeros((4, x.shape[1])))
                    continue
                row, column = np.clip(row, 0, height - 1), np.clip(column, 0, width - 1)
                low, left = int(row), int(column)
                high, right = min(low + 1, height - 1), min(left + 1, width - 1)
                down, across = row - low, column - left
                samples.append(np.stack([x[batch, :, low, left] * (1 - down) * (1 - across),
                                         x[batch, :, low, right] * (1 - down) * across,
                                         x[batch, :, high, left] * down * (1 - across),
                                         x[batch, :, high, right] * down * across]))
            if samples:
                parts = np.stack(samples)
                y[r, :, i, j] = parts.sum(1).mean(0) if mode == "avg" else parts.max((0, 1))
    return y


class ExportedOperatorsTest(OperatorCase):
    def test_transposed_convolutions_with_the_shape_of_their_output(self):
        """An odd pad goes to the beginning, unless SAME_UPPER is asked for."""
        cases = {"1d": ([5], [3], [2], [10]), "2d": ([4, 4], [3, 3], [2, 2], [8, 8]),
                 "even": ([4, 3], [4, 3], [2, 2], [8, 6]), "longer": ([3, 3], [3, 3], [3, 2], [10, 8]),
                 "3d": ([3, 2, 3], [3, 3, 2], [2, 2, 2], [6, 4, 6])}
        for name, (image, kernel, strides, extents) in cases.items():
            x, w = self.value(f"{name}_x", (1, 2, *image)), self.value(f"{name}_w", (2, 3, *kernel), constant=True)
            totals = [max((n - 1) * s + k - e, 0) for n, s, k, e in zip(image, strides, kernel, extents)]
            for auto_pad in ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"):
                begin = [t // 2 if auto_pad == "SAME_UPPER" else t - t // 2 for t in totals]
                self.add("ConvTranspose", [f"{name}_x", f"{name}_w"],
                         {f"{name}_{auto_pad}": convolve_transposed(x, w, strides, begin, extents)},
                         strides=strides, output_shape=extents, auto_pad=auto_pad)
        self.check(opset=13)

    def test_pools_with_windows_larger_than_the_image(self):
        x = self.value("x", (1, 3, 2, 2))
        plain = {"pads": [0] * 4, "dilations": [1, 1], "ceil": True}
        self.add("MaxPool", ["x"], {"max": pool(x, largest, [3, 3], [2, 2], **plain)}, kernel_shape=[3, 3],
                 strides=[2, 2], ceil_mode=1)
        self.add("MaxPool", ["x"], {"wide": pool(x, largest, [2, 4], [1, 3], **plain)}, kernel_shape=[2, 4],
                 strides=[1, 3], ceil_mode=1)
        for counts in (0, 1):
            self.add("AveragePool", ["x"],
                     {f"mean{counts}": pool(x, mean, [3, 3], [2, 2], counts_pads=bool(counts), **plain)},
                     kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1, count_include_pad=counts)
        self.check(opset=13)

    def test_means_of_windows_that_all_hold_pads(self):
        """As integers on the VTA, where a pad is the zero point."""
        x = self.value("x", (1, 16, 2, 2), low=0)
        self.constant("w", np.eye(16)[..., None, None])
        self.add("Conv", ["x", "w"], {"same": None})
        cases = {"ceil": ([3, 3], [2, 2], [0] * 4, True), "begin": ([3, 3], [2, 2], [1] * 4, False),
                 "end": ([2, 3], [1, 2], [0, 0, 0, 1], False)}
        for (name, (kernel, strides, pads, ceil)), counts in itertools.product(cases.items(), (0, 1)):
            y = pool(x, mean, kernel, strides, pads, [1, 1], ceil, bool(counts))
            self.add("AveragePool", ["same"], {f"{name}{counts}": y}, kernel_shape=kernel, strides=strides, pads=pads,
                     ceil_mode=int(ceil), count_include_pad=counts)
        self.check(opset=19, tolerance=0.015, options=())

    def test_means_of_elements_that_lie_apart(self):
        x, volume = self.value("x", (2, 3, 9, 8)), self.value("volume", (1, 2, 6, 5, 7))
        cases = {"even": ([2, 3], [1, 2], [0] * 4, [2, 3], False), "padded": ([3, 2], [2, 1], [1, 2, 2, 1], [2, 2], False),
                 "ceil": ([3, 3], [3, 2], [1, 0, 0, 1], [2, 2], True)}
        for (name, (kernel, strides, pads, dilations, ceil)), counts in itertools.product(cases.items(), (0, 1)):
            y = pool(x, mean, kernel, strides, pads, dilations, ceil, bool(counts))
            self.add("AveragePool", ["x"], {f"{name}{counts}": y}, kernel_shape=kernel, strides=strides, pads=pads,
                     dilations=dilations, ceil_mode=int(ceil), count_include_pad=counts)
        y = pool(volume, mean, [2, 2, 3], [1, 2, 1], [1, 0, 1, 0, 1, 0], [2, 3, 2])
        self.add("AveragePool", ["volume"], {"volumes": y}, kernel_shape=[2, 2, 3], strides=[1, 2, 1],
                 pads=[1, 0, 1, 0, 1, 0], dilations=[2, 3, 2])
        norm = lambda values, _: np.sqrt((values**2).sum(-1))
        y = pool(x, norm, [3, 2], [2, 2], [1, 0, 0, 1], [2, 1], True)
        self.add("LpPool", ["x"], {"norms": y}, kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 0, 1],
                 dilations=[2, 1], ceil_mode=1)
        self.check(opset=19)

    def test_resizes_whose_centres_meet(self):
        x = self.value("x", (1, 1, 1, 5))
        scale = 1.5  # 7.5 elements, of which 7 are made
        at = 5 / 2 * (1 - 7 / 7.5) + (np.arange(7) + 0.5) / scale - 0.5
        low = np.floor(at).astype(int)
        y = (1 - (at - low)) * x[..., low.clip(0, 4)] + (at - low) * x[..., (low + 1).clip(0, 4)]
        self.constant("scales", [1, 1, 1, scale])
        self.add("Resize", ["x", "", "scales"], {"linear": y}, mode="linear",
                 coordinate_transformation_mode="half_pixel_symmetric")
        self.add("Resize", ["x", "", "scales"], {"nearest": x[..., np.ceil(at - 0.5).astype(int).clip(0, 4)]},
                 mode="nearest", coordinate_transformation_mode="half_pixel_symmetric")
        self.check(opset=19)

    def test_center_crop_pad(self):
        x = self.value("x", (5, 6, 3))
        self.constant("all", [8, 3, 3], np.int64)
        padded = np.pad(x[:, 1:4], [(1, 2), (0, 0), (0, 0)])
        self.add("CenterCropPad", ["x", "all"], {"every": padded})
        self.constant("some", [2, 7], np.int64)
        self.add("CenterCropPad", ["x", "some"], {"named": np.pad(x[:, :, :2], [(1, 1), (0, 0), (0, 0)])}, axes=[-1, 0])
        self.check(opset=18)

    def test_regions_with_as_many_samples_as_they_are_large(self):
        x = self.value("x", (2, 3, 9, 7))
        boxes = np.array([[0, 0, 5, 5], [1, 2, 7, 6], [-3, -2, 20, 4], [2, 2, 2.2, 2.3], [5, 5, 3, 2]], np.float32)
        batches = np.array([0, 1, 1, 0, 1])
        self.constants |= {"boxes": boxes, "batches": batches}
        self.inputs |= {"late_boxes": boxes + np.float32(0.25), "late_batches": batches}
        for name, mode, half_pixel in (("mean", "avg", 1), ("old", "avg", 0), ("max", "max", 1), ("old_max", "max", 0)):
            pixels = "half_pixel" if half_pixel else "output_half_pixel"
            for when in ("", "late_"):
                rois = (self.inputs | self.constants)[f"{when}boxes"].astype(np.float64)
                y = roi_align(x, rois, batches, (3, 2), 0.9, half_pixel, mode)
                self.add("RoiAlign", ["x", f"{when}boxes", f"{when}batches"], {f"{when}{name}": y}, output_height=3,
                         output_width=2, sampling_ratio=0, spatial_scale=0.9, mode=mode,
                         coordinate_transformation_mode=pixels)
        self.check(opset=16)

    def test_operators_that_were_experiments(self):
        x = self.value("x", (1, 3, 6, 8))
        self.add("Affine", ["x"], {"affine": 1.5 * x - 0.25}, alpha=1.5, beta=-0.25)
        self.add("Scale", ["x"], {"scale": 0.3 * x}, scale=0.3)
        self.add("ScaledTanh", ["x"], {"tanh": 1.7 * np.tanh(0.6 * x)}, alpha=1.7, beta=0.6)
        self.add("ParametricSoftplus", ["x"], {"softplus": 2 * np.log1p(np.exp(0.5 * x))}, alpha=2.0, beta=0.5)
        bias = np.array([1, 2, 3.])
        self.add("ImageScaler", ["x"], {"image": 0.5 * x + bias[:, None, None]}, scale=0.5, bias=[1.0, 2.0, 3.0])
        self.add("Crop", ["x"], {"borders": x[:, :, 2:5, 1:5]}, border=[1, 2, 3, 1])
        self.add("Crop", ["x"], {"sized": x[:, :, 2:5, 1:6]}, border=[1, 2, 0, 0], scale=[3, 5])
        self.constants |= {"starts": np.array([1, 2]), "ends": np.array([3, 7]), "axes": np.array([2, 3])}
        self.add("DynamicSlice", ["x", "starts", "ends", "axes"], {"slice": x[:, :, 1:3, 2:7]})
        self.check(opset=8)

    def test_every_number_but_0_is_true(self):
        """Whether a constant is converted when the model is compiled or when it runs."""
        x = self.value("x", (6,))
        self.constant("minus", -1)
        self.add("Mul", ["x", "minus"], {"negative": -x})
        truths = [np.array([2, 4, 3, 0, -128, 1]), np.array([2, 0.5, -0.25, 0, np.nan, -0.0])]
        for dtype in (np.int8, np.uint8, np.int16, np.int32, np.int64, np.float32, np.float64, np.float16):
            values = truths[np.issubdtype(dtype, np.floating)].astype(dtype)
            name = np.dtype(dtype).name
            self.constants[f"{name}_known"] = self.inputs[f"{name}_late"] = values
            for when in ("known", "late"):
                truth = f"{name}_{when}_truth"
                self.add("Cast", [f"{name}_{when}"], {truth: None}, to=TensorProto.BOOL)
                self.add("Where", [truth, "x", "negative"], {f"{name}_{when}_y": np.where(values != 0, x, -x)})
        self.check(opset=13)

    def test_an_extent_of_2_is_true(self):
        """silero VAD asks so whether there is a state."""
        port = helper.make_tensor_value_info
        branches = {f"{name}_branch": helper.make_graph([helper.make_node(kind, ["x"], ["inner"])], name, [],
                                                        [port("inner", TensorProto.FLOAT, [2, 4])])
                    for name, kind in (("then", "Identity"), ("else", "Neg"))}
        x = self.value("x", (2, 4))
        self.constant("first", 0, np.int64)
        self.add("Shape", ["x"], {"shape": None})
        self.add("Gather", ["shape", "first"], {"extent": None})
        self.add("Cast", ["extent"], {"truth": None}, to=TensorProto.BOOL)
        self.add("If", ["truth"], {"y": x}, **branches)
        self.check(opset=16)

    def test_an_output_that_is_named_twice_is_given_once(self):
        node = helper.make_node("Relu", ["x"], ["y"])
        path = self.model([node], [("x", [1, 4])], [("y", [1, 4]), ("x", [1, 4]), ("y", [1, 4])])
        run = tool("vta-run", path, "--partition=cpu", "--output", self.folder / "out", "--json")
        self.assertEqual([output["name"] for output in json.loads(run.stdout)["outputs"]], ["y", "x"])
        x, y = (np.load(self.folder / "out" / f"{name}.npy") for name in "xy")
        np.testing.assert_array_equal(y, np.maximum(x, 0))
        self.assertIn("names output 'y' more than once", run.stderr)

    def test_errors_name_what_is_wrong(self):
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2, 4, 4])
        y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
        shape = helper.make_tensor("s", TensorProto.INT64, [1], [0])
        weight = helper.make_tensor("w", TensorProto.FLOAT, [2, 1, 3, 3], [1.0] * 18)
        cases = [("Crop", {"border": [1, 2, 3]}, ["x"], "'border' needs 4 values"),
                 ("Crop", {"border": [2, 0, 2, 0]}, ["x"], "do not fit an input of shape [1, 2, 4, 4]"),
                 ("Crop", {"border": [0] * 4, "scale": [5, 1]}, ["x"], "do not fit"),
                 ("Crop", {"scale": [1]}, ["x"], "'scale' needs 2 values"),
                 ("ImageScaler", {"bias": [1.0]}, ["x"], "'bias' needs 2 values, got 1"),
                 ("CenterCropPad", {}, ["x", "s"], "has 1 extents for 4 axes"),
                 ("CenterCropPad", {"axes": [1]}, ["x", "s"], "an extent that is not positive"),
                 ("ConvTranspose", {"output_shape": [8]}, ["x", "w"], "another rank"),
                 ("ConvTranspose", {"output_shape": [8, 0]}, ["x", "w"], "out of range")]
        for kind, attributes, inputs, says in cases:
            with self.subTest(kind, says=says):
                graph = helper.make_graph([helper.make_node(kind, inputs, ["y"], **attributes)], "g", [x], [y],
                                          initializer=[shape, weight])
                path = self.folder / "model.onnx"
                onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 18)]), path)
                self.refuse("vta-run", path, "--partition=cpu", says=[says])


if __name__ == "__main__":
    unittest.main()
