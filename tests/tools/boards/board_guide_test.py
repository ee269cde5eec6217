"""docs/board-setup.md: its commands fit together, and its first image is classified, on a virtual board in place of one."""

import re
import shlex
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import BIN, ROOT, ToolCase, tool  # noqa: E402

GUIDE = ROOT / "docs/board-setup.md"


def commands_of(section):
    """The commands of one section of the guide, as lists of words."""
    text = GUIDE.read_text().split(f"\n## {section}\n")[1].split("\n## ")[0]
    lines = "\n".join(re.findall(r"```\n(.*?)```", text, re.DOTALL)).replace("\\\n", " ").splitlines()
    return [shlex.split(line, comments=True) for line in lines]


def copied_files():
    """What the guide copies to the board, as paths on the PC."""
    return [file for words in commands_of("2. Programs and modules") if words[0] == "scp" for file in words[1:-1]]


@unittest.skipUnless((BIN / "vta-virtual-board").exists(), "no virtual board on this machine")
class BoardGuideTest(ToolCase):
    def test_what_is_copied_is_there(self):
        made = {words[words.index("--package") + 1] for words in commands_of("2. Programs and modules")
                if "--package" in words}
        made.add("digits.vta.so")
        for file in copied_files():
            # hw/boards/build writes into build/boards.
            if file not in made and not file.startswith("build/boards/"):
                self.assertTrue((ROOT / file).is_file(), file)

    def test_the_first_image(self):
        compile_words, = [words for words in commands_of("2. Programs and modules") if words[0] == "build/bin/vta-compile"]
        compile_words[compile_words.index("--target") + 1] = "x86_64"
        compile_words[compile_words.index("-o") + 1] = str(self.folder / "digits.vta.so")
        subprocess.run([BIN / "vta-compile", *compile_words[1:]], cwd=ROOT, check=True, capture_output=True)
        for file in copied_files():
            if (ROOT / file).is_file():
                shutil.copy(ROOT / file, self.folder)
        run_words, = commands_of("5. First image")[:1]
        self.assertEqual(run_words[0], "vta/bin/vta-run")
        run_words[run_words.index("--device") + 1] = "zynq:root={}"
        result = tool("vta-virtual-board", "--", BIN / "vta-run-module", *run_words[1:], cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        first_class = result.stdout.split("probabilities:")[1].splitlines()[1].split()
        self.assertEqual(first_class[1], "three", result.stdout)


if __name__ == "__main__":
    unittest.main()
