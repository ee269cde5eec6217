"""Outlines: those that come with the page, what vta-compile writes, and how a network's outlines are packed."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from web_build import BINARY_DIR, OUTLINES, ROOT, OutlineFolder, host_answers, networks, outlines_of, unpacked

sys.path.insert(0, str(OUTLINES))
import make  # noqa: E402  (found through the line above)

_DIGITS = ROOT / "examples/digits/digits.onnx"


def _compile(*arguments):
    return subprocess.run([BINARY_DIR / "bin" / "vta-compile", *arguments], capture_output=True, text=True, check=False)


def _shipped_keys():
    files = sorted((ROOT / "configs/hw").glob("*.yaml"))
    return {file: answer["outline"] for file, answer in
            zip(files, host_answers([{"ask": "hardware", "yaml": file.read_text()} for file in files]))}


class OutlinesTest(unittest.TestCase):
    def test_every_network_is_there_for_every_shipped_configuration(self):
        keys = _shipped_keys()
        self.assertGreater(len(networks()), 10)
        for network in networks():
            missing = [file.name for file, key in keys.items() if key not in outlines_of(network)]
            self.assertEqual(missing, [], f"{network}: `scripts/web --outlines {network}` makes them")

    def test_shipped_outlines_have_the_cycles_of_fresh_ones(self):
        with OutlineFolder() as folder, tempfile.TemporaryDirectory() as fresh:
            for file, key in _shipped_keys().items():
                outline = pathlib.Path(fresh) / "outline"
                run = _compile(_DIGITS, "--hw", file, "--outline", outline)
                self.assertEqual(run.returncode, 0, run.stderr)
                estimate = {"ask": "estimate", "yaml": file.read_text(), "memory": "simple"}
                _, shipped, _, made = host_answers([
                    {"ask": "network", "file": folder.file("digits", key)}, estimate,
                    {"ask": "network", "file": str(outline)}, estimate])
                self.assertEqual(shipped, made, f"{file.name}: `scripts/web --outlines` makes the outlines again")

    def test_what_is_about_a_module_is_refused_beside_an_outline(self):
        with tempfile.TemporaryDirectory() as folder:
            outline = pathlib.Path(folder) / "outline"
            for options in (["--json"], ["--quantise-report"], ["--verify-programs"], ["--target", "armv7"],
                            ["--write-schedules", outline.with_name("schedules")]):
                run = _compile(_DIGITS, "--outline", outline, *options)
                self.assertEqual(run.returncode, 2, run.stderr)
                self.assertIn("--outline", run.stderr)
                self.assertIn(options[0], run.stderr)
            run = _compile(_DIGITS, "--outline", "")
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [])

    def test_vta_compile_writes_an_outline_or_a_module(self):
        with tempfile.TemporaryDirectory() as folder:
            outline, module = (pathlib.Path(folder) / name for name in ("outline", "module"))
            run = _compile(_DIGITS, "--outline", outline, "-o", module)
            self.assertEqual(run.returncode, 2)
            self.assertIn("leave --output out", run.stderr)
            run = _compile(_DIGITS, "--outline", outline)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertRegex(run.stdout, r"\d+ programs for the VTA")
            self.assertEqual([file.name for file in pathlib.Path(folder).iterdir()], ["outline"])
            run = _compile(_DIGITS, "--outline", _DIGITS)
            self.assertNotEqual(run.returncode, 0)
            self.assertIn("--outline", run.stderr)

    def test_outlines_are_unpacked_as_they_were(self):
        heads = [bytes(range(256)) * 3, b"\n\0", b""]
        outlines = {str(i): f"{len(head)}\n".encode() + head + text.encode()
                    for i, (head, text) in enumerate(zip(heads, ('[{"a":"b"},{"c":[1]}]', '[{"a":"x"}]', "[]")))}
        self.assertEqual(unpacked(make.pack(outlines)), outlines)


if __name__ == "__main__":
    unittest.main()
