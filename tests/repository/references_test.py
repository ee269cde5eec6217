"""What pages and comments point at is there: links, headings, names of files."""

import posixpath
import re
import unittest
from pathlib import PurePosixPath

from source_tree import ROOT, source_files, text_of

# [text](target) in Markdown.
_LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
_ANCHOR_LINK = re.compile(r"\]\(((?:[\w./-]+\.md)?)#([^)\s]+)\)")
_HEADING = re.compile(r"#{1,6} (.+)")
_LINK_TEXT = re.compile(r"\[([^\]]*)\]\([^)]*\)")
# A name in backticks, alone or as the first word of a command; and a path in a block of commands or output.
_QUOTED_NAME = re.compile(r"(?<!`)`([\w.+-]+(?:/[\w.+-]+)*/?)(?=[` :])")
_CODE_PATH = re.compile(r"(?<![\w./<>-])([\w.+-]+(?:/[\w.+-]+)+/?)(?![\w<*{])")
_FOREIGN_LINK = re.compile(r"\[[^\]]*\]\(\w+://[^)]*\)")
# What names a source of ours without its folder. Formats of users' files, such as .yaml and .json, are not among them.
_NAMED_SUFFIXES = (".cpp", ".h", ".td", ".py", ".sv", ".cmake", ".sh", ".mlir", ".tcl", ".inc", ".dox")
# A word that the reader replaces: scripts/NAME.
_PLACEHOLDER = re.compile(r"(?<=/)[A-Z][A-Z_]+(/|$)")
# docs/page.md, "Heading" or its first words, perhaps with more headings behind; and a comment of the cycle simulator that
# begins with one.
_NAMED_HEADING = re.compile(r'(docs/[\w/-]+\.md), ("[^"\n]+"(?:, "[^"\n]+")*)')
_STEP_COMMENT = re.compile(r'(?m)^\s*// "([A-Z][^"\n]*)"[:,.]')
_NEXT_COMMENT_LINE = re.compile(r"\n[ \t]*(?://+|#)[ \t]*")


def dead_links(page, text, exists):
    """Links in Markdown `text` for which exists(path from the root) is false."""
    folder = PurePosixPath(page).parent
    targets = [str(folder / link) for link in _LINK.findall(text) if "://" not in link]
    return [f"{page}: no such file: {target}" for target in targets if not exists(target)]


def ends_of(paths):
    """Every end of every path and of its folders, in whole components: a/b/c.h has a, b, a/b, c.h, b/c.h and a/b/c.h."""
    ends = set()
    for path in paths:
        parts = path.split("/")
        ends.update("/".join(parts[start:stop]) for stop in range(1, len(parts) + 1) for start in range(stop))
    return ends


def dead_names(page, text, ends, tops):
    """Names of files in Markdown `text` that no file has, in prose and in blocks of code.

    Names that begin with a folder of `tops`, the folders at the root, are ours wherever they stand. Other names with a
    suffix of our sources, such as `lower.h`, have to be the end of a path, or stand in a block of code of this page:
    that is how a page shows what the reader makes. A link to another site names a file of somebody else."""
    found, names, is_code, code = [], [], False, []
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif is_code:
            code.append(line)
            names += [(number, name) for name in _CODE_PATH.findall(line) if name.split("/")[0] in tops]
        else:
            names += [(number, name) for name in _QUOTED_NAME.findall(_FOREIGN_LINK.sub("", line))]
    made = set(re.findall(r"[\w./-]+", "\n".join(code)))
    for number, name in names:
        path = _PLACEHOLDER.split(name)[0].rstrip("/.")
        is_ours = "/" in name and name.split("/")[0] in tops
        is_source = path.endswith(_NAMED_SUFFIXES) and not path.startswith(".")
        if (is_ours or is_source) and path not in ends and (is_ours or path not in made):
            found.append(f"{page}:{number}: no such file: {name}")
    return found


def anchors_of(text):
    """The anchors of a page's headings, as GitHub and the site make them."""
    anchors, is_code = [], False
    for line in text.splitlines():
        is_code ^= line.lstrip().startswith("```")
        heading = None if is_code else _HEADING.match(line)
        if heading:
            plain = _LINK_TEXT.sub(r"\1", heading.group(1)).lower()
            anchor = re.sub(r"[^\w\- ]", "", plain.strip()).replace(" ", "-")
            same = sum(re.fullmatch(rf"{re.escape(anchor)}(-\d+)?", other) is not None for other in anchors)
            anchors.append(f"{anchor}-{same}" if same else anchor)
    return set(anchors)


def dead_anchors(page, text, text_of_page):
    """Links in Markdown `text` to headings that do not exist; text_of_page(path) is None for what is no page."""
    found = []
    for target, anchor in _ANCHOR_LINK.findall(text):
        path = page if not target else posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
        other = text_of_page(path)
        if other is not None and anchor not in anchors_of(other):
            found.append(f"{page}: no such heading: {target}#{anchor}")
    return found



def dead_headings(path, text, anchors_of_page):
    """Headings of pages that the comments of a source name and the pages do not have."""
    named = [(page, heading) for page, headings in _NAMED_HEADING.findall(_NEXT_COMMENT_LINE.sub(" ", text))
             for heading in re.findall(r'"([^"]+)"', headings)]
    if path.startswith("sim/cycle/") and not path.startswith("sim/cycle/hls/"):
        named += [("docs/timing.md", heading) for heading in _STEP_COMMENT.findall(text)]
    return [f"{path}: {page} has no heading \"{heading}\"" for page, heading in named
            if not any((anchor + "-").startswith(min(anchors_of(f"# {heading}")) + "-") for anchor in anchors_of_page(page))]


class ReferencesTest(unittest.TestCase):
    def assert_none(self, found):
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_links_that_lead_nowhere(self):
        self.assertEqual(len(dead_links("docs/a.md", "[b](b.md) [c](http://c.d)", lambda _: False)), 1)

    def test_names_that_are_no_files(self):
        ends, tops = ends_of(["sim/a/b.cpp", "scripts/x"]), {"sim", "scripts"}
        for text in ("`c.cpp`", "`a/c.cpp`", "`scripts/y`", "`scripts/y --all`", "`sim/c/`", "`sim/c/NAME`", "`b.cpp.h`",
                     "```\nscripts/y\n```", "```\ncat sim/c.txt\n```\n"):
            self.assertEqual(len(dead_names("p", text, ends, tops)), 1, text)
        for text in ("`b.cpp`", "`a/b.cpp`", "`scripts/x --all`", "`sim/a/`", "`sim/NAME/`", "`inp/wgt`", "`x.onnx`", "`.h`",
                     "`new.py`\n```\n/usr/bin/python3 new.py\n```", "[`d/c.cpp`](https://e.f/c.cpp)"):
            self.assertEqual(dead_names("p", text, ends, tops), [], text)

    def test_names_of_files_in_pages_exist(self):
        files = [path.as_posix() for path in source_files()]
        files += [path.relative_to(ROOT).as_posix() for path in (ROOT / "third_party").rglob("*") if path.is_file()]
        ends, tops = ends_of(files), {path.split("/")[0] for path in files if "/" in path}
        # What an entry of the change log says was true on its day.
        found = [m for page in source_files(".md") if page.as_posix() != "CHANGELOG.md"
                 for m in dead_names(page.as_posix(), text_of(page), ends, tops)]
        self.assert_none(found)

    def test_links_in_pages_exist(self):
        pages = [path for path in source_files(".md")]
        self.assert_none([m for page in pages for m in
                          dead_links(page.as_posix(), text_of(page), lambda target: (ROOT / target).exists())])

    def test_anchors(self):
        self.assertEqual(anchors_of("# A `b` (c++)\n## A b c\n```\n# no\n```\n## [Two](x.md) words: yes"),
                         {"a-b-c", "a-b-c-1", "two-words-yes"})
        pages = {"docs/a.md": "# One\n[x](#one) [y](b.md#two) [z](b.md#three) [w](../c.cpp#L1)", "docs/b.md": "# Two"}
        self.assertEqual(dead_anchors("docs/a.md", pages["docs/a.md"], pages.get), ["docs/a.md: no such heading: b.md#three"])

    def test_links_to_headings_exist(self):
        pages = {path.as_posix(): text_of(path) for path in source_files(".md")}
        self.assert_none([m for page, text in pages.items() for m in dead_anchors(page, text, pages.get)])

    def test_headings_that_sources_name_exist(self):
        anchors = {"docs/timing.md": {"scan", "launch-and-end"}}
        text = '// docs/timing.md, "Launch and\n// end", "Scan", "Scam"\n  // "Scan": b\n  // "Scum", data: b\n  f("Other");'
        self.assertEqual(len(dead_headings("sim/cycle/a.cpp", text, anchors.__getitem__)), 2)
        self.assertEqual(len(dead_headings("sim/a.cpp", text, anchors.__getitem__)), 1)
        pages = {path.as_posix(): anchors_of(text_of(path)) for path in source_files(".md")}
        sources = [path for path in source_files(".cpp", ".h", ".td", ".sv", ".svh", ".py", ".yaml", ".cmake", ".txt", ".sh")
                   if path.as_posix() != "tests/repository/references_test.py"]
        self.assert_none([m for path in sources
                          for m in dead_headings(path.as_posix(), text_of(path) or "", lambda page: pages.get(page, set()))])


if __name__ == "__main__":
    unittest.main()
