"""The page of vta-tune --compare in a browser: layers, convergence, predictions, and what the cost model looks at."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from page_case import PageCase  # noqa: E402
from report_case import data_of  # noqa: E402
from tool_case import DIGITS, DIGITS_OPTIONS, tool  # noqa: E402


class TunePageTest(PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.page = Path(folder.name) / "page.html"
        result = tool("vta-tune", DIGITS / "digits.onnx", *DIGITS_OPTIONS, "--db", cls.page.with_name("tuning.db"),
                      "--compare", "learned", "--compare", "random", "--seeds", "2", "--trials", "16",
                      "--html", cls.page)
        assert result.returncode == 0, result.stderr
        cls.table = result.stdout
        cls.page_text = cls.page.read_text()
        cls.data = data_of(cls.page_text)

    def test_the_answer_and_the_layers_come_first(self):
        self.browser.open(self.page)
        self.assertEqual(self.text("#problem"), "")
        self.assertRegex(self.text("#answer"), "times as fast|% fewer|found nothing faster")
        rows = self.value("[...document.querySelectorAll('#tasks tbody tr')].map((r) => r.cells[0].textContent)")
        self.assertEqual(rows, [task["name"] for task in self.data["tasks"]])
        for plot in ("layers", "by-trials", "by-seconds", "predictions", "importance"):
            self.assertGreater(self.count(f"#{plot} path"), 10, plot)

    def test_every_search_is_in_the_data(self):
        for task in self.data["tasks"]:
            searches = [(search["searcher"], search["seed"]) for search in task["searches"]]
            self.assertEqual(searches, [("learned", 1), ("learned", 2), ("random", 1), ("random", 2)])
            for search in task["searches"]:
                self.assertEqual(search["best"], sorted(search["best"], reverse=True))
                self.assertEqual(len(search["best"]), len(search["seconds"]))
                self.assertLessEqual(len(search["best"]), 16)
            self.assertLessEqual(task["floor_cycles"], task["best_cycles"])
            self.assertLessEqual(task["best_cycles"], task["default_cycles"])
        self.assertAlmostEqual(sum(share for _, share in self.data["importance"]), 1, places=3)
        self.assertIn("learned", self.table)

    def test_gains_are_said_so_that_they_differ_from_none(self):
        self.browser.open(self.page)
        for before, after, text in ((100, 100, "the search found nothing faster"), (1000, 997, "0.3 % fewer"),
                                    (100000, 99999, "less than 0.1 % fewer"), (200, 100, "2.00 times as fast")):
            self.assertEqual(self.value(f"gainText({before}, {after})"), text)

    def test_bands_end_where_the_searches_do(self):
        self.browser.open(self.page)
        last = max(len(search["best"]) for search in self.data["tasks"][0]["searches"])
        end = self.value("charts.get('by-trials').getModel().getComponent('xAxis').axis.scale.getExtent()[1]")
        self.assertLessEqual(end, last)
        kinds = self.value("charts.get('by-trials').getOption().series.map((s) => [s.type, s.z])")
        self.assertEqual({tuple(kind) for kind in kinds}, {("custom", 1), ("line", 3)}, "lines are above bands")
        self.assertEqual(self.value("band('x', [[1, 2, 3, 4], [5, 1, 2, 3]], 'red').data"), [[1, 2, 4], [5, 1, 3]])

    def test_ends_of_axes_are_round(self):
        self.browser.open(self.page)
        self.assertEqual(self.value("[541.9, 1000, 0.03, 7].map(roundDown)"), [500, 1000, 0.02, 5])
        self.assertEqual(self.value("[541.9, 1000, 7].map(roundUp)"), [1000, 1000, 10])

    def test_a_layer_is_chosen(self):
        self.browser.open(self.page)
        before = self.value("document.querySelector('#by-trials').innerHTML")
        last = len(self.data["tasks"]) - 1
        self.set("#task", str(last))
        self.assertNotEqual(self.value("document.querySelector('#by-trials').innerHTML"), before)

    def test_nothing_is_wider_than_the_window(self):
        for width in (800, 1300):
            self.browser.open(self.page, width=width)
            self.assertEqual(self.value("document.documentElement.scrollWidth"), width)

    def test_a_hostile_name_stays_text(self):
        data = dict(self.data)
        data["title"] = "<img src=x onerror=alert(1)></script>"
        self.open_data(data)
        self.assertEqual(self.text("#title"), data["title"])

    def test_data_that_are_damaged_are_said_to_be(self):
        for data in ([], {"tasks": 1}, {"tasks": [1]}):
            self.open_data(data)
            self.assertRegex(self.text("#problem"), "data inside this page are damaged|Its data may be damaged")
            self.browser.complaints.clear()


if __name__ == "__main__":
    unittest.main()
