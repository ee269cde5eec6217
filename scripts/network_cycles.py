#!/usr/bin/env python3
"""Cycles of whole networks on the cycle simulator as rows for scripts/benchmarks: one JSON object.

layers:   ResNet-18 layer by layer on the default and the published configuration
networks: every network on every configuration of configs/hw, with and without virtual threads
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BENCH = ROOT / "build/bin/bench_cycles"
NETWORKS = {"resnet18": "ResNet-18", "mobilenetv2": "MobileNetV2"}
CONFIGS = sorted(path.stem for path in (ROOT / "configs/hw").glob("*.yaml"))


def run(network, config, *options):
    """Rows of bench_cycles by layer name."""
    command = [BENCH, "--json", "--network", network, "--hw", ROOT / f"configs/hw/{config}.yaml", *options]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def layers():
    columns = {"default": run("resnet18", "default"), "vta_0_0_2": run("resnet18", "vta-0.0.2")}
    return {name: {f"{config}.{key}": value for config, rows in columns.items() for key, value in rows[name].items()}
            for name in columns["default"]}


def networks():
    rows = {}
    for network, title in NETWORKS.items():
        for config in CONFIGS:
            together = run(network, config)
            row = together["network"]
            row["one_by_one"] = together["layers one by one"]["cycles"]
            row["one_thread"] = run(network, config, "--one-thread")["network"]["cycles"]
            rows[f"{title}, {config}"] = row
    return rows


if __name__ == "__main__":
    print(json.dumps({"layers": layers, "networks": networks}[sys.argv[1]]()))
