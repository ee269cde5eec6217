"""One page: its commands run, and print what it shows.

Usage: tutorial_test.py NAME [--print | --update]
  NAME      a tutorial of docs/tutorials, or README
  --print   shows every command with its output, for the author of the page, and compares nothing
  --update  writes the numbers that the commands print into the page, where only numbers differ
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from commands import ROOT, Block, blocks_of, make_workplace, matched_lines, missing_line, run, shape_of


def failure_of(block, code, printed):
    """What is wrong with the result of `block`, or None."""
    if code != 0:
        return f"line {block.line}: exit code {code}\n{block.script}\n{printed}"
    missing = missing_line(block.output, printed, block.measured)
    return f"line {block.line}: the output has no such line at its place: {missing}\n{printed}" if missing else None


def missing_tools(blocks):
    """The tools that the blocks call and that this build does not have: some need the compiler, or an x86-64."""
    called = {name for block in blocks if not block.not_run for name in re.findall(r"build/bin/([\w-]+)", block.script)}
    return sorted(name for name in called if not (Path(os.environ["VTA_BINARY_DIR"]) / "bin" / name).exists())


def lacks_gpu(blocks):
    """Whether the blocks run something on a GPU, and there is none."""
    if not any("--host gpu" in block.script for block in blocks if not block.not_run):
        return False
    info = subprocess.run([Path(os.environ["VTA_BINARY_DIR"]) / "bin/vta-info", "--json"], capture_output=True, check=True)
    return not json.loads(info.stdout).get("gpus")


def page_of(name):
    return ROOT / "README.md" if name == "README" else ROOT / "docs/tutorials" / f"{name}.md"


class TutorialTest(unittest.TestCase):
    name = ""

    def test_commands(self):
        page = page_of(self.name)
        blocks = blocks_of(page.read_text())
        self.assertTrue([block for block in blocks if not block.not_run], "no block of commands runs")
        missing = missing_tools(blocks)
        if missing:
            self.skipTest(f"not built: {', '.join(missing)}")
        if lacks_gpu(blocks):
            self.skipTest("no GPU, and no driver that stands for one")
        with tempfile.TemporaryDirectory() as folder:
            make_workplace(Path(folder))
            for block in blocks:
                if not block.not_run:
                    # Debian's modules belong to its own Python; another one may come first on a reader's PATH.
                    self.assertNotRegex(block.script, r"(?m)(^|[\s|;&(])python3?\s", f"{page.name}, line {block.line}")
                    failure = failure_of(block, *run(block, Path(folder)))
                    self.assertIsNone(failure, f"{page.name}, {failure}")


class RulesTest(unittest.TestCase):
    PAGE = "a\n```sh\necho 1\n```\n\n```text\n1\n```\n<!-- not run: no board -->\n```sh\nflash\n```\n\nb\n```text\nc\n```\n"

    def test_blocks(self):
        self.assertEqual(blocks_of(self.PAGE), [Block(2, "echo 1\n", "", ["1"], 7), Block(10, "flash\n", "no board", [])])
        other = blocks_of("<!-- exact figures, except: ms, cpu -->\n```sh\na\n```\n<!-- exact figures -->\n"
                          "<!-- run as: b -c -->\n```sh\nb\n```\n")
        self.assertEqual(other, [Block(2, "a\n", measured=("ms", "cpu")), Block(7, "b -c\n", measured=())])

    def test_numbers_may_differ_and_words_may_not(self):
        self.assertEqual(shape_of("a  1,234.5 ms"), shape_of("a 7 ms"))
        self.assertIsNone(missing_line(["conv1 5 x"], "head\nconv1   77 x\n"))
        self.assertEqual(missing_line(["conv1 5 y"], "conv1 5 x"), "conv1 5 y")
        self.assertEqual(missing_line(["conv1 5 x"], "conv1   77 x\n", ()), "conv1 5 x")
        self.assertIsNone(missing_line(["conv1 5 x"], "conv1   77 x\n", ("conv1",)))
        self.assertIsNone(missing_line(["conv1 5 x", "b 1"], "conv1   5 x\nb 1\n", ()))

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
        for block in blocks_of(page_of(name).read_text()):
            print(f"--- line {block.line}\n{block.script}" + (f"(not run: {block.not_run})" if block.not_run else ""))
            if not block.not_run:
                code, printed = run(block, Path(folder))
                print(f"--- prints, exit code {code}\n{printed}", flush=True)


def update_page(name):
    """Rewrites the lines of the page that differ from what is printed in their numbers alone."""
    page = page_of(name)
    lines = page.read_text().splitlines()
    with tempfile.TemporaryDirectory() as folder:
        make_workplace(Path(folder))
        for block in blocks_of(page.read_text()):
            if block.not_run:
                continue
            _, printed = run(block, Path(folder))
            for number, shown in matched_lines(block.output, printed):
                if shown is None:
                    print(f"{page.name}, line {block.output_line + number}: no such line is printed")
                elif not any(word in shown for word in block.measured):
                    lines[block.output_line + number - 1] = shown.rstrip()
    page.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    TutorialTest.name = sys.argv.pop(1)
    if "--print" in sys.argv:
        print_page(TutorialTest.name)
    elif "--update" in sys.argv:
        update_page(TutorialTest.name)
    else:
        unittest.main()
