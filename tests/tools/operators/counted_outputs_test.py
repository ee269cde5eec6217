"""Outputs whose size depends on data: how many boxes a detector finds, which elements are not zero."""

import sys
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from operator_case import OperatorCase  # noqa: E402


def corners(box, center):
    if center:
        return box[0] - box[2] / 2, box[1] - box[3] / 2, box[0] + box[2] / 2, box[1] + box[3] / 2
    return min(box[0], box[2]), min(box[1], box[3]), max(box[0], box[2]), max(box[1], box[3])


def overlap(a, b, center):
    """Intersection over union, in float32."""
    a, b = corners(a, center), corners(b, center)
    height = min(a[2], b[2]) - max(a[0], b[0])
    width = min(a[3], b[3]) - max(a[1], b[1])
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (a, b)]
    if height <= 0 or width <= 0 or min(areas) <= 0:
        return 0
    return height * width / (areas[0] + areas[1] - height * width)


def suppress(boxes, scores, most, iou=0.0, least=None, center=False):
    """NonMaxSuppression by its definition."""
    found = []
    for batch in range(scores.shape[0]):
        for group in range(scores.shape[1]):
            row = scores[batch, group]
            order = [i for i in np.argsort(-row, kind="stable") if not np.isnan(row[i])]
            chosen = []
            for i in order:
                if len(chosen) == most or (least is not None and not row[i] > least):
                    continue
                if all(overlap(boxes[batch, i], boxes[batch, j], center) <= iou for j in chosen):
                    chosen.append(i)
            found += [(batch, group, i) for i in chosen]
    return np.array(found, np.int64).reshape(-1, 3)


class CountedOutputsTest(OperatorCase):
    def boxes(self, name, batches, count, center=False):
        box = self.random.uniform(0, 10, (batches, count, 4)).astype(np.float32)
        if center:
            box[..., 2:] = self.random.uniform(0.5, 6, (batches, count, 2))
        self.inputs[name] = box
        return box

    def test_positions(self):
        x = self.random.integers(-1, 2, (4, 5, 3)).astype(np.float32)
        x[0, 0, :2] = np.nan, -0.0
        self.inputs["x"] = x
        self.add("NonZero", ["x"], {"where": np.array(np.nonzero(x), np.int64)})
        self.inputs["none"] = np.zeros((3, 7), np.int32)
        self.add("NonZero", ["none"], {"nowhere": np.zeros((2, 0), np.int64)})
        keep = np.array([True, False, True, True, False])
        self.inputs["keep"] = keep
        self.add("Compress", ["x", "keep"], {"kept": x[:, keep].astype(np.float32)}, axis=1)
        self.inputs["flags"] = x.reshape(-1)[:20] > 0
        self.add("Compress", ["x", "flags"], {"flat": x.reshape(-1)[:20][x.reshape(-1)[:20] > 0]})
        self.check(opset=13)

    def test_compress_of_a_part_only(self):
        x = self.value("x", (6, 2))
        self.inputs["keep"] = np.array([False, True, True])
        self.add("Compress", ["x", "keep"], {"kept": x[:3][[False, True, True]]}, axis=0)
        self.check(opset=13)

    def test_top_of_many(self):
        x = self.random.integers(0, 500, (3, 8400)).astype(np.float32)
        x[1, 7] = np.nan
        x[2, ::2] = -np.inf
        self.inputs["x"] = x
        order = np.argsort(np.where(np.isnan(x), np.inf, -x), axis=1, kind="stable")[:, :300]
        self.constant("k", [300], np.int64)
        self.add("TopK", ["x", "k"], {"values": np.take_along_axis(x, order, 1), "order": order})
        rising = np.argsort(np.where(np.isnan(x), np.inf, x), axis=1, kind="stable")
        self.constant("all", [8400], np.int64)
        self.add("TopK", ["x", "all"], {"sorted": np.take_along_axis(x, rising, 1), "places": rising}, largest=0)
        bytes_ = self.random.integers(0, 256, (9, 4)).astype(np.uint8)
        self.inputs["bytes"] = bytes_
        self.constant("two", [2], np.int64)
        order = np.argsort(-bytes_.astype(int), axis=0, kind="stable")[:2]
        self.add("TopK", ["bytes", "two"], {"most": np.take_along_axis(bytes_, order, 0), "rows": order}, axis=0)
        self.check(opset=13)

    def test_top_of_a_computed_number(self):
        x = self.value("x", (2, 50))
        order = np.argsort(-x, axis=1, kind="stable")
        for k in (0, 7, 50):
            with self.subTest(k):
                self.nodes, self.expected = [], {}
                self.inputs["k"] = np.array([k], np.int64)
                self.add("TopK", ["x", "k"], {"values": np.take_along_axis(x, order[:, :k], 1), "order": order[:, :k]})
                self.check(opset=13)
        # Numbers out of range are as near as there are elements.
        for k, found in ((-3, 0), (1000, 50)):
            with self.subTest(k):
                self.inputs["k"] = np.array([k], np.int64)
                self.expected = {"values": np.take_along_axis(x, order[:, :found], 1), "order": order[:, :found]}
                self.check(opset=13)

    def test_suppression(self):
        for center in (False, True):
            with self.subTest(center=center):
                self.inputs, self.constants, self.nodes, self.expected = {}, {}, [], {}
                boxes = self.boxes("boxes", 2, 60, center)
                scores = self.random.integers(0, 40, (2, 3, 60)).astype(np.float32) / 40
                scores[0, 1, 5] = np.nan
                self.inputs["scores"] = scores
                self.constant("most", [10], np.int64)
                self.constant("iou", [0.3])
                self.inputs["least"] = np.array([0.4], np.float32)
                self.inputs["few"] = np.array(3, np.int64)
                options = {"center_point_box": int(center)}
                self.add("NonMaxSuppression", ["boxes", "scores", "most", "iou", "least"],
                         {"all": suppress(boxes, scores, 10, np.float32(0.3), np.float32(0.4), center)}, **options)
                self.add("NonMaxSuppression", ["boxes", "scores", "few", "iou"],
                         {"few_of_all": suppress(boxes, scores, 3, np.float32(0.3), None, center)}, **options)
                self.add("NonMaxSuppression", ["boxes", "scores", "most"],
                         {"apart": suppress(boxes, scores, 10, 0, None, center)}, **options)
                self.add("NonMaxSuppression", ["boxes", "scores"], {"no_limit": np.zeros((0, 3), np.int64)}, **options)
                self.check(opset=11)

    def test_no_boxes(self):
        self.boxes("boxes", 1, 5)
        self.inputs["scores"] = np.full((1, 2, 5), np.nan, np.float32)
        self.constant("most", [4], np.int64)
        self.add("NonMaxSuppression", ["boxes", "scores", "most"], {"none": np.zeros((0, 3), np.int64)})
        self.inputs["limit"] = np.array([-5], np.int64)
        self.inputs["ones"] = np.ones((1, 2, 5), np.float32)
        self.add("NonMaxSuppression", ["boxes", "ones", "limit"], {"negative": np.zeros((0, 3), np.int64)})
        self.check(opset=11)

    def test_unique(self):
        x = self.random.integers(-4, 5, 40).astype(np.float32)
        self.inputs["x"] = x
        values, first, inverse, sizes = np.unique(x, True, True, True)
        self.add("Unique", ["x"], {"values": values, "first": first, "inverse": inverse, "sizes": sizes})
        order = np.argsort(first)
        rank = np.argsort(order)
        self.add("Unique", ["x"], {"in_order": values[order], "firsts": first[order], "back": rank[inverse],
                                   "counts": sizes[order]}, sorted=0)
        rows = self.random.integers(0, 2, (12, 3)).astype(np.int64)
        self.inputs["rows"] = rows
        values, first, inverse, sizes = np.unique(rows, True, True, True, axis=0)
        self.add("Unique", ["rows"], {"row_values": values, "row_first": first, "row_inverse": inverse.reshape(-1),
                                      "row_sizes": sizes}, axis=0)
        self.check(opset=13)

    def test_what_follows(self):
        """Operators behind a filter see its rows alone."""
        x = self.value("x", (9, 4)).astype(np.float32)
        keep = np.array([1, 0, 1, 1, 0, 0, 1, 0, 1], bool)
        self.inputs["keep"] = keep
        rows = x[keep].astype(np.float64)
        node = helper.make_node
        self.constants.update(axis1=np.array([1], np.int64), axis0=np.array([0], np.int64), flat=np.array([-1], np.int64),
                              pairs=np.array([-1, 2], np.int64), two=np.array([2], np.int64), last=np.array(-1, np.int64),
                              start=np.array([1], np.int64), end=np.array([-1], np.int64), one=np.array(1, np.int64),
                              zero=np.array(0, np.int64), w=self.random.uniform(-1, 1, (4, 3)).astype(np.float32))
        self.nodes.append(node("Compress", ["x", "keep"], ["rows"], axis=0))
        self.expected["rows"] = rows
        self.add("Sigmoid", ["rows"], {"sigmoid": 1 / (1 + np.exp(-rows))})
        self.add("Transpose", ["rows"], {"columns": rows.T})
        self.add("ReduceMax", ["rows"], {"widest": rows.max(1)}, axes=[1], keepdims=0)
        self.add("ReduceSum", ["rows", "axis0"], {"total": rows.sum(0, keepdims=True)})
        self.add("ReduceMax", ["rows"], {"highest": rows.max(0)}, axes=[0], keepdims=0)
        self.add("ReduceMin", ["columns"], {"least": rows.T.min(1, keepdims=True)}, axes=[1])
        self.add("MatMul", ["rows", "w"], {"product": rows @ self.constants["w"]})
        self.add("Softmax", ["rows"], {"softmax": np.exp(rows) / np.exp(rows).sum(1, keepdims=True)}, axis=1)
        self.add("ArgMax", ["rows"], {"argmax": rows.argmax(1)}, axis=1, keepdims=0)
        self.add("Shape", ["rows"], {"shape": np.array(rows.shape, np.int64)})
        self.add("Size", ["rows"], {"size": np.array(rows.size, np.int64)})
        self.add("Reshape", ["rows", "flat"], {"flattened": rows.reshape(-1)})
        self.add("Reshape", ["flattened", "pairs"], {"paired": rows.reshape(-1, 2)})
        self.add("Unsqueeze", ["rows", "axis0"], {"wrapped": rows[None]})
        self.add("Squeeze", ["wrapped", "axis0"], {"unwrapped": rows})
        self.add("Concat", ["rows", "x", "rows"], {"joined": np.concatenate([rows, x, rows])}, axis=0)
        self.add("Concat", ["rows", "rows"], {"beside": np.concatenate([rows, rows], 1)}, axis=1)
        self.add("Slice", ["rows", "start", "end"], {"inner": rows[1:-1]})
        self.add("Slice", ["rows", "axis0", "two"], {"first_two": rows[:2]})
        self.add("Gather", ["rows", "last"], {"last_row": rows[-1]}, axis=0)
        self.add("Gather", ["rows", "one"], {"column": rows[:, 1]}, axis=1)
        self.add("CumSum", ["rows", "zero"], {"sums": rows.cumsum(0)})
        self.add("TopK", ["column", "two"], {"best": np.sort(rows[:, 1])[::-1][:2],
                                             "best_at": np.argsort(-rows[:, 1], kind="stable")[:2]})
        # A filter of what was filtered, and arithmetic of two outputs of one filter.
        self.nodes.append(node("Greater", ["column", "none"], ["positive"]))
        self.constants["none"] = np.array(0, np.float32)
        self.add("Compress", ["rows", "positive"], {"again": rows[rows[:, 1] > 0]}, axis=0)
        self.nodes.append(node("Compress", ["x", "keep"], ["twin"], axis=0))
        self.add("Add", ["rows", "twin"], {"twice": 2 * rows})
        # A mask of the size of the result.
        self.nodes.append(node("Shape", ["rows"], ["extents"]))
        self.add("ConstantOfShape", ["extents"], {"zeros": np.zeros(rows.shape)})
        self.nodes.append(node("Gather", ["extents", "zero"], ["count"], axis=0))
        self.add("Range", ["zero", "count", "one"], {"numbers": np.arange(len(rows))})
        self.nodes.append(node("Slice", ["x", "axis0", "axis1"], ["single"]))
        self.add("Expand", ["single", "extents"], {"expanded": np.broadcast_to(x[:1], rows.shape).astype(np.float64)})
        self.check(opset=13)

    def test_nothing_left(self):
        x = self.value("x", (5, 3))
        self.inputs["keep"] = np.zeros(5, bool)
        self.constants.update(flat=np.array([-1], np.int64), axis0=np.array([0], np.int64))
        self.nodes.append(helper.make_node("Compress", ["x", "keep"], ["rows"], axis=0))
        self.add("Neg", ["rows"], {"negative": x[:0]})
        self.add("Reshape", ["rows", "flat"], {"flat_rows": np.zeros(0)})
        self.add("Shape", ["rows"], {"shape": np.array([0, 3], np.int64)})
        self.add("ReduceSum", ["rows", "axis0"], {"total": np.zeros((1, 3))})
        self.check(opset=13)

    def refuse_model(self, nodes, outputs, says):
        port = helper.make_tensor_value_info
        graph = helper.make_graph(
            nodes, "g", [port("x", TensorProto.FLOAT, [4, 4]), port("keep", TensorProto.BOOL, [4]),
                         port("other", TensorProto.BOOL, [4])],
            [port(name, TensorProto.FLOAT, None) for name in outputs],
            initializer=[numpy_helper.from_array(np.array([2, 2], np.int64), "shape"),
                         numpy_helper.from_array(np.ones((1, 1, 1, 4), np.float32), "kernel")])
        path = self.folder / "refused.onnx"
        onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 13)]), path)
        self.refuse("vta-run", path, says=says)

    def test_refusals(self):
        node = helper.make_node
        rows = node("Compress", ["x", "keep"], ["rows"], axis=0)
        others = node("Compress", ["x", "other"], ["others"], axis=0)
        for name, nodes, says in [
                ("softmax", [node("Softmax", ["rows"], ["y"], axis=0, name="s")],
                 ["Softmax", "node 's'", "the number of entries along dimension 0 of input 0 depends on data"]),
                ("mean", [node("ReduceMean", ["rows"], ["y"], axes=[0])], ["ReduceMean", "depends on data"]),
                ("two counts", [others, node("Add", ["rows", "others"], ["y"])], ["Add", "may be another number"]),
                ("static", [node("Add", ["rows", "x"], ["y"])], ["Add", "but input 1 has 4 there"]),
                ("both axes", [node("Compress", ["rows", "keep"], ["y"], axis=1)], ["Compress", "two dimensions"]),
                ("product", [node("MatMul", ["x", "rows"], ["y"])], ["MatMul", "depends on data"])]:
            with self.subTest(name):
                self.refuse_model([rows, *nodes], ["y"], [*says, "onnx.utils.extract_model"])

    def detector(self, image, anchors):
        """Scores and boxes by a convolution, the best boxes of each class, and what belongs to them."""
        w = self.random.uniform(-1, 1, (anchors * 7, 3, 3, 3)).astype(np.float32)
        node = helper.make_node
        cells = image * image
        constants = {"w": w, "per_box": np.array([1, anchors * cells, 7], np.int64), "four": np.array([0, 4], np.int64)}
        constants |= {"most": np.array([20], np.int64), "iou": np.array([0.45], np.float32),
                      "least": np.array([0.95], np.float32), "first": np.array([0], np.int64)}
        constants |= {name: np.array([value], np.int64) for name, value in
                      [("two", 2), ("i4", 4), ("i7", 7), ("i0", 0)]}
        constants |= {"class": np.array(1, np.int64), "box": np.array(2, np.int64), "batch": np.array(0, np.int64)}
        nodes = [node("Conv", ["image", "w"], ["grid"], pads=[1, 1, 1, 1]),
                 node("Transpose", ["grid"], ["last"], perm=[0, 2, 3, 1]),
                 node("Reshape", ["last", "per_box"], ["rows"]),
                 node("Slice", ["rows", "i0", "i4", "two"], ["boxes"]),
                 node("Slice", ["rows", "i4", "i7", "two"], ["logits"]),
                 node("Sigmoid", ["logits"], ["scores"]),
                 node("Transpose", ["scores"], ["by_class"], perm=[0, 2, 1]),
                 node("NonMaxSuppression", ["boxes", "by_class", "most", "iou", "least"], ["selected"], center_point_box=1),
                 node("Gather", ["selected", "class"], ["classes"], axis=1),
                 node("Gather", ["selected", "box"], ["numbers"], axis=1),
                 node("Squeeze", ["boxes", "first"], ["flat_boxes"]),
                 node("Gather", ["flat_boxes", "numbers"], ["found_boxes"], axis=0),
                 node("Squeeze", ["by_class", "first"], ["flat_scores"]),
                 node("Unsqueeze", ["classes", "class_axis"], ["class_column"]),
                 node("Unsqueeze", ["numbers", "class_axis"], ["number_column"]),
                 node("Concat", ["class_column", "number_column"], ["places"], axis=1),
                 node("GatherND", ["flat_scores", "places"], ["found_scores"]),
                 node("Unsqueeze", ["found_scores", "class_axis"], ["score_column"]),
                 node("Cast", ["class_column"], ["class_numbers"], to=TensorProto.FLOAT),
                 node("Concat", ["found_boxes", "score_column", "class_numbers"], ["detections"], axis=1)]
        constants["class_axis"] = np.array([1], np.int64)
        port = helper.make_tensor_value_info
        graph = helper.make_graph(nodes, "g", [port("image", TensorProto.FLOAT, [1, 3, image, image])],
                                  [port("detections", TensorProto.FLOAT, ["n", 6]),
                                   port("boxes", TensorProto.FLOAT, None), port("by_class", TensorProto.FLOAT, None)],
                                  initializer=[numpy_helper.from_array(v, n) for n, v in constants.items()])
        path = self.folder / "detector.onnx"
        onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 13)]), path)
        return path

    def check_detections(self, folder):
        boxes, scores = np.load(folder / "boxes.npy"), np.load(folder / "by_class.npy")
        selected = suppress(boxes, scores, 20, np.float32(0.45), np.float32(0.95), True)
        wanted = np.concatenate([boxes[0, selected[:, 2]], scores[0, selected[:, 1], selected[:, 2]][:, None],
                                 selected[:, 1:2]], 1)
        found = np.load(folder / "detections.npy")
        self.assertEqual(found.shape, wanted.shape)
        np.testing.assert_array_equal(found, wanted.astype(np.float32))
        return len(found)

    def test_a_detector_on_every_path(self):
        model = self.detector(8, 3)
        image = self.random.uniform(-1, 1, (1, 3, 8, 8)).astype(np.float32)
        np.save(self.folder / "image.npy", image)
        arguments = [model, "--input", self.folder / "image.npy", "--output", self.folder / "out"]
        for options in (["--partition=cpu"], ["--verify"], ["--sim=cycle"]):
            with self.subTest(options):
                report = self.run_json(*arguments, *options)
                count = self.check_detections(self.folder / "out")
                self.assertIn(count, range(1, 60))
                shapes = {output["name"]: output["shape"] for output in report["outputs"]}
                self.assertEqual(shapes["detections"], [count, 6])
        text = self.succeed("vta-run", *arguments)
        self.assertIn(f"detections: {count}x6 float32", text)
        # As its own reference, and not as one with another number of boxes.
        reference = self.folder / "out/detections.npy"
        self.succeed("vta-run", *arguments, "--reference", reference)
        np.save(self.folder / "fewer.npy", np.load(reference)[1:])
        self.refuse("vta-run", *arguments, "--reference", self.folder / "fewer.npy", says=[f"the reference {count - 1}x6 float32"])

    def test_a_module_says_what_it_counts(self):
        module = self.folder / "detector.vta.so"
        self.succeed("vta-compile", self.detector(8, 3), "-o", module)
        self.assertIn("output 'detections': up to 60x6 float32", self.succeed("vta-objdump", module))
        np.save(self.folder / "image.npy", self.random.uniform(-1, 1, (1, 3, 8, 8)).astype(np.float32))
        self.succeed("vta-run", module, "--input", self.folder / "image.npy", "--output", self.folder / "out")
        self.check_detections(self.folder / "out")
        # Nothing is above the least score where all are about a half.
        np.save(self.folder / "image.npy", np.zeros((1, 3, 8, 8), np.float32))
        self.succeed("vta-run", module, "--input", self.folder / "image.npy", "--output", self.folder / "none")
        self.check_detections(self.folder / "none")


if __name__ == "__main__":
    unittest.main()
