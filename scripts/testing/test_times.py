#!/usr/bin/python3
"""Says which ten entries of a run of ctest took longest, from the JUnit file that it wrote.

With --record keeps what took at least 10 seconds in tests/costs.txt, from which scripts/test makes its plans.
"""

import argparse
import pathlib
import sys
from xml.etree import ElementTree

COSTS = pathlib.Path(__file__).resolve().parents[2] / "tests" / "costs.txt"
LEAST_SECONDS = 10
HEAD = ("# NAME SECONDS: what entries of ctest took that took 10 seconds or more. scripts/test --all --record-costs writes it.\n")


def seconds_by_name(junit):
    """What every entry that ran took."""
    cases = ElementTree.parse(junit).getroot().iter("testcase")
    return {case.get("name"): float(case.get("time")) for case in cases if case.get("status") != "notrun"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("junit", type=pathlib.Path)
    parser.add_argument("--record", action="store_true", help="keep the times in tests/costs.txt")
    parser.add_argument("--costs", type=pathlib.Path, default=COSTS, help="file that --record writes")
    arguments = parser.parse_args()
    seconds = seconds_by_name(arguments.junit)
    print("\nThe longest:")
    for name in sorted(seconds, key=seconds.get, reverse=True)[:10]:
        print(f"{seconds[name]:8.1f} s  {name}")
    if arguments.record:
        lines = [f"{name} {round(time)}\n" for name, time in sorted(seconds.items()) if time >= LEAST_SECONDS]
        arguments.costs.write_text(HEAD + "".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
