"""What the tests of the execution provider share: jobs for the program vta-ort-host, and what ONNX Runtime's CPU gives."""

import json
import os
import platform
import subprocess
import sys
import unittest
from pathlib import Path

import numpy as np
from onnx import helper, mapping, numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/cases"))
from tool_case import BIN, DIGITS, ToolCase  # noqa: E402, F401

sys.path.insert(0, str(BIN.parent / "python"))  # the package vta of the build
HERE = Path(__file__).resolve().parent
PLUGIN = BIN.parent / "lib/libvta_ort.so"
HOST = BIN / "vta-ort-host"
PROVIDER = "VtaExecutionProvider"
MACHINE = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), "none")
RUNTIME = HERE / f"node_modules/onnxruntime-node/bin/napi-v6/linux/{MACHINE}/libonnxruntime.so.1"


def onnx_type(array):
    return int(mapping.NP_TYPE_TO_TENSOR_TYPE[array.dtype])


@unittest.skipUnless(RUNTIME.is_file(), "ONNX Runtime is not installed; `scripts/testing/onnxruntime` installs it")
class OrtCase(ToolCase):
    def job(self, model, inputs=None, **job):
        """A job for run_jobs; `inputs` are arrays by name."""
        folder = self.folder / f"job{len(list(self.folder.iterdir()))}"
        folder.mkdir()
        made = {"model": str(model), "folder": str(folder), **job}
        if inputs is not None:
            made["inputs"] = []
            for index, (name, array) in enumerate(inputs.items()):
                file = folder / f"in{index}"
                file.write_bytes(np.ascontiguousarray(array).tobytes())
                made["inputs"].append({"name": name, "type": onnx_type(array), "shape": list(array.shape), "file": str(file)})
        return made

    def run_jobs(self, *jobs, **environment):
        """What became of each job, with outputs as arrays by name, and the log in self.log."""
        variables = {**os.environ, "VTA_COMPILE": str(BIN / "vta-compile"), **environment}
        result = subprocess.run([HOST, RUNTIME, PLUGIN], input=json.dumps(jobs), capture_output=True, text=True, check=False,
                                errors="replace", env=variables, timeout=600)
        self.log = result.stderr
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        answers = json.loads(result.stdout)
        for answer in answers:
            if "outputs" in answer:
                answer["outputs"] = {output["name"]: self.array(output) for output in answer["outputs"]}
        return answers

    def array(self, output):
        dtype = mapping.TENSOR_TYPE_TO_NP_TYPE[output["type"]]
        return np.fromfile(output["file"], dtype).reshape(output["shape"])

    def run_job(self, model, inputs=None, environment=None, **job):
        answer, = self.run_jobs(self.job(model, inputs, **job), **(environment or {}))
        self.assertNotIn("error", answer, self.log)
        return answer

    def error_of(self, model, environment=None, **job):
        answer, = self.run_jobs(self.job(model, **job), **(environment or {}))
        self.assertIn("error", answer)
        return answer["error"]

    def assert_same(self, found, expected, tolerance=0.0):
        self.assertEqual(sorted(found), sorted(expected))
        for name, array in expected.items():
            self.assertEqual((found[name].shape, found[name].dtype), (array.shape, array.dtype), name)
            np.testing.assert_allclose(found[name].astype(np.float64), array.astype(np.float64), rtol=tolerance, atol=tolerance,
                                       err_msg=name)


__all__ = ["BIN", "DIGITS", "OrtCase", "PROVIDER", "helper", "numpy_helper", "np"]
