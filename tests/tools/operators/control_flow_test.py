"""Branches and loops whose course depends on data; on the host."""

import subprocess
import sys
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from operator_case import OperatorCase  # noqa: E402
from tool_case import BIN  # noqa: E402

I64, F32, BOOL = TensorProto.INT64, TensorProto.FLOAT, TensorProto.BOOL
node = helper.make_node


def port(name, kind=F32, shape=None):
    return helper.make_tensor_value_info(name, kind, shape)


def body(nodes, inputs, outputs, constants=()):
    return helper.make_graph(nodes, "body", inputs, outputs,
                             initializer=[numpy_helper.from_array(np.array(v), n) for n, v in dict(constants).items()])


class ControlFlowTest(OperatorCase):
    def test_branches(self):
        x = self.value("x", (3, 4)).astype(np.float32)
        self.constants["w"] = self.random.uniform(-1, 1, (4, 4)).astype(np.float32)
        then_graph = body([node("MatMul", ["x", "w"], ["p"]), node("Abs", ["p"], ["a"])], [], [port("a")])
        else_graph = body([node("Neg", ["x"], ["n"])], [], [port("n")])
        self.nodes.append(node("If", ["flag"], ["y"], then_branch=then_graph, else_branch=else_graph))
        for flag in (True, False):
            for options in (["--partition=cpu"], ["--partition=cpu-quantized"]):
                with self.subTest(flag=flag, options=options):
                    self.inputs["flag"] = np.array(flag)
                    self.expected["y"] = np.abs(x.astype(float) @ self.constants["w"]) if flag else -x.astype(float)
                    self.check(opset=13, tolerance=2e-5 if "cpu" in options[0][-3:] else 0.1, options=options)

    def test_only_the_branch_taken_is_computed(self):
        """The other branch is a loop without an end."""
        goes_on = body([node("Identity", ["go"], ["go_on"]), node("Cos", ["s"], ["t"])],
                       [port("i", I64, []), port("go", BOOL, []), port("s", F32, [2])], [port("go_on", BOOL, []), port("t")])
        endless = body([node("Loop", ["", "yes", "x"], ["e"], body=goes_on)], [], [port("e")], {"yes": True})
        other = body([node("Neg", ["x"], ["n"])], [], [port("n")])
        x = self.value("x", (2,))
        self.inputs["flag"] = np.array(False)
        self.add("If", ["flag"], {"y": -x}, then_branch=endless, else_branch=other)
        self.check(opset=13)
        # Ctrl-C ends what does not end.
        np.savez(self.folder / "inputs.npz", x=self.inputs["x"], flag=np.array(True))
        run = subprocess.Popen([str(BIN / "vta-run"), str(self.folder / "model.onnx"), "--partition=cpu", "--input",
                                str(self.folder / "inputs.npz")], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with run:
            with self.assertRaises(subprocess.TimeoutExpired):
                run.communicate(timeout=10)
            run.send_signal(2)
            run.communicate(timeout=30)
            self.assertNotEqual(run.returncode, 0)

    def test_branches_of_different_size(self):
        x = self.value("x", (5, 2))
        short = body([node("Slice", ["x", "zero", "two"], ["s"])], [], [port("s")],
                     {"zero": np.array([0]), "two": np.array([2])})
        long = body([node("Neg", ["x"], ["n"])], [], [port("n")])
        self.nodes.append(node("If", ["flag"], ["y"], then_branch=short, else_branch=long))
        for flag in (True, False):
            with self.subTest(flag):
                self.inputs["flag"] = np.array(flag)
                self.expected["y"] = x[:2] if flag else -x
                self.check(opset=13)

    def newton(self, outputs, trips="", **constants):
        """A square root, until it is near enough."""
        step = [node("Div", ["x", "s"], ["q"]), node("Add", ["s", "q"], ["sum"]), node("Mul", ["sum", "half"], ["t"]),
                node("Sub", ["t", "s"], ["d"]), node("Abs", ["d"], ["a"]), node("ReduceMax", ["a"], ["far"], keepdims=0),
                node("Greater", ["far", "near"], ["go_on"])]
        graph = body(step, [port("i", I64, []), port("go", BOOL, []), port("s", F32, [3])],
                     [port("go_on", BOOL, []), port("t"), port("far")], {"half": np.float32(0.5), "near": np.float32(1e-3)})
        self.constants.update({name: np.array(value) for name, value in constants.items()})
        self.nodes.append(node("Loop", [trips, "", "x"], outputs, body=graph))

    def roots(self, x, most=1000):
        s, far = x.astype(np.float32), []
        while len(far) < most:
            t = (s + x / s) * np.float32(0.5)
            far.append(np.abs(t - s).max())
            s = t
            if not far[-1] > 1e-3:
                break
        return s.astype(float), np.array(far, float)

    def test_a_loop_until_a_condition(self):
        x = self.value("x", (3,), 1, 1000).astype(np.float32)
        root, far = self.roots(x)
        self.newton(["y", "steps"], "most", most=np.int64(100))
        self.expected.update(y=root, steps=far)
        self.check(opset=13)
        # Without a trip count there is no telling how many rows there are.
        self.nodes, self.expected = [], {}
        self.newton(["y"])
        self.expected["y"] = root
        self.check(opset=13)
        self.nodes = []
        self.newton(["y", "steps"])
        self.expected["steps"] = far
        with self.assertRaisesRegex(AssertionError, "no trip count 'M'"):
            self.check(opset=13)

    def test_a_computed_trip_count(self):
        x = self.value("x", (2, 3))
        graph = body([node("Add", ["s", "x"], ["t"]), node("Cast", ["i"], ["f"], to=F32), node("Mul", ["s", "f"], ["row"])],
                     [port("i", I64, []), port("go", BOOL, []), port("s", F32, [2, 3])],
                     [port("go", BOOL, []), port("t"), port("row")])
        self.constants["limit"] = np.array(20, np.int64)
        self.nodes += [node("Min", ["count", "limit"], ["trips"]),
                       node("Loop", ["trips", "", "x"], ["last", "rows"], body=graph)]
        for count in (0, 3, 20, 50, -4):
            with self.subTest(count):
                self.inputs["count"] = np.array(count, np.int64)
                runs = max(0, min(count, 20))
                self.expected["last"] = x * (runs + 1)
                self.expected["rows"] = np.array([x * (i + 1) * i for i in range(runs)]).reshape(-1, 2, 3)
                self.check(opset=13)

    def test_many_iterations(self):
        x = self.value("x", (2,))
        graph = body([node("Mul", ["s", "decay"], ["u"]), node("Add", ["u", "x"], ["t"])],
                     [port("i", I64, []), port("go", BOOL, []), port("s", F32, [2])],
                     [port("go", BOOL, []), port("t"), port("t")], {"decay": np.float32(0.5)})
        self.constants["trips"] = np.array(5000, np.int64)
        self.add("Loop", ["trips", "", "x"], {"last": 2 * x, "rows": None}, body=graph)
        rows, s = [], x
        for _ in range(5000):
            s = s * 0.5 + x
            rows.append(s)
        self.expected["rows"] = np.array(rows)
        self.check(opset=13)

    def test_loops_longer_than_what_is_unrolled(self):
        """As a loop, and unrolled where the body changes a size; one that cannot end is refused."""
        x = self.value("x", (2,))
        graph = body([node("Concat", ["s", "x"], ["t"], axis=0)],
                     [port("i", I64, []), port("go", BOOL, []), port("s", F32, None)], [port("go", BOOL, []), port("t")])
        self.constants["trips"] = np.array(600, np.int64)
        self.add("Loop", ["trips", "", "x"], {"all": np.tile(x, 601)}, body=graph)
        self.check(opset=13)
        self.nodes, self.expected = [], {}
        graph = body([node("Mul", ["s", "half"], ["u"]), node("Add", ["u", "x"], ["t"])],
                     [port("i", I64, []), port("go", BOOL, []), port("s", F32, [2])],
                     [port("go", BOOL, []), port("t")], {"half": np.float32(0.5)})
        self.add("Loop", ["trips", "", "x"], {"last": 2 * x}, body=graph)
        self.check(opset=13)
        self.constants["trips"] = np.array(2**62, np.int64)
        with self.assertRaisesRegex(AssertionError, "runs 4611686018427387904 times .* at most 1099511627776"):
            self.check(opset=13)

    def test_rows_replaced_again_and_again(self):
        """Of a tensor that others read in between, and in a loop, each time from the same start."""
        x, u = self.value("x", (4, 2)), self.value("u", (1, 2))
        for i in range(4):
            self.constants[f"i{i}"] = np.array([[i]])
        for i in range(3):
            self.nodes.append(node("ScatterND", [f"s{i}" if i else "x", f"i{i}", "u"], [f"s{i + 1}"]))
        self.nodes += [node("Neg", ["s2"], ["n"]), node("ScatterND", ["s3", "i3", "u"], ["start"])]
        graph = body([node("ReduceSum", ["s"], ["sum"]), node("Expand", ["sum", "row"], ["r"]), node("Tanh", ["r"], ["v"]),
                      node("ScatterND", ["start", "i1", "v"], ["t"])],
                     [port("i", I64, []), port("go", BOOL, []), port("s", F32, [4, 2])],
                     [port("go", BOOL, []), port("t"), port("t")], {"row": np.array([1, 2])})
        self.constants["trips"] = np.array(300, np.int64)
        second = np.concatenate([u, u, x[2:]])
        start, rows = np.concatenate([u] * 4), []
        for _ in range(300):
            s = start.copy()
            s[1] = np.tanh((rows[-1] if rows else x).sum())
            rows.append(s)
        self.add("Loop", ["trips", "", "x"], {"last": s, "rows": np.array(rows)}, body=graph)
        self.expected["n"] = -second
        self.check(opset=13)

    def test_states_that_change_places(self):
        a, b = self.value("a", (3,)), self.value("b", (3,))
        graph = body([node("Add", ["p", "q"], ["r"])],
                     [port("i", I64, []), port("go", BOOL, []), port("p", F32, [3]), port("q", F32, [3])],
                     [port("go", BOOL, []), port("q"), port("p"), port("r")])
        self.constants["limit"] = np.array(9, np.int64)
        self.inputs["count"] = np.array(5, np.int64)
        self.nodes.append(node("Min", ["count", "limit"], ["trips"]))
        self.add("Loop", ["trips", "", "a", "b"], {"first": b, "second": a, "sums": np.array([a + b] * 5)}, body=graph)
        self.check(opset=13)

    def test_no_iterations(self):
        x = self.value("x", (2, 3))
        graph = body([node("Neg", ["s"], ["t"])], [port("i", I64, []), port("go", BOOL, []), port("s", F32, [2, 3])],
                     [port("go", BOOL, []), port("t"), port("t")])
        self.constants["trips"] = np.array(0, np.int64)
        self.add("Loop", ["trips", "", "x"], {"last": x, "rows": np.zeros((0, 2, 3))}, body=graph)
        self.nodes.append(node("Shape", ["rows"], ["shape"]))
        self.expected = {"last": x, "shape": np.array([0, 2, 3], np.int64)}
        self.check(opset=13)

    def test_loops_inside(self):
        """A loop in a branch in a loop."""
        inner = body([node("Add", ["u", "s"], ["v"])], [port("j", I64, []), port("g", BOOL, []), port("u", F32, [2])],
                     [port("g", BOOL, []), port("v")])
        odd = body([node("Loop", ["i", "", "s"], ["w"], body=inner)], [], [port("w")])
        even = body([node("Mul", ["s", "x"], ["m"])], [], [port("m")])
        outer = body([node("Mod", ["i", "two"], ["r"]), node("Cast", ["r"], ["is_odd"], to=BOOL),
                      node("If", ["is_odd"], ["t"], then_branch=odd, else_branch=even)],
                     [port("i", I64, []), port("go", BOOL, []), port("s", F32, [2])], [port("go", BOOL, []), port("t")],
                     {"two": np.int64(2)})
        x = self.value("x", (2,), 0.5, 1)
        self.inputs["count"] = np.array(6, np.int64)
        self.nodes.append(node("Loop", ["count", "", "x"], ["y"], body=outer))
        s = x
        for i in range(6):
            s = s * (i + 1) if i % 2 else s * x
        self.expected["y"] = s
        self.check(opset=13)

    def test_a_long_scan(self):
        x = self.value("x", (4500, 2))
        graph = body([node("Mul", ["s", "half"], ["u"]), node("Add", ["u", "e"], ["t"])],
                     [port("s", F32, [2]), port("e", F32, [2])], [port("t"), port("t")], {"half": np.float32(0.5)})
        self.constants["start"] = np.zeros(2, np.float32)
        for backwards in (0, 1):
            s, rows = np.zeros(2), []
            for e in x[::-1] if backwards else x:
                s = s * 0.5 + e
                rows.append(s)
            rows = np.array(rows)
            self.add("Scan", ["start", "x"], {f"last{backwards}": s, f"rows{backwards}": rows[::-1].T if backwards else rows.T},
                     body=graph, num_scan_inputs=1, scan_input_directions=[backwards], scan_output_axes=[1],
                     scan_output_directions=[backwards])
        self.check(opset=13)

    def test_refusals(self):
        grows = body([node("Concat", ["s", "s"], ["t"], axis=0)],
                     [port("i", I64, []), port("go", BOOL, []), port("s", F32, None)], [port("go", BOOL, []), port("t")])
        self.value("x", (2,))
        self.inputs["count"] = np.array(2, np.int64)
        self.nodes.append(node("Loop", ["count", "", "x"], ["y"], body=grows, name="l"))
        self.expected["y"] = np.zeros(8)
        with self.assertRaisesRegex(AssertionError, r"node 'l' \(Loop\).*|changes its size from \[2\] to \[4\]"):
            self.check(opset=13)
        flat = body([node("Reshape", ["x", "one"], ["r"])], [], [port("r")], {"one": np.array([1, 2])})
        same = body([node("Neg", ["x"], ["n"])], [], [port("n")])
        self.nodes = [node("If", ["flag"], ["y"], then_branch=flat, else_branch=same)]
        self.inputs["flag"] = np.array(True)
        with self.assertRaisesRegex(AssertionError, "branches give"):
            self.check(opset=13)

    def frames(self, name, shape):
        """A branch that takes x apart in frames."""
        return body([node("Reshape", ["x", "shape"], [name + "_frames"]), node("ReduceMean", [name + "_frames"], [name], axes=[1],
                                                                            keepdims=0)], [], [port(name)], {"shape": shape})

    def check_left_out(self, then_branch, else_branch, taken, expected, misfit, options=("--partition=cpu",)):
        """The branch that is not `taken` does not fit the input's shape."""
        self.nodes = [node("Equal", ["rate", "known"], ["is_known"]),
                      node("If", ["is_known"], ["y"], name="by rate", then_branch=then_branch, else_branch=else_branch)]
        self.constants["known"] = np.array(16000)
        self.expected = {"y": expected}
        self.inputs["rate"] = np.array(16000 if taken == "then_branch" else 8000)
        self.check(opset=13, options=options)
        other = "else_branch" if taken == "then_branch" else "then_branch"
        arguments = [self.folder / "model.onnx", *options, "--input", self.folder / "inputs.npz"]
        notes = [text for text in self.run_json(*arguments)["warnings"] if "by rate" in text]
        self.assertEqual(len(notes), 1)
        self.assertIn(f"its '{other}' does not fit the shapes that the model's inputs have, and is left out", notes[0])
        self.assertIn(misfit, notes[0])
        self.inputs["rate"] = np.array(8000 if taken == "then_branch" else 16000)
        np.savez(self.folder / "inputs.npz", **self.inputs)
        result = self.refuse("vta-run", *arguments, "--output", self.folder / "none",
                             says=["node 'by rate' (If): its condition chooses", f"'{other}', which is not in the compiled model"])
        self.assertNotIn("index", result.stderr)

    def test_a_branch_for_other_shapes_is_left_out(self):
        """As models have that serve several sample rates."""
        x = self.value("x", (1, 576))
        wanted = x.reshape(4, 144).mean(1)
        fits, other = self.frames("a", [4, 144]), self.frames("b", [4, 72])
        self.check_left_out(fits, other, "then_branch", wanted, "Reshape")
        self.check_left_out(other, fits, "else_branch", wanted, "Reshape")
        with self.subTest("a branch inside of a branch"):
            inner = body([node("If", ["is_known"], ["c"], name="inner", then_branch=other, else_branch=other)], [], [port("c")])
            self.check_left_out(fits, inner, "then_branch", wanted, "Reshape")
        self.constants["w"] = np.ones((500, 4), np.float32)
        self.constants["k"] = np.ones((1, 2, 3), np.float32)
        self.constants["row"] = np.ones((1, 575), np.float32)
        for kind, inputs in (("MatMul", ["x", "w"]), ("Add", ["x", "row"]), ("Conv", ["x", "k"])):
            with self.subTest(kind):
                self.check_left_out(fits, body([node(kind, inputs, ["d"])], [], [port("d")]), "then_branch", wanted, kind)

    def test_layers_of_the_branch_that_fits_stay_on_the_accelerator(self):
        x = self.value("x", (1, 8, 12, 12))
        w = self.value("w", (8, 8, 1, 1), constant=True)
        fits = body([node("Conv", ["x", "w"], ["a"]), node("Relu", ["a"], ["b"])], [], [port("b")])
        self.constants["v"] = np.ones((8, 4, 1, 1), np.float32)
        other = body([node("Conv", ["x", "v"], ["c"])], [], [port("c")])
        wanted = np.maximum(np.einsum("oc,nchw->nohw", w[:, :, 0, 0], x), 0)
        self.nodes = [node("If", ["flag"], ["y"], name="choice", then_branch=fits, else_branch=other)]
        self.inputs["flag"] = np.array(True)
        self.expected = {"y": wanted}
        self.check(opset=13, tolerance=0.1, options=("--sim=functional", "--verify"))
        report = self.run_json(self.folder / "model.onnx", "--sim=functional", "--input", self.folder / "inputs.npz")
        self.assertEqual(report["totals"]["macs_on_vta"], 8 * 8 * 144)

    def test_two_branches_that_do_not_fit_are_an_error(self):
        self.value("x", (1, 576))
        self.inputs["flag"] = np.array(True)
        self.nodes = [node("If", ["flag"], ["y"], name="choice", then_branch=self.frames("a", [4, 100]),
                           else_branch=self.frames("b", [4, 72]))]
        graph = helper.make_graph(self.nodes, "g", [port("x", F32, [1, 576]), port("flag", BOOL, [])], [port("y", F32, [4])])
        onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 13)]), self.folder / "m.onnx")
        self.refuse("vta-run", self.folder / "m.onnx", "--partition=cpu", says=["node 'choice' (If)", "Reshape"])

    def test_names_may_be_used_again_where_others_cannot_see_them(self):
        """Branches name values as each other do, and as the graph around them does further down."""
        x = self.value("x", (2, 4))
        branches = {"then_branch": body([node("Relu", ["x"], ["a"]), node("Identity", ["a"], ["t"])], [], [port("t")]),
                    "else_branch": body([node("Neg", ["x"], ["a"]), node("Identity", ["a"], ["t"])], [], [port("t")])}
        self.nodes = [node("If", ["flag"], ["t"], **branches), node("If", ["flag"], ["u"], **branches),
                      node("Add", ["t", "u"], ["a"])]
        step = body([node("Add", ["s", "x"], ["a"]), node("Identity", ["go"], ["t"])],
                    [port("i", I64, []), port("go", BOOL, []), port("s", F32, [2, 4])], [port("t", BOOL, []), port("a")])
        self.nodes += [node("Loop", ["n", "", "a"], ["b"], body=step), node("Loop", ["n", "", "b"], ["y"], body=step)]
        self.inputs["n"] = np.array(3)
        for flag in (True, False):
            with self.subTest(flag):
                self.inputs["flag"] = np.array(flag)
                self.expected = {"y": 2 * (np.maximum(x, 0) if flag else -x) + 6 * x}
                self.check(opset=13)


if __name__ == "__main__":
    unittest.main()
