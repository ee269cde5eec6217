#!/usr/bin/env python3
"""Prints which folder includes which, from the #includes of our sources.

Usage: scripts/testing/include_graph.py [--dot] [FOLDER...]
  FOLDER  only arrows that begin or end below it
  --dot   for Graphviz instead of text

The folders are printed from the bottom layer to the top one; below each stand the folders that it includes, with the
number of includes. Arrows that break the rule of tests/repository/layering_test.py are marked: a folder includes only
what stands on a lower layer, so that no two folders include each other.
"""

import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]

# From the bottom to the top: a folder may include the folders above it in this list. The longest prefix decides, so
# that a folder without a line of its own belongs to the layer of its parent.
LAYERS = (
    "base",
    "base/process",
    "base/numpy",
    "base/gguf",
    "isa/lane",
    "isa/spec",
    "isa/config",
    "isa/instruction",
    "isa/registers",
    "isa/launch",
    "isa/rtl",
    "isa/program",
    "isa/program/text",
    "isa/program/verify",
    "module",
    "module/analysis",
    "module/gpu",
    "module/operators",
    "module/host",
    "sim/memory",
    "sim/common",
    "sim/functional/kernels",
    "sim/functional",
    "sim/cycle/common",
    "sim/cycle/dma",
    "sim/cycle/compute",
    "sim/cycle/hls",
    "sim/cycle",
    "sim/energy",
    "sim/random",
    "sim/rtl/model",
    "sim/rtl/bus",
    "sim/rtl",
    "sim/rtl/cosim",
    "sim/board",
    "sim/board/preload",
    "sim/card",
    "sim/systemc",
    "sim/validate",
    "driver",
    "driver/board",
    "driver/board/memory",
    "driver/bare",
    "driver/commands",
    "driver/devices",
    "driver/flash/format",
    "driver/flash/package",
    "driver/flash/board",
    "driver/remote/protocol",
    "driver/remote/client",
    "driver/remote/server",
    "driver/runtime/memory",
    "driver/runtime/layers",
    "driver/runtime/background",
    "driver/runtime",
    "driver/generate",
    "driver/generate/json",
    "driver/generate/gguf",
    "driver/generate/files",
    "driver/remote/worker",
    "driver/xrt",
    "driver/gpu/probes",
    "driver/gpu",
    "driver/gpu/vulkan",
    "driver/gpu/opencl",
    "driver/gpu/cuda",
    "api/include",
    "api",
    "api/ort",
    "compiler/kernel/primitives",
    "compiler/kernel/desc",
    "compiler/kernel/weights",
    "compiler/kernel/plan",
    "compiler/kernel/emit",
    "compiler/kernel/tile",
    "compiler/kernel",
    "compiler/kernel/schedule",
    "compiler/kernel/chain",
    "compiler/tile/program",
    "compiler/tile",
    "compiler/tile/file",
    "api/python/tile",
    "compiler/launch",
    "compiler/common",
    "compiler/dialects/graph",
    "compiler/dialects/graph/own",
    "compiler/dialects/graph/formulas",
    "compiler/dialects/graph/text",
    "compiler/dialects/graph/verify",
    "compiler/dialects/vta",
    "compiler/frontend",
    "compiler/frontend/decoders",
    "compiler/frontend/onnx",
    "compiler/frontend/onnx/extents",
    "compiler/frontend/onnx/rows",
    "compiler/frontend/onnx/operators",
    "compiler/frontend/onnx/operators/control",
    "compiler/frontend/onnx/operators/ml",
    "compiler/frontend/onnx/operators/selection",
    "compiler/frontend/onnx/operators/integer",
    "compiler/frontend/onnx/operators/fused",
    "compiler/frontend/onnx/rewrites",
    "compiler/frontend/onnx/importer",
    "compiler/graph_passes",
    "compiler/codegen/arithmetic",
    "compiler/codegen/graph_to_linalg",
    "compiler/codegen",
    "compiler/codegen/linalg",
    "compiler/codegen/buffers",
    "compiler/codegen/llvm",
    "compiler/placement",
    "compiler/quantize/common",
    "compiler/quantize/plan",
    "compiler/quantize/channels",
    "compiler/quantize/rounding",
    "compiler/quantize/wide",
    "compiler/quantize/calibrate",
    "compiler/quantize/samples",
    "compiler/quantize/curves",
    "compiler/quantize/refine",
    "compiler/quantize/emit",
    "compiler/quantize/emit/functions",
    "compiler/quantize",
    "compiler/vta",
    "compiler/vta/common",
    "compiler/vta/channels",
    "compiler/vta/partition",
    "compiler/vta/tensorise",
    "compiler/vta/pack",
    "compiler/vta/lower",
    "compiler/vta/host",
    "compiler/vta/programs",
    "compiler/module/functions",
    "compiler/module",
    "compiler",
    "host_cpu/runtime",
    "host_cpu/schedule",
    "host_cpu/blocked",
    "host_cpu/blocked/integers",
    "host_cpu/backend",
    "host_gpu/runtime",
    "host_gpu/schedule",
    "host_gpu/kernels",
    "host_gpu/tensor",
    "host_gpu/legalise",
    "host_gpu/spirv",
    "host_gpu/llvm",
    "host_gpu/nvptx",
    "host_gpu/amdgpu",
    "host_gpu/text",
    "host_gpu/backend",
    "explore/workers/config",
    "explore/workers/channel",
    "explore/workers/systems",
    "explore/workers/worker",
    "explore/workers/farm",
    "explore/tune/task",
    "explore/tune/space",
    "explore/tune/model",
    "explore/tune/measure",
    "explore/tune/dataset",
    "explore/tune/search",
    "explore/tune/database",
    "explore/tune/target",
    "explore/tune/cpu",
    "explore/tune/gpu",
    "explore/tune/tuner",
    "explore/sweep/network",
    "explore/sweep/cache",
    "explore/sweep/workers",
    "explore/sweep/area",
    "explore/sweep/vivado",
    "explore/sweep/space",
    "explore/sweep/accuracy",
    "explore/sweep/evaluate",
    "explore/sweep/surrogate",
    "explore/sweep/results",
    "explore/sweep/search",
    "web/estimate",
    "web/wasm",
    "tools/common/names",
    "tools/common/docs",
    "tools/common",
    "tools/trace",
    "tools/inputs",
    "tools/bisect",
    "tools/farm",
    "tools/html",
    "tools/mlir_tool",
    "tools/vta_report",
    "tools/vta_run/tensors",
    "tools/vta_run/text",
    "tools/vta_run",
    "tools/vta_run/generation",
    "tools/vta_run/json",
    "tools/vta_run/image",
    "tools/vta_run/full",
    "tools/vta_run/board",
    "tools/vta_tune/network",
    "tools/vta_tune",
    "tools/vta_tune/targets",
    "tools/vta_flash",
    "tools/vta_server",
    "tools/virtual_hardware",
    "tools",
)

_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
_SUFFIXES = (".h", ".cpp", ".td", ".in")


def layer_of(folder):
    """The index in LAYERS of the longest entry that is `folder` or one of its parents; None if there is none."""
    fits = [entry for entry in LAYERS if folder == entry or folder.startswith(entry + "/")]
    return LAYERS.index(max(fits, key=len)) if fits else None


def includes_of(path, text):
    """(folder of the file, folder of the included file) for each #include of ours in `text` that leaves the folder."""
    folder = str(PurePosixPath(path).parent)
    targets = [str(PurePosixPath(target).parent) for target in _INCLUDE.findall(text)]
    return [(folder, target) for target in targets if target != folder and layer_of(target) is not None]


def goes_up(source, target):
    """Whether `source`, which includes `target`, must not: `target` is on a higher layer, or beside it."""
    if layer_of(source) is None:
        return False
    if layer_of(source) == layer_of(target):  # one of them is a parent: a folder may use its parent or its children
        return not (source.startswith(target + "/") or target.startswith(source + "/"))
    return layer_of(target) > layer_of(source)


def pairs_both_ways(arrows):
    """Pairs of folders that include each other."""
    return sorted({tuple(sorted(arrow)) for arrow in arrows if arrow[::-1] in arrows})


def tracked_sources():
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [path for path in listing.splitlines() if path.endswith(_SUFFIXES)
            and not path.startswith(("tests/", "third_party/", "examples/")) and (ROOT / path).is_file()]


def read_arrows(paths):
    """How many includes lead from one folder to another, by (from, to)."""
    return Counter(arrow for path in paths for arrow in includes_of(path, (ROOT / path).read_text(errors="replace")))


def print_text(arrows):
    below = defaultdict(list)
    for (source, target), count in arrows.items():
        below[source].append((target, count))
    for source in sorted(below, key=lambda folder: (layer_of(folder) or 0, folder)):
        print(source)
        for target, count in sorted(below[source], key=lambda entry: (-layer_of(entry[0]), entry[0])):
            mark = "   <- goes up" if goes_up(source, target) else ""
            print(f"  {count:4} {target}{mark}")
    for first, second in pairs_both_ways(arrows):
        print(f"both ways: {first} and {second}")


def print_dot(arrows):
    print("digraph includes {\n  rankdir=BT;\n  node [shape=box];")
    for (source, target), count in sorted(arrows.items()):
        colour = ", color=red" if goes_up(source, target) else ""
        print(f'  "{source}" -> "{target}" [label={count}{colour}];')
    print("}")


def main(arguments):
    if "--help" in arguments or "-h" in arguments:
        print(__doc__.strip())
        return 0
    unknown = [argument for argument in arguments if argument.startswith("-") and argument != "--dot"]
    if unknown:
        print(f"include_graph.py: error: unknown argument '{unknown[0]}' (see --help)", file=sys.stderr)
        return 2
    folders = [argument.rstrip("/") for argument in arguments if not argument.startswith("-")]
    missing = [folder for folder in folders if not (ROOT / folder).is_dir()]
    if missing:
        print(f"include_graph.py: error: no folder '{missing[0]}' in {ROOT}", file=sys.stderr)
        return 2
    arrows = {arrow: count for arrow, count in read_arrows(tracked_sources()).items()
              if not folders or any((end + "/").startswith(folder + "/") for end in arrow for folder in folders)}
    (print_dot if "--dot" in arguments else print_text)(arrows)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
