"""The points of hw/synth/area_points.json: those with the name of a shipped configuration are that configuration, and the
table of resources says when they are of other sources than today's."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
INFO = pathlib.Path(os.environ["VTA_BINARY_DIR"]) / "bin" / "vta-info"
POINTS = json.loads((ROOT / "hw/synth/area_points.json").read_text())


class AreaPointsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def package(self, hw):
        """The constants of the RTL for a configuration: what is synthesised."""
        output = self.folder / "vta_config_pkg.sv"
        subprocess.run([INFO, "--hw", hw, "--rtl-package", output], check=True, capture_output=True)
        return output.read_text()

    def test_points_are_the_shipped_configurations_that_they_are_named_after(self):
        found = 0
        for point in POINTS:
            shipped = ROOT / "configs/hw" / f"{point['name']}.yaml"
            if shipped.exists():
                found += 1
                config = self.folder / shipped.name
                config.write_text(point["configuration"])
                self.assertEqual(self.package(config), self.package(shipped), point["name"])
        self.assertGreater(found, 5)

    def table(self, root):
        return subprocess.run(["/usr/bin/python3", "-B", root / "scripts/benchmarking/fpga_resources.py"], capture_output=True,
                              text=True, check=False)

    def test_the_table_refuses_points_of_other_sources(self):
        copy = self.folder / "copy"
        for folder in ("hw/synth", "hw/vta_rtl"):
            shutil.copytree(ROOT / folder, copy / folder)
        (copy / "scripts/benchmarking").mkdir(parents=True)
        shutil.copy(ROOT / "scripts/benchmarking/fpga_resources.py", copy / "scripts/benchmarking")
        points = json.loads((copy / "hw/synth/area_points.json").read_text())
        for point in points:
            point["rtl"] = "another"
        (copy / "hw/synth/area_points.json").write_text(json.dumps(points))
        result = self.table(copy)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("hw/synth/area_model default", result.stderr)


if __name__ == "__main__":
    unittest.main()
