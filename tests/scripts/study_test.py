"""The parts of scripts/study.py: fronts, ranks, tables, charts, and a study that runs on the example model."""

import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BINARIES = Path(os.environ.get("VTA_BINARY_DIR", ROOT / "build"))
sys.path.insert(0, str(ROOT / "scripts"))

from studies import joint, memories, search  # noqa: E402
from studies.chart import Axis, Chart  # noqa: E402
from studies.hypervolume import hypervolume, pareto_front  # noqa: E402
from studies.study import Study, table  # noqa: E402


class HypervolumeTest(unittest.TestCase):
    def test_fronts_have_what_nothing_dominates(self):
        self.assertEqual(pareto_front([(1, 3), (2, 2), (3, 1), (3, 3), (2, 2), (1, 4)]), [(1, 3), (2, 2), (3, 1)])

    def test_two_objectives(self):
        self.assertEqual(hypervolume([(1, 3), (2, 2), (3, 1)], (4, 4)), 6)
        self.assertEqual(hypervolume([(5, 1)], (4, 4)), 0)

    def test_three_objectives_are_counted_like_unit_cubes(self):
        points = [(0, 2, 1), (1, 0, 2), (2, 1, 0), (1, 1, 1)]
        cubes = sum(any(all(p <= c for p, c in zip(point, (x, y, z))) for point in points)
                    for x in range(4) for y in range(4) for z in range(4))
        self.assertEqual(hypervolume(points, (4, 4, 4)), cubes)


class MemoriesTest(unittest.TestCase):
    def test_orders(self):
        first = {"a": 1, "b": 2, "c": 3}
        self.assertEqual(memories.kendall(first, {"a": 5, "b": 6, "c": 9}), 1)
        self.assertEqual(memories.kendall(first, {"a": 9, "b": 6, "c": 5}), -1)
        self.assertAlmostEqual(memories.kendall(first, {"a": 6, "b": 5, "c": 9}), 1 / 3)
        self.assertEqual(memories.rank({"a": 6, "b": 5, "c": 9}, "a"), 2)


class JointTest(unittest.TestCase):
    def test_two_steps_and_both_together(self):
        """The second accelerator is the best with the schedules that are found, the first with the compiler's."""
        self.assertEqual(joint.compare_steps({1: 10, 2: 11, 3: 20}, {1: 9, 2: 8, 3: 30}), (10, 9, 8))
        self.assertEqual(joint.compare_steps({1: 10, 2: 11}, {1: 12, 2: 13}), (10, 10, 10))

    def test_a_first_step_with_schedules_by_chance(self):
        self.assertEqual(joint.latency_of_blind_step({1: 10, 2: 11}, {1: 9, 2: 12}, {1: 30, 2: 20}), 11)

    def test_descriptions_are_sweeps(self):
        with tempfile.TemporaryDirectory() as folder:
            file = ROOT / "configs/sweeps" / (Path(folder).name + ".yaml")
            self.addCleanup(file.unlink, missing_ok=True)
            file.write_text(joint.description("simple", joint.searched("learned"), "latency_ms", joint.FEW))
            result = subprocess.run([BINARIES / "bin/vta-sweep", file, "--dry-run"], capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("16 points", result.stdout)


class PageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_tables(self):
        self.assertEqual(table(["name", "value"], [["a", "1.5"], ["b", "2"]]),
                         "| name | value |\n|---|---:|\n| a | 1.5 |\n| b | 2 |\n")

    def test_charts_are_svg(self):
        chart = Chart("a & b", Axis("x", [1, 100], log=True), Axis("y", [0, 5]))
        chart.line([(1, 1), (10, 2), (100, 5)], "#000000", "line", steps=True)
        chart.points([(1, 1)], "#000000", "<points>")
        root = xml.etree.ElementTree.fromstring(chart.svg())
        self.assertEqual(root.find("{http://www.w3.org/2000/svg}title").text, "a & b")

    def study(self, page):
        study = Study(page, ROOT / "build", self.folder, None, 1)
        study.page = self.folder / page
        return study

    def test_parts_replace_what_is_between_their_marks(self):
        study = self.study("page.md")
        study.page.write_text("before\n<!-- begin x -->\nold\n<!-- end x -->\nafter\n")
        study.write_part("x", "new\n")
        self.assertEqual(study.page.read_text(), "before\n<!-- begin x -->\nnew\n<!-- end x -->\nafter\n")
        with self.assertRaises(SystemExit):
            study.write_part("y", "new\n")

    def test_a_missing_network(self):
        with self.assertRaisesRegex(SystemExit, "there is no model .*none.onnx; --models"):
            self.study("page.md").model("none")

    def test_the_study_of_searches_compares_with_the_enumerated_front(self):
        """With results that are formulas in place of vta-sweep's."""
        points = [{"status": "ok", "objectives": [float(x), float(y), 1.0]} for x in range(20) for y in range(20) if x + y >= 9]

        class Formula(Study):
            def sweep(self, description, models, *options):
                if not options:
                    return {"points": points}
                budget = int(options[options.index("--evaluations") + 1])
                return {"points": points[:budget] if "random" in options else points}

            def model_error(self, description, results, trainings):
                return [{"training": count, "mean_error": 0.005, "worst_error": 0.1, "predictions_per_second": 1e6,
                         "fit_seconds": 0.1} for count in trainings]

            def write_picture(self, name, chart):
                (self.page.parent / name).write_text(chart.svg())

        study = Formula("search.md", None, None, None, 1)
        study.page = self.folder / "search.md"
        study.page.write_text("<!-- begin search -->\n<!-- end search -->\n<!-- begin model -->\n<!-- end model -->\n")
        search.run(study)
        rows = [line.split(" | ") for line in study.page.read_text().splitlines() 
                if line.startswith(("| method", *(f"| {name}" for name in search.METHODS)))]
        by_method = {(row[0][2:], int(row[1])): float(row[2]) for row in rows[1:]}
        self.assertIn("| 1,000,000 |", study.page.read_text())
        self.assertEqual(len(by_method), len(search.METHODS) * len(search.SHARES))
        budget = len(points) // 10
        self.assertEqual(by_method["nsga2", budget], 100)
        self.assertLess(by_method["random", budget], 100)
        self.assertTrue((self.folder / "search.svg").exists())


if __name__ == "__main__":
    unittest.main()
