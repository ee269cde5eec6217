"""Indices that are outside of what they select from: an error with node, index and legal range, and no other values."""

import sys
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import ToolCase  # noqa: E402

FLOAT, INT64, INT32, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.INT32, TensorProto.BOOL
TYPES = {np.float32: FLOAT, np.int64: INT64, np.int32: INT32, np.bool_: BOOL}


class IndicesTest(ToolCase):
    def save(self, nodes, inputs, name="model.onnx"):
        """A model with the inputs of these arrays and the output 'y'."""
        ports = [helper.make_tensor_value_info(n, TYPES[a.dtype.type], a.shape) for n, a in inputs.items()]
        output = helper.make_empty_tensor_value_info("y")
        output.type.tensor_type.elem_type = FLOAT
        graph = helper.make_graph(nodes, "g", ports, [output])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
        path = self.folder / name
        onnx.save(model, str(path))
        return path

    def inputs(self, values):
        arguments = []
        for name, value in values.items():
            np.save(self.folder / f"{name}.npy", value)
            arguments += ["--input", f"{name}={self.folder / name}.npy"]
        return arguments

    def check(self, model, good, expected, bad, says):
        """`good` inputs give `expected`; each of `bad` gives an error with the text behind it."""
        for options in ((), ("--partition=cpu",)):
            with self.subTest(options=options):
                out = self.folder / "out"
                self.succeed("vta-run", model, *self.inputs(good), "--output", out, *options)
                np.testing.assert_array_equal(np.load(out / "y.npy"), expected)
                for wrong, text in zip(bad, says):
                    self.refuse("vta-run", model, *self.inputs({**good, **wrong}), *options, says=(text,))

    def test_gather(self):
        x = np.arange(12, dtype=np.float32).reshape(3, 4)
        node = helper.make_node("Gather", ["x", "i"], ["y"], "pick", axis=1)
        good = {"x": x, "i": np.array([3, -4, 0], np.int64)}
        self.check(self.save([node], good), good, x[:, [3, 0, 0]],
                   [{"i": np.array([0, 4, 0])}, {"i": np.array([0, -5, 0])}, {"i": np.array([0, 0, 2**62])}],
                   ["node 'pick' (Gather): index 4 is outside of -4 to 3", "index -5 is outside of -4 to 3",
                    f"index {2**62} is outside of -4 to 3"])

    def test_gather_of_32_bits(self):
        x = np.arange(3, dtype=np.float32)
        node = helper.make_node("Gather", ["x", "i"], ["y"], "pick")
        good = {"x": x, "i": np.array(-1, np.int32)}
        self.check(self.save([node], good), good, x[2], [{"i": np.array(3, np.int32)}],
                   ["node 'pick' (Gather): index 3 is outside of -3 to 2"])

    def test_gather_elements(self):
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        node = helper.make_node("GatherElements", ["x", "i"], ["y"], "pick", axis=1)
        good = {"x": x, "i": np.array([[2, -3], [0, 1]], np.int64)}
        self.check(self.save([node], good), good, np.take_along_axis(x, good["i"], 1),
                   [{"i": np.array([[0, 0], [3, 0]])}], ["node 'pick' (GatherElements): index 3 is outside of -3 to 2"])

    def test_gather_nd(self):
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        node = helper.make_node("GatherND", ["x", "i"], ["y"], "pick")
        good = {"x": x, "i": np.array([[1, 2], [-2, -3]], np.int64)}
        self.check(self.save([node], good), good, x[[1, 0], [2, 0]],
                   [{"i": np.array([[2, 0], [0, 0]])}, {"i": np.array([[1, 0], [0, -4]])}],
                   ["node 'pick' (GatherND): index 2 is outside of -2 to 1", "index -4 is outside of -3 to 2"])

    def test_scatter_elements(self):
        x, u = np.zeros((2, 3), np.float32), np.array([[5], [6]], np.float32)
        node = helper.make_node("ScatterElements", ["x", "i", "u"], ["y"], "put", axis=1)
        good = {"x": x, "i": np.array([[2], [-3]], np.int64), "u": u}
        self.check(self.save([node], good), good, np.array([[0, 0, 5], [6, 0, 0]], np.float32),
                   [{"i": np.array([[2], [3]])}], ["node 'put' (ScatterElements): index 3 is outside of -3 to 2"])

    def test_scatter_nd(self):
        x, u = np.zeros((2, 3), np.float32), np.array([5, 6], np.float32)
        node = helper.make_node("ScatterND", ["x", "i", "u"], ["y"], "put")
        good = {"x": x, "i": np.array([[1, -1], [-2, 0]], np.int64), "u": u}
        self.check(self.save([node], good), good, np.array([[6, 0, 0], [0, 0, 5]], np.float32),
                   [{"i": np.array([[1, 3], [0, 0]])}], ["node 'put' (ScatterND): index 3 is outside of -3 to 2"])

    def test_each_node_has_its_own_name(self):
        x = np.arange(3, dtype=np.float32)
        nodes = [helper.make_node("Gather", ["x", i], [f"{i}_out"], f"pick {i}") for i in ("a", "b")]
        nodes.append(helper.make_node("Add", ["a_out", "b_out"], ["y"]))
        good = {"x": x, "a": np.array([0, 1]), "b": np.array([2, 2])}
        self.check(self.save(nodes, good), good, np.array([2, 3], np.float32),
                   [{"a": np.array([0, 7])}, {"b": np.array([8, 0])}],
                   ["node 'pick a' (Gather): index 7", "node 'pick b' (Gather): index 8"])

    def test_a_branch_that_is_not_taken_reports_nothing(self):
        x = np.arange(3, dtype=np.float32)

        def branch(name, node):
            return helper.make_graph([node], name, [], [helper.make_tensor_value_info(node.output[0], FLOAT, [2])])

        zeros = helper.make_tensor("z", FLOAT, [2], [0, 0])
        node = helper.make_node("If", ["c"], ["y"], "choose",
                                then_branch=branch("then", helper.make_node("Gather", ["x", "i"], ["t"], "pick")),
                                else_branch=branch("else", helper.make_node("Constant", [], ["e"], value=zeros)))
        good = {"x": x, "i": np.array([9, 9]), "c": np.array(False)}
        self.check(self.save([node], good), good, np.zeros(2, np.float32), [{"c": np.array(True)}],
                   ["node 'pick' (Gather): index 9 is outside of -3 to 2"])

    def test_in_a_loop(self):
        x = np.arange(4, dtype=np.float32)
        body = helper.make_graph(
            [helper.make_node("Gather", ["x", "n"], ["v"], "pick"), helper.make_node("Identity", ["c"], ["d"])], "body",
            [helper.make_tensor_value_info("n", INT64, []), helper.make_tensor_value_info("c", BOOL, [])],
            [helper.make_tensor_value_info("d", BOOL, []), helper.make_tensor_value_info("v", FLOAT, [])])
        nodes = [helper.make_node("Loop", ["m", ""], ["rows"], "walk", body=body),
                 helper.make_node("ReduceSum", ["rows"], ["y"], keepdims=0)]
        limit = helper.make_tensor("most", INT64, [], [8])
        nodes = [helper.make_node("Constant", [], ["most"], value=limit),
                 helper.make_node("Min", ["k", "most"], ["m"]), *nodes]
        good = {"x": x, "k": np.array(4, np.int64)}
        self.check(self.save(nodes, good), good, np.float32(6), [{"k": np.array(5, np.int64)}],
                   ["node 'pick' (Gather): index 4 is outside of -4 to 3"])

    def test_modules_report_them_too(self):
        x = np.arange(3, dtype=np.float32)
        good = {"x": x, "i": np.array([1, 2])}
        model = self.save([helper.make_node("Gather", ["x", "i"], ["y"], "pick")], good)
        module = self.folder / "m.vta.so"
        self.succeed("vta-compile", model, "-o", module)
        self.succeed("vta-run-module", module, *self.inputs(good))
        self.refuse("vta-run-module", module, *self.inputs({**good, "i": np.array([1, 3])}),
                    says=("layer 'pick': node 'pick' (Gather): index 3 is outside of -3 to 2",))

    def test_random_inputs_are_within(self):
        x = np.arange(3, dtype=np.float32)
        nodes = [helper.make_node("Cast", ["i"], ["j"], to=INT64), helper.make_node("Gather", ["x", "j"], ["y"], "pick")]
        model = self.save(nodes, {"x": x, "i": np.zeros(50, np.int32)})
        self.succeed("vta-run", model)
        module = self.folder / "m.vta.so"
        self.succeed("vta-compile", model, "-o", module)
        self.succeed("vta-run-module", module)


if __name__ == "__main__":
    unittest.main()
