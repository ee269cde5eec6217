"""vta-run --report: the page's contents, and how Chromium draws them."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import unittest
from html.parser import HTMLParser

from PIL import Image

from tool_case import DIGITS, DIGITS_OPTIONS, DigitsModuleCase, tool

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_chromium = unittest.skipUnless(CHROMIUM, "chromium is not installed")


class Page(HTMLParser):
    """Elements with their attributes; the text of scripts; the cells of each row of the layer table."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.scripts, self.rows, self.texts, self.inside = [], [], [], {}, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.elements.append((tag, attributes))
        if tag not in ("meta", "link", "img", "br", "input"):
            self.inside.append((tag, attributes.get("id"), attributes))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append([attributes.get("data-value"), ""])

    def handle_endtag(self, tag):
        while self.inside and self.inside.pop()[0] != tag:
            pass

    def handle_data(self, text):
        tags = [tag for tag, _, _ in self.inside]
        if tags and tags[-1] == "script":
            self.scripts.append(text)
        if "td" in tags or "th" in tags:
            self.rows[-1][-1][1] += text
        for _, name, _ in self.inside:
            if name:
                self.texts[name] = self.texts.get(name, "") + text


def limit_file_size():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))


class HtmlReportTest(DigitsModuleCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.page = cls.module.with_name("digits.html")
        result = tool("vta-run", cls.module, "--report", cls.page, "--json")
        assert result.returncode == 0, result.stderr
        cls.json = json.loads(result.stdout)
        cls.text = cls.page.read_text()
        cls.data = json.loads(re.search(r'id="data">(.*?)</script>', cls.text, re.S).group(1))

    def chromium(self, page, *options):
        """Standard output of Chromium, which must not report anything on its console."""
        profile = self.folder / "profile"
        result = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                                 "--log-level=0", f"--user-data-dir={profile}", "--window-size=1400,2800",
                                 "--no-first-run", "--disable-dev-shm-usage", *options, page.as_uri()],
                                capture_output=True, text=True, timeout=120,
                                env={**os.environ, "HOME": str(self.folder)})
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("CONSOLE", result.stderr)
        return result.stdout

    def dom(self, page):
        return self.chromium(page, "--dump-dom")

    def with_script(self, script):
        """A copy of the page that runs one more script."""
        page = self.folder / "scripted.html"
        # Behind the end of the body, which browsers mend; the plotting library has "</body>" in a string.
        page.write_text(f"{self.text}<script>{script}</script>")
        return page

    def test_page_refers_to_nothing_outside(self):
        page = Page(self.text)
        loading = {"src", "href", "srcset", "data", "action", "poster", "background", "xlink:href"}
        self.assertEqual([(tag, a) for tag, a in page.elements if loading & a.keys()], [])
        self.assertNotIn("link", [tag for tag, _ in page.elements])
        style = re.search(r"<style>(.*?)</style>", self.text, re.S).group(1)
        self.assertNotRegex(style, r"url\(|@import")
        # The browser enforces it too, and would complain on its console.
        self.assertIn("default-src 'none'", self.text)

    def test_numbers_are_those_of_the_json_report(self):
        rows, layers = self.data["table"]["rows"], self.json["layers"]
        self.assertEqual([r["name"] for r in rows], [layer["name"] for layer in layers])
        for key in ("macs", "uops", "dram_read_bytes", "dram_write_bytes"):
            self.assertEqual([r[key] for r in rows], [layer[key] for layer in layers], key)
            self.assertEqual(self.data["table"]["total"][key], sum(layer[key] for layer in layers), key)
        self.assertEqual([r["cycles"] for r in rows], [layer["cycles"] for layer in layers])
        for row, layer in zip(rows, layers):
            energy = layer["energy_pj_estimate"]
            self.assertEqual(row.get("energy_pj"), energy and energy["total"])
        self.assertIn("estimate", self.data["table"]["energy_note"])
        self.assertEqual(self.data["table"]["total"]["cycles"], self.json["totals"]["cycles"])
        self.assertEqual(self.data["timeline"]["cycles"], self.json["totals"]["cycles"])

    def test_timeline_has_every_instruction(self):
        timeline = self.data["timeline"]
        on_vta = [layer for layer in self.json["layers"] if layer["where"] == "vta"]
        issued = sum(layer[unit]["instructions"] for layer in on_vta for unit in ("load", "compute", "store"))
        self.assertEqual(timeline["instructions"], issued)
        self.assertEqual(sum(bar[5] for bar in timeline["bars"]), issued)
        self.assertLessEqual({"load", "compute: GEMM", "compute: ALU", "store"}, set(timeline["rows"]))
        self.assertTrue(all(0 <= bar[1] < bar[2] <= timeline["cycles"] for bar in timeline["bars"]))
        names = [row["name"] for row in self.data["table"]["rows"]]
        self.assertEqual({names[bar[3]] for bar in timeline["bars"]}, {layer["name"] for layer in on_vta})

    def test_tokens_go_forward_from_unit_to_unit(self):
        timeline = self.data["timeline"]
        tokens = timeline["tokens"]
        self.assertEqual(tokens["count"], len(tokens["all"]))
        self.assertEqual(set(tokens["names"]), {"load to compute", "compute to load", "compute to store",
                                                "store to compute"})
        starts = {(bar[0], bar[1]) for bar in timeline["bars"]}
        ends = {(bar[0], bar[2] - 1) for bar in timeline["bars"]}
        for from_row, pushed, to_row, popped, name in tokens["all"]:
            self.assertLess(pushed, popped)
            self.assertIn((from_row, pushed), ends)
            self.assertIn((to_row, popped), starts)
            for row, unit in zip((from_row, to_row), tokens["names"][name].split(" to ")):
                self.assertTrue(timeline["rows"][row].startswith(unit))

    def test_bus_windows_add_up_to_the_bytes(self):
        timeline = self.data["timeline"]
        windows = timeline["bus"]
        self.assertEqual(windows, sorted(windows))
        moved = [0, 0]
        for window, end in zip(windows, [w[0] for w in windows[1:]] + [timeline["cycles"]]):
            self.assertTrue(all(0 <= share <= 100.1 for share in (sum(window[1:4]), window[4])), window)
            moved[0] += sum(window[1:4]) / 100 * (end - window[0]) * 8
            moved[1] += window[4] / 100 * (end - window[0]) * 8
        total = self.data["table"]["total"]
        # Beats may hold bytes that nobody asked for.
        for bytes_moved, asked in zip(moved, (total["dram_read_bytes"], total["dram_write_bytes"])):
            self.assertGreater(bytes_moved, 0.99 * asked)
            self.assertLess(bytes_moved, 1.2 * asked)

    def test_no_point_is_above_a_roof(self):
        roofline = self.data["roofline"]
        self.assertEqual((roofline["macs_per_cycle"], roofline["bytes_per_cycle"]), (256, 8))
        self.assertGreater(len(roofline["points"]), 3)
        for point in roofline["points"]:
            roof = min(256, 8 * point["intensity"])
            self.assertLessEqual(point["rate"], roof)
            row = self.data["table"]["rows"][point["layer"]]
            # The table counts whole cycles of the roof.
            self.assertAlmostEqual(100 * point["rate"] / roof, row["roofline"], delta=100 / row["cycles"] + 1e-6)

    def test_memory_map_never_uses_a_byte_twice(self):
        self.assertIn("activations, device memory", [area["area"] for area in self.data["dram"]])
        for area in self.data["dram"]:
            self.assertEqual(area["bytes"], max(t["offset"] + t["bytes"] for t in area["tensors"]))
            for i, a in enumerate(area["tensors"]):
                self.assertLess(a["last"], len(self.data["steps"]))
                for b in area["tensors"][:i]:
                    if area["area"].startswith("constants") and (a["offset"], a["bytes"]) == (b["offset"], b["bytes"]):
                        continue  # equal constants are stored once
                    live = a["first"] <= b["last"] and b["first"] <= a["last"]
                    near = a["offset"] < b["offset"] + b["bytes"] and b["offset"] < a["offset"] + a["bytes"]
                    self.assertFalse(live and near, f"{area['area']}: {a} and {b}")
        for row in self.data["sram"]:
            self.assertTrue(all(0 <= row[key] <= 100 for key in ("uop", "inp", "wgt", "acc")), row)
            self.assertGreater(row["acc"], 0)

    @needs_chromium
    def test_chromium_draws_all_of_it(self):
        dom = self.dom(self.page)
        page = Page(dom)
        self.assertEqual(page.texts.get("problem", ""), "")
        self.assertIn("digits.onnx on cycle", page.texts["title"])
        self.assertIn(f"{self.json['totals']['cycles']:,}", page.texts["headline"])
        self.assertIn("Every instruction is drawn", page.texts["timeline-note"])
        self.assertRegex(page.texts["energy-note"], "an estimate from .* ISSCC 2014")
        head, *rows, total = page.rows
        self.assertEqual([row[0][1] for row in rows], [layer["name"] for layer in self.json["layers"]])
        cycles = [title for _, title in head].index("cycles")
        self.assertEqual(sum(int(row[cycles][0]) for row in rows), self.json["totals"]["cycles"])
        self.assertEqual(int(total[cycles][0]), self.json["totals"]["cycles"])
        # Plots of few shapes are SVG: each bar, point and tensor is a path in the text.
        starts = {name: dom.index(f'id="{name}" class="plot"') for name in ("timeline", "roofline", "dram", "sram")}
        ends = dict(zip(starts, [*list(starts.values())[1:], dom.index('id="footer"')]))
        shapes = {name: dom[starts[name]:ends[name]].count("<path") for name in starts}
        self.assertGreaterEqual(shapes["timeline"], len(self.data["timeline"]["bars"]))
        self.assertGreaterEqual(shapes["roofline"], len(self.data["roofline"]["points"]) + 2)
        self.assertGreaterEqual(shapes["dram"], len(self.data["dram"][0]["tensors"]))
        self.assertGreaterEqual(shapes["sram"], len(self.data["sram"]))

    @needs_chromium
    def test_click_on_a_title_sorts(self):
        click = "[...document.querySelectorAll('#layers th button')].find((b) => b.textContent === 'cycles').click();"
        column = [c["key"] for c in self.data["table"]["columns"]].index("cycles")
        for clicks, reverse in ((1, True), (2, False)):
            rows = Page(self.dom(self.with_script(click * clicks))).rows[1:-1]
            values = [int(row[column][0]) for row in rows]
            self.assertEqual(values, sorted(values, reverse=reverse))
        self.assertEqual(len(values), len(self.json["layers"]))

    @needs_chromium
    def test_zoom_shows_tokens_as_arrows(self):
        whole = Page(self.dom(self.page)).texts["timeline-tokens"]
        self.assertIn(f"Tokens: {self.data['timeline']['tokens']['count']:,}", whole)
        layer = self.data["timeline"]["bars"][0][3]
        end = max(bar[2] for bar in self.data["timeline"]["bars"] if bar[3] == layer)
        zoom = ("echarts.getInstanceByDom(document.getElementById('timeline'))"
                f".dispatchAction({{type: 'dataZoom', startValue: 0, endValue: {end}}});")
        dom = self.dom(self.with_script(zoom))
        note = Page(dom).texts["timeline-tokens"]
        seen = sum(pushed <= end for _, pushed, _, _, _ in self.data["timeline"]["tokens"]["all"])
        self.assertIn(f"{seen} in view, as arrows", note)
        plot = dom[dom.index('id="timeline" class="plot"'):dom.index('id="roofline" class="plot"')]
        # A line and a head each, in the colours of the directions.
        strokes = sum(plot.count(f'stroke="{colour}"') for colour in ("#1d2430", "#8a1c7c", "#a35200", "#00666b"))
        self.assertGreaterEqual(strokes, seen)
        self.assertIn("read: load", plot)
        self.assertIn("write: store", plot)

    @needs_chromium
    def test_many_bars_are_drawn_on_a_canvas(self):
        data = json.loads(json.dumps(self.data))
        bars = data["timeline"]["bars"]
        data["timeline"]["bars"] = sorted(bars * (8000 // len(bars) + 1))
        data["timeline"]["joined_cycles"] = 64
        page = self.folder / "many.html"
        start, end = re.search(r'id="data">(.*?)</script>', self.text, re.S).span(1)
        page.write_text(self.text[:start] + json.dumps(data).replace("<", "\\u003c") + self.text[end:])
        dom = self.dom(page)
        self.assertIn("<canvas", dom)
        self.assertIn("together span at most 64 cycles", Page(dom).texts["timeline-note"])
        image = self.folder / "many.png"
        self.chromium(page, f"--screenshot={image}")
        # From the first row, where the bars begin, to the last: none is left for later.
        for top, bottom in ((270, 340), (640, 775)):
            colours = Image.open(image).convert("RGB").crop((170, top, 1350, bottom)).getcolors(1 << 20)
            strong = [colour for n, colour in colours if n > 20 and max(colour) - min(colour) > 60]
            self.assertGreater(len(strong), 3, f"no coloured bars between {top} and {bottom}")

    @needs_chromium
    def test_text_of_the_model_is_only_text(self):
        data = json.loads(json.dumps(self.data))
        evil = "</script><img src=x onerror='document.title=1'>"
        data["model"] = data["table"]["rows"][1]["name"] = evil
        start, end = re.search(r'id="data">(.*?)</script>', self.text, re.S).span(1)
        page = self.folder / "evil.html"
        page.write_text(self.text[:start] + json.dumps(data).replace("<", "\\u003c") + self.text[end:])
        dom = Page(self.dom(page))
        self.assertNotIn("img", [tag for tag, _ in dom.elements])
        self.assertIn(evil, dom.texts["title"])

    def test_names_cannot_end_the_script(self):
        self.assertEqual(self.text.count("</script>"), 3)
        odd = self.folder / "odd<!--"
        odd.mkdir()
        shutil.copy(DIGITS / "images/three-1.png", odd / "a<script>.png")
        page = self.folder / "odd.html"
        self.succeed("vta-run", self.module, *DIGITS_OPTIONS[:2], "-i", odd / "a<script>.png", "--report", page)
        self.assertNotIn("a<script>", page.read_text())
        self.assertIn("a\\u003cscript>", page.read_text())

    def test_what_cannot_be_written_or_reported(self):
        self.refuse("vta-run", self.module, "--report", self.folder / "none/page.html", says=["none/page.html"])
        self.refuse("vta-run", self.module, "--report", self.folder, says=[str(self.folder)])
        self.refuse("vta-run", self.module, "--sim=functional", "--report=x.html", code=2,
                    says=["--report needs --sim=cycle"])
        self.refuse("vta-run", DIGITS / "digits.onnx", "--partition=cpu", "--report", self.folder / "cpu.html",
                    says=["nothing of this model runs on the VTA"])
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_failed_write_leaves_the_old_page(self):
        old = self.write("old.html", "old")
        # A file-size limit below the page's size makes the write fail half-way.
        self.refuse("vta-run", self.module, "--report", old, says=["old.html"], preexec_fn=limit_file_size)
        self.assertEqual(old.read_text(), "old")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["old.html"])


if __name__ == "__main__":
    unittest.main()
