"""The pages of vta-run --report and vta-report in a browser: what they show, how they fit, how they answer the mouse."""

import copy
import json
import re
import sys
import unittest
from pathlib import Path

from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from page_case import PageCase  # noqa: E402
from report_case import ReportCase  # noqa: E402


class HtmlPageTest(PageCase, ReportCase):
    def zoom(self):
        return self.value("(({startValue, endValue}) => [startValue, endValue])"
                          "(charts.get('timeline').getOption().dataZoom[0])")

    def place_in_timeline(self, launch):
        """The middle of a launch in the band of layers, in the window."""
        self.browser.middle_of("#timeline")
        return self.value(f"(([, begin, end]) => {{"
                          f"const [x, y] = charts.get('timeline').convertToPixel({{gridIndex: 0}}, [(begin + end) / 2, 0]);"
                          f"const box = document.getElementById('timeline').getBoundingClientRect();"
                          f"return [box.x + x, box.y + y]; }})(report.timeline.launches[{launch}])")

    def test_the_answer_comes_first(self):
        self.browser.open(self.page)
        self.assertEqual(self.text("#problem"), "")
        self.assertEqual(self.text("#title"), "digits.onnx")
        self.assertIn("cycle simulator", self.text("#subtitle"))
        most = max(self.json["layers"], key=lambda layer: layer["ms"])
        self.assertRegex(self.text("#answer"), rf"^One inference takes [\d.]+ [µm]s\. {most['name']} costs most, \d+ % of it: ")
        self.assertEqual(self.value("[...document.querySelectorAll('#tiles dt')].map((t) => t.textContent)")[:4],
                         ["latency", "frames per second", "energy per inference", "share of the roofline"])
        self.assertIn(f"{self.json['totals']['cycles']:,}", self.text("#tiles"))
        order = ["#answer", "#tiles", "#costs", "#layers", "#timeline", "#roofline", "#dram", "#sram"]
        tops = [self.value(f"document.querySelector('{place}').getBoundingClientRect().top + scrollY") for place in order]
        self.assertEqual(tops, sorted(tops))

    def test_bars_of_cost_are_sorted(self):
        self.browser.open(self.page)
        costs = sorted((layer["ms"] for layer in self.json["layers"]), reverse=True)
        widths = self.value("[...document.querySelectorAll('#costs .bar')].map((b) => parseFloat(b.style.width))")
        self.assertEqual(len(widths), len(costs))
        for width, cost in zip(widths, costs):
            self.assertAlmostEqual(width, 100 * cost / costs[0], places=1)

    def test_the_table_is_that_of_the_json_report(self):
        self.browser.open(self.page)
        titles = self.value("[...document.querySelectorAll('#layers thead th')].map((t) => t.textContent)")
        self.assertEqual(titles[:3], ["layer", "cycles", "alone"])
        self.assertRegex(titles[3], r"^time \([µm]s\)$")
        self.assertLess(titles.index("limited by"), 6)
        self.assertLess([title.split(" (")[0] for title in titles].index("energy"), 7, "beside the time")
        self.assertEqual(self.value("[...document.querySelectorAll('#layers tbody tr')].map((r) => r.cells[0].textContent)"),
                         [layer["name"] for layer in self.json["layers"]])
        cycles = self.value("[...document.querySelectorAll('#layers tbody tr')].map((r) => +r.cells[1].dataset.value)")
        self.assertEqual(sum(cycles), self.json["totals"]["cycles"])
        self.assertEqual(self.value("+document.querySelector('#layers tfoot tr').cells[1].dataset.value"), sum(cycles))
        # A click on a heading sorts, a second one the other way round.
        x, y = self.browser.middle_of("#layers thead th:nth-child(2) button")
        for reverse in (True, False):
            self.browser.click(x, y)
            shown = self.value("[...document.querySelectorAll('#layers tbody tr')].map((r) => r.cells[1].dataset.value)")
            numbers = [int(text) for text in shown if text]
            self.assertEqual(numbers, sorted(numbers, reverse=reverse))

    def test_nothing_is_wider_than_a_window_of_800_pixels(self):
        names = copy.deepcopy(self.all_data)
        names["reports"][0]["table"]["rows"][1]["name"] = "a_very_long_name_of_a_layer/" * 6
        for data in (self.all_data, names):
            for width in (800, 1300):
                self.open_data(data, width=width)
                self.assertEqual(self.value("document.documentElement.scrollWidth"), width)
        # The table scrolls inside its frame, and its first column stays.
        self.open_data(self.all_data, width=800)
        self.value("document.querySelector('#layers').parentNode.scrollLeft = 500")
        frame, first, second = self.value("['#layers', '#layers td:nth-child(1)', '#layers td:nth-child(2)'].map((s) => "
                                          "document.querySelector(s).getBoundingClientRect().left)")
        self.assertLess(frame, 0)
        self.assertGreater(first, 0)
        self.assertLess(second, first)

    def test_colours_follow_the_scheme_and_paper_is_light(self):
        def brightness():
            image = self.folder / "page.png"
            self.browser.screenshot(image)
            picture = Image.open(image).convert("L")
            histogram = picture.histogram()
            return sum(i * n for i, n in enumerate(histogram)) / sum(histogram)

        self.browser.open(self.page, scheme="dark")
        self.assertLess(brightness(), 70)
        self.assertIn(self.value("styleOf('soft')"), self.value("document.querySelector('#timeline svg').outerHTML"))
        self.browser.emulate("light")
        self.assertGreater(brightness(), 200)
        self.browser.emulate("dark", media="print")
        self.browser.wait_for("styleOf('page') === '#ffffff'")
        self.assertGreater(brightness(), 200)
        self.assertEqual(self.value("getComputedStyle(document.querySelector('p.screen')).display"), "none")

    def test_pointing_and_clicking_link_table_and_timeline(self):
        self.browser.open(self.page)
        layer, begin, end = self.data["timeline"]["launches"][2]
        x, y = self.browser.middle_of(f"#layers tbody tr:nth-child({layer + 1}) td")
        self.browser.mouse("Moved", x, y)
        self.assertEqual(self.value("charts.get('timeline').getOption().series[0].data"), [[begin, end, 0]])
        self.browser.click(x, y)
        self.browser.wait_for("marked.selected !== null")
        low, high = self.zoom()
        self.assertLessEqual(low, begin)
        self.assertGreaterEqual(high, end)
        self.assertLess(high - low, 1.1 * (end - begin))
        self.assertIn(self.json["layers"][layer]["name"], self.text("#timeline-selected"))
        self.click("#timeline-whole")
        self.assertEqual(self.zoom(), [0, self.data["timeline"]["cycles"]])
        # The other way round.
        other = self.data["timeline"]["launches"][4][0]
        x, y = self.place_in_timeline(4)
        self.browser.mouse("Moved", x, y)
        self.browser.wait_for(f"marked.hovered === {other}")
        hovered = "document.querySelector('#layers tr.hovered')"
        self.assertEqual(self.value(f"{hovered}.cells[0].textContent"), self.json["layers"][other]["name"])
        self.browser.click(x, y)
        self.browser.wait_for(f"marked.selected === {other}")
        self.assertEqual(self.value("document.querySelector('#layers tr.selected').cells[0].textContent"),
                         self.json["layers"][other]["name"])

    def test_the_wheel_scrolls_the_page_and_zooms_with_ctrl(self):
        self.browser.open(self.page)
        x, y = self.browser.middle_of("#timeline")
        before, zoom = self.value("scrollY"), self.zoom()
        self.browser.mouse("Wheel", x, y, deltaX=0, deltaY=150)
        self.browser.wait_for(f"scrollY > {before}")
        self.assertEqual(self.zoom(), zoom)
        x, y = self.browser.middle_of("#timeline")
        before = self.value("scrollY")
        self.browser.mouse("Wheel", x, y, deltaX=0, deltaY=-150, modifiers=2)
        self.browser.wait_for("charts.get('timeline').getOption().dataZoom[0].end < 100 || "
                              "charts.get('timeline').getOption().dataZoom[0].start > 0")
        self.assertEqual(self.value("scrollY"), before)

    def test_the_timeline_has_its_axis_on_top_and_names_of_layers(self):
        self.browser.open(self.page)
        axes = self.value("charts.get('timeline').getOption().xAxis.map((axis) => axis.position)")
        self.assertEqual(axes[0], "top")
        plot = self.value("document.querySelector('#timeline').innerHTML")
        for layer, begin, end in self.data["timeline"]["launches"]:
            if end - begin > self.data["timeline"]["cycles"] / 10:
                self.assertIn(f">{self.json['layers'][layer]['name']}<", plot)
        self.assertIn("Every instruction is drawn", self.text("#timeline-note"))
        legend = self.text("#timeline-legend")
        for text in ("works", "waits", "token: load to compute", "bus, read: load", "bus, write: store"):
            self.assertIn(text, legend)

    def test_tokens_are_arrows_when_few_are_in_view(self):
        self.browser.open(self.page)
        tokens = self.data["timeline"]["tokens"]["all"]
        end = sorted(pushed for _, pushed, _, _, _ in tokens)[20]
        self.value(f"zoomTimeline([0, {end}])")
        seen = sum(pushed <= end for _, pushed, _, _, _ in tokens)
        self.browser.wait_for(f"document.querySelector('#timeline-tokens').textContent.includes('{seen} in view, as arrows')")

    def test_the_theme_is_switched(self):
        self.browser.open(self.page)
        self.assertEqual((self.value("styleOf('page')"), self.text("#theme")), ("#ffffff", "Dark theme"))
        self.click("#theme")
        self.assertEqual((self.value("document.documentElement.dataset.theme"), self.text("#theme")), ("dark", "Light theme"))
        self.assertIn(self.value("styleOf('soft')"), self.value("document.querySelector('#timeline svg').outerHTML"))
        self.click("#theme")
        self.assertEqual(self.value("styleOf('page')"), "#ffffff")
        self.value("localStorage.clear()")

    def test_colours_say_what_limits(self):
        self.browser.open(self.page)
        limits = {row["limit"] for row in self.data["table"]["rows"] if row["where"] == "vta"}
        colours = self.value("report.table.rows.filter(isOnVta).map((row) => [row.limit, colourOf(report.table.rows.indexOf(row))])")
        self.assertEqual(len({colour for _, colour in colours}), len(limits))
        self.assertEqual(len({tuple(pair) for pair in colours}), len(limits))
        for limit in limits:
            self.assertIn(f"{limit}: ", self.text("#limit-legend"))

    def test_the_table_is_saved_as_csv(self):
        data = copy.deepcopy(self.all_data)
        data["reports"][0]["table"]["rows"][1]["name"] = '=1+"x"'
        self.open_data(data)
        lines = self.value("csvOf(byId('layers'))").split("\r\n")
        self.assertTrue(lines[0].startswith('"layer","cycles","alone","time (ms)","roofline","limited by","energy (pJ)"'), lines[0])
        self.assertEqual(len(lines), len(self.json["layers"]) + 2)
        self.assertTrue(lines[2].startswith("\"'=1+\"\"x\"\"\","), lines[2])
        self.assertIn(f'"{self.json["layers"][3]["ms"]}"', lines[4])
        self.assertEqual(self.text(".export"), "Save this table as CSV")

    def test_names_that_are_cut_stay_different(self):
        self.browser.open(self.page)
        cut = lambda names, most: self.value(f"[...shortNames({names}, {most}).values()]")  # noqa: E731
        self.assertEqual(cut(["/layer1/layer1.0/conv1/Conv", "/layer1/layer1.1/conv1/Conv", "x"], 20),
                         ["/layer1\u20260/conv1/Conv", "/layer1\u20261/conv1/Conv", "x"])
        names = [f"{'a' * 30}{i}{'b' * 30}{k}{'c' * 30}" for i in range(8) for k in range(8)]
        for most in (20, 28):
            short = cut(names, most)
            self.assertEqual(len(set(short)), len(names))
            self.assertLessEqual(max(map(len, short)), most)

    def test_columns_have_one_unit(self):
        self.browser.open(self.page)
        show = lambda form, values: self.value(  # noqa: E731
            f"(([f, unit]) => [{values}.map(f), unit])(columnFormat('{form}', {values}))")
        self.assertEqual(show("milliseconds", [0.104, 0.0031, 0]), [["104.0", "3.1", "0.0"], "µs"])
        self.assertEqual(show("energy", [2.5e9, 1e6]), [["2.500", "0.001"], "mJ"])
        self.assertEqual(show("bytes", [100, 7]), [["100", "7"], "B"])
        self.assertEqual(self.value("[milliseconds(0.0031), milliseconds(12.34), milliseconds(2500), milliseconds(0)]"),
                         ["3.10 µs", "12.3 ms", "2.50 s", "0 ms"])

    def test_crossings_are_shown(self):
        data = copy.deepcopy(self.all_data)
        data["reports"][0]["crossings"] = [{"tensor": "relu_1", "op": "Softmax", "layer": 5}]
        self.open_data(data)
        self.assertIn("relu_1, for Softmax", self.text("#crossings"))
        self.assertIn("dashed line", self.text("#timeline-legend"))
        self.assertRegex(self.value("document.querySelector('#timeline').innerHTML"), "stroke-dasharray")

    def test_many_bars_are_drawn_on_a_canvas(self):
        data = copy.deepcopy(self.all_data)
        timeline = data["reports"][0]["timeline"]
        timeline["bars"] = sorted(timeline["bars"] * (8000 // len(timeline["bars"]) + 1))
        timeline["joined_cycles"] = 64
        self.open_data(data)
        self.assertIn("together span at most 64 cycles", self.text("#timeline-note"))
        box = self.value("(b => [b.x, b.y + scrollY, b.width])(document.querySelector('#timeline canvas').getBoundingClientRect())")
        image = self.folder / "many.png"
        self.browser.screenshot(image)
        # From the first row, where the bars begin, to the last: none is left for later.
        for top, bottom in ((46, 110), (150, 240)):
            part = Image.open(image).convert("RGB").crop((round(box[0]) + 110, round(box[1]) + top,
                                                          round(box[0] + box[2]) - 30, round(box[1]) + bottom))
            strong = [c for n, c in part.getcolors(1 << 20) if n > 20 and max(c) - min(c) > 60]
            self.assertGreater(len(strong), 3, f"no coloured bars between {top} and {bottom}")

    def test_text_of_the_model_is_only_text(self):
        data = copy.deepcopy(self.all_data)
        evil = "</script><img src=x onerror='document.title=1'>"
        report = data["reports"][0]
        report["model"] = report["table"]["rows"][1]["name"] = evil
        data["reports"].append(copy.deepcopy(report))
        for number, each in enumerate(data["reports"]):
            each["label"] = evil + str(number)
        self.open_data(data)
        self.assertEqual(self.text("#problem"), "")
        self.assertEqual(self.count("img"), 0)
        self.assertIn(evil, self.text("#compare-totals"))
        self.assertEqual(self.value("document.querySelectorAll('#layers tbody tr')[1].cells[0].title"), evil)

    def test_reports_are_compared_with_the_first(self):
        slow = self.folder / "slow.html"
        self.succeed("vta-run", self.module, "--dram=DDR3-1066", "--report", slow)
        both = self.folder / "both.html"
        self.succeed("vta-report", f"simple={self.page}", slow, "--output", both)
        self.browser.open(both, width=800)
        self.assertEqual(self.text("#problem"), "")
        self.assertEqual(self.value("document.documentElement.scrollWidth"), 800)
        heads = self.value("[...document.querySelectorAll('#compare-totals thead th')].map((t) => t.textContent)")
        self.assertEqual(heads, ["", "simple", "slow"])
        self.assertRegex(self.text("#compare-totals tbody tr"), r"^latency[\d.]+ [µm]s[\d.]+ [µm]s [+\u2212][\d.]+ %$")
        layers = len(self.json["layers"])
        self.assertEqual(self.count("#compare-layers .compared"), layers)
        self.assertEqual(self.count("#compare-layers .bar"), 2 * layers)
        # The rest of the page is about one of them.
        self.assertEqual(self.value("report.label"), "simple")
        self.set("#report-choice", 1)
        self.assertEqual(self.value("report.label"), "slow")
        self.assertIn(f"{self.value('report.summary.cycles'):,}", self.text("#tiles"))

    def test_data_that_are_damaged_are_said_to_be(self):
        whole = json.dumps(self.all_data).replace("<", "\\u003c")
        for what, text in (("cut short", whole[:len(whole) // 2]), ("nothing", ""), ("no JSON", "\x01garbage"),
                           ("no reports", '{"reports": []}'), ("something else", "[1, 2]"), ("null", "null"),
                           ("reports of another kind", '{"reports": [{"summary": 1}]}')):
            with self.subTest(what):
                start, end = re.search(r'id="data">(.*?)</script>', self.page_text, re.S).span(1)
                page = self.folder / "damaged.html"
                page.write_text(self.page_text[:start] + text + self.page_text[end:])
                self.browser.open(page)
                self.assertRegex(self.text("#problem"), "data inside this page are damaged|Its data may be damaged")
                self.browser.complaints.clear()

    def test_warnings_and_what_fast_rescaling_wins_are_shown(self):
        data = copy.deepcopy(self.all_data)
        summary = data["reports"][0]["summary"]
        summary["warnings"] = ["--tuned: the first", "the second"]
        summary["fast_rescaling_cycles"] = summary["cycles"] - 1000
        self.open_data(data)
        self.assertEqual(self.value("[...document.querySelectorAll('#warning span')].map((w) => w.textContent)"),
                         summary["warnings"])
        self.assertIn(f"{summary['cycles'] - 1000:,} cycles with --rescaling=fast", self.text("#tiles"))
        self.browser.open(self.page)
        self.assertNotIn("--rescaling", self.text("#tiles"))


if __name__ == "__main__":
    unittest.main()
