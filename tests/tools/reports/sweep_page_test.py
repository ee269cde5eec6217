"""The page of vta-sweep in a browser: what it shows, how it filters, compares and answers the mouse."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from page_case import PageCase  # noqa: E402
from report_case import data_of  # noqa: E402
from tool_case import DIGITS, HW, ROOT, tool  # noqa: E402

SWEEP = f"""
base: {HW / "small-1x8x8.yaml"}
grid: {{gemm.block_in: [8, 16], gemm.block_out: [8, 16, 512], axi.data_width_bits: [64, 128]}}
derive: {{buffers.acc_buf_bytes: 2048 * 4 * gemm.block_out}}
models: {DIGITS / "digits.onnx"}
memories: [simple, ddr3-1066]
objectives: [latency_ms, lut, energy_mj]
"""


class SweepPageTest(PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.page = Path(folder.name) / "page.html"
        sweep = cls.page.with_name("sweep.yaml")
        sweep.write_text(SWEEP)
        result = tool("vta-sweep", sweep, "--cache", cls.page.with_name("cache.db"), "--report", cls.page)
        assert result.returncode == 0, result.stderr
        cls.page_text = cls.page.read_text()
        cls.data = data_of(cls.page_text)
        cls.feasible = [point for point in cls.data["points"] if point["status"] == "ok"]

    def test_the_answer_comes_first(self):
        self.browser.open(self.page)
        self.assertEqual(self.text("#problem"), "")
        self.assertIn(f"{len(self.feasible)} points have results", self.text("#answer"))
        self.assertIn("8 more have no results", self.text("#answer"))
        fastest = min(self.feasible, key=lambda point: point["values"]["latency_ms"])
        row = self.value("[...document.querySelectorAll('#ends tbody tr')[0].cells].map((c) => c.textContent)")
        self.assertIn("least latency (ms)", row[0].split("; "))
        self.assertEqual(row[1], fastest["text"].replace("gemm.", "").replace("axi.", ""))
        self.assertAlmostEqual(float(row[2]), fastest["values"]["latency_ms"], places=4)
        self.assertEqual(row[5], fastest["models"][0]["time"]["limit"])
        order = ["#answer", "#ends", "#filter-note", "#scatter", "#pairs", "#parallel", "#compared", "#limits", "#roofline",
                 "#layers", "#memories", "#points", "#excluded"]
        tops = [self.value(f"document.querySelector('{place}').getBoundingClientRect().top + scrollY") for place in order]
        self.assertEqual(tops, sorted(tops))
        for plot in ("scatter", "pairs", "parallel", "limits", "roofline", "memories"):
            self.assertGreater(self.count(f"#{plot} path"), 10, plot)

    def test_a_clock_above_an_estimate_is_said(self):
        self.browser.open(self.page)
        self.assertEqual(self.text("#clock-note"), "")
        page, sweep = (self.page.with_name(name) for name in ("fast.html", "fast.yaml"))
        sweep.write_text(f"models: {DIGITS / 'digits.onnx'}\ngrid: {{clock_mhz: [100, 1500, 1600]}}\n")
        self.succeed("vta-sweep", sweep, "--cache", self.page.with_name("cache.db"), "--report", page)
        self.browser.open(page)
        self.assertEqual(self.text("#problem"), "")
        self.assertIn("Points with a clock above an estimate: 2; for the first of them clock_mhz is 1500, ", self.text("#clock-note"))

    def test_accuracy_is_a_figure_or_unknown(self):
        self.browser.open(self.page)
        self.assertIn("digits: unknown (no samples)", self.text("#accuracy-note"))
        page = self.page.with_name("weights.html")
        self.succeed("vta-sweep", ROOT / "configs/sweeps/weights.yaml", "--cache", self.page.with_name("cache.db"), "--report", page)
        self.browser.open(page)
        self.assertEqual(self.text("#problem"), "")
        points = [p["values"]["agreement_percent"] for p in data_of(page.read_text())["points"]]
        self.assertIn(f"digits: {min(points):g} to {max(points):g} % of 20 samples", self.text("#accuracy-note"))
        self.assertIn("agreement with float (%)", self.text("#points thead"))
        self.assertIn("percent of the samples", self.text("#names"))
        self.assertIn("most agreement with float (%)", self.text("#ends tbody"))

    def test_names_are_for_people(self):
        self.browser.open(self.page)
        names = ["latency_ms", "cycles.digits", "gemm.block_in", "buffers.acc_buf_bytes", "fits.xc7z020", "lut + 2 * dsp", "-throughput"]
        self.assertEqual(self.value(f"{names}.map(nameForPeople)"),
                         ["latency (ms)", "cycles of digits", "block in", "acc buf (bytes)", "fits on xc7z020", "lut + 2 * dsp",
                          "\u2212runs per second"])
        titles = self.value("[...document.querySelectorAll('#axis-x option')].map((o) => o.textContent)")
        self.assertIn("energy (mJ)", titles)
        self.assertNotIn("energy_mj", titles)
        self.assertIn("A click adds this point", self.value("tipOf(feasible[0])"))

    def test_a_point_that_is_best_in_several_is_one_row(self):
        self.browser.open(self.page)
        points = self.value("[...document.querySelectorAll('#ends tbody tr')].map((r) => r.cells[1].textContent)")
        self.assertEqual(len(points), len(set(points)))
        best = "; ".join(self.value("[...document.querySelectorAll('#ends tbody tr')].map((r) => r.cells[0].textContent)")).split("; ")
        self.assertEqual(len(best), 4)

    def test_nothing_is_wider_than_the_window(self):
        for width in (800, 1300):
            self.browser.open(self.page, width=width)
            self.assertEqual(self.value("document.documentElement.scrollWidth"), width)

    def test_conditions_filter(self):
        self.browser.open(self.page)
        self.assertEqual(self.count("#points tbody tr"), len(self.feasible))
        self.click("#filter-add")
        middle = sorted(point["values"]["lut"] for point in self.feasible)[len(self.feasible) // 2]
        self.set("#conditions input[placeholder=most]", str(middle))
        few = [point for point in self.feasible if point["values"]["lut"] <= middle]
        self.assertEqual(self.count("#points tbody tr"), len(few))
        self.assertEqual(self.text("#filter-note"), f"{len(few)} of {len(self.feasible)} points are shown.")
        self.set("#conditions select", "dsp")
        self.assertEqual(self.count("#points tbody tr"), len([p for p in self.feasible if p["values"]["dsp"] <= middle]))
        self.click("#conditions button")
        self.assertEqual(self.count("#points tbody tr"), len(self.feasible))
        self.set("#filter-front", True)
        self.assertEqual(self.count("#points tbody tr"), len(self.data["front"]))
        self.set("#filter-front", False)
        limit = self.feasible[0]["models"][0]["time"]["limit"]
        self.set("#filter-limit", limit)
        self.assertEqual(self.count("#points tbody tr"),
                         len([p for p in self.feasible if p["models"][0]["time"]["limit"] == limit]))

    def test_ranges_on_the_parallel_coordinates_filter(self):
        self.browser.open(self.page)
        self.browser.middle_of("#parallel")
        chart = "charts.get('parallel')"
        axis = self.value(f"{chart}.getOption().parallelAxis.findIndex((a) => a.name === 'data width (bits)')")
        box = self.value("(b => [b.x, b.y])(document.querySelector('#parallel').getBoundingClientRect())")
        low, high = (self.value(f"(m => m.coordinateSystem.dataToPoint({value}, "
                                f"m.dimensions[{axis}]))({chart}.getModel().getComponent('parallel'))")
                     for value in (64, 70))
        self.browser.mouse("Moved", box[0] + low[0], box[1] + low[1] + 3)
        self.browser.mouse("Pressed", box[0] + low[0], box[1] + low[1] + 3, button="left", clickCount=1)
        self.browser.mouse("Moved", box[0] + high[0], box[1] + high[1], button="left", buttons=1)
        self.browser.mouse("Released", box[0] + high[0], box[1] + high[1], button="left", clickCount=1)
        narrow = [point for point in self.feasible if point["values"]["axi.data_width_bits"] == 64]
        self.browser.wait_for(f"document.querySelectorAll('#points tbody tr').length === {len(narrow)}")

    def test_chosen_points_are_compared(self):
        self.browser.open(self.page)
        heads = "[...document.querySelectorAll('#compared thead th')].slice(1).map((t) => t.textContent)"
        self.assertLessEqual(len(self.value(heads)), 6)
        self.click("#points tbody tr:nth-child(2)")
        self.click("#points tbody tr:nth-child(5)")
        titles = [self.value(f"document.querySelector('#points tbody tr:nth-child({n})').cells[0].textContent") for n in (2, 5)]
        self.assertEqual(self.value(heads), titles)
        self.assertEqual(self.count("#points tr.selected"), 2)
        labels = self.value("charts.get('limits').getOption().yAxis[0].data")
        self.assertEqual(labels[::-1], titles)
        self.click("#points tbody tr:nth-child(2)")
        self.assertEqual(self.value(heads), titles[1:])

    def test_a_click_on_the_front_chooses(self):
        self.browser.open(self.page)
        self.browser.middle_of("#scatter")
        x, y = self.value("(([x, y]) => (b => [b.x + x, b.y + y])(document.querySelector('#scatter').getBoundingClientRect()))"
                          "(charts.get('scatter').convertToPixel({seriesIndex: 0}, charts.get('scatter').getOption()"
                          ".series[0].data[0].value))")
        self.browser.click(x, y)
        self.assertEqual(self.value("chosen.size"), 1)

    def test_limits_are_those_of_the_results(self):
        self.browser.open(self.page)
        series = self.value("charts.get('limits').getOption().series.map((s) => s.data)")
        self.assertEqual(len(series), 6)
        for bars in zip(*series):
            self.assertAlmostEqual(sum(bars), 100, delta=0.1)

    def test_points_are_under_their_roofs(self):
        self.browser.open(self.page)
        series = self.value("charts.get('roofline').getOption().series.map((s) => ({type: s.type, data: s.data.map((d) => d.value ?? d)}))")
        self.assertGreater(len(series), 3)
        for roof, points in zip(series[::2], series[1::2]):
            self.assertEqual((roof["type"], points["type"]), ("line", "scatter"))
            ridge, peak = roof["data"][1]
            self.assertGreater(len(points["data"]), 2, "the network and its layers")
            for intensity, rate in points["data"]:
                self.assertLessEqual(rate, 1.001 * min(peak, intensity * peak / ridge))

    def test_layers_of_the_front_are_compared(self):
        self.browser.open(self.page)
        layers = next(iter(self.data["layers"].values()))[0]["layers"]
        self.assertEqual(self.count("#layers .compared"), len(layers))
        points = min(6, len(self.data["front"]), len(self.data["layers"]))
        self.assertEqual(self.count("#layers .bar"), points * len(layers))
        # A point without measured layers is named with what to do.
        other = next(p for p in self.feasible if str(p["number"]) not in self.data["layers"])
        self.value(f"choose(feasible.find((p) => p.number === {other['number']}))")
        self.assertIn("--layers-of", self.text("#layers-note"))

    def test_rankings_under_memories(self):
        self.browser.open(self.page)
        series = self.value("charts.get('memories').getOption().series.map((s) => s.data)")
        for memory, name in enumerate(["simple", "DDR3-1066"]):
            ranked = sorted((p for p in self.feasible if p["memory"] == name), key=lambda p: p["values"]["latency_ms"])
            self.assertEqual(sorted(line[memory] for line in series), list(range(1, len(ranked) + 1)))
        self.assertIn("is the best of 8 accelerators in latency (ms)", self.text("#memories-note"))
        self.assertRegex(self.text("#memories-note"), r"Kendall's tau: -?[01]\.\d\d")
        one = dict(self.data, points=[p for p in self.data["points"] if p["memory"] == "simple"])
        one["front"] = [n for n in self.data["front"] if any(p["number"] == n for p in one["points"])]
        self.open_data(one)
        self.assertTrue(self.value("document.querySelector('#memories-section').hidden"))

    def test_two_objectives_have_a_line_and_no_pairs(self):
        two = dict(self.data, objectives=self.data["objectives"][:2])
        two["points"] = [dict(p, objectives=p["objectives"][:2]) for p in self.data["points"]]
        self.open_data(two)
        self.assertTrue(self.value("document.querySelector('#pairs-section').hidden"))
        self.assertEqual(self.value("charts.get('scatter').getOption().series[1].data.length"), len(two["front"]))

    def test_the_table_sorts(self):
        self.browser.open(self.page)
        column = self.value("[...document.querySelectorAll('#points thead th')].findIndex((t) => t.textContent === 'LUTs')") + 1
        for reverse in (False, True):
            self.click(f"#points thead th:nth-child({column}) button")
            shown = self.value(f"[...document.querySelectorAll('#points tbody td:nth-child({column})')].map((c) => c.textContent)")
            numbers = [float(text.replace(",", "")) for text in shown]
            self.assertEqual(numbers, sorted(numbers, reverse=reverse))

    def test_points_without_results_have_reasons(self):
        self.browser.open(self.page)
        rows = self.value("[...document.querySelectorAll('#excluded tbody tr')].map((r) => r.cells[2].textContent)")
        self.assertEqual(rows, [p["reason"] for p in self.data["points"] if p["status"] != "ok"])

    def test_no_results_at_all(self):
        none = dict(self.data, points=[dict(p, status="constraint") for p in self.data["points"]], front=[])
        self.open_data(none)
        self.assertEqual(self.text("#problem"), "")
        self.assertIn("No point has results", self.text("#answer"))
        self.assertTrue(self.value("document.querySelector('#results').hidden"))

    def test_text_is_only_text(self):
        evil = "</script><img src=x onerror='document.title=1'>"
        data = json.loads(json.dumps(self.data).replace("digits", "d"))
        data["name"] = evil
        for point in data["points"]:
            point["text"] += evil
        self.open_data(data)
        self.assertEqual(self.count("img"), 0)
        self.assertEqual(self.text("#title"), evil)

    def test_colours_follow_the_scheme(self):
        self.browser.open(self.page, scheme="dark")
        self.assertIn(self.value("styleOf('soft')"), self.value("document.querySelector('#limits svg').outerHTML"))

    def test_data_that_are_damaged_are_said_to_be(self):
        for data in ([], {"points": 1}, {"points": []}):
            self.open_data(data)
            self.assertRegex(self.text("#problem"), "data inside this page are damaged|Its data may be damaged")
            self.browser.complaints.clear()


if __name__ == "__main__":
    unittest.main()
