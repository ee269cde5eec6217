"""What scripts/testing/coverage_rtl.py makes of coverage data; and the waivers name what the RTL has."""

import contextlib
import io
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts/testing"))

import coverage_rtl  # noqa: E402  (found through the path above)


def entry(file, line, page, what, count, instance="core"):
    fields = {"f": file, "l": line, "n": 5, "page": page, "o": what, "h": instance}
    return "C '" + "".join(f"\x01{key}\x02{value}" for key, value in fields.items()) + f"' {count}\n"


class CoverageRtlTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.source = self.folder / "vta_thing.sv"
        self.source.write_text("module\n  if (never) x;\n  if (often) y;\n")
        self.cover = self.folder / "vta_cover.sv"

    def run_it(self, waivers, *data):
        files = []
        for i, text in enumerate(data):
            files.append(self.folder / f"{i}.dat")
            files[-1].write_text("# SystemC::Coverage-3\n" + text, encoding="latin-1")
        (self.folder / "waivers.toml").write_text(waivers)
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            status = coverage_rtl.main(["--strict", "--waivers", str(self.folder / "waivers.toml"), *map(str, files)])
        return status, output.getvalue()

    def waiver(self, text, kind="branch", file="vta_thing.sv"):
        return f'[[waiver]]\nfile = "{file}"\nkind = "{kind}"\ntext = "{text}"\nreason = "because"\n'

    def test_instances_and_runs_are_merged(self):
        first = entry(self.source, 3, "v_branch/vta_thing", "if", 0) + entry(self.source, 3, "v_branch/vta_thing", "if", 0, "b")
        second = entry(self.source, 3, "v_branch/vta_thing__P1", "if", 4)
        status, output = self.run_it("waiver = []", first, second)
        self.assertEqual(status, 0, output)
        self.assertIn("0 of 1 not covered", output)

    def test_what_has_no_reason_is_an_error(self):
        data = entry(self.source, 2, "v_branch/vta_thing", "if", 0) + entry(self.source, 3, "v_line/vta_thing", "block", 1)
        status, output = self.run_it("waiver = []", data)
        self.assertEqual(status, 1)
        self.assertIn("vta_thing.sv:2: branch if: if (never) x;\n    NOT EXPLAINED", output)
        status, output = self.run_it(self.waiver("if (never)"), data)
        self.assertEqual(status, 0, output)
        self.assertIn("because", output)

    def test_a_waiver_without_use_is_an_error(self):
        data = entry(self.source, 3, "v_branch/vta_thing", "if", 1)
        status, output = self.run_it(self.waiver("if (often)"), data)
        self.assertEqual(status, 1)
        self.assertIn("waiver without use: vta_thing.sv: branch: if (often)", output)

    def test_functional_points_go_by_name(self):
        data = entry(self.cover, 7, "v_user/vta_cover", "fault_deadlock", 0) + entry(self.cover, 8, "v_branch/x", "if", 0)
        status, output = self.run_it(self.waiver("fault_deadlock", "point", "vta_cover.sv"), data)
        self.assertEqual(status, 0, output)
        self.assertIn("1 of 1 not covered, 0 without a reason", output)

    def test_bad_input(self):
        status, output = self.run_it("waiver = []", "")
        self.assertEqual((status, "no coverage data" in output), (1, True), output)
        status, output = self.run_it(self.waiver("x", "toggle"), entry(self.source, 3, "v_line/x", "block", 1))
        self.assertEqual((status, "a waiver has file" in output), (1, True), output)

    def test_waivers_name_what_there_is(self):
        for waiver in tomllib.loads((ROOT / "hw/coverage/waivers.toml").read_text())["waiver"]:
            folder = "coverage" if waiver["kind"] == "point" else "vta_rtl"
            file, = (ROOT / "hw" / folder).rglob(waiver["file"])
            text = file.read_text()
            piece = f" {waiver['text']} : cover (" if waiver["kind"] == "point" else waiver["text"]
            self.assertIn(piece, text)
            self.assertGreater(len(waiver["reason"]), 20)


if __name__ == "__main__":
    unittest.main()
