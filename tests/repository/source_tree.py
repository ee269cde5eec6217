"""The files of this source tree, for the tests beside this one."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def source_files(*suffixes):
    """Paths relative to ROOT, of all files of ours or of those with one of `suffixes`; no build folders, and not what
    third_party has as its authors wrote it."""
    listing = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                             capture_output=True, text=True, check=False)
    if listing.returncode == 0:
        paths = [Path(line) for line in listing.stdout.splitlines()]
    else:  # a tree without its history, or one that belongs to another user
        paths = [path.relative_to(ROOT) for path in ROOT.rglob("*")]
        paths = [path for path in paths if not path.parts[0].startswith(("build", ".git"))]
    return sorted(path for path in paths if path.parts[0] != "third_party"
                  and (ROOT / path).is_file() and (not suffixes or path.suffix in suffixes))


def text_of(path):
    """The file's text, or None for a binary file."""
    data = (ROOT / path).read_bytes()
    if b"\0" in data:
        return None
    return data.decode("utf-8", errors="replace")
