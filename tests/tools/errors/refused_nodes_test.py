"""vta-compile --list-refused: which nodes of a model cannot be compiled, and why."""

import json
import sys
import unittest
from pathlib import Path

import onnx

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import DIGITS, TensorProto, ToolCase, helper  # noqa: E402


class RefusedNodesTest(ToolCase):
    def refused(self, model):
        return {node["index"]: (node["operator"], node["reason"])
                for node in json.loads(self.succeed("vta-compile", model, "--list-refused"))}

    def test_a_model_that_can_be_compiled_has_none(self):
        self.assertEqual(self.refused(DIGITS / "digits.onnx"), {})

    def test_nodes_behind_a_refused_one_are_looked_at_by_themselves(self):
        nodes = [helper.make_node("Relu", ["x"], ["a"]), helper.make_node("Bernoulli", ["a"], ["b"], name="dice"),
                 helper.make_node("Add", ["a", "b"], ["y"]), helper.make_node("Nothing", ["y"], ["z"], domain="own")]
        path = self.model(nodes, [("x", [2, 3])], [("y", [2, 3]), ("z", [1])], opset=15, domains=["own"])
        proto = onnx.load(str(path))
        proto.graph.value_info.append(helper.make_tensor_value_info("b", TensorProto.FLOAT, [2, 3]))
        onnx.save(proto, str(path))
        found = self.refused(path)
        self.assertEqual(sorted(found), [1, 3])
        self.assertEqual(found[1], ("Bernoulli", "the operator is not supported in opset 15"))
        self.assertEqual(found[3][0], "own.Nothing")

    def test_results_without_a_fixed_shape_are_not_read(self):
        nodes = [helper.make_node("Relu", ["x"], ["a"]), helper.make_node("Bernoulli", ["c"], ["b"]),
                 helper.make_node("Abs", ["b"], ["y"])]
        path = self.model(nodes, [("x", ["n", 3]), ("c", [2])], [("a", ["n", 3]), ("y", [2])], opset=15)
        found = self.refused(path)
        self.assertEqual(sorted(found), [0, 1, 2])
        self.assertEqual(found[0], ("Relu", "it reads 'x', whose type or shape is not fixed"))
        self.assertEqual(found[2], ("Abs", "it reads 'b', whose type or shape is not fixed"))

    def test_a_use_that_is_not_supported_has_its_own_reason(self):
        node = helper.make_node("Conv", ["x", "w"], ["y"], kernel_shape=[3, 3])
        path = self.model([node], [("x", [1, 3, 8, 8]), ("w", [4, 2, 3, 3])], [("y", [1, 4, 6, 6])])
        self.assertEqual(self.refused(path)[0][0], "Conv")

    def test_the_list_may_go_to_a_file(self):
        output = self.folder / "refused.json"
        self.succeed("vta-compile", DIGITS / "digits.onnx", "--list-refused", "-o", output)
        self.assertEqual(json.loads(output.read_text()), [])

    def test_broken_models_are_errors(self):
        self.refuse("vta-compile", self.write("broken.onnx", "nonsense"), "--list-refused", says=["broken.onnx"])
        self.refuse("vta-compile", DIGITS / "digits.onnx", "--list-refused", "--outline", self.folder / "o", code=2,
                    says=["--list-refused"])


if __name__ == "__main__":
    unittest.main()
