"""Operators that a shared library of the user's defines: in every partition, calibrated, verified, as a module, refused."""

import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import BIN, ROOT, ToolCase, tool  # noqa: E402

LIBRARIES = BIN.parent / "tests/own_operators"
GOOD = LIBRARIES / "own_operators_good.so"
DOMAIN = "test.own"


def own(kind, inputs, outputs, name="", **attributes):
    return helper.make_node(kind, inputs, outputs, name=name or outputs[0], domain=DOMAIN, **attributes)


class OwnOperatorsTest(ToolCase):
    def save(self, nodes, inputs, outputs, constants=(), functions=(), name="model.onnx"):
        ports = [[helper.make_tensor_value_info(one, kind, shape) for one, kind, shape in side] for side in (inputs, outputs)]
        graph = helper.make_graph(nodes, "g", *ports, initializer=[numpy_helper.from_array(array, one) for one, array in constants])
        model = helper.make_model(graph, functions=functions, ir_version=8,
                                  opset_imports=[helper.make_opsetid("", 13), helper.make_opsetid(DOMAIN, 1)])
        onnx.save(model, self.folder / name)
        return self.folder / name

    def scale_model(self, factor=0.5, inputs=("c",)):
        """A convolution, an own operator, a convolution."""
        random = np.random.default_rng(5)
        weights = [random.normal(0, 0.2, (16, 16, 3, 3)).astype(np.float32) for _ in range(2)]
        nodes = [helper.make_node("Conv", ["x", "w0"], ["c"], name="first", pads=[1, 1, 1, 1]),
                 own("Scale", [*inputs], ["s"], "scale", factor=factor),
                 helper.make_node("Conv", ["s", "w1"], ["y"], name="second", pads=[1, 1, 1, 1])]
        constants = [("w0", weights[0]), ("w1", weights[1]), ("offset", np.array([0.25], np.float32))]
        shape = [1, 16, 8, 8]
        return self.save(nodes, [("x", TensorProto.FLOAT, shape)], [("y", TensorProto.FLOAT, shape)], constants)

    def run_model(self, model, data, *options):
        np.savez(self.folder / "inputs.npz", **data)
        report = self.run_json(model, "--input", self.folder / "inputs.npz", "--output", self.folder / "out", *options)
        return {path.stem: np.load(path) for path in (self.folder / "out").glob("*.npy")}, report

    def image(self):
        return np.random.default_rng(6).normal(0, 1, (1, 16, 8, 8)).astype(np.float32)

    def test_floats_are_those_of_the_same_network_of_onnx(self):
        model = self.scale_model(inputs=("c", "offset"))
        proto = onnx.load(model)
        factor = helper.make_node("Constant", [], ["f"], value=numpy_helper.from_array(np.array(0.5, np.float32)))
        proto.graph.node[1].CopyFrom(helper.make_node("Add", ["m", "offset"], ["s"], name="add"))
        proto.graph.node.insert(1, helper.make_node("Mul", ["c", "f"], ["m"], name="scale"))
        proto.graph.node.insert(1, factor)
        onnx.save(proto, self.folder / "plain.onnx")
        data = {"x": self.image()}
        plain, _ = self.run_model(self.folder / "plain.onnx", data, "--partition=cpu")
        found, report = self.run_model(model, data, "--partition=cpu", "--operators", GOOD)
        np.testing.assert_allclose(found["y"], plain["y"], rtol=1e-5, atol=1e-5)
        self.assertEqual({layer["where"] for layer in report["layers"]}, {"cpu"})

    def test_convolutions_around_it_are_on_the_accelerator(self):
        model = self.scale_model()
        data = {"x": self.image()}
        exact, _ = self.run_model(model, data, "--partition=cpu", "--operators", GOOD)
        for sim in ("functional:checked", "cycle"):
            found, report = self.run_model(model, data, f"--sim={sim}", "--verify", "--operators", GOOD,
                                           "--calibrate", self.folder / "inputs.npz")
            self.assertEqual(report["verified_layers"], 2)
            noise = np.abs(found["y"] - exact["y"]).max() / np.abs(exact["y"]).max()
            self.assertLess(noise, 0.05, sim)
        equal, _ = self.run_model(model, data, "--partition=cpu-quantized", "--operators", GOOD,
                                  "--calibrate", self.folder / "inputs.npz")
        np.testing.assert_array_equal(equal["y"], found["y"])

    def test_inputs_and_outputs_of_other_types_and_several_of_them(self):
        for kind, dtype in ((TensorProto.UINT8, np.uint8), (TensorProto.INT8, np.int8)):
            model = self.save([own("Rows", ["x", "count"], ["rows", "even"])], [("x", kind, [5])],
                              [("rows", TensorProto.INT64, [3, 5]), ("even", TensorProto.BOOL, [3])],
                              [("count", np.array([3], np.int64))])
            x = np.array([0, 1, 200, 255, 7]).astype(dtype)
            found, _ = self.run_model(model, {"x": x}, "--partition=cpu", "--operators", GOOD)
            np.testing.assert_array_equal(found["rows"], x.astype(np.int64) + np.arange(3)[:, None])
            np.testing.assert_array_equal(found["even"], [True, False, True])

    def test_in_loops_and_branches(self):
        body = helper.make_graph(
            [own("Scale", ["before"], ["after"], factor=2.0), helper.make_node("Identity", ["more"], ["go"])], "body",
            [helper.make_tensor_value_info("i", TensorProto.INT64, []), helper.make_tensor_value_info("more", TensorProto.BOOL, []),
             helper.make_tensor_value_info("before", TensorProto.FLOAT, [4])],
            [helper.make_tensor_value_info("go", TensorProto.BOOL, []), helper.make_tensor_value_info("after", TensorProto.FLOAT, [4])])
        model = self.save([helper.make_node("Loop", ["n", "true", "x"], ["y"], name="loop", body=body)],
                          [("x", TensorProto.FLOAT, [4]), ("n", TensorProto.INT64, [])], [("y", TensorProto.FLOAT, [4])],
                          [("true", np.array(True))])
        x = np.array([1, -2, 0.5, 3], np.float32)
        for rounds in (0, 1, 5):
            found, _ = self.run_model(model, {"x": x, "n": np.array(rounds)}, "--partition=cpu", "--operators", GOOD)
            np.testing.assert_array_equal(found["y"], x * 2**rounds)

    def test_a_library_comes_before_the_functions_of_the_model(self):
        function = helper.make_function(DOMAIN, "Scale", ["a"], ["b"], [helper.make_node("Neg", ["a"], ["b"])],
                                        [helper.make_opsetid("", 13)], ["factor"])
        model = self.save([own("Scale", ["x"], ["y"], factor=3.0)], [("x", TensorProto.FLOAT, [4])],
                          [("y", TensorProto.FLOAT, [4])], functions=[function])
        x = np.arange(4, dtype=np.float32)
        without, _ = self.run_model(model, {"x": x}, "--partition=cpu")
        found, _ = self.run_model(model, {"x": x}, "--partition=cpu", "--operators", GOOD)
        np.testing.assert_array_equal(without["y"], -x)
        np.testing.assert_array_equal(found["y"], 3 * x)

    def test_modules_need_the_library_again(self):
        model = self.scale_model()
        module = self.folder / "model.vta.so"
        self.succeed("vta-compile", model, "--operators", GOOD, "-o", module)
        self.refuse("vta-run", module, "--sim", says=["the module calls test.own.Scale", "--operators"])
        self.run_json(module, "--sim", "--operators", GOOD)
        other = LIBRARIES / "own_operators_other.so"
        self.run_json(module, "--sim", "--operators", other)  # any that has it

    def test_what_a_library_says_of_a_node_is_an_error(self):
        nodes = [own("Scale", ["x"], ["y"], "layer")]
        ports = [("x", TensorProto.FLOAT, [4])], [("y", TensorProto.FLOAT, [4])]
        model = self.save(nodes, *ports)
        self.refuse("vta-compile", model, "--operators", GOOD, says=["node 'layer'", "Scale of its library says: it has no attribute factor"])
        tensor = own("Scale", ["x"], ["y"], "layer", factor=1.0, table=numpy_helper.from_array(np.zeros(2, np.float32)))
        self.refuse("vta-compile", self.save([tensor], *ports), "--operators", GOOD, says=["attribute 'table' has the type TENSOR"])
        self.refuse("vta-compile", self.save([own("Scale", ["x"], ["y"], "layer", factor=1.0)], *ports),
                    says=["test.own.Scale", "--operators"])

    def test_a_run_that_the_library_ends_is_an_error_with_the_node(self):
        model = self.save([own("Scale", ["x"], ["y"], "layer", factor=-1.0)], [("x", TensorProto.FLOAT, [4])],
                          [("y", TensorProto.FLOAT, [4])])
        self.refuse("vta-run", model, "--partition=cpu", "--operators", GOOD, says=["node 'layer'", "its factor is below 0"])

    def test_wrong_libraries_are_errors_of_the_command_line(self):
        model = self.scale_model()
        for name, reason in (("old_version", "version 2"), ("no_entry", "vta_operators"), ("absent", "there is no file")):
            library = LIBRARIES / f"own_operators_{name}.so"
            for program in ("vta-run", "vta-compile"):
                result = tool(program, model, "--operators", library)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(reason, result.stderr)
                self.assertIn(str(library), result.stderr)

    def test_the_example_is_compiled_as_its_text_says(self):
        compiler = shutil.which("cc")
        if compiler is None:
            self.skipTest("no C compiler")
        library = self.folder / "soft_clip.so"
        source = ROOT / "examples/operators/soft_clip.c"
        subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC", "-I", ROOT / "module/operators/include",
                        source, "-o", library], check=True)
        node = helper.make_node("SoftClip", ["x"], ["y"], domain="com.example", limit=2.0)
        graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 3])])
        domains = [helper.make_opsetid("", 17), helper.make_opsetid("com.example", 1)]
        onnx.save(helper.make_model(graph, opset_imports=domains, ir_version=8), self.folder / "model.onnx")
        x = np.random.default_rng(1).normal(0, 4, (2, 3)).astype(np.float32)
        found, _ = self.run_model(self.folder / "model.onnx", {"x": x}, "--partition=cpu", "--operators", library)
        np.testing.assert_allclose(found["y"], x / (1 + np.abs(x) / 2), rtol=1e-6)

    def test_python_loads_what_it_compiles_with(self):
        python = BIN.parent / "python"
        if not list(python.glob("vta/_native.*")):
            self.skipTest("this build has no Python package")
        model = self.scale_model()
        script = ("import sys, numpy, vta\n"
                  "module = vta.compile(sys.argv[1], partition='cpu', operators=sys.argv[2], output=sys.argv[3])\n"
                  "print(module.run(numpy.zeros((1, 16, 8, 8), 'float32')).shape)\n"
                  "vta.load_operators(sys.argv[2])\n"
                  "try:\n    vta.load_operators(sys.argv[1])\n"
                  "except vta.Error as error:\n    print(error.status)\n")
        environment = {**os.environ, "PYTHONPATH": str(python), "VTA_COMPILE": str(BIN / "vta-compile")}
        result = subprocess.run([sys.executable, "-c", script, str(model), str(GOOD), str(self.folder / "m.so")], text=True,
                                capture_output=True, env=environment, timeout=300)
        self.assertEqual(result.stdout, "(1, 16, 8, 8)\ninvalid argument\n", result.stderr)


if __name__ == "__main__":
    unittest.main()
