#!/usr/bin/env python3
"""Cycles of whole networks with one, two and four memory ports, as rows for scripts/benchmarks: one JSON object.

Each row is a network under a memory; its counters are cycles on configs/hw/zynq-7020.yaml with axi.ports and
axi.outstanding_bursts changed: `p2_b8` for two ports and eight bursts. The clock is the default one, 100 MHz, to which
the memory's timing is converted.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT.parent / "shared/models/onnx/imagenet"
NETWORKS = {"ResNet-18": "resnet18_seeded_f32.onnx", "MobileNetV2": "mobilenet_v2_1.0_224_ptq_qdq.onnx",
            "SqueezeNet 1.0": "squeezenet1.0_deepcomp_f32.onnx"}
SLOW = "kind: simple\nlatency_cycles: 200\nbeats_per_cycle: 1\noutstanding: 32\n"
CASES = [(1, 8), (2, 8), (4, 8), (1, 16), (2, 16)]


def cycles(model, hw, memory):
    command = [ROOT / "build/bin/vta-run", "--sim=cycle", "--timing-only", "--json", "--hw", hw, "--dram", memory, model]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return report["totals"]["cycles"]


def main():
    shipped = (ROOT / "configs/hw/zynq-7020.yaml").read_text()
    base, replaced = re.subn(r"^(axi: {outstanding_bursts: \d+}|clock_mhz: [\d.]+)\n", "", shipped, flags=re.M)
    if replaced != 2:
        sys.exit("memory_ports.py: zynq-7020.yaml sets more of axi than the bursts in flight, or no clock")
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        hw = pathlib.Path(folder) / "hw.yaml"
        slow = pathlib.Path(folder) / "slow.yaml"
        slow.write_text(SLOW)
        for name, file in NETWORKS.items():
            for title, memory in (("simple", "simple"), ("latency 200", slow), ("DDR3-1066", "DDR3-1066")):
                row = {}
                for ports, bursts in CASES:
                    hw.write_text(f"{base}axi: {{ports: {ports}, outstanding_bursts: {bursts}}}\n")
                    row[f"p{ports}_b{bursts}"] = cycles(MODELS / file, hw, memory)
                rows[f"{name}, {title}"] = row
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
