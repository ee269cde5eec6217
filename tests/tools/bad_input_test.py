"""Whatever is wrong, a tool says so in one message, exits with 1 or 2, and leaves earlier files alone."""

import os
import resource
import signal
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper

from tool_case import BIN, DIGITS, DIGITS_OPTIONS, HW, ToolCase, tool

MODEL = DIGITS / "digits.onnx"
IMAGE = DIGITS / "images/three-1.png"
# vta-opt and vta-translate have LLVM's command line.
TOOLS = ("vta-run", "vta-compile", "vta-info", "vta-objdump", "vta-cosim", "vta-validate", "vta-rtl-models",
         "vta-random-networks", "vta-onnx-conformance")


class UsageTest(ToolCase):
    def test_wrong_usage_exits_with_2(self):
        for arguments, text in [([], "model"), ([MODEL, "--no-such"], "--no-such"),
                                ([MODEL, "--waves=x.fst"], "needs --sim=rtl"), ([MODEL, "--sim=x"], "no such simulator"),
                                ([MODEL, "--sim=rtl", "--waves-from=3"], "need --waves"),
                                ([MODEL, "--sim=functional", "--timing-only"], "--timing-only needs --sim=cycle"),
                                ([MODEL, "--sim=functional", "--dram=simple"], "--dram needs --sim=cycle"),
                                ([MODEL, "--sim=functional", "--trace=t.json"], "--trace needs --sim=cycle"),
                                ([MODEL, "--timing-only", "--verify"], "no values to verify"),
                                ([MODEL, "--device=xrt:0"], "no hardware"), ([MODEL, "--host=gpu"], "no GPU"),
                                ([MODEL, "--shape", "batch"], "NAME=N"), ([MODEL, "--shape", "n=0"], "at least 1"),
                                ([MODEL, "--partition=moon"], "moon not in {auto,cpu,cpu-quantized,vta}"),
                                ([MODEL, "--calibration-method=x"], "x not in {kl,minmax,percentile}"),
                                ([MODEL, "--schedules", "a.yaml", "--schedules", "b.yaml"], "one file at most"),
                                ([MODEL, "--top", "0"], "--top"),
                                ([MODEL, "--energy=7nm"], "--energy needs --profile, --report or --json"),
                                ([MODEL, "--labels-csv", "x.csv"], "needs --input")]:
            with self.subTest(arguments):
                self.refuse("vta-run", *arguments, code=2, says=[text])
        self.refuse("vta-compile", code=2, says=["model"])

    def test_every_tool_knows_its_options(self):
        for name in TOOLS:
            with self.subTest(name):
                needed = ["x"] if name in ("vta-run", "vta-compile", "vta-objdump", "vta-rtl-models") else []
                self.refuse(name, *needed, "--no-such", code=2, says=["--no-such", f"Run {name} --help"])

    def test_counts_are_at_least_one(self):
        for name, option in [("vta-cosim", "--count"), ("vta-validate", "--programs"),
                             ("vta-random-networks", "--cases")]:
            for value in ("0", "-1"):
                with self.subTest(name, value=value):
                    self.refuse(name, option, value, code=2, says=[option, "1"])
        self.refuse("vta-cosim", "--seed", "-1", code=2, says=["--seed"])

    def test_conformance_tool(self):
        self.refuse("vta-onnx-conformance", "--filter", "[", code=2, says=["--filter", "'['"])
        self.refuse("vta-onnx-conformance", "--cases", self.folder / "none", says=["none", "--cases"])
        self.refuse("vta-onnx-conformance", "--cases", self.folder, "--report", self.folder / "none/r.json",
                    says=["none/r.json"])

    def test_info(self):
        self.refuse("vta-info", "--configs", self.folder / "none", says=["none"])
        self.refuse("vta-info", "--configs", self.folder, says=["no configuration", ".yaml"])
        package = self.folder / "none/vta_pkg.sv"
        self.refuse("vta-info", "--rtl-package", package, "--hw", HW / "default.yaml", says=[str(package), "No such file"])

    def test_help_and_version(self):
        for name in TOOLS:
            with self.subTest(name):
                text = self.succeed(name, "--help")
                self.assertIn(name, text)
                if name.removeprefix("vta-") not in ("random-networks", "onnx-conformance"):
                    self.assertIn("Example", text)
                self.assertRegex(self.succeed(name, "--version"), rf"^{name} \d+\.\d+\.\d+$")


    def test_seeds_are_64_bit_numbers(self):
        for name, *needed in [("vta-run", MODEL), ("vta-compile", MODEL), ("vta-cosim",), ("vta-validate",)]:
            for value in ("-1", "99999999999999999999999", "1.5", "x"):
                with self.subTest(name, value=value):
                    self.refuse(name, *needed, f"--seed={value}", code=2,
                                says=["--seed", f"{value} is not a whole number from 0 to 18446744073709551615"])

    def test_options_that_repeat_leave_the_model_alone(self):
        none = self.folder / "none.onnx"
        file = self.write("x.npy", "")
        for name, options in {"vta-run": ["--input", "-i", "--calibrate", "--float-layers", "--shape", "--schedules"],
                              "vta-compile": ["--calibrate", "--float-layers", "--shape", "--schedules"]}.items():
            for option in options:
                with self.subTest(name, option=option):
                    value = "n=1" if option == "--shape" else file
                    # The model is looked for: it was not taken as a second value.
                    self.refuse(name, option, value, none, says=["none.onnx"])
                    self.refuse(name, option, value, option, value, none, code=1 if option != "--schedules" else 2)
        for option in ("--hw", "--module", "--memory"):
            self.refuse("vta-validate", option, "a", "b", code=2, says=["b"])

    def test_sim_takes_names_and_leaves_files(self):
        for arguments in (["--sim", "functional", MODEL], ["--sim", MODEL], [MODEL, "--sim"]):
            with self.subTest(arguments):
                self.succeed("vta-run", *arguments, *DIGITS_OPTIONS)

    def test_usage_line(self):
        self.assertIn("Usage: vta-run [OPTIONS] model\n", self.succeed("vta-run", "--help"))


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

    def test_symbolic_shapes_need_a_binding(self):
        node = helper.make_node("Relu", ["x"], ["y"])
        path = self.model([node], [("x", ["batch", 4])], [("y", ["batch", 4])])
        self.refuse("vta-run", path, says=["batch", "--shape"])
        self.assertIn("3x4 float32", self.succeed("vta-run", path, "--shape", "batch=3"))

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
            self.assertIn("red\\x1b[31m\\x0aline\\x07", text)
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


class InputTest(ToolCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.shared = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.shared.cleanup)
        cls.module = Path(cls.shared.name) / "digits.vta.so"
        result = tool("vta-compile", MODEL, *DIGITS_OPTIONS, "-o", cls.module)
        assert result.returncode == 0, result.stderr

    def test_modules_for_other_accelerators(self):
        for simulator in ("--sim", "--sim=functional", "--sim=rtl"):
            self.refuse("vta-run", simulator, self.module, "--hw", HW / "small-1x8x8.yaml",
                        says=["built for configuration 'default'", "has 'small-1x8x8'", "compile the model for that one"])

    def test_arrays_that_do_not_fit(self):
        arrays = {"shape": np.zeros((1, 1, 16, 32), np.float32), "type": np.zeros((1, 1, 32, 32), np.int32),
                  "double": np.zeros((1, 1, 16, 32)), "scalar": np.float32(1)}
        for name, array in arrays.items():
            with self.subTest(name):
                np.save(self.folder / f"{name}.npy", array)
                self.refuse("vta-run", self.module, "-i", self.folder / f"{name}.npy", says=["image", "1x1x32x32 float32"])
        np.savez(self.folder / "other.npz", a=arrays["shape"], b=arrays["shape"])
        self.refuse("vta-run", self.module, "-i", self.folder / "other.npz", says=["no such input"])

    def test_arrays_of_other_layouts_are_converted(self):
        values = np.random.default_rng(1).integers(-8, 8, (1, 1, 32, 32)).astype(np.float32) / 8
        outputs = []
        for name, array in {"plain": values, "double": values.astype(np.float64), "half": values.astype(np.float16),
                            "big": values.astype(">f4"), "fortran": np.asfortranarray(values)}.items():
            np.save(self.folder / f"{name}.npy", array)
            self.succeed("vta-run", self.module, "-i", self.folder / f"{name}.npy", "--output", self.folder / name)
            outputs.append(np.load(next((self.folder / name).iterdir())).tobytes())
        self.assertEqual(len(set(outputs)), 1)

    def test_values_that_integers_cannot_stand_for(self):
        for name, value, text in [("nan", np.nan, "NaN"), ("inf", -np.inf, "minus infinity")]:
            array = np.zeros((1, 1, 32, 32), np.float32)
            array[0, 0, 3, 5] = value
            path = self.folder / f"{name}.npy"
            np.save(path, array)
            says = [f"{name}.npy", f"element [0, 0, 3, 5] is {text}", "'image'"]
            with self.subTest(name):
                self.refuse("vta-run", self.module, "-i", path, says=says)
                self.refuse("vta-run", MODEL, *DIGITS_OPTIONS, "-i", path, says=says)
                self.refuse("vta-run", MODEL, "--calibrate", path, says=["--calibrate", *says])
                self.refuse("vta-compile", MODEL, "--calibrate", path, "-o", self.folder / "m.so",
                            says=["--calibrate", *says])
                self.succeed("vta-run", MODEL, "--partition=cpu", "-i", path)

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

    def test_names_that_do_not_exist(self):
        self.refuse("vta-run", self.module, "-i", f"picture={IMAGE}", says=["picture", "image"])
        self.refuse("vta-run", self.module, "-i", self.folder / "none.png", says=["none.png"])
        self.refuse("vta-run", self.module, "-i", self.folder, says=["has no file"])

    def test_damaged_files(self):
        data = IMAGE.read_bytes()
        np.save(self.folder / "x.npy", np.zeros((1, 1, 32, 32), np.float32))
        array = (self.folder / "x.npy").read_bytes()
        for name, content in {"cut.png": data[: len(data) // 2], "text.png": b"hello", "empty.jpg": b"",
                              "cut.npy": array[:2000], "text.npy": b"hello", "text.npz": b"hello",
                              "text.pb": b"\x00\x01hello"}.items():
            with self.subTest(name):
                self.refuse("vta-run", self.module, "-i", self.write(name, content), says=[name])

    def test_preprocessing_files(self):
        good = (DIGITS / "preprocess.yaml").read_text()
        for name, content, says in [("unknown", good + "flip: true\n", "flip"), ("missing", "color: RGB\n", "resize"),
                                    ("type", good.replace("mean: [0.5]", "mean: dark"), "mean"),
                                    ("size", good.replace("[32, 32]", "[64, 64]"), "64x64"),
                                    ("list", "[1, 2]", "mapping"), ("syntax", "color: [", "syntax.yaml")]:
            with self.subTest(name):
                path = self.write(f"{name}.yaml", content)
                self.refuse("vta-run", self.module, "-i", IMAGE, "--preprocess", path, says=[says])
        self.refuse("vta-run", self.module, "-i", IMAGE, "--preprocess", "moon", says=["moon"])

    def test_labels(self):
        csv = self.write("labels.csv", "a.png,1\nb.png,many\n")
        self.refuse("vta-run", self.module, "-i", IMAGE, "--labels-csv", csv, says=["labels.csv:2"])
        csv = self.write("labels.csv", "a.png,1\n")
        self.refuse("vta-run", self.module, "-i", IMAGE, "--labels-csv", csv, says=["no input has a line"])
        self.refuse("vta-run", self.module, "--labels", self.folder / "none.txt", says=["none.txt"])

    def test_calibration_that_does_not_fit(self):
        np.save(self.folder / "x.npy", np.zeros((1, 3, 32, 32), np.float32))
        self.refuse("vta-compile", MODEL, "--calibrate", self.folder / "x.npy", "-o", self.folder / "m.so",
                  says=["--calibrate", "x.npy"])
        self.assertFalse((self.folder / "m.so").exists())

    def test_modules_are_compiled_already(self):
        for option, *value in [["--calibrate", IMAGE], ["--calibration-method", "kl"], ["--float-layers", "conv1"],
                               ["--partition", "cpu"], ["--schedules", "estimated"], ["--shape", "n=1"],
                               ["--dump-ir", self.folder / "ir"], ["--compare-float"]]:
            with self.subTest(option):
                self.refuse("vta-run", self.module, option, *value, says=[option, "compiled already"])

    def test_modules_for_something_else(self):
        self.refuse("vta-run", self.module, "--hw", HW / "small-1x8x8.yaml", says=["'default'", "'small-1x8x8'"])
        other = self.folder / "arm.so"
        self.succeed("vta-compile", MODEL, *DIGITS_OPTIONS, "--target", "aarch64", "-o", other)
        self.refuse("vta-run", other, says=["aarch64", "this machine"])
        self.assertIn("aarch64", self.succeed("vta-objdump", other))

    def test_damaged_modules(self):
        data = self.module.read_bytes()
        self.refuse("vta-run", self.write("cut.so", data[:-100]), says=["truncated"])
        at = data.index(b'"sdk_version"')
        self.refuse("vta-run", self.write("bit.so", data[:at] + b"\x00" + data[at + 1:]), says=["checksum"])
        self.refuse("vta-run", self.write("libc.so", Path("/proc/self/exe").read_bytes()), says=["libc.so"])


    def test_labels_that_do_not_fit(self):
        self.refuse("vta-run", self.module, "--labels", self.write("l", b"\x7fELF\x01\0\0"), says=["not a text file"])
        result = tool("vta-run", self.module, "--labels", self.write("l", "a\nb\n"))
        self.assertEqual(result.returncode, 0)
        self.assertIn("--labels has 2 names, output 'scores' has 10 classes", result.stderr)

    def test_images_that_unpack_to_too_much(self):
        def chunk(kind, data):
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

        rows = zlib.compress(bytes(20_000 * 2_501), 9)
        png = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 20_000, 20_000, 1, 0, 0, 0, 0)) +
               chunk(b"IDAT", rows) + chunk(b"IEND", b""))
        self.refuse("vta-run", self.module, "-i", self.write("huge.png", png), says=["20000 x 20000 pixels"])

    def test_preprocessing_needs_images(self):
        self.refuse("vta-run", self.module, "--preprocess", self.folder / "none.yaml", says=["--preprocess"])
        self.refuse("vta-compile", MODEL, "--preprocess", "imagenet", says=["no image to work on"])
        path = self.model([helper.make_node("Relu", ["x"], ["y"])], [("x", [1, 4])], [("y", [1, 4])])
        np.save(self.folder / "x.npy", np.zeros((1, 4), np.float32))
        self.refuse("vta-run", path, "--preprocess", "imagenet", "-i", self.folder / "x.npy", says=["1 or 3 channels"])
        two = self.write("two.yaml", (DIGITS / "preprocess.yaml").read_text() + "---\ncolor: RGB\n")
        self.refuse("vta-run", self.module, "-i", IMAGE, "--preprocess", two, says=["two.yaml", "second YAML document"])


class SpecialFileTest(ToolCase):
    """Pipes that nobody writes to, and files without an end: nothing waits for them."""

    def test_special_files_are_refused_at_once(self):
        pipe = self.folder / "pipe.npy"
        os.mkfifo(pipe)
        commands = [("vta-run", "{}"), ("vta-compile", "{}"), ("vta-objdump", "{}"), ("vta-run", MODEL, "--hw", "{}"),
                    ("vta-compile", MODEL, "--hw", "{}"), ("vta-objdump", MODEL, "--hw", "{}"),
                    ("vta-run", MODEL, "--sim", "--dram", "{}"), ("vta-run", MODEL, "--profile", "--energy", "{}"),
                    ("vta-run", MODEL, "-i", "{}"), ("vta-run", MODEL, "--calibrate", "{}"),
                    ("vta-run", MODEL, "--reference", "{}"), ("vta-run", MODEL, "--labels", "{}"),
                    ("vta-run", MODEL, "--labels-csv", "{}", "-i", IMAGE),
                    ("vta-run", MODEL, "-i", IMAGE, "--preprocess", "{}"), ("vta-run", MODEL, "--schedules", "{}"),
                    ("vta-validate", "--module", "{}"), ("vta-cosim", "--hw", "{}"), ("vta-rtl-models", "{}")]
        for command in commands:
            for special in (pipe, "/dev/zero"):
                arguments = [special if argument == "{}" else argument for argument in command[1:]]
                with self.subTest(command, special=special):
                    result = subprocess.run([BIN / command[0], *arguments], capture_output=True, text=True, timeout=20)
                    self.assertEqual(result.returncode, 1, result.stderr)
                    self.assertIn(str(special), result.stderr)


class OutputTest(ToolCase):
    def test_outputs_never_overwrite_inputs(self):
        data = MODEL.read_bytes()
        model = self.write("good.onnx", data)
        hw = self.write("hw.yaml", (HW / "default.yaml").read_text())
        (self.folder / "link").symlink_to(model)
        for arguments, says in [((model, "-o", model), "the model"), ((model, "-o", self.folder / "link"), "the model"),
                                ((model, "--write-schedules", model), "the model"), ((model, "--hw", hw, "-o", hw), "--hw"),
                                ((self.folder / "link", "-o", model), "the model")]:
            with self.subTest(arguments):
                self.refuse("vta-compile", *arguments, says=[says, "choose another name"])
        for arguments, says in [((model, "--report", model), "the model"), ((model, "--trace", hw, "--hw", hw), "--hw"),
                                ((model, "--report", "same", "--trace", "same"), "--report"),
                                ((model, "--output", DIGITS / "images", "-i", DIGITS / "images"), "--input")]:
            with self.subTest(arguments):
                self.refuse("vta-run", "--sim", *arguments, says=[says, "choose another name"])
        self.assertEqual(model.read_bytes(), data)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["good.onnx", "hw.yaml", "link"])

    def test_names_are_checked_before_work(self):
        # The model is broken: an error that speaks of something else came before it was read.
        model = self.write("broken.onnx", "none")
        none = self.folder / "none"
        for arguments, says in [(("--dram", "nope"), "nope"), (("--reference", none), "--reference"),
                                (("--report", none / "r.html"), "--report"), (("--trace", none / "t"), "--trace"),
                                (("--output", model / "x"), "--output"), (("--dump-ir", model / "x"), "--dump-ir"),
                                (("--hw", none), "none"), (("--energy", "3nm", "--profile"), "3nm"),
                                (("--labels", none), "none"), (("-i", IMAGE, "--preprocess", none), "--preprocess")]:
            with self.subTest(arguments):
                result = self.refuse("vta-run", "--sim", model, *arguments, says=[says])
                self.assertNotIn("broken.onnx: ", result.stderr)
        for arguments, says in [(("-o", none / "m.so"), "--output"), (("--write-schedules", none / "s"), "--write-schedules"),
                                (("-o", self.folder), "is a folder"), (("--hw", none), "none")]:
            with self.subTest(arguments):
                self.refuse("vta-compile", model, *arguments, says=[says])

    def test_the_mask_for_new_files_is_kept(self):
        out, module = self.folder / "out", self.folder / "m.so"
        report = self.folder / "r.html"
        self.succeed("vta-compile", MODEL, *DIGITS_OPTIONS, "-o", module, umask=0o077)
        self.succeed("vta-run", "--sim", module, "--output", out, "--report", report, umask=0o077)
        for path in (module, report, *out.iterdir()):
            self.assertEqual(path.stat().st_mode & 0o777, 0o600, path)
        link = self.folder / "link.so"
        link.symlink_to("real.so")
        self.succeed("vta-compile", MODEL, *DIGITS_OPTIONS, "-o", link)
        self.assertTrue(link.is_symlink())
        self.assertTrue((self.folder / "real.so").is_file())

    def test_no_space_left(self):
        options = [*DIGITS_OPTIONS, "-o"]
        self.refuse("vta-compile", MODEL, *options, "/dev/full", says=["No space left", "/dev/full"])
        self.refuse("vta-compile", MODEL, *options, self.folder / "none/m.so", says=["none/m.so"])
        with open("/dev/full", "w") as full:
            result = subprocess.run([BIN / "vta-run", MODEL, "--json"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn("standard output", result.stderr)

    def test_failed_writes_leave_earlier_files(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (40000, 40000))

        target = self.write("m.so", "earlier")
        self.refuse("vta-compile", MODEL, *DIGITS_OPTIONS, "-o", target, preexec_fn=limit)
        self.assertEqual(target.read_text(), "earlier")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["m.so"])

    def test_output_folder_that_is_a_file(self):
        blocked = self.write("out", "earlier")
        self.refuse("vta-run", MODEL, *DIGITS_OPTIONS, "--output", blocked, says=["out"])
        self.assertEqual(blocked.read_text(), "earlier")

    def test_reference_of_another_size(self):
        np.save(self.folder / "r.npy", np.zeros(3, np.float32))
        self.refuse("vta-run", MODEL, *DIGITS_OPTIONS, "--reference", self.folder / "r.npy", says=["1x10", "reference"])


if __name__ == "__main__":
    unittest.main()
