"""Operators of ai.onnx.ml, as scikit-learn, XGBoost and LightGBM are exported: each by its definition, in NumPy."""

import sys
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import ToolCase, tool  # noqa: E402

FEATURES = 5
COMPARE = {"BRANCH_LEQ": np.less_equal, "BRANCH_LT": np.less, "BRANCH_GTE": np.greater_equal, "BRANCH_GT": np.greater,
           "BRANCH_EQ": np.equal, "BRANCH_NEQ": np.not_equal}


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def softmax_zero(x):
    e = np.where(x == 0, 0, np.exp(x - x.max(1, keepdims=True)))
    return e / e.sum(1, keepdims=True)


def logistic(x):
    return 1 / (1 + np.exp(-x))


TRANSFORMS = {"NONE": lambda x: x, "SOFTMAX": softmax, "SOFTMAX_ZERO": softmax_zero, "LOGISTIC": logistic}


def random_tree(random, depth, modes, targets, low=-1):
    """A node is (mode, feature, value, missing is true, yes, no), a leaf a list of (target, weight)."""
    if depth == 0 or random.rand() < 0.15:
        return [(t, float(np.float32(random.uniform(low, 1)))) for t in random.choice(targets, random.randint(1, 3))]
    value = float(random.randint(-2, 3)) / 2
    return (str(random.choice(modes)), int(random.randint(FEATURES)), value, int(random.randint(2)),
            random_tree(random, depth - 1, modes, targets, low), random_tree(random, depth - 1, modes, targets, low))


def leaf_of(tree, row):
    while isinstance(tree, tuple):
        mode, feature, value, missing, yes, no = tree
        x = row[feature]
        tree = yes if COMPARE[mode](x, value) or (missing and np.isnan(x)) else no
    return tree


def scores_of(trees, rows, targets, aggregate="SUM"):
    y = np.zeros((len(rows), targets))
    for r, row in enumerate(rows):
        given = [[] for _ in range(targets)]
        for tree in trees:
            of_tree = {}
            for target, weight in leaf_of(tree, row):
                of_tree[target] = of_tree.get(target, 0) + weight
            for target, weight in of_tree.items():
                given[target].append(weight)
        for target, weights in enumerate(given):
            if aggregate in ("SUM", "AVERAGE"):
                y[r, target] = sum(weights) / (len(trees) if aggregate == "AVERAGE" else 1)
            elif weights:
                y[r, target] = (min if aggregate == "MIN" else max)(weights)
    return y


def listed(trees, prefix):
    """The attributes that list nodes and leaves. Numbers of nodes are those of a walk, times two and in each tree anew."""
    nodes = {key: [] for key in ("treeids", "nodeids", "featureids", "values", "modes", "truenodeids", "falsenodeids",
                                 "missing_value_tracks_true")}
    leaves = {key: [] for key in ("treeids", "nodeids", "ids", "weights")}

    def add(tree, number, counter):
        at = counter[0]
        counter[0] += 2
        place = len(nodes["nodeids"])
        is_leaf = not isinstance(tree, tuple)
        mode, feature, value, missing = ("LEAF", 0, 0.0, 0) if is_leaf else tree[:4]
        for key, entry in zip(nodes, (number, at, feature, value, mode, 0, 0, missing)):
            nodes[key].append(entry)
        if is_leaf:
            for target, weight in tree:
                for key, entry in zip(leaves, (number, at, int(target), weight)):
                    leaves[key].append(entry)
        else:
            nodes["truenodeids"][place] = add(tree[4], number, counter)
            nodes["falsenodeids"][place] = add(tree[5], number, counter)
        return at

    for number, tree in enumerate(trees):
        add(tree, 3 * number, [0])
    return {f"nodes_{key}": value for key, value in nodes.items()} | {f"{prefix}_{k}": v for k, v in leaves.items()}


def new_attributes(trees):
    """The same for TreeEnsemble."""
    nodes = {key: [] for key in ("featureids", "splits", "modes", "truenodeids", "trueleafs", "falsenodeids", "falseleafs",
                                 "missing_value_tracks_true")}
    targets, weights, roots = [], [], []

    def add(tree):
        if not isinstance(tree, tuple):
            targets.append(int(tree[0][0]))
            weights.append(tree[0][1])
            return len(weights) - 1, 1
        place = len(nodes["modes"])
        for key, entry in zip(nodes, (tree[1], tree[2], list(COMPARE).index(tree[0]), 0, 0, 0, 0, tree[3])):
            nodes[key].append(entry)
        for side, branch in (("true", tree[4]), ("false", tree[5])):
            nodes[f"{side}nodeids"][place], nodes[f"{side}leafs"][place] = add(branch)
        return place, 0

    for tree in trees:
        roots.append(add(tree)[0])
    tensor = lambda values, dtype: numpy_helper.from_array(np.array(values, dtype))
    attributes = {f"nodes_{key}": value for key, value in nodes.items()}
    attributes |= {"nodes_splits": tensor(nodes["splits"], np.float32), "nodes_modes": tensor(nodes["modes"], np.uint8),
                   "leaf_weights": tensor(weights, np.float32), "leaf_targetids": targets, "tree_roots": roots}
    return attributes


class MachineLearningOperatorsTest(ToolCase):
    def setUp(self):
        super().setUp()
        self.random = np.random.RandomState(4)
        self.rows = (self.random.randint(-4, 5, (40, FEATURES)) / 2).astype(np.float32)

    def run_node(self, kind, outputs, x=None, inputs=(), expect_failure=None, **attributes):
        """The outputs (name, type) of one node."""
        x = self.rows if x is None else x
        port = helper.make_tensor_value_info
        kinds = {np.float32: TensorProto.FLOAT, np.float64: TensorProto.DOUBLE, np.int64: TensorProto.INT64}
        node = helper.make_node(kind, ["x", *(n for n, _ in inputs)], [n for n, _ in outputs], domain="ai.onnx.ml", **attributes)
        graph = helper.make_graph([node], "g", [port("x", kinds[x.dtype.type], x.shape)], [port(n, t, None) for n, t in outputs],
                                  initializer=[numpy_helper.from_array(v, n) for n, v in inputs])
        path = self.folder / "model.onnx"
        onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 15),
                                                                        helper.make_opsetid("ai.onnx.ml", 3)]), path)
        np.save(self.folder / "x.npy", x)
        if expect_failure:
            return self.refuse("vta-run", path, "--partition=cpu", says=[expect_failure])
        self.run_json(path, "--partition=cpu", "--input", self.folder / "x.npy", "--output", self.folder / "out")
        return [np.load(self.folder / "out" / f"{name}.npy") for name, _ in outputs]

    def trees(self, count, targets, modes=("BRANCH_LEQ",), depth=4, low=-1):
        return [random_tree(self.random, depth, modes, targets, low) for _ in range(count)]

    def close(self, found, wanted):
        self.assertEqual(found.shape, wanted.shape)
        np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=2e-5)

    def test_regressors(self):
        cases = [("SUM", "NONE", ("BRANCH_LEQ",), np.float32), ("AVERAGE", "LOGISTIC", ("BRANCH_LT",), np.float32),
                 ("MIN", "SOFTMAX", tuple(COMPARE), np.float64), ("MAX", "SOFTMAX_ZERO", tuple(COMPARE), np.int64)]
        for aggregate, transform, modes, dtype in cases:
            with self.subTest(aggregate):
                trees = self.trees(7, 3, modes)
                rows = self.rows.astype(dtype)
                if dtype != np.int64:
                    rows[3, 1] = rows[9] = np.nan
                wanted = scores_of(trees, rows, 3, aggregate) + [0.5, 0, -0.25]
                y, = self.run_node("TreeEnsembleRegressor", [("y", TensorProto.FLOAT)], rows, n_targets=3,
                                   aggregate_function=aggregate, post_transform=transform,
                                   base_values=[0.5, 0.0, -0.25], **listed(trees, "target"))
                self.close(y, TRANSFORMS[transform](wanted))

    def test_a_forest_of_leaves(self):
        trees = [[(0, 0.5)], [(0, 0.25)]]
        y, = self.run_node("TreeEnsembleRegressor", [("y", TensorProto.FLOAT)], n_targets=1, **listed(trees, "target"))
        self.close(y, np.full((40, 1), 0.75))

    def test_new_ensembles(self):
        trees = [tree if isinstance(tree, tuple) else ("BRANCH_LEQ", 0, 0.0, 0, tree, tree)
                 for tree in self.trees(6, 2, tuple(COMPARE))]
        first = lambda tree: (*tree[:4], *map(first, tree[4:])) if isinstance(tree, tuple) else tree[:1]
        trees = [first(tree) for tree in trees]
        self.rows[5] = np.nan
        y, = self.run_node("TreeEnsemble", [("y", TensorProto.FLOAT)], n_targets=2, aggregate_function=1, post_transform=2,
                           **new_attributes(trees))
        self.close(y, logistic(scores_of(trees, self.rows, 2)))

    def test_classifiers_of_several_classes(self):
        outputs = [("label", TensorProto.INT64), ("y", TensorProto.FLOAT)]
        labels = [4, 7, -1]
        trees = self.trees(9, 3)
        scores = scores_of(trees, self.rows, 3)
        label, y = self.run_node("TreeEnsembleClassifier", outputs, classlabels_int64s=labels, post_transform="SOFTMAX",
                                 **listed(trees, "class"))
        np.testing.assert_array_equal(label, np.array(labels)[scores.argmax(1)])
        self.close(y, softmax(scores))

    def test_classifiers_of_two_classes(self):
        outputs = [("label", TensorProto.INT64), ("y", TensorProto.FLOAT)]
        # Votes of one sign are shares of the second class; others say how far it is ahead.
        for low, transform, cut in ((0, "NONE", 0.5), (-1, "LOGISTIC", 0), (-1, "NONE", 0)):
            with self.subTest(low=low, transform=transform):
                trees = self.trees(5, 1, low=low)
                share = scores_of(trees, self.rows, 1) + 0.125
                attributes = listed(trees, "class")
                attributes["class_ids"] = [1] * len(attributes["class_ids"])
                label, y = self.run_node("TreeEnsembleClassifier", outputs, classlabels_int64s=[3, 8], base_values=[0.125],
                                         post_transform=transform, **attributes)
                np.testing.assert_array_equal(label, np.where(share[:, 0] > cut, 8, 3))
                both = np.concatenate([1 - share, share] if low == 0 else [-share, share], 1)
                self.close(y, TRANSFORMS[transform](both))

    def test_linear_models(self):
        weights, bias = self.random.randn(3, FEATURES).astype(np.float32), self.random.randn(3).astype(np.float32)
        scores = self.rows @ weights.T + bias
        both = {"coefficients": weights.ravel().tolist(), "intercepts": bias.tolist()}
        y, = self.run_node("LinearRegressor", [("y", TensorProto.FLOAT)], targets=3, **both)
        self.close(y, scores)
        outputs = [("label", TensorProto.INT64), ("y", TensorProto.FLOAT)]
        label, y = self.run_node("LinearClassifier", outputs, classlabels_ints=[5, 6, 9], post_transform="SOFTMAX", **both)
        np.testing.assert_array_equal(label, np.array([5, 6, 9])[scores.argmax(1)])
        self.close(y, softmax(scores))
        label, y = self.run_node("LinearClassifier", outputs, classlabels_ints=[0, 1], post_transform="LOGISTIC",
                                 coefficients=weights[0].tolist(), intercepts=bias[:1].tolist())
        np.testing.assert_array_equal(label, scores[:, 0] > 0)
        self.close(y, logistic(np.stack([-scores[:, 0], scores[:, 0]], 1)))

    def test_preparations(self):
        output = [("y", TensorProto.FLOAT)]
        offset, scale = [0.5, 1, 2, 3, 4], [2, 1, 0.5, 3, 1.5]
        y, = self.run_node("Scaler", output, offset=offset, scale=scale)
        self.close(y, (self.rows - offset) * scale)
        self.rows[2] = 0
        sizes = {"MAX": self.rows.max(1), "L1": np.abs(self.rows).sum(1), "L2": np.sqrt((self.rows**2).sum(1))}
        for norm, size in sizes.items():
            y, = self.run_node("Normalizer", output, norm=norm)
            self.close(y, self.rows / np.where(size == 0, 1, size)[:, None])
        y, = self.run_node("Binarizer", output, threshold=0.5)
        self.close(y, (self.rows > 0.5).astype(np.float32))
        y, = self.run_node("ArrayFeatureExtractor", output, inputs=[("columns", np.array([4, 0, 4]))])
        self.close(y, self.rows[:, [4, 0, 4]])

    def test_scores_stand_for_maps_of_them(self):
        sequence = onnx.ValueInfoProto(name="map")
        sequence.type.sequence_type.elem_type.map_type.key_type = TensorProto.INT64
        sequence.type.sequence_type.elem_type.map_type.value_type.tensor_type.elem_type = TensorProto.FLOAT
        graph = helper.make_graph([helper.make_node("ZipMap", ["x"], ["map"], domain="ai.onnx.ml", classlabels_int64s=[0, 1])],
                                  "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3, 2])], [sequence])
        path = self.folder / "model.onnx"
        onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 15),
                                                                        helper.make_opsetid("ai.onnx.ml", 1)]), path)
        x = self.random.rand(3, 2).astype(np.float32)
        np.save(self.folder / "x.npy", x)
        run = tool("vta-run", path, "--partition=cpu", "--input", self.folder / "x.npy", "--output", self.folder / "out")
        np.testing.assert_array_equal(np.load(self.folder / "out/map.npy"), x)
        self.assertIn("scores of all classes", run.stderr)

    def test_errors_name_what_is_wrong(self):
        good = listed([("BRANCH_LEQ", 1, 0.0, 0, [(0, 1.0)], [(0, 2.0)])], "target")
        cases = [({"nodes_featureids": [9, 0, 0]}, "a node asks for feature 9 of 5"),
                 ({"nodes_truenodeids": [8, 0, 0]}, "tree 0 has no node 8"),
                 ({"nodes_truenodeids": [0, 0, 0]}, "no way leads to node 0"),
                 ({"nodes_falsenodeids": [2, 0, 0]}, "tree 0 has two roots"),
                 ({"nodes_modes": ["BRANCH_LEQ", "LEAF"]}, "'nodes_modes' has 2 elements, expected 3"),
                 ({"nodes_modes": ["BRANCH", "LEAF", "LEAF"]}, "mode 'BRANCH' of a node is unknown"),
                 ({"nodes_nodeids": [0, 2, 2]}, "tree 0 has two nodes 2"),
                 ({"target_ids": [0, 3]}, "a leaf gives to result 3 of 1"),
                 ({"target_nodeids": [2, 5]}, "tree 0 has no node 5"),
                 ({"n_targets": 0}, "0 results are out of range"),
                 ({"aggregate_function": "MEDIAN"}, "aggregate_function 'MEDIAN' is unknown"),
                 ({"post_transform": "PROBIT"}, "PROBIT is not supported"),
                 ({"base_values": [1.0, 2.0, 3.0]}, "'base_values' has 3 elements for 1 results")]
        for change, says in cases:
            with self.subTest(says):
                self.run_node("TreeEnsembleRegressor", [("y", TensorProto.FLOAT)], expect_failure=says,
                              **(good | {"n_targets": 1} | change))
        circle = listed([("BRANCH_LEQ", 1, 0.0, 0, ("BRANCH_LEQ", 1, 0.0, 0, [(0, 1.0)], [(0, 1.0)]), [(0, 2.0)])], "target")
        circle["nodes_truenodeids"][1] = circle["nodes_nodeids"][1]
        self.run_node("TreeEnsembleRegressor", [("y", TensorProto.FLOAT)], expect_failure="tree 0 has two roots", **circle)
        self.run_node("TreeEnsembleClassifier", [("label", TensorProto.INT64), ("y", TensorProto.FLOAT)],
                      expect_failure="its labels are texts", classlabels_strings=["a", "b"],
                      **listed([[(0, 1.0)]], "class"))
        self.run_node("LinearRegressor", [("y", TensorProto.FLOAT)], expect_failure="has 2 elements for 1 results of 5 features",
                      coefficients=[1.0, 2.0])
        self.run_node("Scaler", [("y", TensorProto.FLOAT)], expect_failure="'scale' has 2 elements for 5 features",
                      scale=[1.0, 2.0])
        self.run_node("SVMRegressor", [("y", TensorProto.FLOAT)], expect_failure="ai.onnx.ml.SVMRegressor")


if __name__ == "__main__":
    unittest.main()
