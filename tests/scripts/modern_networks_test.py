"""scripts/models/modern_networks.py: its networks, and what it says when vta-run fails."""

import contextlib
import io
import json
import stat
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import onnx

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/models"))

import modern_networks  # noqa: E402


class ModernNetworksTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_with(self, text):
        """Output of the script with a vta-run that runs `text`; SystemExit where the script ends with an error."""
        tool = self.folder / "build/bin/vta-run"
        tool.parent.mkdir(parents=True)
        tool.write_text("#!/bin/sh\n" + text)
        tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
        output = io.StringIO()
        with mock.patch.object(modern_networks, "ROOT", self.folder), contextlib.redirect_stdout(output):
            modern_networks.main([])
        return output.getvalue()

    def test_the_networks_are_legal(self):
        self.assertEqual(modern_networks.main(["--write", str(self.folder / "networks")]), 0)
        paths = sorted((self.folder / "networks").iterdir())
        self.assertEqual([path.stem for path in paths], ["convnext", "efficientnet", "yolov5", "yolov8"])
        for path in paths:
            model = onnx.load(path)
            onnx.checker.check_model(model)
            self.assertIn(model.graph.output[0].type.tensor_type.shape.dim[0].dim_value, (1,))

    def test_weights_are_the_same_every_time(self):
        self.assertEqual(modern_networks.convnext(32), modern_networks.convnext(32))

    def test_rows_have_all_columns(self):
        rows = json.loads(self.run_with("""echo '{"totals": {"crossings": 3, "cycles": 500}}'"""))
        self.assertEqual(set(rows), set(modern_networks.NETWORKS))
        columns = {f"{place}.{key}" for place in ("host", "default", "zynq", "lut") for key in ("crossings", "cycles")}
        for row in rows.values():
            self.assertEqual(set(row), columns)

    def test_says_what_fails(self):
        with self.assertRaises(SystemExit) as error:
            self.run_with("echo no memory >&2; exit 1")
        self.assertIn("no memory", str(error.exception))


if __name__ == "__main__":
    unittest.main()
