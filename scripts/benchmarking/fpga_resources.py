"""What the shipped configurations take on the smallest device of hw/synth/devices.json that each is meant for.

usage: fpga_resources.py

Prints one JSON object: per configuration what it takes and what the device has. The counts are those of
hw/synth/area_points.json. If they are of other sources than today's, says so and fails.
"""

import importlib.machinery
import importlib.util
import json
import sys
from pathlib import Path

SYNTH = Path(__file__).resolve().parents[2] / "hw/synth"
DEVICES = {"default": "xc7z020", "vta-0.0.2": "xc7z020", "small-1x8x8": "xc7z020", "tiny-buffers": "xc7z020",
           "zynq-7020": "xc7z020", "zynq-7020-handover": "xc7z020", "zu3eg": "xczu3eg", "batched-4x16x16": "xczu7ev",
           "large-1x32x32": "xczu7ev"}


def area_model():
    """The program hw/synth/area_model as a module."""
    sys.path.insert(0, str(SYNTH))
    loader = importlib.machinery.SourceFileLoader("area_model", str(SYNTH / "area_model"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("area_model", loader))
    loader.exec_module(module)
    return module


def row(point, device, available):
    """The name of a row and its counters."""
    title = f"{point['name']} on {device}" + (", by module" if point["method"] == "by module" else "")
    counted = {key: value for key, value in point["used"].items() if key in available}
    return title, counted | {f"{key}_of_device": available[key] for key in counted}


def main():
    model = area_model()
    devices = json.loads((SYNTH / "devices.json").read_text())
    points = {point["name"]: point for point in json.loads(model.POINTS.read_text())}
    digest = model.digest_of_sources()
    if stale := [name for name in DEVICES if points[name].get("rtl") != digest]:
        print(f"fpga_resources: {', '.join(stale)}: counted with other sources of the RTL; "
              f"hw/synth/area_model {' '.join(stale)} synthesises them again", file=sys.stderr)
        return 1
    print(json.dumps(dict(row(points[name], device, devices[device]) for name, device in DEVICES.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
