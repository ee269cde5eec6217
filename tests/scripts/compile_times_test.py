"""scripts/benchmarking/compile_times.py: its rows, and what it says when the compiler is not built or fails."""

import contextlib
import io
import json
import stat
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/benchmarking"))

import compile_times  # noqa: E402


def run(compiler=None):
    """Exit code, output and error output; `compiler` is the text of a script that stands for vta-compile."""
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(compile_times, "BIN", Path(folder)):
        if compiler is not None:
            path = Path(folder) / "vta-compile"
            path.write_text("#!/bin/sh\n" + compiler)
            path.chmod(path.stat().st_mode | stat.S_IXUSR)
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            code = compile_times.main()
        return code, output.getvalue(), errors.getvalue()


class CompileTimesTest(unittest.TestCase):
    def test_each_model_has_a_row(self):
        code, output, errors = run("exit 0\n")
        self.assertEqual((code, errors), (0, ""))
        rows = json.loads(output)
        self.assertEqual(set(rows), {*compile_times.NAMES, *compile_times.GENERATED})
        self.assertEqual(set(rows["light_densenet121"]), {"processor_seconds", "seconds", "mb"})

    def test_models_lie_in_two_folders(self):
        self.assertTrue(str(compile_times.model_file("imagenet/a")).endswith("shared/models/onnx/imagenet/a.onnx"))
        self.assertTrue(str(compile_times.model_file("light_a")).endswith("shared/models/onnx-light/light_a.onnx"))

    def test_a_compiler_that_is_not_built(self):
        code, output, errors = run()
        self.assertEqual((code, output), (1, ""))
        self.assertRegex(errors, "vta-compile is missing: build it with scripts/build")

    def test_a_compiler_that_fails(self):
        code, output, errors = run("echo no memory >&2; exit 1\n")
        self.assertEqual((code, output), (1, ""))
        self.assertIn(f"{compile_times.NAMES[0]}: no memory", errors)


if __name__ == "__main__":
    unittest.main()
