"""Merges Verilator's coverage data, prints a table by file and holds what is not covered against the waivers.

usage: coverage_rtl.py [--waivers FILE] [--strict] DATA...

A point is a place in the source: it counts as covered when any instance in any configuration has reached it. Kinds:
point (functional, hw/coverage/vta_cover.sv), branch and line. Each waiver names file, kind and a piece of the source
line (of a point: its name), and says why that cannot be or is not reached. With --strict the exit status is 1 when
something uncovered has no waiver, or when a waiver has nothing to excuse any more.
"""

import argparse
import collections
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KINDS = {"user": "point", "branch": "branch", "line": "line"}
COVER_FILE = "vta_cover.sv"

Place = collections.namedtuple("Place", "file line kind what")


class BadInput(Exception):
    pass


def read_counts(paths):
    """{Place: how often} over all data files; places in the order of the source."""
    counts = collections.Counter()
    seen = {}
    for path in paths:
        for text in path.read_text(encoding="latin-1").splitlines():
            match = re.match(r"C '(.*)' (\d+)$", text)
            if not match:
                continue
            fields = dict(part.split("\x02", 1) for part in match[1].split("\x01") if "\x02" in part)
            kind = KINDS.get(fields["page"].split("/")[0].removeprefix("v_"))
            file = fields["f"].rsplit("/", 1)[-1]
            if kind is None or (kind == "point") != (file == COVER_FILE):
                continue
            place = Place(file, int(fields["l"]), kind, fields["o"])
            seen[place] = fields["f"]
            counts[place] += int(match[2])
    if not seen:
        raise BadInput("no coverage data")
    return {place: counts[place] for place in sorted(seen)}, {place.file: Path(path) for place, path in seen.items()}


def source_text(place, sources, cache):
    """The source line of a place; of a functional point its name."""
    if place.kind == "point":
        return place.what
    lines = cache.setdefault(place.file, sources[place.file].read_text().splitlines())
    return lines[place.line - 1].strip()


def read_waivers(path):
    waivers = tomllib.loads(path.read_text())["waiver"]
    for waiver in waivers:
        if set(waiver) - {"what"} != {"file", "kind", "text", "reason"} or waiver["kind"] not in KINDS.values():
            raise BadInput(f"{path}: a waiver has file, kind, text, reason and perhaps what: {waiver}")
    return waivers


def excuses(waiver, place, text):
    return (waiver["file"] == place.file and waiver["kind"] == place.kind and waiver.get("what", place.what) == place.what
            and (waiver["text"] == text if place.kind == "point" else waiver["text"] in text))


def print_table(counts):
    by_file = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
    for place, count in counts.items():
        for file in (place.file, "all"):
            by_file[file][place.kind][0] += count > 0
            by_file[file][place.kind][1] += 1
    kinds = list(KINDS.values())
    print(f"{'file':28}" + "".join(f"{kind:>18}" for kind in kinds))
    for file in [file for file in by_file if file != "all"] + ["all"]:
        cells = [f"{reached}/{total} {100 * reached / total:5.1f} %" if total else "-"
                 for reached, total in (by_file[file][kind] for kind in kinds)]
        print(f"{file:28}" + "".join(f"{cell:>18}" for cell in cells))


def report(counts, sources, waivers):
    """Prints what is not covered; returns how many places have no waiver and how many waivers no place."""
    cache = {}
    used = [False] * len(waivers)
    unexplained = 0
    for place, count in counts.items():
        if count > 0:
            continue
        text = source_text(place, sources, cache)
        reasons = []
        for i, waiver in enumerate(waivers):
            if excuses(waiver, place, text):
                used[i] = True
                reasons.append(waiver["reason"])
        unexplained += not reasons
        print(f"{place.file}:{place.line}: {place.kind} {place.what}: {text}\n    {'; '.join(reasons) or 'NOT EXPLAINED'}")
    stale = [waiver for waiver, is_used in zip(waivers, used) if not is_used]
    for waiver in stale:
        print(f"waiver without use: {waiver['file']}: {waiver['kind']}: {waiver['text']}")
    return unexplained, len(stale)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--waivers", type=Path, default=ROOT / "hw/coverage/waivers.toml")
    parser.add_argument("--strict", action="store_true")
    parsed = parser.parse_args(arguments)
    try:
        counts, sources = read_counts(parsed.data)
        print_table(counts)
        unexplained, stale = report(counts, sources, read_waivers(parsed.waivers))
    except (BadInput, OSError) as error:
        print(f"coverage-rtl: error: {error}", file=sys.stderr)
        return 1
    print(f"{sum(count == 0 for count in counts.values())} of {len(counts)} not covered, {unexplained} without a reason, "
          f"{stale} waivers without use")
    return 1 if parsed.strict and (unexplained or stale) else 0


if __name__ == "__main__":
    sys.exit(main())
