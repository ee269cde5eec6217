"""What scripts/benchmarking/tuning_summary.py makes of the rows of a page."""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts/benchmarking"))
import tuning_summary  # noqa: E402

PAGE = """| a, default, simple | 1 | 9 | 1% | 9 to 9 | 9 | 9 to 9 | 9 | 9 to 9 | 100% |
<!-- begin tuning_trials -->
| layer, accelerator, memory | schedules | trials to equal AutoTVM-like | of its 1,000 | fewest and most | ...
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|
| a, default, simple | 2,787 | 57 | 5.7% | 57 to 57 | 20 | 2 to 2 | 200 | 50 to 491 | 1% |
| b, 1x1, default, simple | 13,237 | 1,121 | 112.1% | 119 to 604 | 21 | 1 to 1 | 1,209 | 2 to 35 | 14% |
| b, zu3eg, narrow | 13,237 | 121 | 12.1% | 119 to 604 | 21 | 1 to 1 | 209 | 2 to 35 | 14% |
<!-- end tuning_trials -->
| c, default, simple | 1 | 9 | 1% | 9 to 9 | 9 | 9 to 9 | 9 | 9 to 9 | 100% |
"""


class SummaryTest(unittest.TestCase):
    def test_rows_are_those_of_the_table(self):
        self.assertEqual(list(tuning_summary.rows_of(PAGE)),
                         [("default, simple", 57, 20, 200), ("default, simple", 1121, 21, 1209),
                          ("zu3eg, narrow", 121, 21, 209)])
        self.assertEqual(list(tuning_summary.rows_of("nothing")), [])

    def test_shares_count_up_to_the_wanted_ones(self):
        self.assertEqual(tuning_summary.summary([(120, 20, 200), (121, 21, 209), (1, 1, 10)]),
                         {"within_peer": "2 of 3", "median": 120, "within_random": "2 of 3", "learned": 42,
                          "random": 419})


if __name__ == "__main__":
    unittest.main()
