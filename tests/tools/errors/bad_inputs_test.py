"""Arrays, images, labels and preprocessing that do not fit the model."""

import struct
import sys
import unittest
import zlib
from pathlib import Path

import numpy as np
from onnx import helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import DIGITS, DIGITS_OPTIONS, DigitsModuleCase, tool  # noqa: E402

MODEL = DIGITS / "digits.onnx"
IMAGE = DIGITS / "images/three-1.png"


class ArrayTest(DigitsModuleCase):
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

    def test_calibration_that_does_not_fit(self):
        np.save(self.folder / "x.npy", np.zeros((1, 3, 32, 32), np.float32))
        self.refuse("vta-compile", MODEL, "--calibrate", self.folder / "x.npy", "-o", self.folder / "m.so",
                  says=["--calibrate", "x.npy"])
        self.assertFalse((self.folder / "m.so").exists())


class ImageTest(DigitsModuleCase):
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


class LabelsTest(DigitsModuleCase):
    def test_labels(self):
        csv = self.write("labels.csv", "a.png,1\nb.png,many\n")
        self.refuse("vta-run", self.module, "-i", IMAGE, "--labels-csv", csv, says=["labels.csv:2"])
        csv = self.write("labels.csv", "a.png,1\n")
        self.refuse("vta-run", self.module, "-i", IMAGE, "--labels-csv", csv, says=["no input has a line"])
        self.refuse("vta-run", self.module, "--labels", self.folder / "none.txt", says=["none.txt"])

    def test_labels_that_do_not_fit(self):
        self.refuse("vta-run", self.module, "--labels", self.write("l", b"\x7fELF\x01\0\0"), says=["not a text file"])
        result = tool("vta-run", self.module, "--labels", self.write("l", "a\nb\n"))
        self.assertEqual(result.returncode, 0)
        self.assertIn("--labels has 2 names, output 'probabilities' has 10 classes", result.stderr)


if __name__ == "__main__":
    unittest.main()
