"""CONTRIBUTING.md lists the sources of a worked example for a memory type: no others name the type."""

import re
import subprocess
import unittest

from source_tree import ROOT

_MOST_SOURCES = 15
_NAME = re.compile(r"kWgtTransposed|WGT_TRANSPOSED|WgtTransposed|ext_transpose|ExtTranspose")
_SOURCES = re.compile(r"\.(h|cpp|sv|svh|td|py)$")
# Tests, proofs, pages, and what is generated from the table.
_NOT_COUNTED = re.compile(r"^(tests/|hw/formal/|docs/|hw/vta_rtl/(package/vta_pkg|core/vta_config_check)\.sv$)")


def recipe():
    """The sources that the recipe lists."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    part = text.split("**a memory type**")[1].split("and tests of what is loaded")[0]
    items = [line for line in part.splitlines() if line.startswith("- ")]
    return {path for line in items for path in re.findall(r"`([\w/.-]+)`", line)}


def naming_sources():
    """The sources that name the worked example."""
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    counted = [path for path in files if _SOURCES.search(path) and not _NOT_COUNTED.match(path)]
    return {path for path in counted if _NAME.search((ROOT / path).read_text())}


class MemoryTypesTest(unittest.TestCase):
    def test_the_recipe_lists_the_sources(self):
        self.assertEqual(naming_sources(), recipe())

    def test_a_memory_type_is_in_few_sources(self):
        self.assertLessEqual(len(recipe()), _MOST_SOURCES)


if __name__ == "__main__":
    unittest.main()
