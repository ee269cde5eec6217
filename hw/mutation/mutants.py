"""Small changes of SystemVerilog source, each of which may be a mistake that somebody makes."""

import dataclasses
import pathlib
import re


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One change of one line."""
    path: pathlib.Path
    line: int  # from 0
    begin: int
    end: int
    replacement: str
    what: str  # kind of change

    def lines(self):
        return self.path.read_text().splitlines(keepends=True)

    def text(self):
        """The file with the change."""
        lines = self.lines()
        old = lines[self.line]
        lines[self.line] = old[:self.begin] + self.replacement + old[self.end:]
        return "".join(lines)

    def line_after(self):
        return self.text().splitlines()[self.line].strip()

    def place(self):
        return f"{self.path.name}:{self.line + 1}"


# Pattern of what is changed, what comes in its place, and what the change is called.
_RULES = [
    (r" == ", " != ", "comparison turned"),
    (r" != ", " == ", "comparison turned"),
    (r" < ", " <= ", "bound off by one"),
    (r" > ", " >= ", "bound off by one"),
    (r" && ", " || ", "and to or"),
    (r" \|\| ", " && ", "or to and"),
    (r" & ", " | ", "and to or"),
    (r" \| ", " & ", "or to and"),
    (r" \+ ", " - ", "plus to minus"),
    (r" - ", " + ", "minus to plus"),
    (r"!(?=[a-z(])", "", "not left out"),
    (r"\b1'b1\b", "1'b0", "constant turned"),
    (r"\b1'b0\b", "1'b1", "constant turned"),
    (r"(?<=<= )'0(?=;)", "'1", "constant turned"),
    (r"(?<== )'0(?=;)", "'1", "constant turned"),
    (r"if \((?!!rst_ni)(?=[^()]*\))[^()]*\)", "if (1'b1)", "condition left out"),
    (r"if \(!rst_ni \|\| clear_i\)", "if (!rst_ni)", "clear left out"),
    (r" >> ", " << ", "shift turned"),
    (r" << ", " >> ", "shift turned"),
]
# A register or signal with fewer bits. Ports and constants of other widths do not build.
_WIDTH = re.compile(r"^(\s+logic(?: signed)? \[)([^\]:]+)-1(:0\]\s+\w+_q\b)")
_TERNARY = re.compile(r"\? ([\w'.\[\]]+) : ([\w'.\[\]]+)(?=[;,)])")

# Lines that are no hardware: comments, assertions, parameters, checks of parameters.
_SKIPPED = re.compile(r"^\s*(//|`|localparam|parameter|for \(|if \(vta_pkg::|\$error|function|module|input|output)|\bassert\b|"
                      r"\bassume\b|\bcover\b|\$error|\bunused\b")


def _code(line):
    """The line without its comment."""
    return line.split("//", 1)[0]


def mutants_of(path):
    """All mutants of one file."""
    found = []
    for number, line in enumerate(path.read_text().splitlines()):
        code = _code(line)
        if not code.strip() or _SKIPPED.search(code):
            continue
        for pattern, replacement, what in _RULES:
            for match in re.finditer(pattern, code):
                if " <= " == replacement and "for" in code:
                    continue
                found.append(Mutant(path, number, match.start(), match.end(), replacement, what))
        match = _TERNARY.search(code)
        if match:
            swapped = f"? {match.group(2)} : {match.group(1)}"
            found.append(Mutant(path, number, match.start(), match.end(), swapped, "choice turned"))
        match = _WIDTH.search(line)
        if match:
            fewer = f"{match.group(1)}{match.group(2)}-2{match.group(3)}"
            found.append(Mutant(path, number, match.start(), match.end(), fewer, "a bit fewer"))
    return found


def all_mutants(rtl):
    """Of all modules, in the order of files.f. The package is generated and compared with its source elsewhere."""
    mutants = []
    for name in (rtl / "files.f").read_text().split():
        path = rtl / name
        if path.suffix == ".sv" and path.name not in ("vta_pkg.sv", "vta_config_check.sv"):
            mutants += mutants_of(path)
    return mutants
