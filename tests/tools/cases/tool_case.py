"""What the tests of the command-line tools share: running them, the example model, small ONNX models."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = Path(__file__).resolve().parents[3]
BIN = Path(os.environ["VTA_BINARY_DIR"]) / "bin"
DIGITS = ROOT / "examples/digits"
HW = ROOT / "configs/hw"
MODELS = ROOT.parent / "shared/models/onnx"
sys.path.append(str(ROOT / "scripts/models"))  # network_builder and others, for the tests that import them
DIGITS_OPTIONS = ["--preprocess", DIGITS / "preprocess.yaml", "--calibrate", DIGITS / "calibration"]


def tool(name, *arguments, seconds=300, **options):
    command = [str(BIN / name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=seconds, **options)


class ToolCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def succeed(self, name, *arguments, **options):
        result = tool(name, *arguments, **options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def run_json(self, *arguments):
        return json.loads(self.succeed("vta-run", *arguments, "--json"))

    def refuse(self, name, *arguments, code=1, says=(), **options):
        """The tool fails with `code` and one error message that holds every text of `says`."""
        result = tool(name, *arguments, **options)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        shown = "vta-run" if name == "vta-run-module" else name  # as it is called on boards
        errors = [line for line in result.stderr.splitlines() if line.startswith(f"{shown}: error: ")]
        self.assertEqual(len(errors), 1, result.stderr)
        for text in says:
            self.assertIn(text, result.stderr)
        return result

    def write(self, name, data):
        path = self.folder / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    def model(self, nodes, inputs, outputs, initializers=(), name="model.onnx", opset=13, domains=()):
        """Saves a model; ports are (name, shape), initializers (name, array), domains those of operators beyond ONNX's."""
        ports = [[helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in side]
                 for side in (inputs, outputs)]
        constants = [numpy_helper.from_array(array, n) for n, array in initializers]
        graph = helper.make_graph(nodes, "g", *ports, initializer=constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in domains)])
        model.ir_version = 8
        path = self.folder / name
        onnx.save(model, str(path))
        return path


class DigitsModuleCase(ToolCase):
    """With the example model as a module, for the default configuration and this machine."""

    COMPILE_OPTIONS = DIGITS_OPTIONS

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.module = Path(folder.name) / "digits.vta.so"
        result = tool("vta-compile", DIGITS / "digits.onnx", *cls.COMPILE_OPTIONS, "-o", cls.module)
        assert result.returncode == 0, result.stderr
