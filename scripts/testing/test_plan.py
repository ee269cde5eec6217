#!/usr/bin/python3
"""Chooses which entries of ctest scripts/test runs, and which targets of the build they need.

Three plans:

quick    all entries without the label "long", and some with it, drawn by the commit's hash, so that each has its turn;
changed  what the build's and the sources' includes say is concerned by the files that differ from a revision, those that
         mirror the changed folders first, up to a sum of seconds;
all      everything.

With options of ctest (-R, -L, ...) everything that they select. Entries that run programs for boards under an emulator
(label "cross") are only in "all" and in what options select, because those programs take long to build.

Writes two files: the numbers of the entries for ctest -I, and the targets, one per line ("all": everything). Says on
stderr what was drawn or left out.
"""

import argparse
import json
import pathlib
import random
import re
import subprocess
import sys

from imported_files import imported_files

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Sums of seconds, as tests/costs.txt has them, of what is drawn from the long entries and of what a change may cost.
DRAWN_SECONDS = 240
CHANGED_SECONDS = 480
# Of entries that state no cost: of most, and of those that are known to be long.
USUAL_SECONDS, LONG_SECONDS = 3, 40

# Parts of the build that no script needs.
_NOT_PROGRAMS = ("tests/all", "vta-shipped-models")

# Folders whose files every entry of these kinds may depend on without the build knowing it.
_READ_BY_TESTS = {"hw": ("hardware",), "configs": ("hardware", "command", "network"), "docs": ("docs",), "scripts": ("docs",)}


class Entry:
    """One entry of ctest."""

    def __init__(self, number, test):
        self.number = number
        self.name = test["name"]
        self.command = test.get("command", [])
        properties = {item["name"]: item["value"] for item in test.get("properties", [])}
        self.labels = set(properties.get("LABELS", []))
        self.required = properties.get("REQUIRED_FILES", [])
        self.seconds = properties.get("COST") or (LONG_SECONDS if "long" in self.labels else USUAL_SECONDS)

    def is_script(self):
        """Whether it runs a script, which may start any tool: of a program that is not built yet ctest tells no command."""
        return bool(self.command) and not self.required

    def program(self, build):
        """The target of the program that it runs, relative to the build folder; none for scripts."""
        return str(pathlib.Path(self.required[0]).relative_to(build)) if self.required else None

    def scripts(self):
        """The Python files of the source tree that it runs, with what they import of it."""
        started = [pathlib.Path(part) for part in self.command if part.endswith(".py") and part.startswith(str(ROOT))]
        return set().union(*(imported_files(path, ROOT) for path in started if path.is_file()))


def run(*command, folder=ROOT):
    """The output of a command."""
    return subprocess.run([str(part) for part in command], cwd=folder, text=True, stdout=subprocess.PIPE, check=True).stdout


def all_entries(build, options):
    """The entries that ctest has with `options`, all if there are none."""
    tests = json.loads(run("ctest", "--show-only=json-v1", folder=build))["tests"]
    # JSON has neither the numbers nor their order.
    numbers = {name: int(number) for number, name in re.findall(r"Test +#(\d+): (\S+)", run("ctest", "-N", folder=build))}
    entries = [Entry(numbers[test["name"]], test) for test in tests]
    if not options:
        return entries
    selected = {test["name"] for test in json.loads(run("ctest", "--show-only=json-v1", *options, folder=build))["tests"]}
    return [entry for entry in entries if entry.name in selected]


def quick(entries):
    """All short entries, and long ones drawn by the commit: of those whose programs the short ones need, too, because models of
    the RTL take minutes to build."""
    here = [entry for entry in entries if "cross" not in entry.labels]
    built = set().union(*(entry.required for entry in here if "long" not in entry.labels))
    long_ones = [entry for entry in here if "long" in entry.labels and built.issuperset(entry.required)]
    commit = run("git", "rev-parse", "HEAD").strip() if (ROOT / ".git").exists() else ""
    drawn = up_to(DRAWN_SECONDS, random.Random(commit).sample(long_ones, len(long_ones)))
    say(f"drawn from {len(long_ones)} long entries by the commit: {', '.join(entry.name for entry in drawn)}")
    return [entry for entry in here if "long" not in entry.labels] + drawn


def up_to(seconds, entries):
    """Entries in their order while their sum is at most so many seconds."""
    chosen, total = [], 0
    for entry in entries:
        if total + entry.seconds <= seconds:
            chosen.append(entry)
            total += entry.seconds
    return chosen


class Includes:
    """Which files of the tree a target of the build is made from."""

    def __init__(self, build):
        self.build = build
        self.direct = {}
        self.files = {}

    def of_file(self, path):
        """What a file includes, of the tree and of the build folder."""
        if path not in self.direct:
            text = path.read_text(errors="replace") if path.is_file() else ""
            names = re.findall(r'^\s*#\s*include "([^"]+)"', text, re.MULTILINE)
            candidates = [folder / name for name in names for folder in (ROOT, path.parent, self.build)]
            self.direct[path] = [found for found in candidates if found.is_file()]
        return self.direct[path]

    def of_target(self, target):
        """All files that `target` is made from."""
        if target not in self.files:
            inputs = [self.build / line for line in run("ninja", "-t", "inputs", target, folder=self.build).splitlines()]
            found, waiting = set(), [path for path in inputs if path.is_relative_to(ROOT)]
            while waiting:
                path = waiting.pop()
                if path not in found:
                    found.add(path)
                    if path.suffix in (".cpp", ".cxx", ".h", ".c"):
                        waiting += self.of_file(path)
            self.files[target] = found
        return self.files[target]


def changed_files(revision):
    """The files that differ from `revision`, those that git does not know yet included."""
    names = run("git", "diff", "--name-only", revision).split("\n") + run("git", "ls-files", "--others", "--exclude-standard").split("\n")
    return {ROOT / name for name in names if name}


def rank(entry, changed, programs_changed, includes):
    """0 to 2, the lower the nearer `entry` is to the changed files; none if they do not concern it."""
    if "repository" in entry.labels or changed & entry.scripts():
        return 0
    top_folders = {path.relative_to(ROOT).parts[0] for path in changed}
    folders = {path.parent.relative_to(ROOT) for path in changed}
    program = entry.program(includes.build)
    if program:
        made_from = includes.of_target(program)
        if not changed & made_from:
            return None
        tests = [path.parent.relative_to(ROOT / "tests") for path in made_from if path.is_relative_to(ROOT / "tests")]
        mirrors = any(folder == test or folder.is_relative_to(test) or test.is_relative_to(folder)
                      for test in tests for folder in folders if test.parts and folder.parts)
        return 0 if mirrors or any("tests" == folder.parts[0] for folder in folders if folder.parts) else 1
    if any(kind in entry.labels for folder in top_folders for kind in _READ_BY_TESTS.get(folder, ())):
        return 1
    if any(path.suffix == ".md" for path in changed) and "docs" in entry.labels:
        return 0
    return 2 if programs_changed and entry.labels & {"command", "network", "lit", "docs", "driver"} else None


def concerned(entries, revision, build):
    """The entries that files which differ from `revision` concern, up to a sum of seconds."""
    changed = changed_files(revision)
    if not changed:
        say(f"nothing differs from {revision}")
        return []
    includes = Includes(build)
    programs_changed = any(changed & includes.of_target(target) for target in program_targets(build))
    ranked = []
    for entry in entries:
        near = rank(entry, changed, programs_changed, includes) if "cross" not in entry.labels else None
        if near is not None:
            ranked.append((near, entry.seconds, entry.number, entry))
    ordered = [entry for *_, entry in sorted(ranked)]
    chosen = up_to(CHANGED_SECONDS, ordered)
    left = [entry.name for entry in ordered if entry not in chosen]
    say(f"{len(changed)} files differ from {revision}; {len(chosen)} of {len(entries)} entries are run")
    if left:
        say(f"also concerned, left to scripts/test --all: {', '.join(left)}")
    return chosen


def program_targets(build):
    """The targets of everything but tests, benchmarks and models of the RTL, which are built when a program first needs them:
    what scripts that test programs may run."""
    lines = run("ninja", "-t", "query", "all", folder=build).split("outputs:")[0].splitlines()
    return [line.strip(" |") for line in lines if line.startswith("    ") and line.strip(" |") not in _NOT_PROGRAMS]


def test_programs(build):
    """The programs of tests/ and benchmarks by their names: what a script has to name to get it."""
    lines = run("ninja", "-t", "targets", "all", folder=build).splitlines()
    programs = [line.split(": ")[0] for line in lines if "_EXECUTABLE_LINKER__" in line]
    return {pathlib.Path(program).name: program for program in programs}


def named_programs(entries, build):
    """What the scripts of `entries` say of programs of tests, in quotes: they start those, and nothing else builds them."""
    programs = test_programs(build)
    names = set()
    for path in set().union(*(entry.scripts() for entry in entries)):
        names |= set(re.findall(r"[\"']([\w-]+)[\"']", path.read_text()))
    return {programs[name] for name in names & programs.keys()}


def targets_of(entries, build):
    """The targets that `entries` need."""
    targets = {entry.program(build) for entry in entries if entry.required}
    scripts = [entry for entry in entries if entry.is_script()]
    if scripts:
        targets |= set(program_targets(build)) | named_programs(scripts, build)
    return sorted(targets)


def say(text):
    """Tells the user."""
    print(f"test: {text}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0], allow_abbrev=False)
    parser.add_argument("--plan", required=True, choices=("quick", "changed", "all"))
    parser.add_argument("--revision", default="HEAD")
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--entries", type=pathlib.Path, required=True, help="file to write for ctest -I")
    parser.add_argument("--targets", type=pathlib.Path, required=True, help="file to write, a target per line")
    arguments, options = parser.parse_known_args()
    build = arguments.build.resolve()
    entries = all_entries(build, options)
    everything = arguments.plan == "all" and not options
    if arguments.plan == "changed":
        entries = concerned(entries, arguments.revision, build)
    elif arguments.plan == "quick" and not options:
        entries = quick(entries)
    numbers = ",".join(str(number) for number in sorted(entry.number for entry in entries))
    # ctest takes a list of no numbers for all.
    arguments.entries.write_text(f"0,0,0,{numbers}\n" if numbers else "")
    arguments.targets.write_text("".join(f"{target}\n" for target in (["all"] if everything else targets_of(entries, build))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
