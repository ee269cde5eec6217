#!/usr/bin/python3
"""Runs a command whose outcome follows from files and tools alone, unless it is known that it succeeds.

usage: kept_result.py [--sources PATH...] [--tools NAME...] -- COMMAND...

The key is a hash of the command, of all files below the sources, of this file, and of what the tools say of their
version. Where a run with that key succeeded before, the command is not run again. Failures are never kept. The results
lie in $VTA_CACHE_DIR, or else in ~/.cache/vta, as empty files in test-results/. With VTA_KEPT_RESULTS=ignore in the
environment everything runs; what succeeds is kept all the same.
"""

import argparse
import hashlib
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def file_hash(path):
    """A file's content as a hash."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def version_of(tool):
    """What a tool says of itself; that it is missing is a version too."""
    try:
        result = subprocess.run([tool, "--version" if tool != "yosys" else "-V"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return "missing"
    return result.stdout + result.stderr


def key_of(command, sources, tools):
    """The hash of everything that the outcome follows from."""
    # Clones in other folders share what is kept.
    lines = [f"command {part.replace(str(ROOT), '')}" for part in command] + [f"harness {file_hash(pathlib.Path(__file__))}"]
    for source in sources:
        files = sorted(path for path in source.rglob("*") if path.is_file()) if source.is_dir() else [source]
        lines += [f"file {str(path).replace(str(ROOT), '')} {file_hash(path)}" for path in files if "__pycache__" not in path.parts]
    lines += [f"tool {tool} {version_of(tool)}" for tool in tools]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def folder():
    """Where results are kept."""
    cache = os.environ.get("VTA_CACHE_DIR") or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "vta"
    return pathlib.Path(cache) / "test-results"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--sources", nargs="*", type=pathlib.Path, default=[])
    parser.add_argument("--tools", nargs="*", default=[])
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    missing = [str(path) for path in arguments.sources if not path.exists()]
    if missing:
        parser.error(f"no file or folder {', '.join(missing)}")
    kept = folder() / key_of(arguments.command, arguments.sources, arguments.tools)
    if kept.exists() and os.environ.get("VTA_KEPT_RESULTS") != "ignore":
        print(f"kept: this succeeded before with the same files and tools ({kept})")
        return 0
    status = subprocess.run(arguments.command, check=False).returncode
    if status == 0:
        try:
            kept.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            kept.touch()
        except OSError as error:
            print(f"kept_result: cannot keep the result: {error}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
