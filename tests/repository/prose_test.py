"""Prose in the manual: lines of at most 120 columns, so that it reads in a terminal and in a review."""

import re
import unittest

from source_tree import ROOT

_MAX_COLUMNS = 120
_MAX_LINES_OF_ENTRY = 40  # of the change log: a screen
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


def long_or_late_entries(text):
    """What is wrong with the entries of a change log, `### DATE: SUBJECT`, in its sections, `## VERSION, ...`."""
    found = []
    for section in re.split(r"(?m)^## ", text)[1:]:
        dates = []
        for entry in re.split(r"(?m)^### ", section)[1:]:
            title = entry.splitlines()[0]
            dated = re.fullmatch(r"(\d{4}-\d\d-\d\d): .+", title)
            if not dated:
                found.append(f"{title}: is not DATE: SUBJECT")
            elif dates and dated[1] > dates[-1]:
                found.append(f"{title}: is newer than the entry above it")
            dates += [dated[1]] if dated else []
            if len(entry.strip().splitlines()) > _MAX_LINES_OF_ENTRY:
                found.append(f"{title}: has more than {_MAX_LINES_OF_ENTRY} lines")
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


    def test_the_change_log_has_short_entries_by_date(self):
        good = "# C\n\n## 2, not released yet\n\n### 2026-01-03: B\n\n- b\n\n### 2026-01-03: A\n\n## 1, 2026-01-09\n\n### 2026-01-04: A\n"
        self.assertEqual(long_or_late_entries(good), [])
        self.assertEqual(long_or_late_entries(good.replace("03: A", "04: A")), ["2026-01-04: A: is newer than the entry above it"])
        self.assertEqual(long_or_late_entries(good.replace("2026-01-03: B", "B")), ["B: is not DATE: SUBJECT"])
        self.assertEqual(long_or_late_entries(good.replace("- b\n", "- b\n" * 40)), ["2026-01-03: B: has more than 40 lines"])
        self.assertEqual(long_or_late_entries((ROOT / "CHANGELOG.md").read_text()), [])


if __name__ == "__main__":
    unittest.main()
