"""The commands of a page: its fenced `sh` blocks, each with the output that the page shows behind it.

A block runs as one bash script from the root of the repository. A block behind `<!-- not run: REASON -->` is left out.
A `text` block directly behind a `sh` block is what the command prints. Numbers may differ, and a line `...` stands for
any lines; everything else has to be there, in this order.
"""

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NOT_RUN = re.compile(r"<!-- not run: (.+?) -->\s*$")
_NUMBER = re.compile(r"[-+]?\d[\d,]*(\.\d+)?(e[-+]?\d+)?")


@dataclass
class Block:
    """One block of commands. `line` is its place on the page; `not_run` the reason why it is left out, or empty."""
    line: int
    script: str
    not_run: str = ""
    output: list = field(default_factory=list)


def blocks_of(text):
    """The blocks of a page, in their order."""
    blocks = []
    end = None
    for match in _FENCE.finditer(text):
        language, body = match.groups()
        between = text[end:match.start()] if end is not None else None
        if language == "sh":
            reason = _NOT_RUN.search(text[:match.start()].rstrip("\n") + "\n")
            line = text.count("\n", 0, match.start()) + 1
            blocks.append(Block(line, body, reason.group(1) if reason else ""))
        elif language == "text" and between is not None and not between.strip():
            blocks[-1].output = body.splitlines()
        end = match.end() if language == "sh" else None
    return blocks


def shape_of(line):
    """`line` with a mark in place of each number, and single spaces."""
    return " ".join(_NUMBER.sub("#", line).split())


def missing_line(expected, printed):
    """The first line of `expected` that is not in `printed` at its place, or None."""
    shapes = [shape_of(line) for line in printed.splitlines()]
    at, is_gap = 0, True
    for line in expected:
        if line.strip() in ("...", ""):
            is_gap = True
            continue
        wanted = shape_of(line)
        places = range(at, len(shapes)) if is_gap else range(at, min(at + 1, len(shapes)))
        place = next((i for i in places if shapes[i] == wanted), None)
        if place is None:
            return line
        at, is_gap = place + 1, False
    return None


def make_workplace(folder):
    """A copy of the repository by links in `folder`, whose build/ is the one that tests are for."""
    for path in ROOT.iterdir():
        if not path.name.startswith(("build", ".")):
            (folder / path.name).symlink_to(path)
    (folder / "build").mkdir()
    for name in ("bin", "lib"):
        (folder / "build" / name).symlink_to(Path(os.environ["VTA_BINARY_DIR"]) / name)


def run(block, folder):
    """Runs one block in `folder`; returns its exit code and what it printed, errors included."""
    environment = os.environ | {"PATH": f"/usr/bin:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1",
                                "VTA_CACHE_DIR": str(folder / "cache")}
    result = subprocess.run(["bash", "-euo", "pipefail", "-c", block.script], cwd=folder, env=environment, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return result.returncode, result.stdout
