"""Modules for other processors, run by the board's build of vta-run under qemu: the same bits as on this machine.

Needs what scripts/cross builds, and qemu-user-static; each processor that is not there is skipped."""

import shutil
import struct
import subprocess
import unittest

import numpy
from PIL import Image

from cross_case import C_LIBRARY, PROCESSORS, CrossCase, model_file, needed_libraries
from tool_case import DIGITS, DIGITS_OPTIONS, ROOT

NETWORKS = ("mlperf_resnet8_qdq", "mlperf_kws_dscnn_qdq", "mobilenet_v1_0.25_128_qdq", "squeezenet1.0_deepcomp_f32")
MAX_PACKAGE_BYTES = 2_000_000


class CrossTest(CrossCase):
    def compile(self, model, target, *options):
        module = self.folder / f"{target}.vta.so"
        self.succeed("vta-compile", model, "--target", target, "-o", module, *options)
        return module

    def outputs(self, folder):
        return {file.name: numpy.load(file) for file in sorted(folder.iterdir())}

    def compare(self, processor, model, options, inputs=()):
        """Runs the model here and there, and wants the same bytes in every output."""
        here, there = self.folder / "here", self.folder / f"there-{processor}"
        shutil.rmtree(here, ignore_errors=True)
        self.succeed("vta-run", self.compile(model, "x86_64", *options), "--sim", "functional", "--output", here, *inputs)
        module = self.compile(model, processor, *options)
        self.assertEqual(struct.unpack_from("<H", module.read_bytes(), 18)[0], PROCESSORS[processor][2])
        result = self.on_board(processor, "vta-run-module", module, "--sim", "functional", "--output", there, *inputs)
        self.assertEqual(result.returncode, 0, result.stderr)
        wanted, found = self.outputs(here), self.outputs(there)
        self.assertEqual(list(wanted), list(found))
        self.assertGreater(len(wanted), 0)
        for name, array in wanted.items():
            self.assertEqual((array.dtype, array.shape), (found[name].dtype, found[name].shape))
            self.assertEqual(array.tobytes(), found[name].tobytes(),
                             f"{name}: {numpy.count_nonzero(array != found[name])} of {array.size} elements differ")

    def test_example(self):
        image = sorted((DIGITS / "calibration").iterdir())[0]
        pixels = 255 - numpy.asarray(Image.open(image).convert("L").resize((32, 32)), dtype=numpy.float32)
        numpy.save(self.folder / "image.npy", (pixels / 255).reshape(1, 1, 32, 32))
        for processor in self.each_processor():
            self.compare(processor, DIGITS / "digits.onnx", DIGITS_OPTIONS, ["--input", self.folder / "image.npy"])

    def test_host_only(self):
        """All of the network in host code: the vector instructions of the processor."""
        for processor in self.each_processor():
            self.compare(processor, DIGITS / "digits.onnx", [*DIGITS_OPTIONS, "--partition", "cpu-quantized"])

    def test_networks(self):
        for processor in self.each_processor():
            for name in NETWORKS:
                model = model_file(name)
                with self.subTest(processor=processor, network=name):
                    if model is None:
                        self.skipTest(f"no model {name}")
                    self.compare(processor, model, ["--calibration-method", "minmax"])

    def test_wrong_processor(self):
        module = self.compile(DIGITS / "digits.onnx", "armv7", *DIGITS_OPTIONS)
        self.refuse("vta-run", module, "--sim", says=["built for arm"])
        for processor in self.each_processor():
            other = self.compile(DIGITS / "digits.onnx", "x86_64", *DIGITS_OPTIONS)
            result = self.on_board(processor, "vta-run-module", other, "--sim")
            self.assertEqual(result.returncode, 1)
            self.assertIn("built for x86-64", result.stderr)

    def test_flash(self):
        import bitstreams
        file = self.write("vta.bit", bitstreams.bit(bitstreams.raw(bitstreams.packets())))
        self.write("vta.json", bitstreams.description())
        board = bitstreams.Board(self.folder / "board")
        for processor in self.each_processor():
            result = self.on_board(processor, "vta-flash", file, "--root", board.root)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("xc7z020", result.stdout)

    def test_package(self):
        """Small, and needs the C library only."""
        for processor in self.each_processor():
            package = self.folder / "vta.tar.gz"
            subprocess.run([ROOT / "scripts/cross", processor, "--package", package], check=True, capture_output=True)
            self.assertLess(package.stat().st_size, MAX_PACKAGE_BYTES)
            subprocess.run(["tar", "-C", self.folder, "-xzf", package], check=True)
            for name in ("vta-run", "vta-flash"):
                self.assertLessEqual(needed_libraries(self.folder / "vta/bin" / name), C_LIBRARY)

    def test_package_with_a_c_library(self):
        for processor in self.each_processor():
            package = self.folder / "vta.tar.gz"
            subprocess.run([ROOT / "scripts/cross", processor, "--libc", "--package", package], check=True, capture_output=True)
            folder = self.folder / processor
            folder.mkdir()
            subprocess.run(["tar", "-C", folder, "-xzf", package], check=True)
            loader, = (folder / "vta/lib").glob("ld-linux*")
            self.assertIn(loader.name, (folder / "vta/bin/vta-run").read_text())
            # As the script starts it; no -L: nothing of this machine is used.
            result = subprocess.run([PROCESSORS[processor][0], loader, "--library-path", folder / "vta/lib",
                                     folder / "vta/libexec/vta-run", "--version"], capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("vta-run", result.stdout)


if __name__ == "__main__":
    unittest.main()
