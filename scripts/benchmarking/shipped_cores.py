#!/usr/bin/python3
"""Networks on the shipped cores for boards, as rows for scripts/benchmarks: one JSON object.

networks CONFIG MEMORY   whole networks: cycles, milliseconds at the configuration's clock_mhz, and which share of the
                         cycles is in layers that each resource bounds
layers CONFIG MEMORY     the most expensive layers of each network, and what bounds them

The memory's timing is for the configuration's own clock. Weights are quantised from random data; cycles do not depend on
values. The names of what bounds a layer are those of vta-run --profile.
"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import onnx

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/models"))

import generated_models  # noqa: E402
MODELS = ROOT.parent / "shared/models/onnx/imagenet"
# Milliseconds that a Zynq-7020 should take.
GOALS = {"ResNet-18": 30, "MobileNetV2": 15, "MobileNetV2, QDQ": 15, "MobileNetV1": 20, "YOLOv5n, LeakyReLU, 320x320": 60,
         "YOLOv5n, SiLU, 320x320": 60}
FILES = {"ResNet-18": "resnet18_seeded_f32.onnx", "MobileNetV2": "mobilenet_v2_1.0_224_ptq_f32dq.onnx",
         "MobileNetV2, QDQ": "mobilenet_v2_1.0_224_ptq_qdq.onnx"}
GENERATED = {"MobileNetV1": generated_models.mobilenet_v1,
             "YOLOv5n, LeakyReLU, 320x320": lambda: generated_models.yolo_v5n(activation="leaky"),
             "YOLOv5n, SiLU, 320x320": generated_models.yolo_v5n}
MOST_LAYERS = 6
# What bounds layers, where the table of networks has one column for several.
KINDS = {"writing": "writing, stores", "stores": "writing, stores"}


def model_file(name, folder):
    """Where the network lies; a generated one is written to `folder`."""
    if name in FILES:
        return MODELS / FILES[name]
    path = folder / "network.onnx"
    onnx.save(GENERATED[name](), path)
    return path


def run(name, config, memory):
    """(vta-run's report, its rows of layers on the VTA)."""
    with tempfile.TemporaryDirectory() as directory:
        folder = pathlib.Path(directory)
        table = folder / "layers.csv"
        command = [ROOT / "build/bin/vta-run", "--sim=cycle", "--timing-only", "--json", "--profile-csv", table,
                   "--hw", ROOT / f"configs/hw/{config}.yaml", "--dram", memory, model_file(name, folder)]
        result = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        with table.open() as lines:
            rows = [row for row in csv.DictReader(lines) if row["on"] == "vta"]
        return json.loads(result.stdout), rows


def networks(config, memory):
    rows = {}
    for name, goal in GOALS.items():
        report, layers = run(name, config, memory)
        totals = report["totals"]
        row = {"cycles": totals["cycles"], "ms": totals["vta_ms"], "goal_ms": goal, "crossings": totals["crossings"],
               "per_second": 1000 / totals["vta_ms"]}
        for layer in layers:
            key = f"bound.{KINDS.get(layer['limited_by'], layer['limited_by'].lower())}"
            row[key] = row.get(key, 0) + int(layer["cycles_in_run"]) / totals["cycles"]
        rows[name] = row
    return rows


def layers(config, memory):
    rows = {}
    for name in GOALS:
        report, found = run(name, config, memory)
        found.sort(key=lambda layer: -int(layer["cycles_in_run"]))
        for layer in found[:MOST_LAYERS]:
            rows[f"{name}: {layer['layer']}"] = {
                "cycles": int(layer["cycles_in_run"]), "share": int(layer["cycles_in_run"]) / report["totals"]["cycles"],
                "roofline": float(layer["roofline_percent"]) / 100, "limit": layer["limited_by"]}
    return rows


def main():
    tables = {"networks": networks, "layers": layers}
    if len(sys.argv) != 4 or sys.argv[1] not in tables:
        print(__doc__, file=sys.stderr)
        return 2
    print(json.dumps(tables[sys.argv[1]](sys.argv[2], sys.argv[3])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
