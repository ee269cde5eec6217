"""The manual's tables and the sources that they were made from.

Old tables are an error where nothing that was kept counts (scripts/test --all), elsewhere only a note: whoever changes a
source need not measure at once.
"""

import os
import re
import sys
import unittest

from source_tree import ROOT, source_files, text_of

sys.path.insert(0, str(ROOT / "scripts/benchmarking"))
import benchmark_tables  # noqa: E402  (found through the line above)
import table_sources  # noqa: E402


_TABLE = re.compile(r"<!-- begin (\w+) -->\n(.*?)<!-- end \1 -->", re.DOTALL)
_CODE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
# A count of five digits or more, and at least 10.0 ms: what is seldom the same by chance.
_COUNT = re.compile(r"(?<![\d.,])(?:\d{2,3}|\d{1,3}(?=(?:,\d{3}){2}))(?:,\d{3})+(?![\d,]*\d)")
_MILLISECONDS = re.compile(r"(?<![\d.,])\d{2,}\.\d+(?= ms\b)")


def figures_of_tables(text):
    """{figure: name of a generated table} of a page: counts, and cells of columns of milliseconds with "ms" behind."""
    found = {}
    for name, body in _TABLE.findall(text):
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in body.splitlines() if line.startswith("|")]
        titles = rows[0] if rows else []
        for cells in rows[2:]:
            found |= {count: name for cell in cells[1:] for count in _COUNT.findall(cell)}
            found |= {f"{cell} ms": name for title, cell in zip(titles, cells)
                      if re.match(r"ms\b", title) and re.fullmatch(r"\d{2,}\.\d+", cell)}
    return found


def repeated_figures(text, figures):
    """What the prose of a page repeats of `figures`; blocks of output and tables, which have dates and causes, may."""
    prose = _CODE.sub("", _TABLE.sub("", text))
    lines = [line for line in prose.splitlines() if not line.lstrip().startswith("|")]
    counts = {number for line in lines for number in _COUNT.findall(line)}
    counts |= {f"{number} ms" for line in lines for number in _MILLISECONDS.findall(line)}
    return sorted(counts & figures.keys())


class TablesTest(unittest.TestCase):
    PAGE = ("It takes 12,345 cycles, 12.5 ms, of 50,000 and 7 or 13.5.\n<!-- begin t -->\n| a | n | ms of it |\n|---|---:|---:|\n"
            "| x 50,000 | 12,345 (98.0%) | 12.5 |\n| y | 7 | 13.5 |\n<!-- end t -->\n```\n12,345\n```\n| by hand | 12,345 |\n")

    def test_figures_that_prose_repeats(self):
        figures = figures_of_tables(self.PAGE)
        self.assertEqual(figures, {"12,345": "t", "12.5 ms": "t", "13.5 ms": "t"})
        self.assertEqual(repeated_figures(self.PAGE, figures), ["12,345", "12.5 ms"])

    def test_prose_repeats_no_figure_of_a_table(self):
        pages = {path.as_posix(): text_of(path) for path in source_files(".md") if path.as_posix() != "CHANGELOG.md"}
        figures = {figure: name for text in pages.values() for figure, name in figures_of_tables(text).items()}
        self.assertGreater(len(figures), 500)
        found = [f"{page}: {figure} stands in the table {figures[figure]}" for page, text in pages.items()
                 for figure in repeated_figures(text, figures)]
        self.assertEqual(found, [], "figures that go stale when the table is made again:\n" + "\n".join(found))

    def test_sources_of_tables_exist(self):
        lists = benchmark_tables.read_sources()
        found = [f"{table['name']}: no {path}" for table in benchmark_tables.read_tables()
                 for path in table_sources.missing_sources(table, lists, ROOT)]
        found += [f"list {name}: no {path}" for name, paths in lists.items() for path in paths if not (ROOT / path).exists()]
        self.assertEqual(found, [], "scripts/benchmarking/benchmarks.toml names sources that do not exist:\n" + "\n".join(found))

    def test_every_list_is_used(self):
        used = {entry for table in benchmark_tables.read_tables() for entry in table.get("depends", [table_sources.DEFAULT])}
        self.assertEqual(set(benchmark_tables.read_sources()) - used, set())

    def test_no_table_is_older_than_its_sources(self):
        old, _ = benchmark_tables.old_tables()
        benchmark_tables.print_old_tables()
        if os.environ.get("VTA_KEPT_RESULTS") == "ignore":
            self.assertEqual(old, [], "these tables are older than their sources; scripts/benchmarks TABLE makes one again")


if __name__ == "__main__":
    unittest.main()
