"""Prose in the manual: lines of at most 120 columns, so that it reads in a terminal and in a review."""

import re
import unittest

from source_tree import ROOT

_MAX_COLUMNS = 120
# Made from the TableGen files, whose texts have lines of their own.
_GENERATED = ("docs/reference/",)


def long_lines(text):
    """Numbers of the lines of prose that are too long: not of tables, code, or lines that are one link or comment."""
    found, is_code = [], False
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*(```|~~~)", line):
            is_code = not is_code
        is_prose = not is_code and not line.lstrip().startswith(("|", "<!--")) and " " in line.strip()
        if is_prose and len(line) > _MAX_COLUMNS:
            found.append(number)
    return found


def uneven_rows(text):
    """Numbers of the lines of tables that have more or fewer cells than the head of their table."""
    found, cells, is_code = [], None, False
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*(```|~~~)", line):
            is_code = not is_code
        if is_code or not line.startswith("|"):
            cells = None
            continue
        count = len(re.findall(r"(?<!\\)\|", line))
        cells = cells or count
        if count != cells:
            found.append(number)
    return found


def pages():
    """The pages that people write, as paths from the root."""
    all_pages = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")]
    all_pages += sorted((ROOT / "docs").rglob("*.md"))
    names = [page.relative_to(ROOT).as_posix() for page in all_pages]
    return [name for name in names if not name.startswith(_GENERATED)]


class ProseTest(unittest.TestCase):
    def test_the_rule(self):
        long = "word " * 30
        self.assertEqual(long_lines(f"short\n{long}\n| {long} |\n```\n{long}\n```\n{'x' * 130}\n- {long}"), [2, 8])

    def test_lines_of_prose_are_short(self):
        found = [f"{page}:{number}" for page in pages() for number in long_lines((ROOT / page).read_text())]
        self.assertGreater(len(pages()), 20)
        self.assertEqual(found, [], f"lines of prose above {_MAX_COLUMNS} columns:\n" + "\n".join(found))


    def test_rows_of_a_table_have_as_many_cells_as_its_head(self):
        self.assertEqual(uneven_rows("| a | b |\n|---|---|\n| 1 | `x \\| y` |\n| 1 |\n\n| a |\n|---|\n| 1 | 2 |"), [4, 8])
        found = [f"{page}:{number}" for page in pages() for number in uneven_rows((ROOT / page).read_text())]
        self.assertEqual(found, [], "rows with more or fewer cells than the head:\n" + "\n".join(found))


if __name__ == "__main__":
    unittest.main()
