"""Tile kernels of the user's in ONNX models: from a function in Python to layers on every simulator."""

import os
import shutil
import sys
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import BIN, HW, ToolCase, tool  # noqa: E402

PYTHON = BIN.parent / "python"
if not list(PYTHON.glob("vta/_tile.*")):
    print("skipped: this build has no vta.tile")
    sys.exit(0)
sys.path.insert(0, str(PYTHON))

import vta.tile as vt  # noqa: E402

DOMAIN = "vta.kernels"
DEVICES = ["functional:checked", "cycle"] + (["rtl"] if shutil.which("verilator") else [])


@vt.kernel(x=vt.inp["M", "K"], w=vt.wgt["N", "K"], bias=vt.acc["N"], y=vt.out["M", "N"])
def product(x, w, bias, y, M, N, K, shift=6):
    for m, n in vt.grid((M, 1), (N, 1), threads=2):
        acc = vt.zeros(1, 1)
        for k in vt.range(K, stages=2):
            acc += vt.dot(vt.load(x[m:m + 1, k:k + 1]), vt.load(w[n:n + 1, k:k + 1]))
        vt.store(y[m:m + 1, n:n + 1], vt.clip((acc + vt.load(bias[n:n + 1])[None]) >> shift, -128, 127))


@vt.kernel(x=vt.acc8["N", "C", "H", "W"], y=vt.out["N", "C", "H", "W"])
def bend(x, y, N, C, H, W):
    """Above 64, a quarter of the slope."""
    for c in vt.range(C, stages=2):
        tile = vt.load(x[0:1, c:c + 1])
        vt.store(y[0:1, c:c + 1], vt.minimum(tile, 64) + ((vt.maximum(tile, 64) + -64) >> 2))


@vt.kernel(a=vt.acc["N"], b=vt.acc["N"], most=vt.out["N"], least=vt.out["N"])
def order(a, b, most, least, N):
    x, y = vt.load(a), vt.load(b)
    vt.store(most, vt.maximum(x, y))
    vt.store(least, vt.minimum(x, y))


def node(kind, inputs, outputs, name="", **attributes):
    return helper.make_node(kind, inputs, outputs, name=name or outputs[0], **attributes)


def number(name, value, dtype=np.float32):
    return helper.make_node("Constant", [], [name], value=numpy_helper.from_array(np.array(value, dtype), name))


def function(name, inputs, outputs, nodes):
    return helper.make_function(DOMAIN, name, inputs, outputs, nodes, [helper.make_opsetid("", 13)])


def product_function(shift=6):
    return function("product", ["x", "w", "bias"], ["y"], [
        node("Transpose", ["w"], ["t"], perm=[1, 0]), node("MatMulInteger", ["x", "t"], ["p"]), node("Add", ["p", "bias"], ["s"]),
        node("Cast", ["s"], ["f"], to=TensorProto.FLOAT), number("scale", 2.0**-shift), node("Mul", ["f", "scale"], ["q"]),
        node("Floor", ["q"], ["r"]), number("low", -128), number("high", 127), node("Clip", ["r", "low", "high"], ["c"]),
        node("Cast", ["c"], ["y"], to=TensorProto.INT8)])


def bend_function():
    return function("bend", ["x"], ["y"], [
        node("Cast", ["x"], ["f"], to=TensorProto.FLOAT), number("most", 64), node("Min", ["f", "most"], ["low"]),
        node("Sub", ["f", "low"], ["above"]), number("slope", 0.25), node("Mul", ["above", "slope"], ["part"]),
        node("Floor", ["part"], ["whole"]), node("Add", ["low", "whole"], ["sum"]), node("Cast", ["sum"], ["y"], to=TensorProto.INT8)])


def order_function():
    """What a kernel stores of an array with one axis has a row for each image of a batch."""
    nodes = [number("axis", [0], np.int64)]
    for kind, name in (("Max", "most"), ("Min", "least")):
        nodes += [node(kind, ["a", "b"], [kind]), node("Cast", [kind], [f"{name}8"], to=TensorProto.INT8),
                  node("Unsqueeze", [f"{name}8", "axis"], [name])]
    return function("order", ["a", "b"], ["most", "least"], nodes)


class OwnKernelsTest(ToolCase):
    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(3)

    def integers(self, shape, low=-128, high=128, dtype=np.int8):
        return self.random.integers(low, high, shape, dtype=np.int64).astype(dtype)

    def save(self, nodes, inputs, outputs, functions, constants=(), name="model.onnx"):
        ports = [[helper.make_tensor_value_info(one, kind, shape) for one, kind, shape in side] for side in (inputs, outputs)]
        graph = helper.make_graph(nodes, "g", *ports, initializer=[numpy_helper.from_array(array, one) for one, array in constants])
        model = helper.make_model(graph, functions=functions, ir_version=8,
                                  opset_imports=[helper.make_opsetid("", 13), helper.make_opsetid(DOMAIN, 1)])
        onnx.save(model, self.folder / name)
        return self.folder / name

    def kernels(self, *compiled):
        path = self.folder / f"kernels{len(list(self.folder.iterdir()))}.yaml"
        vt.save(path, *compiled)
        return path

    def outputs(self, model, inputs, *options):
        np.savez(self.folder / "inputs.npz", **inputs)
        report = self.run_json(model, "--input", self.folder / "inputs.npz", "--output", self.folder / "out", *options)
        return {path.stem: np.load(path) for path in (self.folder / "out").glob("*.npy")}, report

    def product_model(self, m, n, k, constant=True):
        """x [m, k] times w [n, k]; the model, its inputs, the expected output and arrays for the kernel."""
        x, w = self.integers((m, k)), self.integers((n, k))
        bias = self.integers(n, -1000, 1000, np.int32)
        inputs = [("x", TensorProto.INT8, [m, k])]
        constants = [("w", w), ("bias", bias)]
        data = {"x": x}
        if not constant:
            inputs += [("w", TensorProto.INT8, [n, k]), ("bias", TensorProto.INT32, [n])]
            data |= dict(constants)
            constants = []
        model = self.save([node("product", ["x", "w", "bias"], ["y"], domain=DOMAIN)], inputs,
                          [("y", TensorProto.INT8, [m, n])], [product_function()], constants)
        expected = np.clip((x.astype(np.int64) @ w.T.astype(np.int64) + bias) >> 6, -128, 127).astype(np.int8)
        return model, data, expected, (x, w, bias)

    def test_products_have_the_bits_of_their_function_on_every_device(self):
        for m, constant in ((1, True), (3, True), (3, False)):
            model, data, expected, arrays = self.product_model(m, 48, 32, constant)
            kernels = self.kernels(product.compile(*arrays))
            for device in DEVICES:
                with self.subTest(m=m, constant=constant, device=device):
                    found, report = self.outputs(model, data, "--kernels", kernels, f"--sim={device}", "--verify")
                    np.testing.assert_array_equal(found["y"], expected)
                    self.assertEqual(report["verified_layers"], 1)
                    layer, = (one for one in report["layers"] if one["where"] == "vta")
                    self.assertEqual((layer["name"], layer["op"]), ("y", "product"))
            found, _ = self.outputs(model, data, "--partition=cpu")
            np.testing.assert_array_equal(found["y"], expected)

    def test_other_hardware(self):
        for hw in ("small-1x8x8", "batched-4x16x16", "vta-0.0.2", "zynq-7020"):
            batch = vt.hardware(hw).batch
            with self.subTest(hw):
                for constant in (True, False):
                    model, data, expected, arrays = self.product_model(2 * batch, 32, 64, constant)
                    kernels = self.kernels(product.compile(*arrays, hw=hw))
                    found, report = self.outputs(model, data, "--kernels", kernels, "--hw", HW / f"{hw}.yaml", "--verify")
                    np.testing.assert_array_equal(found["y"], expected)
                    self.assertEqual(report["verified_layers"], 1)

    def bent_network(self):
        """A quantised network: convolution, bend, convolution."""
        scale, zero = np.float32(0.05), np.int8(0)
        constants = [("scale", scale), ("zero", zero)]
        nodes = [node("QuantizeLinear", ["x", "scale", "zero"], ["xq"]), node("DequantizeLinear", ["xq", "scale", "zero"], ["xf"])]
        last = "xf"
        for i in range(2):
            constants += [(f"w{i}", self.integers((32, 32, 3, 3), -20, 20)), (f"ws{i}", np.float32(0.004))]
            nodes += [node("DequantizeLinear", [f"w{i}", f"ws{i}", "zero"], [f"wf{i}"]),
                      node("Conv", [last, f"wf{i}"], [f"c{i}"], pads=[1, 1, 1, 1]),
                      node("QuantizeLinear", [f"c{i}", "scale", "zero"], [f"cq{i}"])]
            if i == 0:
                nodes.append(node("bend", ["cq0"], ["bq"], domain=DOMAIN))
            nodes.append(node("DequantizeLinear", ["bq" if i == 0 else "cq1", "scale", "zero"], [f"cf{i}"]))
            last = f"cf{i}"
        shape = [1, 32, 6, 7]
        return self.save(nodes, [("x", TensorProto.FLOAT, shape)], [(last, TensorProto.FLOAT, shape)], [bend_function()], constants)

    def test_kernels_between_convolutions_stay_on_the_accelerator(self):
        model = self.bent_network()
        kernels = self.kernels(bend.compile(self.integers((1, 32, 6, 7))))
        data = {"x": self.random.uniform(-6, 6, (1, 32, 6, 7)).astype(np.float32)}
        found, report = self.outputs(model, data, "--kernels", kernels, "--verify")
        self.assertEqual(report["verified_layers"], 3)
        places = [(layer["where"], layer["op"]) for layer in report["layers"]]
        self.assertEqual(places[-4:-1], [("vta", "Conv"), ("vta", "bend"), ("vta", "Conv")])
        fallback, _ = self.outputs(model, data)
        reference, _ = self.outputs(model, data, "--partition=cpu-quantized", "--kernels", kernels)
        np.testing.assert_array_equal(found["cf1"], fallback["cf1"])
        np.testing.assert_array_equal(found["cf1"], reference["cf1"])
        # As a module, and on the RTL.
        module = self.folder / "bent.vta.so"
        self.succeed("vta-compile", model, "--kernels", kernels, "--verify-programs", "-o", module)
        for device in DEVICES:
            again, report = self.outputs(module, data, f"--sim={device}", "--verify")
            np.testing.assert_array_equal(again["cf1"], found["cf1"])
            self.assertEqual(report["verified_layers"], 3)

    def test_kernels_with_several_outputs(self):
        a, b = (self.integers(32, -100, 100, np.int32) for _ in range(2))
        model = self.save([node("order", ["a", "b"], ["most", "least"], domain=DOMAIN)],
                          [("a", TensorProto.INT32, [32]), ("b", TensorProto.INT32, [32])],
                          [("most", TensorProto.INT8, [1, 32]), ("least", TensorProto.INT8, [1, 32])], [order_function()])
        found, report = self.outputs(model, {"a": a, "b": b}, "--kernels", self.kernels(order.compile(a, b)), "--verify")
        self.assertEqual(report["verified_layers"], 1)
        np.testing.assert_array_equal(found["most"][0], np.maximum(a, b))
        np.testing.assert_array_equal(found["least"][0], np.minimum(a, b))

    def test_the_first_kernel_that_fits_is_taken(self):
        model, data, expected, (x, w, bias) = self.product_model(2, 16, 32)
        other = self.kernels(product.compile(x[:1], w, bias))
        fitting = self.kernels(product.compile(x, w, bias))
        found, report = self.outputs(model, data, "--kernels", other, "--kernels", fitting, "--verify")
        np.testing.assert_array_equal(found["y"], expected)
        self.assertEqual(report["verified_layers"], 1)

    def warns(self, model, data, options, *says):
        np.savez(self.folder / "inputs.npz", **data)
        result = tool("vta-run", model, "--input", self.folder / "inputs.npz", "--output", self.folder / "out", *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        for text in ("layer 'y' is computed by its function, not by a kernel: ", *says):
            self.assertIn(text, result.stderr)
        self.refuse("vta-run", model, "--partition=vta", *options, says=["layer 'y' cannot run on the VTA: ", *says])
        return np.load(self.folder / "out" / "y.npy")

    def test_nodes_without_a_kernel_are_computed_by_their_function(self):
        model, data, expected, (x, w, bias) = self.product_model(2, 16, 32)
        for options, says in (
                ((), ["give the file of kernel 'product' with --kernels"]),
                (("--kernels", self.kernels(bend.compile(self.integers((1, 32, 2, 2))))), ["--kernels has no kernel 'product'"]),
                (("--kernels", self.kernels(product.compile(x[:1], w, bias))),
                 ["it takes i8 [1, 32], i8 [16, 32], i32 [16] and gives i8 [1, 16], and the node has i8 [2, 32], ",
                  ": compile the kernel for these sizes"]),
                (("--kernels", self.kernels(product.compile(x, w, bias, hw="small-1x8x8"))),
                 ["it is for elements of batch 1, block_in 8, block_out 8, and default has batch 1, block_in 16, block_out 16",
                  "compile the kernel with hw=\"default\""])):
            with self.subTest(says[0]):
                np.testing.assert_array_equal(self.warns(model, data, options, *says), expected)

    def test_kernels_that_are_too_large_say_which_scratchpad(self):
        @vt.kernel(x=vt.inp["M", "K"], w=vt.wgt["N", "K"], bias=vt.acc["N"], y=vt.out["M", "N"])
        def product(x, w, bias, y, M, N, K):
            acc = vt.zeros(M, N)
            acc += vt.dot(vt.load(x), vt.load(w))
            vt.store(y, vt.clip((acc + vt.load(bias)[None]) >> 6, -128, 127))

        model, data, expected, arrays = self.product_model(500, 16, 16)
        kernels = self.kernels(product.compile(*arrays))
        hw = HW / "tiny-buffers.yaml"
        says = ["INP of tiny-buffers has 256 elements, 4096 bytes; the tiles need 500 elements, 8000 bytes",
                "make tiles smaller by a factor of 2"]
        np.testing.assert_array_equal(self.warns(model, data, ("--hw", hw, "--kernels", kernels), *says), expected)

    def test_weights_of_fewer_bits(self):
        hw = self.write("narrow.yaml", "name: narrow\noperands: {wgt_width_bits: 4}\n")
        x, w, bias = self.integers((2, 32)), self.integers((16, 32), -8, 8), self.integers(16, -1000, 1000, np.int32)
        kernels = self.kernels(product.compile(x, w, bias, hw=str(hw)))

        def model(weights):
            return self.save([node("product", ["x", "w", "bias"], ["y"], domain=DOMAIN)], [("x", TensorProto.INT8, [2, 32])],
                             [("y", TensorProto.INT8, [2, 16])], [product_function()], [("w", weights), ("bias", bias)])

        expected = np.clip((x.astype(np.int64) @ w.T.astype(np.int64) + bias) >> 6, -128, 127)
        found, report = self.outputs(model(w), {"x": x}, "--hw", hw, "--kernels", kernels, "--verify")
        np.testing.assert_array_equal(found["y"], expected)
        self.assertEqual(report["verified_layers"], 1)
        w[3, 4] = 9
        self.warns(model(w), {"x": x}, ("--hw", hw, "--kernels", kernels), "'w' has the weight 9, and the 4 bits of narrow hold -8 to 7")
        computed, data, _, _ = self.product_model(2, 16, 32, constant=False)
        self.warns(computed, data, ("--hw", hw, "--kernels", kernels), "'w' has 4 bits on narrow and has to be a constant")

    def test_mistakes(self):
        model, _, _, (x, w, bias) = self.product_model(1, 16, 16)
        kernels = self.kernels(product.compile(x, w, bias))
        text = kernels.read_text()
        self.refuse("vta-run", model, "--kernels", self.write("bad.yaml", text.replace("format: 1", "format: 2")),
                    says=["bad.yaml:2:9: the file has format 2"])
        self.refuse("vta-compile", model, "--kernels", self.folder / "none.yaml", says=["none.yaml"])
        self.refuse("vta-compile", model, "--kernels", kernels, "-o", kernels, code=1, says=["--kernels"])
        module = self.folder / "m.vta.so"
        self.succeed("vta-compile", model, "--kernels", kernels, "-o", module)
        self.refuse("vta-run", module, "--kernels", kernels, says=["--kernels: ", "is compiled already"])
        self.refuse("vta-compile", model, "--kernels", kernels, "--outline", self.folder / "o.json", says=["leave --kernels out"])
        without = self.save([node("product", ["x", "w", "bias"], ["y"], domain=DOMAIN)], [("x", TensorProto.INT8, [1, 16])],
                            [("y", TensorProto.INT8, [1, 16])], [], [("w", w), ("bias", bias)], "without.onnx")
        self.refuse("vta-compile", without, "--kernels", kernels,
                    says=["vta.kernels.product", "add a function of that domain and name to the model"])


if __name__ == "__main__":
    unittest.main()
