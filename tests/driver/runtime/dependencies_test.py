"""What a board runs is small and links no compiler: neither LLVM, MLIR, ONNX or protobuf, nor the tools that make, link
and verify programs. The runtime reads no YAML either; the board's vta-run does, for files of --preprocess."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

BIN = Path(os.environ["VTA_BINARY_DIR"]) / "bin"
# The runtime with the functional device, and the program that boards have as vta-run.
PROGRAMS = ("runtime_link_probe", "vta-run-module")
LIBRARIES = ("llvm", "mlir", "lld", "onnx", "protobuf", "xgboost")
SYMBOLS = ("llvm::", "mlir::", "lld::", "onnx::", "google::protobuf::", "vta::assemble(",
           "vta::verifyProgram", "vta::linkPrograms", "vta::compiler::", "vta::kernel::")
WITHOUT_YAML = "runtime_link_probe"
# The board's vta-run makes texts, drives GPUs and calls libraries of operators besides, and knows the user's operations.
MAX_STRIPPED_BYTES = {"runtime_link_probe": 2_000_000, "vta-run-module": 2_900_000}


class DependenciesTest(unittest.TestCase):
    def test_shared_libraries(self):
        for program in PROGRAMS:
            libraries = subprocess.run(["ldd", BIN / program], capture_output=True, text=True, check=True).stdout.lower()
            self.assertIn("libc.so", libraries)
            for name in LIBRARIES + ("yaml",) * (program == WITHOUT_YAML):
                with self.subTest(program, library=name):
                    self.assertNotIn(name, libraries)

    def test_symbols(self):
        for program in PROGRAMS:
            symbols = subprocess.run(["nm", "-C", BIN / program], capture_output=True, text=True, check=True).stdout
            self.assertIn("vta::driver::Session", symbols)
            for name in SYMBOLS + ("YAML::",) * (program == WITHOUT_YAML):
                with self.subTest(program, symbol=name):
                    self.assertNotIn(name, symbols)

    def test_sizes(self):
        for program in PROGRAMS:
            with self.subTest(program), tempfile.NamedTemporaryFile() as stripped:
                subprocess.run(["strip", "-o", stripped.name, BIN / program], check=True)
                self.assertLess(os.path.getsize(stripped.name), MAX_STRIPPED_BYTES[program])


if __name__ == "__main__":
    unittest.main()
