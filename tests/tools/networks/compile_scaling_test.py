"""Models with twice as much of one thing take less than three times the work: no part of the compiler takes the square.

A generator for each thing a model can have many of. Work is counted (work_counter.py); where it can only be timed, the
least of some tries counts."""

import sys
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import BIN, ToolCase  # noqa: E402
from work_counter import WorkCounter  # noqa: E402

F32, I64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
node = helper.make_node
# Less than that is what starting the program takes more or less.
NEGLIGIBLE = 1e9
TRIES = 3


def port(name, shape=None, kind=F32):
    return helper.make_tensor_value_info(name, kind, shape)


def weights(*shape):
    return np.random.default_rng(1).uniform(-0.5, 0.5, shape).astype(np.float32)


def model(nodes, inputs, outputs, constants=()):
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in dict(constants).items()]
    graph = helper.make_graph(nodes, "g", inputs, outputs, initializer=tensors)
    return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])


def body(nodes, inputs, outputs):
    return helper.make_graph(nodes, "body", inputs, outputs)


def concat(parts, result="y", axis=0):
    return node("Concat", parts, [result], axis=axis)


def inputs(n):
    return model([node("Sum", [f"x{i}" for i in range(n)], ["y"])], [port(f"x{i}", [4]) for i in range(n)], [port("y")])


def outputs(n):
    return model([node("Mul", ["x", f"k{i}"], [f"y{i}"]) for i in range(n)], [port("x", [4])],
                 [port(f"y{i}") for i in range(n)], {f"k{i}": np.full(4, i, np.float32) for i in range(n)})


def joined(n):
    parts = [node("Mul", ["x", f"k{i}"], [f"a{i}"]) for i in range(n)]
    return model([*parts, concat([f"a{i}" for i in range(n)])], [port("x", [4])], [port("y")],
                 {f"k{i}": np.full(4, i, np.float32) for i in range(n)})


def joined_one_by_one(n):
    nodes = [concat([f"a{i}", "x"], f"a{i + 1}") for i in range(n)]
    return model([node("Neg", ["x"], ["a0"]), *nodes, node("Abs", [f"a{n}"], ["y"])], [port("x", [4])], [port("y")])


def joined_convolutions(n):
    parts = [node("Conv", ["x", f"w{i}"], [f"a{i}"]) for i in range(n)]
    return model([*parts, concat([f"a{i}" for i in range(n)], axis=1)], [port("x", [1, 16, 4, 4])], [port("y")],
                 {f"w{i}": weights(16, 16, 1, 1) for i in range(n)})


def stacked_means(n):
    nodes, constants = [], {"zero": np.array([0]), "axis": np.array([1])}
    for i in range(n):
        constants[f"e{i}"] = np.array([i + 1])
        nodes += [node("Slice", ["x", "zero", f"e{i}", "axis"], [f"s{i}"]),
                  node("ReduceMean", [f"s{i}"], [f"m{i}"], axes=[1], keepdims=0),
                  node("Unsqueeze", [f"m{i}", "axis"], [f"u{i}"])]
    return model([*nodes, concat([f"u{i}" for i in range(n)], axis=1)], [port("x", [1, n, 16])], [port("y")],
                 constants)


def split(n):
    parts = [f"p{i}" for i in range(n)]
    return model([node("Split", ["x"], parts, axis=0), node("Sum", parts, ["y"])], [port("x", [n, 4])], [port("y")])


def scattered(n):
    nodes = [node("ScatterND", [f"s{i}", f"i{i}", "u"], [f"s{i + 1}"]) for i in range(n)]
    return model([node("Neg", ["x"], ["s0"]), *nodes], [port("x", [n, 4]), port("u", [1, 4])], [port(f"s{n}")],
                 {f"i{i}": np.array([[i]]) for i in range(n)})


def recurrent(kind, gates, steps, **attributes):
    directions = 2 if attributes.get("direction") == "bidirectional" else 1
    constants = {"w": weights(directions, gates * 16, 16), "r": weights(directions, gates * 16, 16)}
    return model([node(kind, ["x", "w", "r"], ["y", "h"], hidden_size=16, **attributes)], [port("x", [steps, 1, 16])],
                 [port("y"), port("h")], constants)


def lstm(n):
    return recurrent("LSTM", 4, n, direction="bidirectional")


def gru(n):
    return recurrent("GRU", 3, n)


def rnn(n):
    return recurrent("RNN", 1, n, direction="reverse")


LOOP_INPUTS, GOES_ON = [port("i", [], I64), port("c", [], BOOL)], port("c", [], BOOL)


def loop(n):
    graph = body([node("Sin", ["s"], ["t"])], [*LOOP_INPUTS, port("s", [4])], [GOES_ON, port("t"), port("t")])
    return model([node("Loop", ["n", "", "x"], ["y", "rows"], body=graph)], [port("x", [4])],
                 [port("y"), port("rows")], {"n": np.int64(n)})


def scan(n):
    graph = body([node("Add", ["s", "x"], ["t"]), node("Tanh", ["t"], ["u"])], [port("s", [4]), port("x", [4])],
                 [port("u"), port("t")])
    return model([node("Scan", ["s", "x"], ["y", "rows"], body=graph, num_scan_inputs=1)],
                 [port("s", [4]), port("x", [n, 4])], [port("y"), port("rows")])


def growing_loop(n):
    """Its state has another size in each iteration, so it can only be unrolled."""
    graph = body([concat(["s", "x"], "t")], [*LOOP_INPUTS, port("s")], [GOES_ON, port("t")])
    return model([node("Loop", ["n", "", "x"], ["y"], body=graph)], [port("x", [4])], [port("y")], {"n": np.int64(n)})


def branches(n):
    nodes = []
    for i in range(n):
        negative, positive = [body([node(kind, [f"a{i}"], [f"{kind}{i}"])], [], [port(f"{kind}{i}")])
                              for kind in ("Neg", "Abs")]
        nodes.append(node("If", ["c"], [f"a{i + 1}"], then_branch=negative, else_branch=positive))
    return model([node("Exp", ["x"], ["a0"]), *nodes], [port("x", [4]), port("c", [], BOOL)], [port(f"a{n}")])


def nesting(n):
    inner = node("Neg", ["x"], ["b0"])
    for i in range(n):
        other = body([node("Abs", ["x"], [f"o{i}"])], [], [port(f"o{i}")])
        inner = node("If", ["c"], [f"b{i + 1}"], then_branch=body([inner], [], [port(f"b{i}")]), else_branch=other)
    return model([inner], [port("x", [4]), port("c", [], BOOL)], [port(f"b{n}")])


def chain(n):
    functions = ["Sin", "Abs", "Exp", "Neg", "Tanh"]
    nodes = [node(functions[i % 5], [f"a{i}"], [f"a{i + 1}"]) for i in range(n)]
    return model(nodes, [port("a0", [64])], [port(f"a{n}")])


def layers(n):
    nodes = [node("Conv", [f"a{i}", f"w{i}"], [f"a{i + 1}"], pads=[1] * 4) for i in range(n)]
    constants = {f"w{i}": weights(16, 16, 3, 3) for i in range(n)}
    return model(nodes, [port("a0", [1, 16, 4, 4])], [port(f"a{n}")], constants)


def convolution(x, w, **attributes):
    return model([node("Conv", ["x", "w"], ["y"], **attributes)], [port("x", x)], [port("y")], {"w": weights(*w)})


def taps(n):
    return convolution([1, 1, 2000], (16, 1, n))


def taps_in_steps(n):
    return convolution([1, 1, 1, 4000], (16, 1, 1, n), strides=[1, 7])


def taps_of_a_column(n):
    return convolution([1, 1, 1000, 2], (16, 1, n, 1))


def taps_in_the_middle(n):
    return model([node("Conv", ["x", "v"], ["a"]), node("Relu", ["a"], ["b"]), node("Conv", ["b", "w"], ["y"])],
                 [port("x", [1, 16, 1, 1000])], [port("y")], {"v": weights(1, 16, 1, 1), "w": weights(16, 1, 1, n)})


def taps_of_a_transposed_convolution(n):
    return model([node("ConvTranspose", ["x", "w"], ["y"], strides=[4])], [port("x", [1, 16, 200])], [port("y")],
                 {"w": weights(16, 1, n)})


def dilation(n):
    return convolution([1, 4, 1000], (16, 4, 3), dilations=[n])


def channels(n):
    return convolution([1, 16, 4, 4], (n, 16, 1, 1))


def groups(n):
    return convolution([1, 2 * n, 5, 5], (2 * n, 2, 3, 3), group=n)


def pool_window(n):
    return model([node("MaxPool", ["x"], ["y", "i"], kernel_shape=[n, n])], [port("x", [1, 1, 40, 40])],
                 [port("y"), port("i", None, I64)])


def transposed_product(n):
    return model([node("Transpose", ["b"], ["t"], perm=[0, 2, 1]), node("MatMul", ["a", "t"], ["y"])],
                 [port("a", [4, 16, 32]), port("b", [4, n, 32])], [port("y")])


def axes(n):
    return model([node("Unsqueeze", ["x", "a"], ["u"]), node("Neg", ["u"], ["y"])], [port("x", [4])], [port("y")],
                 {"a": np.arange(n)})


def sequence(n):
    nodes = [node("Sin", [f"x{i}"], [f"a{i}"]) for i in range(n)]
    nodes += [node("SequenceConstruct", [f"a{i}" for i in range(n)], ["s"]),
              node("ConcatFromSequence", ["s"], ["y"], axis=0)]
    return model(nodes, [port(f"x{i}", [i % 3 + 1]) for i in range(n)], [port("y")])


# What to have n, then 2 n of, and options of vta-run.
CASES = [
    (inputs, 64), (outputs, 64), (joined, 100), (joined, 100, "--partition=cpu"), (joined_one_by_one, 60),
    (joined_convolutions, 32), (joined_convolutions, 32, "--partition=cpu"), (stacked_means, 50, "--partition=cpu"),
    (split, 64),
    (scattered, 32), (lstm, 256), (gru, 256), (rnn, 256), (loop, 300), (scan, 300), (growing_loop, 50), (branches, 32),
    (nesting, 16), (chain, 200), (layers, 24), (taps, 128), (taps_in_steps, 200), (taps_of_a_column, 128),
    (taps_in_the_middle, 128), (taps_of_a_transposed_convolution, 64), (dilation, 16), (channels, 512), (groups, 32),
    (pool_window, 15, "--partition=cpu"), (transposed_product, 32, "--partition=cpu"), (axes, 30), (sequence, 50),
]


class CompileScalingTest(ToolCase):
    def setUp(self):
        super().setUp()
        self.work = WorkCounter()
        self.addCleanup(self.work.close)

    def least_work(self, generate, n, options, known):
        onnx.save(generate(n), self.folder / "model.onnx")
        command = [str(BIN / "vta-run"), "--sim=functional", "--no-cache", "--schedules=estimated", *options]
        result, work = self.work.run([*command, str(self.folder / "model.onnx")], timeout=200)
        self.assertEqual(result.returncode, 0, result.stderr)
        return min(work, known)

    def check(self, generate, n, *options):
        once = twice = float("inf")
        for _ in range(1 if self.work.is_exact else TRIES):
            once = self.least_work(generate, n, options, once)
            twice = self.least_work(generate, 2 * n, options, twice)
            if twice - self.start < 3 * (once - self.start) + NEGLIGIBLE:
                return
        self.fail(f"{2 * n} take {twice:.3g} instructions, {n} take {once:.3g}; {self.start:.3g} are for nothing")

    def test_twice_as_much(self):
        self.start = min(self.least_work(chain, 1, [], float("inf")) for _ in range(TRIES))
        for generate, n, *options in CASES:
            with self.subTest(generate.__name__, options=options):
                self.check(generate, n, *options)


if __name__ == "__main__":
    unittest.main()
