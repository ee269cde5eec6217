"""Which sources a table follows from, in a tree made up here."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts/benchmarking"))
import benchmark_tables as tables  # noqa: E402  (found through the line above)
import table_sources  # noqa: E402

TOML = """
[sources]
default = ["isa", "sim"]
kernels = ["isa"]
[[table]]
name = "t"
depends = ["kernels", "configs/a.yaml"]
rows_command = ["/usr/bin/python3", "scripts/rows.py", "build/bin/b", "../shared/m.onnx", "scripts/data.csv"]
[[table]]
name = "u"
[[table]]
name = "v"
depends = ["docs/performance.md#t"]
"""
PAGE = "".join(f"<!-- begin {name} -->\n| a | b |\n|---|---:|\n| x | 1 |\n<!-- end {name} -->\n" for name in "tuv")


class TableSourcesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for path, text in {"isa/a.cpp": "// says why\nint a;\n", "sim/b.h": "int b;\n", "configs/a.yaml": "a: 1\n", "configs/b.yaml": "b: 1\n",
                           "scripts/rows.py": "import helper\n", "scripts/models/helper.py": "x = 1\n", "scripts/data.csv": "1\n",
                           "scripts/other.py": "y = 1\n", "scripts/benchmarking/benchmarks.toml": TOML, "docs/performance.md": PAGE}.items():
            self.write(path, text)
        patch = mock.patch.object(tables, "ROOT", self.root)
        patch.start()
        self.addCleanup(patch.stop)

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)
        table_sources.file_hash.cache_clear()

    def hash_of(self, name):
        table = next(table for table in tables.read_tables() if table["name"] == name)
        return table_sources.hash_of(table, tables.read_sources(), self.root)

    def assert_changes(self, name, path, text):
        before = self.hash_of(name)
        self.write(path, text)
        self.assertNotEqual(self.hash_of(name), before, path)

    def assert_keeps(self, name, path, text):
        before = self.hash_of(name)
        self.write(path, text)
        self.assertEqual(self.hash_of(name), before, path)

    def test_sources_change_the_hash(self):
        self.assert_changes("t", "isa/a.cpp", "int a = 2;\n")
        self.assert_changes("t", "isa/new.cpp", "")
        self.assert_changes("t", "configs/a.yaml", "a: 2\n")
        self.assert_changes("t", "scripts/rows.py", "import helper  # and more\n")
        self.assert_changes("t", "scripts/models/helper.py", "x = 2\n")
        self.assert_changes("t", "scripts/data.csv", "2\n")
        self.assert_changes("t", "scripts/benchmarking/benchmarks.toml", TOML.replace("../shared/m.onnx", "../shared/n.onnx"))
        self.assert_changes("u", "sim/b.h", "int c;\n")

    def test_the_name_of_a_file_counts(self):
        before = self.hash_of("u")
        (self.root / "sim/b.h").rename(self.root / "sim/c.h")
        self.assertNotEqual(self.hash_of("u"), before)

    def test_what_is_unrelated_keeps_the_hash(self):
        self.assert_keeps("t", "sim/b.h", "int c;\n")
        self.assert_keeps("t", "configs/b.yaml", "b: 2\n")
        self.assert_keeps("t", "scripts/other.py", "y = 2\n")
        self.assert_keeps("t", "docs/performance.md", PAGE.replace("| x | 1 |", "| x | 2 |"))
        self.assert_keeps("t", "isa/a.cpp", "// says more\n// and more\n\n  int a;\n")
        self.assert_keeps("t", "configs/a.yaml", "# a comment\na: 1\n")
        self.assert_keeps("u", "configs/a.yaml", "a: 2\n")

    def test_a_table_of_a_table(self):
        self.assert_keeps("v", "isa/a.cpp", "int a = 2;\n")
        self.assert_changes("v", "docs/performance.md", PAGE.replace("| x | 1 |", "| x | 2 |", 1))
        self.assert_keeps("v", "docs/performance.md", (self.root / "docs/performance.md").read_text() + "more\n")

    def test_sources_that_are_missing(self):
        table = {"name": "w", "depends": ["kernels", "nothing", "docs/none.md#t"]}
        self.assertEqual(table_sources.missing_sources(table, tables.read_sources(), self.root), ["docs/none.md#t", "nothing"])

    def test_a_table_that_is_written_carries_its_hash_until_it_is_old(self):
        self.assertEqual(tables.old_tables(), ([], ["t", "u", "v"]))
        table = tables.read_tables()[0]
        body = "| a | b |\n|---|---:|\n| x | 2 |"
        tables.write_table(table, body)
        page = (self.root / "docs/performance.md").read_text()
        self.assertIn(f"<!-- begin t -->\n<!-- sources of t: {self.hash_of('t')} -->\n{body}\n<!-- end t -->\n", page)
        self.assertEqual(tables.old_tables(), ([], ["u", "v"]))
        self.write("isa/a.cpp", "int a = 2;\n")
        self.assertEqual(tables.old_tables(), (["t"], ["u", "v"]))
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            tables.print_old_tables()
        self.assertIn("older than their sources: t\n", printed.getvalue())

    def test_single_rows_leave_the_hash_of_the_others(self):
        table = tables.read_tables()[0]
        row = "| a | b |\n|---|---:|\n| x | 3 |"
        tables.write_table(table, row, only_rows=True)
        self.assertNotIn("sources of", (self.root / "docs/performance.md").read_text())
        tables.write_table(table, row)
        before = self.hash_of("t")
        self.write("isa/a.cpp", "int a = 2;\n")
        tables.write_table(table, row.replace("3", "4"), only_rows=True)
        self.assertIn(f"<!-- sources of t: {before} -->\n{row.replace('3', '4')}\n", (self.root / "docs/performance.md").read_text())


if __name__ == "__main__":
    unittest.main()
