"""One tutorial of docs/tutorials: its commands run, and print what the page shows.

Usage: tutorial_test.py NAME [--print]
  --print  shows every command with its output, for the author of the page, and compares nothing
"""

import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

from commands import ROOT, Block, blocks_of, make_workplace, missing_line, run, shape_of


def failure_of(block, code, printed):
    """What is wrong with the result of `block`, or None."""
    if code != 0:
        return f"line {block.line}: exit code {code}\n{block.script}\n{printed}"
    missing = missing_line(block.output, printed)
    return f"line {block.line}: the output has no such line at its place: {missing}\n{printed}" if missing else None


def missing_tools(blocks):
    """The tools that the blocks call and that this build does not have: some need the compiler, or an x86-64."""
    called = {name for block in blocks if not block.not_run for name in re.findall(r"build/bin/([\w-]+)", block.script)}
    return sorted(name for name in called if not (Path(os.environ["VTA_BINARY_DIR"]) / "bin" / name).exists())


class TutorialTest(unittest.TestCase):
    name = ""

    def test_commands(self):
        page = ROOT / "docs/tutorials" / f"{self.name}.md"
        blocks = blocks_of(page.read_text())
        self.assertTrue([block for block in blocks if not block.not_run], "no block of commands runs")
        missing = missing_tools(blocks)
        if missing:
            self.skipTest(f"not built: {', '.join(missing)}")
        with tempfile.TemporaryDirectory() as folder:
            make_workplace(Path(folder))
            for block in blocks:
                if not block.not_run:
                    failure = failure_of(block, *run(block, Path(folder)))
                    self.assertIsNone(failure, f"{page.name}, {failure}")


class RulesTest(unittest.TestCase):
    PAGE = "a\n```sh\necho 1\n```\n\n```text\n1\n```\n<!-- not run: no board -->\n```sh\nflash\n```\n\nb\n```text\nc\n```\n"

    def test_blocks(self):
        self.assertEqual(blocks_of(self.PAGE), [Block(2, "echo 1\n", "", ["1"]), Block(10, "flash\n", "no board", [])])

    def test_numbers_may_differ_and_words_may_not(self):
        self.assertEqual(shape_of("a  1,234.5 ms"), shape_of("a 7 ms"))
        self.assertIsNone(missing_line(["conv1 5 x"], "head\nconv1   77 x\n"))
        self.assertEqual(missing_line(["conv1 5 y"], "conv1 5 x"), "conv1 5 y")

    def test_order_and_gaps(self):
        self.assertIsNone(missing_line(["a", "...", "c"], "a\nb\nc"))
        self.assertEqual(missing_line(["a", "c"], "a\nb\nc"), "c")
        self.assertEqual(missing_line(["b", "...", "a"], "a\nb\nc"), "a")

    def test_failures(self):
        self.assertIsNone(failure_of(Block(1, "true"), 0, ""))
        self.assertIn("exit code 3", failure_of(Block(1, "exit 3"), 3, ""))


def print_page(name):
    with tempfile.TemporaryDirectory() as folder:
        make_workplace(Path(folder))
        for block in blocks_of((ROOT / "docs/tutorials" / f"{name}.md").read_text()):
            print(f"--- line {block.line}\n{block.script}" + (f"(not run: {block.not_run})" if block.not_run else ""))
            if not block.not_run:
                code, printed = run(block, Path(folder))
                print(f"--- prints, exit code {code}\n{printed}", flush=True)


if __name__ == "__main__":
    TutorialTest.name = sys.argv.pop(1)
    if "--print" in sys.argv:
        print_page(TutorialTest.name)
    else:
        unittest.main()
