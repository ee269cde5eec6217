"""What tests of operators share: a model of some nodes, and what its outputs have to be."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from tool_case import ToolCase

TYPES = {np.dtype(kind): number for number, kind in [
    (TensorProto.FLOAT, np.float32), (TensorProto.UINT8, np.uint8), (TensorProto.INT8, np.int8),
    (TensorProto.INT32, np.int32), (TensorProto.INT64, np.int64), (TensorProto.UINT16, np.uint16),
    (TensorProto.INT16, np.int16), (TensorProto.DOUBLE, np.float64), (TensorProto.FLOAT16, np.float16),
    (TensorProto.BOOL, bool)]}

# Sums of some hundred float32 products in any order; functions of the math library within some units.
TOLERANCE = 2e-5


class OperatorCase(ToolCase):
    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(5)
        self.inputs, self.constants, self.nodes, self.expected = {}, {}, [], {}

    def value(self, name, shape, low=-1, high=1, dtype=np.float32, constant=False):
        """A random input (or initializer) of the model."""
        if np.issubdtype(dtype, np.integer):
            value = self.random.integers(low, high, shape).astype(dtype)
        else:
            value = self.random.uniform(low, high, shape).astype(dtype)
        (self.constants if constant else self.inputs)[name] = value
        return value if np.issubdtype(dtype, np.integer) else value.astype(np.float64)

    def constant(self, name, value, dtype=np.float32):
        self.constants[name] = np.array(value, dtype)
        return self.constants[name]

    def add(self, kind, inputs, results, domain="", **attributes):
        """A node whose outputs are the names of `results`, in their order."""
        self.nodes.append(helper.make_node(kind, inputs, list(results), name=next(iter(results)), domain=domain, **attributes))
        self.expected |= {name: np.asarray(value) for name, value in results.items() if value is not None}

    def check(self, opset, tolerance=TOLERANCE, options=("--partition=cpu",)):
        port = helper.make_tensor_value_info
        graph = helper.make_graph(
            self.nodes, "g", [port(n, TYPES[v.dtype], v.shape) for n, v in self.inputs.items()],
            [port(n, TYPES[np.dtype(np.float32) if v.dtype == np.float64 else v.dtype], v.shape)
             for n, v in self.expected.items()],
            initializer=[numpy_helper.from_array(v, n) for n, v in self.constants.items()])
        path = self.folder / "model.onnx"
        onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[
            helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]), path)
        np.savez(self.folder / "inputs.npz", **self.inputs)
        self.run_json(path, "--input", self.folder / "inputs.npz", "--output", self.folder / "out", *options)
        for name, wanted in self.expected.items():
            with self.subTest(name):
                found = np.load(self.folder / "out" / f"{name}.npy")
                self.assertEqual(found.shape, wanted.shape)
                if wanted.dtype == np.float64:
                    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)
                else:
                    np.testing.assert_array_equal(found, wanted)
