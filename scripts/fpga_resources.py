"""Synthesises the shipped configurations, each for the smallest device of hw/synth/devices.json that it is meant for.

usage: fpga_resources.py [CONFIGURATION...]

Prints one JSON object: per configuration what it takes and what the device has. Minutes of one core each; the two large
arrays are counted module by module, which needs 2 GB instead of more than 4.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SYNTH = ROOT / "hw/synth/synth"
FLATTENED = {"default": "xc7z020", "vta-0.0.2": "xc7z020", "small-1x8x8": "xc7z020", "tiny-buffers": "xc7z020",
             "wide": "xczu9eg"}
BY_MODULE = {"batched-4x16x16": "xczu7ev", "large-1x32x32": "xczu7ev"}


def row(name, device, used, available):
    """The name of a row and its counters."""
    title = f"{name} on {device}" + (", by module" if name in BY_MODULE else "")
    return title, used | {f"{key}_of_device": available[key] for key in used}


def main(names):
    devices = json.loads((SYNTH.parent / "devices.json").read_text())
    targets = FLATTENED | BY_MODULE
    if unknown := set(names) - set(targets):
        print(f"fpga_resources: unknown configuration {', '.join(sorted(unknown))}; known: {', '.join(targets)}",
              file=sys.stderr)
        return 2
    rows = {}
    for name in names or targets:
        device = targets[name]
        command = [SYNTH, ROOT / "configs/hw" / f"{name}.yaml", "--device", device, "--json"]
        if name in BY_MODULE:
            command.append("--by-module")
        result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if result.returncode != 0:
            return 1
        title, counters = row(name, device, json.loads(result.stdout), devices[device])
        rows[title] = counters
    print(json.dumps(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
