"""The public cores with which the estimate is calibrated: what was published of them, and what is estimated."""

import json
import math
import pathlib

TABLE = pathlib.Path(__file__).resolve().parents[1] / "published.json"


def read_cores():
    """The cores of hw/synth/published.json. `published_mhz` is what was published for `grade`, `grade_1_mhz` the same
    for speed grade -1. `typical`, `full` and `calibrated` are estimates in MHz; `wire_factor` is the one at which the
    estimate is `grade_1_mhz`, 0 where the core is faster than that even without wires."""
    return json.loads(TABLE.read_text())


def write_cores(cores):
    TABLE.write_text("[\n" + ",\n".join(json.dumps(core) for core in cores) + "\n]\n")


def spread(cores=None):
    """(least, most): how many times their calibrated estimate the cores reach, rounded outwards."""
    ratios = [core["grade_1_mhz"] / core["calibrated"] for core in cores or read_cores()]
    return math.floor(10 * min(ratios) + 1e-6) / 10, math.ceil(10 * max(ratios) - 1e-6) / 10
