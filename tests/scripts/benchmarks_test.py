"""The generator of the tables in docs/performance.md, on reports made up here."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts/benchmarking"))
import benchmark_tables as tables  # noqa: E402


def run(name, kind="iteration", **values):
    result = {"name": name, "run_name": name, "run_type": kind, "real_time": 2.0, "cpu_time": 2.0, "time_unit": "ms"}
    return result | values


class RowsTest(unittest.TestCase):
    def test_median_wins_over_iterations_and_other_aggregates(self):
        report = {"benchmarks": [
            run("a", rate=1.0), run("a", rate=9.0),
            run("a", "aggregate", aggregate_name="mean", rate=5.0),
            run("a", "aggregate", aggregate_name="median", rate=4.0, real_time=3.0),
            run("b", rate=7.0)]}
        rows = tables.benchmark_rows(report)
        self.assertEqual(rows["a"]["rate"], 4.0)
        self.assertAlmostEqual(rows["a"]["real_time"], 3e-3)
        self.assertEqual(rows["b"]["rate"], 7.0)

    def test_a_failed_benchmark_is_an_error(self):
        with self.assertRaisesRegex(RuntimeError, "a: no device"):
            tables.benchmark_rows({"benchmarks": [run("a", error_occurred=True, error_message="no device")]})

    def test_json_object_is_flattened(self):
        rows = tables.json_rows("m", {"seconds": {"run": 0.5}, "outputs": [{"name": "y"}]})
        self.assertEqual(rows, {"m": {"seconds.run": 0.5, "outputs.0.name": "y"}})


class TableTest(unittest.TestCase):
    ROWS = {"BM_a": {"rate": 50.0, "peak": 200.0}, "BM_b": {"rate": 100.0}, "other": {"rate": 25.0}}

    def test_ratios_to_a_counter_and_to_a_peer(self):
        table = {"name": "t", "match": "BM_*", "strip": "BM_", "columns": [
            {"title": "rate", "value": "rate", "scale": 2, "format": ".1f"},
            {"title": "of peak", "value": "rate", "over": "peak", "format": ".0%"},
            {"title": "of other", "value": "rate", "over": "rate", "peer": "other", "format": ".1f"}]}
        self.assertEqual(tables.markdown_table(table, self.ROWS).splitlines(), [
            "| benchmark | rate | of peak | of other |", "|---|---:|---:|---:|",
            "| a | 100.0 | 25% | 2.0 |", "| b | 200.0 | - | 4.0 |"])

    def test_a_column_from_the_row_with_another_prefix(self):
        rows = {"lower/a": {"t": 1}, "lower/b": {"t": 3}, "search/a": {"t": 2}}
        table = {"name": "t", "match": "lower/*", "strip": "lower/", "columns": [
            {"title": "lower", "value": "t"}, {"title": "search", "value": "t", "in": "search/"}]}
        self.assertEqual(tables.markdown_table(table, rows).splitlines()[2:], ["| a | 1 | 2 |", "| b | 3 | - |"])

    def test_a_bound_is_shown_as_a_share(self):
        column = {"value": "cycles", "format": ",d", "share": "bound"}
        self.assertEqual(tables.cell(column, "a", {"a": {"cycles": 4000, "bound": 3000}}), "4,000 (75.0%)")
        self.assertEqual(tables.cell(column, "a", {"a": {"cycles": 4000}}), "4,000")
        self.assertEqual(tables.cell(column, "a", {"a": {"bound": 3000}}), "-")
        self.assertEqual(tables.columns_of({"each": ["x"], "columns": [{"title": "{each}", "share": "{each}.bound"}]}),
                         [{"title": "x", "share": "x.bound"}])

    def test_sums_and_what_is_missing(self):
        rows = {"a": {"x": 1, "y": 2}}
        self.assertEqual(tables.cell({"value": ["x", "y"]}, "a", rows), "3")
        self.assertEqual(tables.cell({"value": ["x", "z"]}, "a", rows), "-")
        self.assertEqual(tables.cell({"value": "x", "over": "x", "peer": "b"}, "a", rows), "-")
        self.assertEqual(tables.cell({"value": "name"}, "a", {"a": {"name": "text"}}), "text")

    def test_no_matching_row_is_an_error(self):
        with self.assertRaisesRegex(RuntimeError, "no result matches x"):
            tables.markdown_table({"name": "t", "match": "x", "columns": []}, self.ROWS)

    def test_only_the_text_between_the_markers_changes(self):
        page = "a\n<!-- begin t -->\nold\n<!-- end t -->\nz\n"
        self.assertEqual(tables.replace_table(page, "t", "new"), page.replace("old", "new"))
        with self.assertRaisesRegex(RuntimeError, "begin u"):
            tables.replace_table(page, "u", "new")

    def test_every_table_of_the_project_has_its_place_on_the_page(self):
        for table in tables.read_tables():
            page = (ROOT / table.get("page", tables.PAGE)).read_text()
            self.assertIn("new", tables.replace_table(page, table["name"], "new"))
            self.assertTrue(tables.columns_of(table))

    def test_columns_for_each_of_some_values(self):
        columns = [{"title": "{each}: bound", "value": "{each}.bound"}, {"title": "share", "value": "{each}.bound", "over": "{each}.cycles"}]
        self.assertEqual(tables.columns_of({"each": ["a", "b"], "columns": columns}), [
            {"title": "a: bound", "value": "a.bound"}, {"title": "share", "value": "a.bound", "over": "a.cycles"},
            {"title": "b: bound", "value": "b.bound"}, {"title": "share", "value": "b.bound", "over": "b.cycles"}])
        self.assertEqual(tables.columns_of({"columns": columns}), columns)

    def test_a_table_is_written_to_its_page(self):
        with self.made_up_tree() as folder:
            page = Path(folder) / "page.md"
            page.write_text("<!-- begin t -->\n\n<!-- end t -->\n<!-- begin u -->\nkept\n<!-- end u -->\n")
            tables.write_table({"name": "t", "page": "page.md", "depends": []}, "new")
            self.assertRegex(page.read_text(), "^<!-- begin t -->\n<!-- sources of t: [0-9a-f]{16} -->\nnew\n<!-- end t -->\n"
                                               "<!-- begin u -->\nkept\n<!-- end u -->\n$")

    @contextlib.contextmanager
    def made_up_tree(self):
        """A folder in the place of the project's root, with an empty list of tables."""
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(tables, "ROOT", Path(folder)):
            (Path(folder) / "scripts/benchmarking").mkdir(parents=True)
            (Path(folder) / "scripts/benchmarking/benchmarks.toml").write_text("[sources]\n")
            yield folder

    OLD = "Measured on: x.\n\n| model | a |\n|---|---:|\n| m | 1 |\n| n | 2 |"

    def test_rows_of_one_table_are_replaced_and_no_others(self):
        new = self.OLD.replace("| n | 2 |\n", "").replace("| m | 1 |\n", "").replace("| n | 2 |", "| n | 3 |")
        self.assertEqual(tables.with_new_rows(self.OLD, new), self.OLD.replace("| n | 2 |", "| n | 3 |"))
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(tables, "ROOT", Path(folder)):
            page = Path(folder) / "page.md"
            other = self.OLD.replace("model", "other")
            page.write_text(f"<!-- begin u -->\n{other}\n<!-- end u -->\n<!-- begin t -->\n{self.OLD}\n<!-- end t -->\n")
            tables.write_table({"name": "t", "page": "page.md"}, new, only_rows=True)
            self.assertEqual(page.read_text().count("| n | 3 |"), 1)
            self.assertIn(other, page.read_text())

    def test_rows_that_do_not_fit_are_refused(self):
        for new, reason in ((self.OLD.replace("on: x", "on: y"), "another machine"),
                            (self.OLD.replace("| a |", "| b |"), "another head"),
                            (self.OLD.replace("| n |", "| o |"), "no row o")):
            with self.assertRaisesRegex(RuntimeError, reason):
                tables.with_new_rows(self.OLD, new)

    def test_only_tables_whose_command_takes_rows_are_measured_by_row(self):
        by_row = [table for table in tables.read_tables() if table.get("has_single_rows")]
        self.assertTrue(by_row)
        for table in by_row:
            self.assertTrue(any("model" in word for word in table["rows_command"]), table["name"])
        with mock.patch("sys.argv", ["benchmarks", "cycle", "--row", "x"]), contextlib.redirect_stderr(io.StringIO()) as errors:
            self.assertEqual(tables.main(), 2)
        self.assertIn("--row is for one of the tables", errors.getvalue())

    def test_a_table_like_another_one(self):
        text = '[[table]]\nname = "a"\nexact = true\npage = "p"\n[[table]]\nname = "b"\nlike = "a"\npage = "q"\n'
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(tables, "ROOT", Path(folder)):
            (Path(folder) / "scripts/benchmarking").mkdir(parents=True)
            (Path(folder) / "scripts/benchmarking/benchmarks.toml").write_text(text)
            self.assertEqual(tables.read_tables()[1], {"name": "b", "like": "a", "exact": True, "page": "q"})


if __name__ == "__main__":
    unittest.main()
