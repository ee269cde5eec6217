#!/usr/bin/env python3
"""Makes the outlines of the page's networks again: NETWORK.json.gz beside this file, from the models of networks.json, for
each kind of accelerator that a shipped configuration has, and for other shapes of the default one's array.

Usage: web/outlines/make.py [NETWORK...]     needs build/bin/vta-compile and what scripts/web builds in build-web/
"""

import gzip
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
BUILD = ROOT / "build-web"
# Of the array, beside those of shipped configurations; buffers that hold tiles of all of them.
BLOCKS = (8, 16, 32, 64)
# Of heads, in bytes: gzip sees 32 KiB back.
PART = 256
BUFFERS = "buffers: {inp_buf_bytes: 128KiB, wgt_buf_bytes: 1MiB, acc_buf_bytes: 512KiB}"


def ask(requests):
    """Answers of the engine."""
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    command = ["node", BUILD / "engine-cli.mjs", BUILD / "vta-web.wasm"]
    run = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def accelerators(folder):
    """A configuration for each text that outlines are found by."""
    files = sorted((ROOT / "configs/hw").glob("*.yaml"))
    for block_in, block_out in itertools.product(BLOCKS, BLOCKS):
        files.append(pathlib.Path(folder) / f"{block_in}x{block_out}.yaml")
        files[-1].write_text(f"gemm: {{block_in: {block_in}, block_out: {block_out}}}\n{BUFFERS}\n")
    answers = ask([{"ask": "hardware", "yaml": file.read_text()} for file in files])
    found = {}
    for file, answer in zip(files, answers):
        found.setdefault(answer["outline"], file)
    return found


def outline_of(model, hw, folder):
    """The outline's bytes, or None with the reason on stderr where the accelerator cannot run the model."""
    output = pathlib.Path(folder) / "outline"
    command = [ROOT / "build/bin/vta-compile", model, "--hw", hw, "--outline", output]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode == 0:
        return output.read_bytes()
    print(f"{model.name} on {hw.stem}: {run.stderr.strip()}", file=sys.stderr)
    return None


def _rows(columns):
    """What stands at the same place in each column, one row a place; null where a column has ended."""
    return [list(row) for row in itertools.zip_longest(*columns)]


def pack(outlines):
    """{accelerator: outline} as JSON: what the outlines of a network have in common stands near, for compression. The
    bytes of an outline up to its kernels are characters from 256 on, so that JSON writes each as itself."""
    heads, kernels = [], []
    for outline in outlines.values():
        size, rest = outline.split(b"\n", 1)
        head = "".join(chr(256 + byte) for byte in outline[:len(size) + 1 + int(size)])
        heads.append([head[i:i + PART] for i in range(0, len(head), PART)])
        kernels.append([json.dumps(kernel, separators=(",", ":")) for kernel in json.loads(rest[int(size):])])
    return {"accelerators": list(outlines), "heads": _rows(heads), "kernels": _rows(kernels)}


def make(name, model, hardware, folder):
    outlines = {}
    for accelerator, hw in hardware.items():
        outline = outline_of(ROOT / model, hw, folder)
        if outline is not None:
            outlines[accelerator] = outline
    packed = gzip.compress(json.dumps(pack(outlines), ensure_ascii=False).encode(), compresslevel=9, mtime=0)
    (FOLDER / f"{name}.json.gz").write_bytes(packed)
    print(f"{name}: {len(outlines)} outlines, {len(packed)} bytes", flush=True)


def main(arguments):
    networks = json.loads((FOLDER / "networks.json").read_text())
    with tempfile.TemporaryDirectory() as folder:
        hardware = accelerators(folder)
        for name in arguments or networks:
            make(name, networks[name]["model"], hardware, folder)


if __name__ == "__main__":
    main(sys.argv[1:])
