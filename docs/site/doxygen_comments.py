"""Prints a C header with its comments as Doxygen wants them: /** before a declaration, /**< behind one.

Usage: doxygen_comments.py HEADER
"""

import re
import sys
from pathlib import Path

_BEHIND = re.compile(r"^(\s*[^\s/*].*[;,{])\s*/\* ")
_BEFORE = re.compile(r"^(\s*)/\* (?!----)")


def with_doxygen_comments(text):
    """`text`, line by line; headings of sections stay plain comments."""
    lines = []
    for line in text.splitlines():
        behind = _BEHIND.sub(r"\1 /**< ", line)
        lines.append(behind if behind != line else _BEFORE.sub(r"\1/** ", line))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(with_doxygen_comments(Path(sys.argv[1]).read_text()))
