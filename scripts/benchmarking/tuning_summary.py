"""What the rows of docs/tuning.md's table `tuning_trials` say together.

usage: tuning_summary.py

Prints one JSON object: a row for each accelerator and memory and one for all, for the table `tuning_summary` of
scripts/benchmarking/benchmarks.toml.
"""

import json
import re
import statistics
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs/tuning.md"
PEER_TRIALS = 1000
SHARE_OF_PEER, SHARE_OF_RANDOM = 0.12, 0.1  # wanted at most


def rows_of(text):
    """Accelerator and memory, trials to equal the peer, trials to 98 % and random's, of each row."""
    table = re.search(r"<!-- begin tuning_trials -->(.*)<!-- end tuning_trials -->", text, re.DOTALL)
    for line in (table[1] if table else "").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) < 9 or not cells[2].replace(",", "").isdigit():
            continue
        _, accelerator, memory = cells[0].rsplit(", ", 2)
        yield f"{accelerator}, {memory}", *(int(cells[i].replace(",", "")) for i in (2, 5, 7))


def summary(rows):
    """One row of the table, of (trials to equal the peer, trials to 98 %, random's)."""
    to_peer, learned, random = zip(*rows)
    near_peer = sum(trials <= SHARE_OF_PEER * PEER_TRIALS for trials in to_peer)
    near_random = sum(own <= SHARE_OF_RANDOM * other for own, other in zip(learned, random))
    return {"within_peer": f"{near_peer} of {len(rows)}", "median": statistics.median(to_peer),
            "within_random": f"{near_random} of {len(rows)}", "learned": sum(learned), "random": sum(random)}


def main():
    groups = {}
    for group, *trials in rows_of(PAGE.read_text()):
        groups.setdefault(group, []).append(trials)
        groups.setdefault("all", []).append(trials)
    if not groups:
        print(f"tuning_summary: {PAGE} has no rows of tuning_trials; scripts/benchmarks tuning_trials measures them",
              file=sys.stderr)
        return 1
    groups["all"] = groups.pop("all")  # the last row
    print(json.dumps({group: summary(rows) for group, rows in groups.items()}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
