"""Rules on the text of all files: nothing left open, no path of one machine, file sizes, what the README shows."""

import re
import unittest

from source_tree import ROOT, source_files, text_of

_MAX_LINES = 600
_SOURCE_SUFFIXES = (".cpp", ".h", ".td", ".py", ".sv", ".cmake", ".sh")

# Spelled so that this file does not match itself.
_LEFT_OPEN = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"]) + r")\b")
_ONE_MACHINE = re.compile(r"(?<![\w.}])/(" + "|".join(["wo" + "rk", "ro" + "ot", "ho" + "me"]) + r")/")


def text_violations(path, text):
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, reason in ((_LEFT_OPEN, "left open"), (_ONE_MACHINE, "a path of one machine")):
            match = pattern.search(line)
            if match:
                found.append(f"{path}:{number}: {reason}: {match.group(0)}")
    return found


class TextTest(unittest.TestCase):
    def assert_none(self, found):
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_rules_reject_what_they_should(self):
        self.assertEqual(len(text_violations("a", "x\n// TO" + "DO: more")), 1)
        self.assertEqual(len(text_violations("a", "cd /wo" + "rk/tree")), 1)
        self.assertEqual(text_violations("a", "a network/root/node, shared/models, todos"), [])

    def test_nothing_left_open_and_no_path_of_one_machine(self):
        texts = [(path.as_posix(), text_of(path)) for path in source_files()]
        self.assert_none([m for path, text in texts if text is not None for m in text_violations(path, text)])

    def test_source_files_are_short(self):
        sizes = [(len(text_of(path).splitlines()), path) for path in source_files(*_SOURCE_SUFFIXES)]
        self.assertGreater(len(sizes), 10)
        self.assert_none([f"{path}: {lines} lines, more than {_MAX_LINES}: it holds several ideas"
                          for lines, path in sizes if lines > _MAX_LINES])

    def test_readme_shows_the_folders(self):
        layout = (ROOT / "README.md").read_text().split("\n## Layout\n")[1].split("```")[1]
        shown = re.findall(r"(?m)^([\w.]+)/ ", layout)
        folders = {path.parts[0] for path in source_files() if len(path.parts) > 1 and not path.parts[0].startswith(".")}
        self.assertEqual(set(shown) - {"third_party"}, folders)
        self.assertEqual(len(shown), len(set(shown)))

    def test_readme_shows_the_configurations(self):
        rows = dict(re.findall(r"(?m)^\| `(configs/hw/[\w.-]+\.yaml)` \| (\d+x\d+x\d+) \|", (ROOT / "README.md").read_text()))
        shapes = {}
        for path in (ROOT / "configs/hw").glob("*.yaml"):
            keys = dict(re.findall(r"(batch|block_in|block_out): (\d+)", path.read_text()))
            shape = (keys.get(key, default) for key, default in (("batch", "1"), ("block_in", "16"), ("block_out", "16")))
            shapes[path.relative_to(ROOT).as_posix()] = "x".join(shape)
        self.assertEqual(rows, shapes)

    def test_readme_shows_the_two_commands(self):
        readme = (ROOT / "README.md").read_text()
        for command in ("scripts/demo", "scripts/test"):
            self.assertRegex(readme, rf"(?m)^(\$ )?{command}\b")


if __name__ == "__main__":
    unittest.main()
