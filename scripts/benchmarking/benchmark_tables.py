"""Runs what scripts/benchmarking/benchmarks.toml lists and writes the tables between their markers in the pages of docs/."""

import argparse
import fnmatch
import json
import os
import platform
import subprocess
import sys
import tomllib
from pathlib import Path

import table_sources

ROOT = Path(__file__).resolve().parents[2]
PAGE = "docs/performance.md"
REPETITIONS = 5


class Absent(Exception):
    """A program or file that a table needs is not here."""


def benchmark_rows(report):
    """Google Benchmark's JSON to {name: counters}: the median of the repetitions, times in seconds."""
    to_seconds = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
    rows = {}
    for run in report["benchmarks"]:
        if run.get("error_occurred"):
            raise RuntimeError(f"{run['name']}: {run.get('error_message', 'failed')}")
        if run["run_type"] == "aggregate" and run["aggregate_name"] != "median":
            continue
        counters = {key: value for key, value in run.items() if isinstance(value, (int, float))}
        for key in ("real_time", "cpu_time"):
            counters[key] *= to_seconds[run["time_unit"]]
        if run["run_type"] == "aggregate" or run["run_name"] not in rows:
            rows[run["run_name"]] = counters
    return rows


def json_rows(name, report):
    """A tool's --json object as one row: keys joined by dots, `seconds.run` for instance."""
    flat = {}

    def visit(prefix, value):
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
        if items is None:
            flat[prefix] = value
        else:
            for key, child in items:
                visit(f"{prefix}.{key}" if prefix else str(key), child)

    visit("", report)
    return {name: flat}


def cell(column, name, rows, strip=""):
    """Text of one cell. `value` names a counter, or is a list of them to add up; `in` takes it from the row whose
    prefix is this one instead of `strip`; `over` divides by another counter of the same row, or, with `peer`, by
    that counter of the row named so; `share` names a bound that is shown divided by the figure; a missing counter is a
    dash, text stays as it is."""
    if "in" in column:
        name = column["in"] + name.removeprefix(strip)
    names = column["value"] if isinstance(column["value"], list) else [column["value"]]
    values = [rows.get(name, {}).get(key) for key in names]
    if isinstance(values[0], str):
        return values[0]
    number = None if None in values else sum(values)
    if "over" in column:
        divisor = rows.get(column.get("peer", name), {}).get(column["over"])
        number = number / divisor if number is not None and divisor else None
    if number is None:
        return "-"
    text = format(number * column.get("scale", 1), column.get("format", ".3g"))
    share = rows.get(name, {}).get(column.get("share"))
    return text if share is None or not number else f"{text} ({share / number:.1%})"


def columns_of(table):
    """Columns of a table; with `each`, all of them once for each of its values in place of {each}."""
    keys = ("title", "value", "over", "share")
    return [column | {key: column[key].replace("{each}", value) for key in keys if key in column}
            for value in table["each"] for column in table["columns"]] if "each" in table else table["columns"]


def read_file():
    """What scripts/benchmarking/benchmarks.toml says."""
    return tomllib.loads((ROOT / "scripts/benchmarking/benchmarks.toml").read_text())


def read_sources():
    """The lists of sources that tables name in `depends`."""
    return read_file()["sources"]


def read_tables():
    """The project's tables; those that are `like` another one have its keys but for their own."""
    tables = {}
    for table in read_file()["table"]:
        tables[table["name"]] = tables.get(table.get("like"), {}) | table
    return list(tables.values())


def markdown_table(table, rows):
    """Rows that match the table's pattern, in the order of the run."""
    columns = columns_of(table)
    lines = ["| " + " | ".join([table.get("rows_title", "benchmark")] + [c["title"] for c in columns]) + " |",
             "|---|" + "---:|" * len(columns)]
    for name in rows:
        if fnmatch.fnmatch(name, table.get("match", "*")):
            strip = table.get("strip", "")
            cells = [name.removeprefix(strip)] + [cell(c, name, rows, strip) for c in columns]
            lines.append("| " + " | ".join(cells) + " |")
    if len(lines) == 2:
        raise RuntimeError(f"table {table['name']}: no result matches {table.get('match', '*')}")
    return "\n".join(lines)


def replace_table(page, name, body):
    """`page` with `body` between the markers of table `name`."""
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    if page.count(begin) != 1 or page.count(end) != 1:
        raise RuntimeError(f"the table's page needs the two lines {begin} and {end} once each")
    head, rest = page.split(begin)
    return f"{head}{begin}\n{body}\n{end}{rest.split(end)[1]}"


def rows_of(body):
    """The rows of a table as {name: line}."""
    return {line.split("|")[1].strip(): line for line in body.splitlines() if line.startswith("| ")}


def with_new_rows(old, new):
    """The table `old` with the rows that `new` has. Both are of the same machine and have the same columns, and only rows
    that there are change."""
    def head(body):
        return [line for line in body.splitlines() if not line.startswith("| ")] + [next(iter(rows_of(body).values()), "")]

    if head(old) != head(new):
        raise RuntimeError("the page has another head, or was measured on another machine: measure the whole table")
    fresh = rows_of(new)
    if unknown := fresh.keys() - rows_of(old).keys():
        raise RuntimeError(f"the page has no row {', '.join(sorted(unknown))}: measure the whole table")
    return "\n".join(fresh.get(line.split("|")[1].strip(), line) if line.startswith("| ") else line for line in old.splitlines())


def write_table(table, body, only_rows=False):
    """Writes `body` to the table's place on its page, below the hash of its sources; or its rows over those of the same
    names, below the hash that stands there: the other rows are of those sources."""
    page, name = ROOT / table.get("page", PAGE), table["name"]
    text = page.read_text()
    if only_rows:
        sources, old = table_sources.split_line(name, table_sources.table_between(name, text))
        body = with_new_rows(old, body)
    else:
        sources = table_sources.hash_of(table, read_sources(), ROOT)
    if sources:
        body = f"{table_sources.line_of(name, sources)}\n{body}"
    partial = page.with_suffix(".partial")
    partial.write_text(replace_table(text, name, body))
    partial.replace(page)


def old_tables():
    """(names of the tables whose sources have changed since they were made, names of those that do not know theirs)."""
    lists, old, unknown = read_sources(), [], []
    for table in read_tables():
        text = (ROOT / table.get("page", PAGE)).read_text()
        sources, _ = table_sources.split_line(table["name"], table_sources.table_between(table["name"], text))
        if sources is None:
            unknown.append(table["name"])
        elif sources != table_sources.hash_of(table, lists, ROOT):
            old.append(table["name"])
    return old, unknown


def print_old_tables():
    """The two lists of old_tables, for people."""
    old, unknown = old_tables()
    for names, what in ((old, "older than their sources"), (unknown, "made before tables knew their sources")):
        if names:
            print(f"tables {what}: {', '.join(names)}")
    if old or unknown:
        print("scripts/benchmarks TABLE makes one again")


def run_json(command):
    """Standard output of `command`, run from the root, as JSON."""
    if command[0].startswith("build/") and not (ROOT / command[0]).exists():
        raise Absent(f"{command[0]} is not built")
    result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: exit code {result.returncode}")
    return json.loads(result.stdout)


def measure(table, rows=()):
    """{row: {counter: number}} of one table; with `rows` of those whose names have one of these parts."""
    for path in table.get("needs", []):
        if not (ROOT / path).exists():
            raise Absent(f"{path} is not here")
    if "program" in table:
        return benchmark_rows(run_json([
            f"build/bin/{table['program']}", "--benchmark_format=json",
            f"--benchmark_filter={table.get('filter', '.')}",
            f"--benchmark_repetitions={table.get('repetitions', REPETITIONS)}"]))
    if "rows_command" in table:
        return run_json([*table["rows_command"], *rows])
    rows = {}
    for row in table["commands"]:
        rows |= json_rows(row["name"], run_json(row["command"]))
    return rows


def machine():
    """The processor and how many of its cores were there, for the page."""
    model = platform.processor() or "unknown processor"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    flags = Path("/proc/cpuinfo").read_text()
    widest = next((name for flag, name in (("avx512_vnni", "AVX-512 VNNI"), ("avx512bw", "AVX-512"), ("avx2", "AVX2"))
                   if f" {flag}" in flags), "no AVX2")
    return f"{model}, {widest}, {len(os.sched_getaffinity(0))} cores"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--old", action="store_true")
    parser.add_argument("--row", action="append", default=[])
    parser.add_argument("table", nargs="*")
    args = parser.parse_args()
    if args.old:
        print_old_tables()
        return 0
    tables = read_tables()
    unknown = set(args.table) - {table["name"] for table in tables}
    if unknown:
        known = ", ".join(table["name"] for table in tables)
        print(f"benchmarks: error: no table {', '.join(sorted(unknown))}; there are: {known}", file=sys.stderr)
        return 2
    if args.row and not (len(args.table) == 1 and any(t["name"] in args.table and t.get("has_single_rows") for t in tables)):
        single = ", ".join(table["name"] for table in tables if table.get("has_single_rows"))
        print(f"benchmarks: error: --row is for one of the tables {single}", file=sys.stderr)
        return 2
    for table in tables:
        if table["name"] not in args.table and (args.table or table.get("by_name")):
            continue
        print(f"benchmarks: {table['name']}", file=sys.stderr)
        try:
            body = markdown_table(table, measure(table, args.row))
            if not table.get("exact"):
                body = f"Measured on: {machine()}.\n\n{body}"
            print(f"{table['name']}\n\n{body}\n")
            if not args.print:
                write_table(table, body, only_rows=bool(args.row))
        except Absent as absent:
            print(f"benchmarks: {table['name']} left as it is: {absent}", file=sys.stderr)
        except RuntimeError as error:
            print(f"benchmarks: error: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
