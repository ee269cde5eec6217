"""vta-run --report: the page's data. html_page_test.py looks at what a browser makes of them."""

import re
import resource
import shutil
import signal
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from report_case import ReportCase  # noqa: E402
from tool_case import DIGITS, DIGITS_OPTIONS  # noqa: E402


def limit_file_size():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))


class HtmlReportTest(ReportCase):
    def test_page_refers_to_nothing_outside(self):
        # The plotting library is a script of its own and holds addresses of its documentation.
        page = re.sub(r"<script>.*?</script>", "", self.page_text, flags=re.S)
        page = re.sub(r'<script type="application/json".*?</script>', "", page, flags=re.S)
        self.assertNotRegex(page, r"(src|href|srcset|action|poster|background)\s*=|<link|url\(|@import|https?:")
        # The browser enforces it too.
        self.assertIn("default-src 'none'", self.page_text)

    def test_numbers_are_those_of_the_json_report(self):
        rows, layers = self.data["table"]["rows"], self.json["layers"]
        self.assertEqual([r["name"] for r in rows], [layer["name"] for layer in layers])
        for key in ("macs", "uops", "dram_read_bytes", "dram_write_bytes"):
            self.assertEqual([r[key] for r in rows], [layer[key] for layer in layers], key)
            # Layers of one launch share micro-ops, and load some at other times.
            self.assertAlmostEqual(self.data["table"]["total"][key] / sum(layer[key] for layer in layers), 1, delta=0.05)
        self.assertEqual(self.data["table"]["total"]["macs"], sum(layer["macs"] for layer in layers))
        for key in ("cycles", "cycles_in_run"):
            self.assertEqual([r[key] for r in rows], [layer[key] for layer in layers])
            self.assertEqual(self.data["table"]["total"][key], sum(layer[key] for layer in layers), key)
        for row, layer in zip(rows, layers):
            energy = layer["energy_pj_estimate"]
            self.assertEqual(row.get("energy_pj"), energy and energy["total"])
        self.assertIn("estimate", self.data["table"]["energy_note"])
        self.assertEqual(self.data["table"]["total"]["cycles_in_run"], self.json["totals"]["cycles"])
        self.assertLess(self.json["totals"]["cycles"], self.data["table"]["total"]["cycles"])
        self.assertEqual(self.data["timeline"]["cycles"], self.json["totals"]["cycles"])

    def test_timeline_has_every_instruction(self):
        timeline = self.data["timeline"]
        on_vta = [layer for layer in self.json["layers"] if layer["where"] == "vta"]
        issued = {unit: sum(layer[unit]["instructions"] for layer in on_vta) for unit in ("load", "compute", "store")}
        shown = dict.fromkeys(issued, 0)
        for bar in timeline["bars"]:
            shown[timeline["rows"][bar[0]].split(":")[0]] += bar[7]
        # Layers of one launch share micro-ops, load some at other times, and have one end.
        self.assertEqual((shown["load"], shown["store"]), (issued["load"], issued["store"]))
        self.assertAlmostEqual(shown["compute"] / issued["compute"], 1, delta=0.1)
        self.assertEqual(sum(bar[7] for bar in timeline["bars"]), timeline["instructions"])
        self.assertEqual(set(timeline["rows"]), {"load", "compute: loads", "compute: GEMM", "compute: ALU",
                                                 "compute: other", "store"})
        self.assertTrue(all(0 <= bar[1] < bar[2] <= timeline["cycles"] for bar in timeline["bars"]))
        names = [row["name"] for row in self.data["table"]["rows"]]
        self.assertEqual({names[bar[5]] for bar in timeline["bars"]}, {layer["name"] for layer in on_vta})

    def test_a_row_works_on_one_instruction_at_a_time(self):
        timeline = self.data["timeline"]
        worked = 0
        for row, name in enumerate(timeline["rows"]):
            works = sorted((bar[3], bar[4]) for bar in timeline["bars"] if bar[0] == row and bar[4] > bar[3])
            for (_, end), (begin, _) in zip(works, works[1:]):
                self.assertLessEqual(end, begin, name)
            if name in ("compute: GEMM", "compute: ALU"):
                worked += sum(end - begin for begin, end in works)
        for bar in timeline["bars"]:
            self.assertTrue(bar[1] <= bar[3] <= bar[4] <= bar[2], bar)
        # A micro-op takes a cycle or more.
        self.assertGreaterEqual(worked, self.data["table"]["total"]["uops"])
        self.assertLess(worked, 2 * timeline["cycles"])

    def test_the_band_shows_the_shares_of_the_layers(self):
        launches = self.data["timeline"]["launches"]
        on_vta = [i for i, layer in enumerate(self.json["layers"]) if layer["where"] == "vta"]
        self.assertEqual([launch[0] for launch in launches], on_vta)
        self.assertEqual([launch[2] - launch[1] for launch in launches],
                         [self.json["layers"][i]["cycles_in_run"] for i in on_vta])
        self.assertEqual([launch[1] for launch in launches[1:]], [launch[2] for launch in launches[:-1]])

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

    def test_the_summary_is_that_of_the_json_report(self):
        summary, totals = self.data["summary"], self.json["totals"]
        self.assertEqual(summary["cycles"], totals["cycles"])
        self.assertAlmostEqual(summary["vta_ms"], totals["cycles"] / (1000 * summary["clock_mhz"]))
        self.assertAlmostEqual(summary["latency_ms"], summary["vta_ms"] + summary["cpu_ms"])
        self.assertAlmostEqual(summary["frames_per_second"], totals["frames_per_second"])
        self.assertAlmostEqual(sum(row["ms"] for row in self.data["table"]["rows"]), summary["latency_ms"])
        self.assertEqual([row["ms"] for row in self.data["table"]["rows"]],
                         [layer["ms"] for layer in self.json["layers"]])
        self.assertEqual(len(self.data["crossings"]), totals["crossings"])
        self.assertEqual(summary["area"], self.json["area_estimate"])
        self.assertGreater(summary["area"]["lut"], 1000)
        self.assertEqual(summary["warnings"], [])

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

    def test_names_cannot_end_the_script(self):
        self.assertEqual(self.page_text.count("</script>"), 3)
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
