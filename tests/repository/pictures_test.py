"""The pictures of the manual are what scripts/docs/draw_pictures.py draws, and pages show them."""

import sys
import unittest
import xml.etree.ElementTree as ElementTree

from source_tree import ROOT

sys.path.insert(0, str(ROOT / "scripts/docs"))

import draw_pictures  # noqa: E402
from pictures.svg import Picture  # noqa: E402


class PicturesTest(unittest.TestCase):
    def test_files_are_what_the_script_draws(self):
        drawn = draw_pictures.pictures()
        self.assertEqual({path.name for path in draw_pictures.FOLDER.glob("*.svg")}, set(drawn))
        for name, text in drawn.items():
            with self.subTest(name):
                self.assertEqual((draw_pictures.FOLDER / name).read_text(), text, "run scripts/docs/draw_pictures.py")
                ElementTree.fromstring(text)

    def test_every_picture_is_on_a_page(self):
        text = "".join(path.read_text() for path in (ROOT / "docs").rglob("*.md"))
        for name in draw_pictures.pictures():
            self.assertIn(f"pictures/{name})", text)

    def test_texts_stay_inside(self):
        for name, picture in draw_pictures.drawings().items():
            self.assertEqual(picture.texts_that_do_not_fit, [], name)
        narrow = Picture(50, 10, "x")
        narrow.text(0, 0, "a long line\nb")
        self.assertEqual(narrow.texts_that_do_not_fit, ["a long line"])

    def test_texts_are_escaped(self):
        picture = Picture(10, 10, "a < b")
        picture.text(0, 0, "x & y\nz")
        self.assertIn("x &amp; y", picture.svg())
        self.assertIn("a &lt; b", picture.svg())


class SpansTest(unittest.TestCase):
    def test_spans_that_touch_are_one(self):
        def event(tid, started, retired, layer="a"):
            return {"ph": "X", "tid": tid, "name": "i", "args": {"layer": layer, "started": started, "retired": retired}}

        names = [{"ph": "M", "tid": tid, "name": "thread_name", "args": {"name": name}}
                 for tid, name in ((1, "load"), (2, "load (2)"), (3, "compute: GEMM"), (4, "compute: loads"))]
        trace = {"traceEvents": names + [event(1, 10, 19), event(2, 15, 24), event(1, 30, 31), event(3, 20, 29),
                                         event(3, 5, 6, "b"), event(4, 12, 14)]}
        self.assertEqual(draw_pictures.spans_of(trace, "a"),
                         {"load": [[0, 15], [20, 22]], "gemm": [[10, 20]], "alu": [], "store": []})


if __name__ == "__main__":
    unittest.main()
