#!/usr/bin/env python3
"""The pages under docs/reference/, made from the compiler's TableGen files.

Usage: scripts/docs/reference_docs.py [--check] [--tblgen FILE]
  --check        changes nothing; exits with 1 and names the pages that differ from the TableGen files
  --tblgen FILE  mlir-tblgen of LLVM 19 (default: the one beside llvm-config-19)
"""

import argparse
import re
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "reference"
REMARK = "<!-- Made by scripts/docs/reference_docs.py from {}: change that file, not this page. -->\n"

# Sections of the page on passes: title, TableGen file.
PASSES = (
    ("Float graph", "compiler/graph_passes/passes.td"),
    ("Kernels of the accelerator", "compiler/vta/passes.td"),
    ("Meaning of the graph", "compiler/codegen/graph_to_linalg/passes.td"),
    ("Code for the host", "compiler/codegen/passes.td"),
    ("Code for the CPU", "host_cpu/backend/passes.td"),
    ("Code for GPUs", "host_gpu/legalise/passes.td"),
)
DIALECTS = {"graph": "compiler/dialects/graph/graph_ops.td", "vta": "compiler/dialects/vta/vta_ops.td"}


def find_tblgen():
    prefix = subprocess.run(["llvm-config-19", "--prefix"], capture_output=True, text=True, check=True).stdout.strip()
    return Path(prefix) / "bin" / "mlir-tblgen"


def tblgen(tool, source, *options):
    """mlir-tblgen's Markdown for `source`, without its own heading."""
    include = Path(tool).resolve().parent.parent / "include"
    command = [str(tool), "-I", str(include), "-I", str(ROOT), *options, str(ROOT / source)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return tidy(text.split("\n", 1)[1])


def tidy(text):
    """The same for a page of ours: without C++ names and a table of contents, with Markdown tables of even width."""
    text = text.replace("[TOC]\n", "")
    text = re.sub(r" \(`?::vta::[\w:]+`?\)", "", text)
    text = re.sub(r"^(Traits|Interfaces|Effects): .*\n+", "", text, flags=re.M)
    text = re.sub(r"<table>\n<tr>.*</tr>\n((?:<tr>.*</tr>\n)+)</table>", attribute_table, text)
    text = re.sub(r"^\| (Operand|Result) \| Description \|\n.*", r"| \1 | description |\n|---|---|", text, flags=re.M)
    text = re.sub(r"^(\| `\w+` \| .*[^|\s])$", r"\1 |", text, flags=re.M)
    text = re.sub(r"^#### Cases:\n\n\|.*\n\|.*\n((?:\|.*\n)+)", enumeration_cases, text, flags=re.M)
    text = re.sub(r"([^\n])\n(#+ )", r"\1\n\n\2", text)
    text = re.sub(r"[ \t]+$", "", text, flags=re.M)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def attribute_table(match):
    rows = re.findall(r"<tr><td><code>(\w+)</code></td><td>.*?</td><td>(.*?)</td></tr>", match.group(1))
    return "\n".join(["| Attribute | description |", "|---|---|", *(f"| `{name}` | {text} |" for name, text in rows)])


def enumeration_cases(match):
    names = [line.split("|")[3].strip() for line in match.group(1).splitlines()]
    return textwrap.fill("One of " + ", ".join(f"`{name}`" for name in names) + ".", 100) + "\n"


def passes_page(tool):
    parts = [REMARK.format("the passes.td files"),
             "# Passes\n\nFor people who work on the compiler or try its passes with `vta-opt`.\n"
             "[compiler.md](../compiler.md) describes the phases that the passes belong to.\n"]
    for title, source in PASSES:
        parts.append(f"## {title}\n\nFrom `{source}`.\n\n" + tblgen(tool, source, "-gen-pass-doc"))
    return "\n".join(parts)


def dialect_page(tool, name):
    source = DIALECTS[name]
    text = tblgen(tool, source, "-gen-dialect-doc", f"-dialect={name}")
    # The summary and the description are not one paragraph.
    heading, summary, rest = re.fullmatch(r"(# [^\n]*\n)\n([^\n]*)\n(.*)", text, re.DOTALL).groups()
    return REMARK.format(source) + f"\n{heading}\n_{summary}_\n\n{rest}"


def pages(tool):
    """The text of every page, by file name."""
    result = {"passes.md": passes_page(tool)}
    result.update({f"{name}-dialect.md": dialect_page(tool, name) for name in DIALECTS})
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--tblgen", type=Path)
    options = parser.parse_args()
    wrong = []
    for name, text in pages(options.tblgen or find_tblgen()).items():
        page = FOLDER / name
        if options.check:
            if not page.exists() or page.read_text() != text:
                wrong.append(str(page.relative_to(ROOT)))
        else:
            FOLDER.mkdir(exist_ok=True)
            page.write_text(text)
    if wrong:
        sys.exit(f"differ from the TableGen files: {', '.join(wrong)}; run scripts/docs/reference_docs.py")


if __name__ == "__main__":
    main()
