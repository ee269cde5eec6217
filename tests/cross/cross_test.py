"""Modules for other processors, run by the board's build of vta-run under qemu: the same bits as on this machine.

Needs what scripts/cross builds, and qemu-user-static; each processor that is not there is skipped."""

import fcntl
import shutil
import struct
import subprocess
import tarfile
import unittest
from concurrent.futures import ThreadPoolExecutor

import numpy
from PIL import Image

from cross_case import C_LIBRARY, PROCESSORS, CrossCase, board_program, model_file, needed_libraries
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

    def test_float_host_code(self):
        """Sums in another order, so not the same bits."""
        options = ["--partition", "cpu"]
        here, there = self.folder / "here", self.folder / "there"
        for processor in self.each_processor():
            module = self.compile(DIGITS / "digits.onnx", "x86_64", *options)
            self.succeed("vta-run", module, "--sim", "functional", "--output", here)
            module = self.compile(DIGITS / "digits.onnx", processor, *options)
            result = self.on_board(processor, "vta-run-module", module, "--sim", "functional", "--output", there)
            self.assertEqual(result.returncode, 0, result.stderr)
            for name, array in self.outputs(here).items():
                numpy.testing.assert_allclose(self.outputs(there)[name], array, rtol=1e-4, atol=1e-4)

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

    def test_library(self):
        """The example in C, built against the board's library, gives the digit that this machine's tools give."""
        image = numpy.full((1, 1, 32, 32), 0.25, numpy.float32)
        numpy.save(self.folder / "image.npy", image)
        image.tofile(self.folder / "image.f32")
        self.succeed("vta-run", DIGITS / "digits.onnx", "--sim=functional", *DIGITS_OPTIONS,
                     "--input", self.folder / "image.npy", "--output", self.folder)
        digit = numpy.load(self.folder / "probabilities.npy").argmax()
        for processor in self.each_processor():
            library, program = board_program(processor, "").parent / "lib", self.folder / f"classify-{processor}"
            self.assertLessEqual(needed_libraries(library / "libvta.so.0"), C_LIBRARY)
            triple = {"armv7": "arm-linux-gnueabihf", "aarch64": "aarch64-linux-gnu"}[processor]
            subprocess.run([f"{triple}-gcc", ROOT / "examples/api/classify.c", f"-I{ROOT / 'api/include'}",
                            f"-L{library}", "-lvta", f"-Wl,-rpath,{library}", "-o", program], check=True)
            module = self.compile(DIGITS / "digits.onnx", processor, *DIGITS_OPTIONS)
            qemu, sysroot, _ = PROCESSORS[processor]
            result = subprocess.run([qemu, "-L", sysroot, program, module, self.folder / "image.f32", "cycle"],
                                    capture_output=True, text=True, timeout=300, check=False)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual(result.stdout.split()[0], str(digit))

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
            self.cross(processor, "--package", package)
            self.assertLess(package.stat().st_size, MAX_PACKAGE_BYTES)
            subprocess.run(["tar", "-C", self.folder, "-xzf", package], check=True)
            for name in ("vta-run", "vta-flash"):
                self.assertLessEqual(needed_libraries(self.folder / "vta/bin" / name), C_LIBRARY)

    def test_two_at_once(self):
        """They take turns: neither packages a half of the other's files."""
        for processor in self.each_processor():
            packages = [(self.folder / f"{place}.tar.gz", options, place)
                        for options, place in (((), "bin"), (("--libc",), "libexec"))]
            with ThreadPoolExecutor() as pool:
                for _ in pool.map(lambda one: self.cross(processor, *one[1], "--package", one[0]), packages):
                    pass
            for package, _, place in packages:
                with tarfile.open(package) as files:
                    names = {name.removeprefix("vta/") for name in files.getnames()}
                self.assertLessEqual({f"{place}/vta-run", f"{place}/vta-flash", "LICENSE"}, names)
                self.assertEqual("lib/libc.so.6" in names, place == "libexec")

    def test_a_second_one_waits(self):
        for processor in self.each_processor():
            with open(ROOT / f"build-{processor}/cross.lock", "w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                command = [ROOT / "scripts/cross", processor, "--package", self.folder / "vta.tar.gz"]
                with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as second:
                    self.assertIn("waiting: another scripts/cross works in", second.stderr.readline())
                    self.assertIsNone(second.poll())
                    fcntl.flock(lock, fcntl.LOCK_UN)
                    second.stderr.read()
                self.assertEqual(second.returncode, 0)
                self.assertTrue((self.folder / "vta.tar.gz").exists())

    def test_package_with_a_c_library(self):
        for processor in self.each_processor():
            package = self.folder / "vta.tar.gz"
            self.cross(processor, "--libc", "--package", package)
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
