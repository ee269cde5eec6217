"""Transformers: products of two activations run on the VTA, in float and in quantised models, with the host's bits."""

import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from families_test import RUN  # noqa: E402
from tool_case import ToolCase  # noqa: E402
from network_builder import Network  # noqa: E402

CONFIGURATIONS = ("default", "small-1x8x8", "batched-4x16x16", "large-1x32x32", "tiny-buffers", "vta-0.0.2", "zu3eg")


class Encoder(Network):
    """Blocks of a transformer; x is [batch, rows, width]."""

    def __init__(self, rows, width, heads, batch=1, seed=1):
        super().__init__(seed)
        self.rows, self.width, self.heads, self.batch = rows, width, heads, batch

    def shape(self, *extents):
        return self.constant(np.array(extents, np.int64))

    def dense(self, x, inputs, outputs):
        weight = self.random.randn(inputs, outputs) / np.sqrt(inputs)
        y = self.op("MatMul", x, self.constant(weight.astype(np.float32)))
        return self.op("Add", y, self.constant((self.random.randn(outputs) * 0.1).astype(np.float32)))

    def apart(self, x, perm):
        depth = self.width // self.heads
        return self.op("Transpose", self.op("Reshape", x, self.shape(self.batch, self.rows, self.heads, depth)), perm=perm)

    def projections(self, x):
        query, key, value = (self.dense(x, self.width, self.width) for _ in range(3))
        return self.apart(query, [0, 2, 1, 3]), self.apart(key, [0, 2, 3, 1]), self.apart(value, [0, 2, 1, 3])

    def together(self, x):
        return self.op("Reshape", self.op("Transpose", x, perm=[0, 2, 1, 3]), self.shape(self.batch, self.rows, self.width))

    def attention(self, x):
        query, key, value = self.projections(x)
        root = self.constant(np.float32((self.width // self.heads) ** 0.5))
        weights = self.op("Softmax", self.op("Div", self.op("MatMul", query, key), root), axis=-1)
        return self.dense(self.together(self.op("MatMul", weights, value)), self.width, self.width)

    def scaled_operands(self, x):
        """The form that scales query and key and not the scores."""
        root = self.constant(np.float32((self.width // self.heads) ** -0.25))
        query, key, value = self.projections(x)
        scores = self.op("MatMul", self.op("Mul", query, root), self.op("Mul", key, root))
        weights = self.op("Softmax", scores, axis=-1)
        return self.dense(self.together(self.op("MatMul", weights, value)), self.width, self.width)

    def block(self, x):
        x = self.op("Add", x, self.attention(x))
        inner = self.gelu(self.dense(x, self.width, 2 * self.width))
        return self.op("Add", x, self.dense(inner, 2 * self.width, self.width))


class QuantisedAttention(Encoder):
    """Attention whose activations are rounded to uint8, with zero points of query, key and value that are given."""

    def __init__(self, rows, width, heads, zero_points):
        super().__init__(rows, width, heads)
        self.zero_points = list(zero_points)

    def rounded(self, x, scale, zero_point):
        constants = self.constant(np.float32(scale)), self.constant(np.uint8(zero_point))
        return self.op("DequantizeLinear", self.op("QuantizeLinear", x, *constants), *constants)

    def dense(self, x, inputs, outputs):
        weight = self.random.randn(inputs, outputs) / np.sqrt(inputs)
        scale = np.float32(np.abs(weight).max() / 127)
        integers = [self.constant(v) for v in (np.round(weight / scale).astype(np.int8), scale, np.int8(0))]
        bias = self.constant((self.random.randn(outputs) * 0.1).astype(np.float32))
        y = self.op("Add", self.op("MatMul", x, self.op("DequantizeLinear", *integers)), bias)
        return self.rounded(y, 0.0305, self.zero_points.pop(0))

    def attention(self, x):
        query, key, value = self.projections(self.rounded(x, 1 / 32, 128))
        root = (self.width // self.heads) ** 0.5
        scores = self.rounded(self.op("MatMul", query, key), 0.031 * root, 131)
        weights = self.op("Softmax", self.op("Div", scores, self.constant(np.float32(root))), axis=-1)
        mixed = self.rounded(self.op("MatMul", self.rounded(weights, 1 / 256, 0), value), 0.008, 125)
        return self.dense(self.together(mixed), self.width, self.width)


class AttentionTest(ToolCase):
    def save(self, network, output):
        return self.model(network.nodes, [("x", [network.batch, network.rows, network.width])], [(output, None)],
                          network.constants)

    def outputs(self, path, side, *options):
        folder = self.folder / side
        report = self.run_json(path, *RUN, *options, "--output", folder)
        return report, np.load(folder / report["outputs"][0]["file"].rsplit("/", 1)[1])

    def check(self, path, *options):
        """All bits are the host's, on a simulator that looks for races; the report."""
        report, vta = self.outputs(path, "vta", "--sim=checked", "--verify", *options)
        _, cpu = self.outputs(path, "cpu", "--partition=cpu-quantized", *options)
        np.testing.assert_array_equal(vta, cpu)
        return report, vta

    def assert_all_on_vta(self, report):
        self.assertEqual(report["totals"]["macs_on_vta"], report["totals"]["macs"])

    def test_float_encoder_on_all_kinds_of_hardware(self):
        """Neither rows nor the depth of a head fill blocks."""
        network = Encoder(37, 40, 2)
        path = self.save(network, network.block("x"))
        _, expected = self.outputs(path, "float", "--partition=cpu")
        for hw in CONFIGURATIONS:
            with self.subTest(hw):
                report, result = self.check(path, f"--hw={hw}")
                self.assert_all_on_vta(report)
                self.assertLess(np.abs(result - expected).mean(), 0.1 * np.abs(expected).mean())

    def test_inputs_and_outputs_in_blocks_of_different_sizes(self):
        network = Encoder(19, 20, 2)
        path = self.save(network, network.attention("x"))
        for block_in, block_out in ((16, 4), (4, 16)):
            with self.subTest(block_in=block_in):
                hw = self.write("unequal.yaml", f"name: unequal\ngemm: {{block_in: {block_in}, block_out: {block_out}}}\n")
                self.assert_all_on_vta(self.check(path, f"--hw={hw}")[0])

    def test_operands_of_products_are_read_where_they_are_stored(self):
        """Keys where blocks have one size, values with transposing loads; whole blocks, so nothing is filled up."""
        network = Encoder(32, 64, 2)
        path = self.save(network, network.attention("x"))
        turning = "isa: {extensions: [qmul, clip, pad_min, transpose]}\n"
        # The host does nothing but convert: input, probabilities with the sums of values, output.
        cases = {"square": ("gemm: {block_in: 16, block_out: 16}\n", 3), "turning": (turning, 3),
                 "batched": ("gemm: {batch: 2}\n" + turning, 3), "wide": ("gemm: {block_in: 8}\n" + turning, 5),
                 "narrow": ("gemm: {block_out: 8}\n" + turning, 6)}
        for name, (text, steps) in cases.items():
            with self.subTest(name):
                hw = self.write(f"{name}.yaml", f"name: {name}\n{text}")
                report, _ = self.check(path, f"--hw={hw}")
                self.assert_all_on_vta(report)
                self.assertEqual(report["totals"]["cpu_steps"], steps)
                module = self.folder / f"{name}.vta.so"
                self.succeed("vta-compile", path, *RUN, f"--hw={hw}", "-o", module)
                listing = self.succeed("vta-objdump", module)
                self.assertEqual("_input_rows" in listing, "transpose" in text)
                self.assertEqual("_output_rows" in listing, name in ("square", "turning", "batched"))

    def test_batches_and_whole_blocks(self):
        for batch in (1, 2):
            with self.subTest(batch):
                network = Encoder(32, 64, 2, batch)
                self.assert_all_on_vta(self.check(self.save(network, network.block("x")))[0])

    def test_scales_of_query_and_key_move_behind_their_product(self):
        network = Encoder(24, 32, 2)
        report, _ = self.check(self.save(network, network.scaled_operands("x")))
        self.assert_all_on_vta(report)
        # Query, key and value; the scores; the weighted values and the projection behind them.
        self.assertEqual(report["totals"]["macs"], 24 * 32 * (4 * 32 + 2 * 24))

    def test_quantised_attention_with_any_zero_points(self):
        for points in ((128, 128, 128, 128), (110, 140, 121, 128), (0, 0, 255, 128)):
            network = QuantisedAttention(37, 40, 2, points)
            path = self.save(network, network.attention("x"))
            _, expected = self.outputs(path, "float", "--partition=cpu")
            for hw in ("default", "batched-4x16x16"):
                with self.subTest(points=points, hw=hw):
                    report, result = self.check(path, f"--hw={hw}")
                    self.assert_all_on_vta(report)
                    self.assertEqual(report["totals"]["macs"], 37 * 40 * (4 * 40 + 2 * 37))
                    # Sums of floats that are half-way between two steps may become either.
                    steps = np.abs(result - expected) / 0.0305
                    self.assertLess(steps.max(), 1.01)
                    self.assertLess((steps > 0.5).mean(), 0.01)

    def test_quantised_attention_by_shifts_keeps_its_products_in_float(self):
        network = QuantisedAttention(37, 40, 2, (110, 140, 121, 128))
        report, _ = self.check(self.save(network, network.attention("x")), "--hw=vta-0.0.2")
        self.assertEqual(report["totals"]["macs"] - report["totals"]["macs_on_vta"], 2 * 37 * 37 * 40)

    def test_narrow_weights_hold_no_activations(self):
        hw = self.write("narrow.yaml", "name: narrow\noperands: {wgt_width_bits: 4}\n")
        for network in (Encoder(32, 32, 2), QuantisedAttention(32, 32, 2, (110, 140, 121, 128))):
            with self.subTest(type(network).__name__):
                report, _ = self.check(self.save(network, network.attention("x")), f"--hw={hw}")
                self.assertEqual(report["totals"]["macs"] - report["totals"]["macs_on_vta"], 2 * 32 * 32 * 32)

    def test_one_row_does_not_pay(self):
        """A decoder's step: for each product an element of keys or values is moved."""
        network = Encoder(1, 32, 2)
        query = network.apart(network.dense("x", 32, 32), [0, 2, 1, 3])
        keys = network.op("Transpose", network.op("Tanh", network.constant(network.random.randn(1, 2, 48, 16).astype(np.float32))),
                          perm=[0, 1, 3, 2])
        moving = network.op("Add", keys, network.op("ReduceMean", "x", axes=[0, 1, 2], keepdims=0))
        path = self.save(network, network.op("MatMul", query, moving))
        report, _ = self.check(path)
        self.assertEqual(report["totals"]["macs"] - report["totals"]["macs_on_vta"], 32 * 48)

    def test_layers_in_float_and_modules(self):
        network = Encoder(32, 32, 2)
        path = self.save(network, network.attention("x"))
        scores = [node.name for node in network.nodes if node.op_type == "MatMul"][3]
        report, _ = self.check(path, f"--float-layers={scores}")
        self.assertEqual(report["totals"]["macs"] - report["totals"]["macs_on_vta"], 32 * 32 * 32)
        module = self.folder / "attention.vta.so"
        self.succeed("vta-compile", path, *RUN, "-o", module)
        self.assert_all_on_vta(self.run_json(module, "--sim=functional", "--verify"))


if __name__ == "__main__":
    unittest.main()
