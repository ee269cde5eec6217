"""Models and configurations that cannot be compiled: one message that names the place."""

import sys
import time
import unittest
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import DIGITS, HW, ToolCase, tool  # noqa: E402

MODEL = DIGITS / "digits.onnx"
IMAGE = DIGITS / "images/three-1.png"


class ModelTest(ToolCase):
    def test_files_that_are_no_models(self):
        data = MODEL.read_bytes()
        random = np.random.default_rng(1).integers(0, 256, 5000, dtype=np.uint8).tobytes()
        for name, content in {"cut.onnx": data[: len(data) // 2], "random.onnx": random, "empty.onnx": b""}.items():
            with self.subTest(name):
                for each in ("vta-run", "vta-compile"):
                    self.refuse(each, self.write(name, content), says=[name])
        self.refuse("vta-run", self.folder / "none.onnx", says=["none.onnx"])
        self.refuse("vta-run", self.folder, says=[str(self.folder)])

    def test_broken_graphs(self):
        relu = helper.make_node
        cases = {
            "cycle": ([relu("Relu", ["b"], ["a"], name="one"), relu("Relu", ["a"], ["b"], name="two")], "a", "one"),
            "missing": ([relu("Add", ["x", "w"], ["y"], name="plus")], "y", "w"),
            "unsupported": ([relu("Foo", ["x"], ["t"], name="foo1"), relu("Bar", ["t"], ["y"], name="bar2")], "y", "foo1"),
        }
        for name, (nodes, output, says) in cases.items():
            with self.subTest(name):
                path = self.model(nodes, [("x", [1, 4])], [(output, [1, 4])])
                result = self.refuse("vta-run", path, says=[says])
                if name == "unsupported":
                    self.assertIn("bar2", result.stderr)

    def test_symbolic_shapes_have_a_default(self):
        node = helper.make_node("Relu", ["x"], ["y"])
        path = self.model([node], [("x", [4, "length"])], [("y", [4, "length"])])
        result = tool("vta-run", path)
        self.assertIn("4x128 float32", result.stdout)
        self.assertIn("dimension 'length' of input 'x' is taken to be 128, the default, as nothing says what it is; "
                      "--shape length=VALUE sets another", " ".join(result.stderr.split()))
        self.assertIn("4x3 float32", self.succeed("vta-run", path, "--shape", "length=3"))
        self.assertIn("4x3 float32", self.succeed("vta-run", path, "--shape", "x.1=3"))

    def test_a_symbolic_batch_is_one_or_what_the_data_have(self):
        node = helper.make_node("Relu", ["x"], ["y"])
        path = self.model([node], [("x", ["batch", 4])], [("y", ["batch", 4])])
        result = tool("vta-run", path)
        self.assertIn("1x4 float32", result.stdout)
        self.assertIn("dimension 'batch', the first of input 'x', is taken to be 1", result.stderr)
        np.save(self.folder / "x.npy", np.zeros((5, 4), np.float32))
        result = tool("vta-run", path, "--input", self.folder / "x.npy")
        self.assertIn("5x4 float32", result.stdout)
        self.assertNotIn("is taken to be", result.stderr)
        # One by one where the model has it so.
        report = self.run_json(path, "--shape", "batch=1", "--input", self.folder / "x.npy")
        self.assertEqual(report["batch"]["samples"], 5)
        # And where classes of single samples are asked for.
        labels = self.write("labels.txt", "a\nb\nc\nd\n")
        report = self.run_json(path, "--labels", labels, "--input", self.folder / "x.npy")
        self.assertEqual(report["batch"]["samples"], 5)

    def test_configurations(self):
        text = (HW / "default.yaml").read_text()
        for name, content, says in [("unknown", text + "\ncolour: red\n", "colour"),
                                    ("impossible", text.replace("batch: 1,", "batch: 3,"), "batch"),
                                    ("syntax", "a: [1, 2", "syntax.yaml")]:
            with self.subTest(name):
                self.refuse("vta-run", MODEL, "--hw", self.write(f"{name}.yaml", content), says=[says])
        self.refuse("vta-run", MODEL, "--hw", self.folder / "none.yaml", says=["none.yaml"])

    def test_memories(self):
        simple = "kind: simple\nlatency_cycles: 16\nbeats_per_cycle: 1\noutstanding: 8\n"
        dram = "kind: ddr\npreset: DDR3-1066\ncontroller_latency_cycles: 12\noutstanding: 16\n"
        for name, content, says in [
                ("zero", simple.replace("cycle: 1", "cycle: 0"), ["zero.yaml:3:18", "above 0 and at most 1"]),
                ("late", simple.replace("16", "-1"), ["late.yaml", "latency_cycles is -1", "1 to 100000"]),
                ("none_in_flight", simple.replace("outstanding: 8", "outstanding: 0"), ["outstanding is 0", "1 to 1024"]),
                ("kind", simple.replace("kind: simple", "kind: fast"), ["kind.yaml", "legal: simple, ddr"]),
                ("preset", dram.replace("DDR3-1066", "DDR9"), ["preset.yaml:2:9", "DDR9", "DDR3-1066, DDR4-2400"]),
                ("two", simple + "preset: DDR3-1066\n", ["two.yaml:5:1", "unknown key preset"])]:
            with self.subTest(name):
                self.refuse("vta-run", "--sim", MODEL, "--dram", self.write(f"{name}.yaml", content), says=says)
        self.refuse("vta-run", "--sim", MODEL, "--dram=DDR9", says=['"DDR9" is neither', "DDR3-1066"])

    def test_energy_tables(self):
        self.refuse("vta-run", MODEL, "--profile", "--energy=3nm", says=['--energy: "3nm"', "45nm, 7nm"])
        text = (HW.parent / "energy/45nm.yaml").read_text()
        for name, content, says in [("negative", text.replace("pj: 0.2", "pj: -0.2"), ["negative.yaml:6:7", "above 0"]),
                                    ("unsourced", text.replace("  source: *horowitz\nmul", "mul"),
                                     ["unsourced.yaml", "source is missing"])]:
            with self.subTest(name):
                self.refuse("vta-run", MODEL, "--profile", "--energy", self.write(f"{name}.yaml", content), says=says)

    def test_models_of_other_formats(self):
        for name, content, says in [("m.tflite", b"\x20\0\0\0TFL3", "tf2onnx"), ("m.pt", b"PK\x03\x04", "torch.onnx"),
                                    ("m.onnx", b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull")]:
            for each in ("vta-run", "vta-compile"):
                self.refuse(each, self.write(name, content), says=[name, says])

    def test_names_do_not_command_the_terminal(self):
        name = "red\x1b[31m\nline\x07" + 100_000 * "n"
        path = self.model([helper.make_node("Relu", ["x"], ["y"], name=name)], [("x", [1, 4])], [("y", [1, 4])])
        module = self.folder / "m.so"
        self.succeed("vta-compile", path, "-o", module)
        for text in (self.succeed("vta-run", path, "--profile"), self.succeed("vta-objdump", module)):
            self.assertIn("red\\x1b[31m\\x0alin", text)
            self.assertNotIn("\x1b", text)
            self.assertLess(max(map(len, text.splitlines())), 1000)
        bad = self.model([helper.make_node("Foo\x1b[2J", ["x"], ["y"], name="n")], [("x", [1, 4])], [("y", [1, 4])])
        result = self.refuse("vta-run", bad, says=["Foo\\x1b[2J"])
        self.assertNotIn("\x1b", result.stderr)


class NoInputTest(ToolCase):
    def test_models_without_inputs_run(self):
        tensor = helper.make_tensor("v", TensorProto.FLOAT, [1, 3], [1.0, 2.0, 3.0])
        path = self.model([helper.make_node("Constant", [], ["y"], value=tensor)], [], [("y", [1, 3])])
        module = self.folder / "m.so"
        for options in ([], ["--partition=cpu"], ["--partition=cpu-quantized"], ["--sim=functional", "--verify"]):
            with self.subTest(options):
                self.assertIn("1x3 float32", self.succeed("vta-run", path, *options))
        self.succeed("vta-compile", path, "-o", module)
        self.succeed("vta-run", module, "--output", self.folder / "out")
        np.testing.assert_array_equal(np.load(self.folder / "out/y.npy"), [[1, 2, 3]])
        self.refuse("vta-run", path, "-i", IMAGE, says=["no inputs"])
        self.refuse("vta-run", path, "--calibrate", IMAGE, says=["--calibrate", "no inputs"])


class LongModelTest(ToolCase):
    """Time grows with the number of operators, and equal functions are compiled once."""

    def chain(self, operator, length):
        nodes = [helper.make_node(operator, [f"t{i}"], [f"t{i + 1}"], name=f"n{i}") for i in range(length)]
        return self.model(nodes, [("t0", [1, 16])], [(f"t{length}", [1, 16])], name=f"{operator}{length}.onnx")

    def test_tensors_of_too_many_dimensions(self):
        for count in (63, 64):
            node = helper.make_node("Unsqueeze", ["x", "axes"], ["y"])
            path = self.model([node], [("x", [3])], [("y", [1] * count + [3])], [("axes", np.arange(count))])
            if count == 63:
                self.succeed("vta-run", path, "--partition=cpu")
            else:
                self.refuse("vta-run", path, "--partition=cpu", says=["a tensor of 65 dimensions has more than 64"])

    def test_long_chains(self):
        length = 4000
        for operator in ("Sin", "Softmax"):
            with self.subTest(operator):
                start = time.monotonic()
                self.succeed("vta-compile", self.chain(operator, length), "-o", self.folder / "m.so")
                self.assertLess(time.monotonic() - start, 120)  # quadratic time: far above
                self.assertLess((self.folder / "m.so").stat().st_size, 1 << 20)

    def test_parts_compute_what_the_whole_would(self):
        sample = self.folder / "x.npy"
        np.save(sample, np.linspace(0.1, 3, 16, dtype=np.float32)[None])
        self.succeed("vta-run", self.chain("Sin", 1000), "-i", sample, "--output", self.folder / "out")
        expected = np.load(sample).astype(np.float64)
        for _ in range(1000):
            expected = np.sin(expected)
        np.testing.assert_allclose(np.load(self.folder / "out/t1000.npy"), expected, rtol=1e-4)


class FiniteTest(ToolCase):
    def test_weights_that_integers_cannot_stand_for(self):
        weights = np.ones((8, 4), np.float32)
        sample = self.folder / "x.npy"
        np.save(sample, np.ones((1, 4), np.float32))
        for value, text in [(np.nan, "NaN"), (np.inf, "infinity")]:
            weights[2, 1] = value
            for transposed in (0, 1):
                node = helper.make_node("Gemm", ["x", "w"], ["y"], name="product", transB=transposed)
                path = self.model([node], [("x", [1, 4])], [("y", [1, 8])],
                                  [("w", weights if transposed else np.ascontiguousarray(weights.T))])
                says = ["node 'product'", "'w'", f"value {text}", "[2, 1]" if transposed else "[1, 2]"]
                with self.subTest(text, transposed=transposed):
                    self.refuse("vta-run", path, says=says)
                    self.refuse("vta-compile", path, "-o", self.folder / "m.so", says=says)
                    self.refuse("vta-run", path, "--partition=cpu-quantized", says=says)
                    self.succeed("vta-run", path, "--partition=cpu")

    def test_ranges_that_are_not_finite(self):
        nodes = [helper.make_node("Exp", ["x"], ["e"], name="grow"),
                 helper.make_node("Gemm", ["e", "w"], ["y"], name="product")]
        path = self.model(nodes, [("x", [1, 4])], [("y", [1, 8])], [("w", np.ones((4, 8), np.float32))])
        np.save(self.folder / "x.npy", np.full((1, 4), 100, np.float32))
        self.refuse("vta-run", path, "--calibrate", self.folder / "x.npy", says=["grow", "NaN or infinite"])


if __name__ == "__main__":
    unittest.main()
