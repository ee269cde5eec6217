"""What scripts/web has built, for the tests beside this file."""

import gzip
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build-web"
ENGINE = BUILD / "engine-cli.mjs"
MODULE = BUILD / "vta-web.wasm"
PAGE = BUILD / "page/index.html"
OUTLINES = ROOT / "web/outlines"
BINARY_DIR = pathlib.Path(os.environ.get("VTA_BINARY_DIR", ROOT / "build"))


def missing(*files):
    """Why a test that needs Node and these files cannot run; empty if it can."""
    if not shutil.which("node"):
        return "not installed: node; `scripts/setup web` installs it"
    absent = [file.name for file in files if not file.is_file()]
    return f"not built: {', '.join(absent)}; `scripts/web` builds them" if absent else ""


def networks():
    return json.loads((OUTLINES / "networks.json").read_text())


def outlines_of(network):
    """Outlines of a shipped network by the text of their accelerators."""
    return unpacked(json.loads(gzip.decompress((OUTLINES / f"{network}.json.gz").read_bytes())))


def unpacked(packed):
    """What web/outlines/make.py packed."""
    found = {}
    for i, accelerator in enumerate(packed["accelerators"]):
        head = "".join(row[i] or "" for row in packed["heads"])
        kernels = [row[i] for row in packed["kernels"] if row[i] is not None]
        found[accelerator] = bytes(ord(character) - 256 for character in head) + f"[{','.join(kernels)}]".encode()
    return found


def answers(command, requests):
    """Answers of a program that takes a request a line."""
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    run = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    found = [json.loads(line) for line in run.stdout.splitlines()]
    for answer in found:
        answer.pop("elapsed_ms", None)
    return found


def engine_answers(requests):
    return answers(["node", ENGINE, MODULE], requests)


def host_answers(requests):
    return answers([BINARY_DIR / "bin" / "vta-web-answers"], requests)


class OutlineFolder:
    """Outlines of shipped networks as files, in a folder that goes away."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory()
        self._files = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def file(self, network, accelerator):
        """None where the network has no outline for this accelerator."""
        if network not in self._files:
            self._files[network] = {}
            for i, (text, outline) in enumerate(outlines_of(network).items()):
                path = pathlib.Path(self._folder.name) / f"{network}-{i}"
                path.write_bytes(outline)
                self._files[network][text] = str(path)
        return self._files[network].get(accelerator)
