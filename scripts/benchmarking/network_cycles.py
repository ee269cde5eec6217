#!/usr/bin/env python3
"""Cycles on the cycle simulator as rows for scripts/benchmarks: one JSON object.

layers:     ResNet-18 layer by layer on the default and the published configuration
networks:   ResNet-18 and MobileNetV2 on every configuration of configs/hw, without latency hiding too
more:       other networks on the default and the published configuration
published:  parts of networks beside figures that others published for the same geometry
depthwise:  depthwise layers: how much of the array's multipliers does what the model asks for
extensions: networks with depthwise layers on `default` with more extensions
savings:    ResNet-18 and MobileNetV2 with each saving of operations turned off
schedules:  the compiler's schedules beside the best that a search finds

`network_cycles.py layers NETWORK CONFIG` prints the layers of one network on one configuration, and
`network_cycles.py every_layer NETWORK` those on every configuration side by side, equal ones in one row.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / "build/bin"
TITLES = {"resnet18": "ResNet-18", "resnet34": "ResNet-34", "resnet50": "ResNet-50", "mobilenetv1": "MobileNetV1",
          "mobilenetv2": "MobileNetV2", "efficientnetlite0": "EfficientNet-Lite0", "squeezenet": "SqueezeNet 1.0", "googlenet": "GoogLeNet"}
# vta-0.0.2-hls runs the programs of vta-0.0.2. bench_cycles makes kernels by itself, with inputs in the inputs' blocks: not
# those of arrays with more outputs, such as zynq-7020. None of these has rows in the tables.
CONFIGS = sorted({path.stem for path in (ROOT / "configs/hw").glob("*.yaml")}
                 - {"vta-0.0.2-hls", "zu3eg", "zu7ev", "zynq-7020", "zynq-7020-handover"})
TOLERANCE = 0.02  # of the search for better schedules
SAVINGS = ["folded-bias", "merged-relu", "extensions", "skipped-padding"]
SEARCHED = ["batched-4x16x16", "default", "small-1x8x8", "tiny-buffers", "vta-0.0.2"]


def run_bench(bench, network, config, *options):
    hw = config if isinstance(config, pathlib.Path) else ROOT / f"configs/hw/{config}.yaml"
    command = [BIN / bench, "--json", "--network", network, "--hw", hw, *options]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def run(network, config, *options):
    """Rows of bench_cycles by layer name."""
    return run_bench("bench_cycles", network, config, *options)


def layers(network="resnet18", config=None):
    if config:
        return run(network, config)
    columns = {"default": run(network, "default"), "vta_0_0_2": run(network, "vta-0.0.2")}
    return {name: {f"{config}.{key}": value for config, rows in columns.items() for key, value in rows[name].items()}
            for name in columns["default"]}


def every_layer(network):
    """Layers with the same figures everywhere are one row: "conv1 (x3)" for the first of three."""
    columns = {config: run(network, config) for config in CONFIGS}
    rows = {}
    for name in columns["default"]:
        figures = {f"{config}.{key}": columns[config][name][key] for config in CONFIGS for key in ("bound", "cycles")}
        rows.setdefault(tuple(figures.items()), []).append(name)
    return {names[0] + (f" (x{len(names)})" if len(names) > 1 else ""): dict(figures) for figures, names in rows.items()}


def networks():
    rows = {}
    for network in ("resnet18", "mobilenetv2"):
        for config in CONFIGS:
            together = run(network, config)
            row = together["network"]
            row["one_by_one"] = together["layers one by one"]["cycles"]
            row["estimated_schedules"] = run(network, config, "--estimated")["network"]["cycles"]
            row["one_thread"] = run(network, config, "--one-thread")["network"]["cycles"]
            rows[f"{TITLES[network]}, {config}"] = row
    return rows


def savings():
    """Cycles without each saving, and how many more these are; nothing for one that does not concern a network."""
    rows = {}
    for network in ("resnet18", "mobilenetv2"):
        for config in ("vta-0.0.2", "default"):
            row = {"all": run(network, config)["network"]["cycles"]}
            for saving in SAVINGS:
                without = run(network, config, "--without", saving)["network"]["cycles"]
                if without != row["all"]:
                    row |= {f"{saving}.cycles": without, f"{saving}.more": without - row["all"]}
            rows[f"{TITLES[network]}, {config}"] = row
    return rows


def more():
    return {f"{title}, {config}": run(network, config)["network"]
            for network, title in TITLES.items() for config in ("default", "vta-0.0.2")}


def published():
    """Each part with the cycles of its layers, one by one, and what others published."""
    def part(config, rows, names, figures):
        chosen = [row for name, row in rows.items() if names(name)]
        return {"bound": sum(row["bound"] for row in chosen), "cycles": sum(row["cycles"] for row in chosen),
                "configuration": config} | figures

    def convolutions(name):
        return name.startswith("layer") and "." in name

    rows = {}
    for config in ("vta-0.0.2", "default"):
        rows[f"ResNet-18, 3x3 and 1x1 convolutions with their additions, {config}"] = part(
            config, run("resnet18", config), convolutions, {"VTA Chisel RTL": 7_729_601})
        rows[f"3x3, 64 channels, 56x56, without ALU work, {config}"] = part(
            config, run("conv3x3", config), lambda name: name.startswith("conv"),
            {"ONNXim": 455_311, "SCALE-Sim": 458_207})
    return rows


def depthwise():
    rows = {}
    for network in ("mobilenetv1", "mobilenetv2"):
        for config in ("default", "small-1x8x8", "vta-0.0.2"):
            chosen = [row for name, row in run(network, config).items() if name.endswith(".depthwise")]
            rows[f"{TITLES[network]}, {config}"] = {
                key: sum(row[key] for row in chosen) for key in ("bound", "cycles", "macs", "array_macs")}
    return rows


def extensions():
    """Networks with depthwise layers on `default`, and on the same with more extensions or a wider bus."""
    base = "qmul, clip, pad_min"
    taps = {"5": "depthwise], depthwise_taps: 5", "4": "depthwise], depthwise_taps: 4"}
    variants = {"default": f"[{base}]", "requant": f"[{base}, requant]",
                "requant, depthwise with 4 taps": f"[{base}, requant, {taps['4']}",
                "requant, depthwise with 5 taps": f"[{base}, requant, {taps['5']}"}
    rows = {}
    for network in ("mobilenetv1", "mobilenetv2", "efficientnetlite0"):
        for bus in (64, 128):
            for title, isa in variants.items():
                with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
                    config.write(f"name: measured\nisa: {{extensions: {isa}}}\naxi: {{data_width_bits: {bus}}}\n")
                    config.flush()
                    layers_found = run_bench("bench_cycles", network, pathlib.Path(config.name))
                rows[f"{TITLES[network]}, {bus}-bit bus, {title}"] = extension_row(layers_found)
    return rows


def extension_row(layers_found):
    """The network's cycles, and those of its depthwise layers by kernel size and stride."""
    row = {"cycles": layers_found["network"]["cycles"]}
    row |= {f"depthwise_{kernel}_{stride}": 0 for kernel in (3, 5) for stride in ("s1", "s2")}
    for name, layer in layers_found.items():
        if name.endswith(".depthwise"):
            kind = f"depthwise_{layer['kernel']}_{'s2' if layer['stride'] > 1 else 's1'}"
            row[kind] += layer["cycles"]
    return row


def schedules():
    """For each network and configuration: how far the schedules of its distinct layers are from the best there is.
    A layer of whose schedules none can be faster than the choice by more than TOLERANCE is left at that."""
    rows = {}
    for network in ("resnet18", "mobilenetv2"):
        for config in SEARCHED:
            layers_found = run_bench("bench_schedules", network, config, "--tolerance", str(TOLERANCE))
            behind = {name: row["cycles"] / row["best"] - 1 for name, row in layers_found.items()}
            found = list(layers_found.values())
            worst = max(behind, key=behind.get)
            far = behind[worst] > TOLERANCE
            rows[f"{TITLES[network]}, {config}"] = {
                "layers": len(found),
                "within_5": sum(value <= 0.05 for value in behind.values()),
                "estimated_within_5": sum(row["estimated"] / row["best"] <= 1.05 for row in found),
                "worst": f"{worst}, {behind[worst]:.1%}" if far else f"none by more than {TOLERANCE:.0%}",
                "space": sum(row["space"] for row in found),
                "lowered": sum(row["lowered"] for row in found),
                "simulated": sum(row["simulated"] for row in found),
                "proven": sum(row["simulated"] == 0 for row in found)}
    return rows


def parse(arguments):
    """The function named on the command line and its arguments."""
    tables = {"networks": networks, "more": more, "published": published, "depthwise": depthwise, "extensions": extensions, "savings": savings,
              "schedules": schedules}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="table", required=True)
    for name in tables:
        commands.add_parser(name)
    one = commands.add_parser("layers")
    one.add_argument("network", nargs="?", default="resnet18", choices=TITLES)
    one.add_argument("config", nargs="?", choices=CONFIGS, help="default: the two of the performance page")
    every = commands.add_parser("every_layer")
    every.add_argument("network", choices=TITLES)
    options = parser.parse_args(arguments)
    if options.table == "every_layer":
        return every_layer, (options.network,)
    if options.table == "layers":
        return layers, (options.network, options.config)
    return tables[options.table], ()


def main(arguments):
    table, table_arguments = parse(arguments)
    try:
        rows = table(*table_arguments)
    except FileNotFoundError as error:
        print(f"network_cycles: {error.filename} is missing: build it with scripts/build", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"network_cycles: {error.cmd[0]} failed: {error.stderr.strip()}", file=sys.stderr)
        return 1
    print(json.dumps(rows, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
