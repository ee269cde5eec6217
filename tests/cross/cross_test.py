"""Modules for other processors, run by the board's build of vta-run under qemu: the same bits as on this machine.

Needs what scripts/cross builds, and qemu-user-static; each processor that is not there is skipped."""

import shutil
import struct
import subprocess
import sys
import unittest
from pathlib import Path

import numpy
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))
from tool_case import DIGITS, DIGITS_OPTIONS, MODELS, ROOT, ToolCase  # noqa: E402  (found through the line above)

# Name of --target: qemu, the folder with the C library, the ELF machine.
PROCESSORS = {"armv7": ("qemu-arm-static", "/usr/arm-linux-gnueabihf", 40),
              "aarch64": ("qemu-aarch64-static", "/usr/aarch64-linux-gnu", 183)}
NETWORKS = ("mlperf_resnet8_qdq", "mlperf_kws_dscnn_qdq", "mobilenet_v1_0.25_128_qdq", "squeezenet1.0_deepcomp_f32")
MAX_PACKAGE_BYTES = 2_000_000


def board_program(processor, name):
    return ROOT / f"build-{processor}" / "bin" / name


def can_run(processor):
    qemu, library, _ = PROCESSORS[processor]
    return bool(shutil.which(qemu)) and Path(library).is_dir() and board_program(processor, "vta-run-module").exists()


def model_file(name):
    files = sorted(MODELS.rglob(f"*{name}*.onnx"))
    return files[0] if files else None


class CrossTest(ToolCase):
    def each_processor(self):
        """Subtests of the processors that can be run here; skips when there is none."""
        runnable = [processor for processor in PROCESSORS if can_run(processor)]
        if not runnable:
            self.skipTest("needs scripts/cross and qemu-user-static")
        for processor in runnable:
            with self.subTest(processor=processor):
                yield processor

    def on_board(self, processor, name, *arguments):
        qemu, library, _ = PROCESSORS[processor]
        command = [qemu, "-L", library, board_program(processor, name), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)

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
                needed = subprocess.run(["readelf", "-d", self.folder / "vta/bin" / name], capture_output=True, text=True,
                                        check=True).stdout
                libraries = {line.split("[")[1].rstrip("]") for line in needed.splitlines() if "NEEDED" in line}
                self.assertLessEqual({library.split(".")[0] for library in libraries},
                                     {"libc", "libm", "libdl", "libpthread", "ld-linux-armhf", "ld-linux-aarch64"})

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
