#!/usr/bin/env python3
"""The pictures of the manual, docs/pictures/*.svg.

Usage: scripts/docs/draw_pictures.py [--measure]
  --measure  first simulate the layer of virtual-threads.svg again, with build/bin/vta-run, into virtual-threads.json
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from pictures import caches, core, layouts, phases, pipeline, scopes, threads, waves

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs/pictures"
THREADS = FOLDER / "virtual-threads.json"
_MODEL = ROOT / "examples/digits/digits.onnx"
_LAYER = "conv2"
_ROW_OF = {"load": "load", "compute: GEMM": "gemm", "compute: ALU": "alu", "store": "store"}


def timing_constants():
    """{name: cycles} of the fixed constants of the timing contract, from its page, which a test compares with C++."""
    page = (ROOT / "docs/timing.md").read_text()
    return dict(re.findall(r"^\| (\w+) \| (\d+)\b", page, re.MULTILINE))


def drawings():
    """{name: Picture}"""
    timing = timing_constants()
    return {"core": core.draw(), "compiler-phases": phases.draw(), "packed-layouts": layouts.draw(),
            "compute-pipeline": pipeline.draw(timing), "timing-load": waves.draw_load(timing),
            "timing-gemm": waves.draw_gemm(timing), "timing-store": waves.draw_store(timing),
            "gpu-scopes": scopes.draw(), "kept-text": caches.draw(), "virtual-threads": threads.draw(json.loads(THREADS.read_text()))}


def pictures():
    """{file name: text of the file}"""
    return {f"{name}.svg": picture.svg() for name, picture in drawings().items()}


def spans_of(trace, layer):
    """{row: [[begin, end], ...]} of a layer in a trace of vta-run, in cycles from the layer's first instruction on.
    Spans that touch are one. An instruction behind another one of its row begins when that one ends."""
    names = {event["tid"]: event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "thread_name"}
    events = [event["args"] | {"row": _ROW_OF.get(re.sub(r" \(\d+\)$", "", names[event["tid"]]))}
              for event in trace["traceEvents"] if event["ph"] == "X" and event["args"].get("layer") == layer]
    first = min(event["started"] for event in events)
    rows = {row: [] for row in _ROW_OF.values()}
    for event in sorted((event for event in events if event["row"]), key=lambda event: event["started"]):
        spans = rows[event["row"]]
        begin, end = event["started"] - first, event["retired"] + 1 - first
        if spans and begin <= spans[-1][1]:
            spans[-1][1] = max(spans[-1][1], end)
        else:
            spans.append([begin, end])
    return rows


def measure():
    """The timelines of one layer with one and with two virtual threads, as the cycle simulator gives them."""
    data = {"layer": f"{_LAYER} of {_MODEL.name}"}
    with tempfile.TemporaryDirectory() as folder:
        two, one, trace = (Path(folder) / name for name in ("two.yaml", "one.yaml", "trace.json"))
        subprocess.run([ROOT / "build/bin/vta-compile", _MODEL, "-o", Path(folder) / "m.so", "--schedules", "estimated",
                        "--write-schedules", two], check=True, capture_output=True)
        one.write_text(two.read_text().replace("virtual_threads: 2", "virtual_threads: 1"))
        for name, schedules in (("one", one), ("two", two)):
            subprocess.run([ROOT / "build/bin/vta-run", "--sim", _MODEL, "--schedules", schedules, "--trace", trace],
                           check=True, capture_output=True)
            spans = spans_of(json.loads(trace.read_text()), _LAYER)
            data[name] = {"cycles": max(end for row in spans.values() for _, end in row), "spans": spans}
    return data


def main():
    if sys.argv[1:] not in ([], ["--measure"]):
        print("draw_pictures: error: the only option is --measure", file=sys.stderr)
        return 2
    if sys.argv[1:]:
        THREADS.write_text(json.dumps(measure()) + "\n")
    for name, text in pictures().items():
        (FOLDER / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
