#!/usr/bin/env python3
"""Cycles of model files on the default accelerator as rows for scripts/benchmarks: one JSON object.

Each row is what `vta-run --sim=cycle:timing-only FILE OPTIONS` prints for one inference.
"""
import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT.parent / "shared/models/onnx/imagenet"
RUNS = [
    ("resnet18_seeded_f32.onnx",),
    ("mobilenet_v2_1.0_224_ptq_f32dq.onnx",),
    ("mobilenet_v2_1.0_224_ptq_qdq.onnx",),
    ("mobilenet_v2_1.0_224_ptq_qdq.onnx", "--rescaling=fast"),
]


def cycles_of(file, *options):
    command = [ROOT / "build/bin/vta-run", "--sim=cycle:timing-only", MODELS / file, *options]
    result = subprocess.run(command, check=True, capture_output=True, text=True)
    cycles = re.search(r"^([\d,]+) cycles on the VTA", result.stdout, re.MULTILINE)
    return int(cycles[1].replace(",", ""))


def main():
    rows = {f"`{' '.join(run)}`": {"cycles": cycles_of(*run)} for run in RUNS}
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
