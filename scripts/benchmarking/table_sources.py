"""The sources that a table of the manual follows from, as a hash that stands in the table.

A table is old when its sources have another hash than the one that it carries. Lines that hold nothing but a comment do
not count, nor do empty ones, so that a better comment makes no table old.
"""

import functools
import hashlib
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "testing"))

from imported_files import imported_files  # noqa: E402

DEFAULT = "default"  # the list of sources of tables that say nothing

_COMMENTS = {suffix: mark for mark, suffixes in {"//": (".cpp", ".h", ".sv", ".td", ".inc"), "#": (".py", ".yaml", ".toml", ".txt", ".cmake", "")}.items()
             for suffix in suffixes}


def line_of(name, sources_hash):
    """The line that says which sources a table was made from."""
    return f"<!-- sources of {name}: {sources_hash} -->"


def split_line(name, body):
    """(the hash that the table `body` carries or None, the table without it)."""
    match = re.match(rf"<!-- sources of {re.escape(name)}: (\w+) -->\n", body)
    return (match[1], body[match.end():]) if match else (None, body)


def expanded(depends, lists):
    """Folders, files and tables in `depends`, with the lists that it names."""
    return sorted({path for entry in depends for path in lists.get(entry, [entry])})


@functools.cache
def file_hash(path):
    """The hash of a file without its empty lines and those that are comments alone."""
    data = path.read_bytes()
    mark = _COMMENTS.get(path.suffix)
    if mark is not None and b"\0" not in data:
        lines = [line.strip() for line in data.splitlines()]
        # The first line of a script says what runs it.
        data = b"\n".join(line for line in lines if line and (not line.startswith(mark.encode()) or line.startswith(b"#!")))
    return hashlib.sha256(data).hexdigest()


def files_below(path):
    """The files of a folder, or the file itself."""
    if not path.is_dir():
        return [path]
    return [file for file in path.rglob("*") if file.is_file() and "__pycache__" not in file.parts and file.suffix != ".pyc"]


def named_files(table, root):
    """The files of the tree that the commands of a table name, and the scripts that these import."""
    commands = [table.get("rows_command", [])] + [row["command"] for row in table.get("commands", [])]
    words = {Path(word) for command in commands for part in command for word in part.split()}
    inside = {word for word in words if not word.is_absolute() and word.parts[:1] not in ((), ("build",), ("..",))}
    return {path for word in inside if (root / word).is_file() for path in imported_files(root / word, root)}


def missing_sources(table, lists, root):
    """What `depends` names that does not exist."""
    return [path for path in expanded(table.get("depends", [DEFAULT]), lists) if not (root / path.split("#")[0]).exists()]


def hash_of(table, lists, root):
    """The hash of everything in the tree that the figures of a table follow from."""
    lines = [json.dumps({key: value for key, value in table.items() if key != "depends"}, sort_keys=True)]
    files = named_files(table, root)
    for path in expanded(table.get("depends", [DEFAULT]), lists):
        page, _, name = path.partition("#")
        if name:
            lines.append(table_between(name, (root / page).read_text()))
        else:
            files.update(files_below(root / path))
    lines += [f"{file.relative_to(root).as_posix()} {file_hash(file)}" for file in sorted(files)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def table_between(name, page):
    """What is between the markers of table `name` on a page."""
    return page.split(f"<!-- begin {name} -->\n")[1].split(f"\n<!-- end {name} -->")[0]
