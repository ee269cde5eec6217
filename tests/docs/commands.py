"""The commands of a page: its fenced `sh` blocks, each with the output that the page shows behind it.

A block runs as one bash script from the root of the repository. A block behind `<!-- not run: REASON -->` is left out.
A block behind `<!-- run as: COMMAND -->` is run as that command, which does the same without building anything first.

A `text` block directly behind a `sh` block is what the command prints. A line `...` stands for any lines; everything else
has to be there, in this order. Numbers may differ, unless a comment before the `sh` block says `<!-- exact figures -->` or
`<!-- exact figures, except: WORD, WORD -->`: then only those of lines with one of the words may, which a machine measures.
"""

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMENTS = re.compile(r"(?:<!-- [^>]+ -->\s*)*$")  # that stand directly before something
_NOT_RUN = re.compile(r"<!-- not run: (.+?) -->")
_RUN_AS = re.compile(r"<!-- run as: (.+?) -->")
_EXACT = re.compile(r"<!-- exact figures(?:, except: (.+?))? -->")
_NUMBER = re.compile(r"[-+]?\d[\d,]*(\.\d+)?(e[-+]?\d+)?")


@dataclass
class Block:
    """One block of commands. `line` is its place on the page; `not_run` the reason why it is left out, or empty."""
    line: int
    script: str
    not_run: str = ""
    output: list = field(default_factory=list)
    output_line: int = 0  # of the first line of the output on the page
    measured: tuple = ("",)  # words of lines whose numbers may differ: every line has the empty one


def blocks_of(text):
    """The blocks of a page, in their order."""
    blocks = []
    end = None
    for match in _FENCE.finditer(text):
        language, body = match.groups()
        between = text[end:match.start()] if end is not None else None
        if language == "sh":
            before = _COMMENTS.search(text[:match.start()])[0]
            reason, command, exact = (comment.search(before) for comment in (_NOT_RUN, _RUN_AS, _EXACT))
            measured = [word for word in (exact[1] or "").split(", ") if word] if exact else [""]
            line = text.count("\n", 0, match.start()) + 1
            blocks.append(Block(line, command.group(1) + "\n" if command else body, reason.group(1) if reason else "",
                                measured=tuple(measured)))
        elif language == "text" and between is not None and not between.strip():
            blocks[-1].output = body.splitlines()
            blocks[-1].output_line = text.count("\n", 0, match.start()) + 2
        end = match.end() if language == "sh" else None
    return blocks


def shape_of(line):
    """`line` with a mark in place of each number, and single spaces."""
    return " ".join(_NUMBER.sub("#", line).split())


def matched_lines(expected, printed, shape=shape_of):
    """Pairs of a line of `expected`, by its index, and the line of `printed` that has its shape at its place, or None."""
    lines = printed.splitlines()
    shapes = [shape(line) for line in lines]
    at, is_gap = 0, True
    for number, line in enumerate(expected):
        if line.strip() in ("...", ""):
            is_gap = True
            continue
        wanted = shape(line)
        places = range(at, len(shapes)) if is_gap else range(at, min(at + 1, len(shapes)))
        place = next((i for i in places if shapes[i] == wanted), None)
        yield number, None if place is None else lines[place]
        if place is None:
            return
        at, is_gap = place + 1, False


def missing_line(expected, printed, measured=("",)):
    """The first line of `expected` that is not in `printed` at its place, or None."""
    def shape(line):
        return shape_of(line) if any(word in line for word in measured) else " ".join(line.split())
    return next((expected[number] for number, line in matched_lines(expected, printed, shape) if line is None), None)


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
