"""A program that uses the runtime links neither LLVM, MLIR, ONNX nor protobuf, whatever else is built."""

import os
import subprocess
import unittest

PROBE = os.path.join(os.environ["VTA_BINARY_DIR"], "bin/runtime_link_probe")
FORBIDDEN = ("llvm", "mlir", "lld", "onnx", "protobuf", "xgboost")


class DependenciesTest(unittest.TestCase):
    def test_shared_libraries(self):
        libraries = subprocess.run(["ldd", PROBE], capture_output=True, text=True, check=True).stdout.lower()
        self.assertIn("libc.so", libraries)
        for name in FORBIDDEN:
            self.assertNotIn(name, libraries)

    def test_symbols(self):
        symbols = subprocess.run(["nm", "-C", PROBE], capture_output=True, text=True, check=True).stdout
        self.assertIn("vta::driver::Session", symbols)
        for prefix in ("llvm::", "mlir::", "lld::", "onnx::", "google::protobuf::"):
            self.assertNotIn(prefix, symbols)


if __name__ == "__main__":
    unittest.main()
