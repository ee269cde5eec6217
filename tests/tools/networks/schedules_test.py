"""Schedules that the user gives, and layers for which there is none."""

import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import DIGITS, HW, ToolCase  # noqa: E402

MODEL = DIGITS / "digits.onnx"


class SchedulesTest(ToolCase):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "s.yaml"
        self.written = self.folder / "written.yaml"
        self.module = self.folder / "m.so"

    def compile(self, *options):
        self.succeed("vta-compile", MODEL, "--schedules=estimated", "-o", self.module, *options)

    def change(self, pattern, replacement):
        """Changes the first schedule of the file."""
        text, changes = re.subn(pattern, replacement, self.file.read_text(), count=1)
        self.assertEqual(changes, 1)
        self.file.write_text(text)

    def test_what_is_written_can_be_edited_and_read(self):
        self.compile("--write-schedules", self.file)
        self.change("tile_height: .*", "tile_height: 1")
        self.change("tile_width: .*", "tile_width: 8")
        self.compile("--schedules", self.file, "--write-schedules", self.written)
        self.assertEqual(self.written.read_text(), self.file.read_text())
        layers = {row["name"]: row for row in self.run_json(self.module, "--sim=functional", "--verify")["layers"]}
        self.assertIn("given schedule h=1 w=8", layers["conv1"]["reason"])

    def test_two_results_need_two_files(self):
        self.refuse("vta-compile", MODEL, "-o", self.module, "--write-schedules", self.module, code=2, says=["the same file"])

    def test_layers_that_are_left_out_are_chosen(self):
        self.compile("--write-schedules", self.file)
        text = self.file.read_text()
        self.file.write_text(text[:text.index("  conv2:")])
        report = self.run_json(MODEL, "--sim=functional", "--schedules=estimated", "--schedules", self.file)
        reasons = {row["name"]: row["reason"] for row in report["layers"]}
        self.assertIn("given schedule", reasons["conv1"])
        self.assertIn("default schedule", reasons["conv2"])

    def refuse_schedules(self, *says, hw="tiny-buffers"):
        for name, options in {"vta-compile": ["-o", self.module, "--write-schedules", self.written], "vta-run": []}.items():
            self.refuse(name, MODEL, "--hw", HW / f"{hw}.yaml", "--schedules", self.file, *options, says=says)
        self.assertEqual(sorted(self.folder.iterdir()), [self.file] if self.file.exists() else [])

    def test_files_that_are_wrong(self):
        self.refuse_schedules("cannot read", "s.yaml", "estimated, simulated or a file")
        self.compile("--hw", HW / "tiny-buffers.yaml", "--write-schedules", self.file)
        self.module.unlink()
        right = self.file.read_text()
        self.refuse_schedules("s.yaml:4:9", "for the configuration 'tiny-buffers', not for 'default'", hw="default")
        for pattern, replacement, says in [
                ("tile_height: .*", "tile_height: 33", ["s.yaml:14:5: layer 'conv1'", "tile_height is 33, the limit 32"]),
                ("tile_height: .*\\n    tile_width: .*", "tile_height: 32\\n    tile_width: 32",
                 ["s.yaml:14:5: layer 'conv1'", "does not fit 'tiny-buffers'", "ACC buffer elements is 1025, the limit 128"]),
                ("tile_height", "tile_hight", ["s.yaml:14:5: unknown key tile_hight"]),
                ("  conv1:", "  conv9:", ["s.yaml:14:5: no layer 'conv9' runs on the VTA", "conv1, conv2"]),
                ("  conv2:", "  conv1:", ["layer 'conv1' appears twice, first at s.yaml:13:3"]),
                ("hw:", "gemm: 1\nhw:", ["s.yaml:3:1: unknown key gemm; legal keys: hw, layers"]),
                ("layers:", "layers: [", ["s.yaml:14:16"])]:
            with self.subTest(replacement):
                self.file.write_text(right)
                self.change(pattern, replacement)
                self.refuse_schedules(*[text.replace("s.yaml", str(self.file)) for text in says])


class NoRoomTest(ToolCase):
    """A configuration whose buffers have two elements each: the layer with a residual has no schedule."""

    def setUp(self):
        super().setUp()
        text = (HW / "tiny-buffers.yaml").read_text()
        for size, least in {" 2KiB": " 64", " 4KiB": " 64", " 16KiB": " 512", " 8KiB": " 128"}.items():
            text = text.replace(size, least)
        self.hw = self.write("least.yaml", text.replace("tiny-buffers", "least"))

    def test_the_report_says_why_a_layer_is_on_the_host(self):
        rows = self.run_json(MODEL, "--sim=functional", "--schedules=estimated", "--hw", self.hw, "--verify")["layers"]
        on_host = [row for row in rows if row["where"] == "cpu" and row["macs"] > 0]
        self.assertEqual([row["name"] for row in on_host], ["conv4"])
        for text in ("no schedule fits", "'conv4'", "'least'", "ACC buffer elements is 3, the limit 2"):
            self.assertIn(text, on_host[0]["reason"])

    def test_a_layer_that_has_to_run_on_the_vta_but_cannot(self):
        self.succeed("vta-run", MODEL, "--sim=functional", "--partition=vta", "--schedules=estimated")
        self.refuse("vta-run", MODEL, "--partition=vta", "--hw", self.hw,
                    says=["layer 'conv4' cannot run on the VTA: no schedule fits",
                          "ACC buffer elements is 3, the limit 2"])
        module = self.folder / "m.so"
        self.refuse("vta-compile", MODEL, "--partition=vta", "--float-layers", "conv1,conv4", "-o", module,
                    says=["layer 'conv1' cannot run on the VTA: float operator", "layer 'conv4'"])
        self.assertFalse(module.exists())


if __name__ == "__main__":
    unittest.main()
