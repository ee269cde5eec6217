"""Runs clang-tidy on sources in batches: files of one folder with equal flags, included one after another by one generated
file. Most of clang-tidy's time goes into the headers of MLIR and the standard library, which a batch shares, so that the
whole tree takes a fraction of the time. Files whose names collide within a batch are checked once more by themselves.

Usage: tidy_batches.py BUILD_DIR JOBS FILE...   findings on stdout; exit code 1 where there are any
"""

import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LARGEST_BATCH = 12
_OF_BATCHES = "-bugprone-suspicious-include,-readability-redundant-declaration"  # what only batching gives rise to
_FINDING = re.compile(rf"^{re.escape(str(ROOT))}/(\S+?):\d+:\d+: (?:error|warning): .*", re.MULTILINE)
_HEADERS = rf"^{re.escape(str(ROOT))}/(api|base|isa|module|sim|driver|compiler|host_cpu|host_gpu|explore|tools)/.*\.(h|cpp)$"


def read_commands(build):
    """Compile command and folder of each source, by path from the root."""
    entries = json.loads((build / "compile_commands.json").read_text())
    return {os.path.relpath(file, ROOT): entry for entry in entries for file in sources_of(entry)}


def sources_of(entry):
    """The sources that a compile command is for: several where CMake compiles them together."""
    path = Path(entry["file"])
    if path.parent.name != "Unity":
        return [path]
    return re.findall(r'^#include "(.*)"$', path.read_text(), re.MULTILINE)


def flags_of(entry):
    """What a parser needs of CMake's "COMPILER FLAGS -o OBJECT -c FILE"; the compiler's own warnings are not for here."""
    arguments = shlex.split(entry["command"])
    return [argument for argument in arguments[1 : arguments.index("-o")] if argument != "-Werror"]


def make_batches(files, commands):
    groups = {}
    for file in files:
        key = (os.path.dirname(file), tuple(flags_of(commands[file])))
        groups.setdefault(key, []).append(file)
    return [group[i : i + LARGEST_BATCH] for group in groups.values() for i in range(0, len(group), LARGEST_BATCH)]


def run_clang_tidy(files, commands, folder):
    """What clang-tidy prints about `files`, as (file, message) with message the finding and its source lines."""
    name = re.sub(r"\W", "_", "_".join([files[0], str(len(files))]))
    batch = folder / f"{name}.cpp"
    batch.write_text("".join(f'#include "{ROOT / file}"\n' for file in files))
    entry = commands[files[0]]
    command = ["clang-tidy-19", "--quiet", f"--checks={_OF_BATCHES}", f"--header-filter={_HEADERS}",
               batch, "--", *flags_of(entry)]
    result = subprocess.run(list(map(str, command)), cwd=entry["directory"], capture_output=True, text=True)
    starts = list(_FINDING.finditer(result.stdout))
    if not starts and result.returncode != 0:
        return [(files[0], result.stdout + result.stderr)]
    ends = [match.start() for match in starts[1:]] + [len(result.stdout)]
    return [(match[1], result.stdout[match.start() : end].rstrip()) for match, end in zip(starts, ends)]


def check_batch(batch, commands, folder):
    findings = run_clang_tidy(batch, commands, folder)
    colliding = {file for file, text in findings if "[clang-diagnostic-" in text.splitlines()[0]}
    if len(batch) == 1 or not colliding:
        return findings
    again = sorted(colliding & set(batch)) or batch
    findings = [finding for finding in findings if finding[0] not in colliding]
    for file in again:
        findings += run_clang_tidy([file], commands, folder)
    return findings


def main():
    build, jobs, files = Path(sys.argv[1]).resolve(), int(sys.argv[2]), [os.path.relpath(f, ROOT) for f in sys.argv[3:]]
    commands = read_commands(build)
    for file in files:
        if file not in commands:
            print(f"tidy: {file} is not part of this build: not checked", file=sys.stderr)
    batches = make_batches([file for file in files if file in commands], commands)
    folder = build / "tidy"
    folder.mkdir(exist_ok=True)
    seen = set()  # a header's finding comes once for each batch that includes it
    with ThreadPoolExecutor(jobs) as pool:
        for findings in pool.map(lambda batch: check_batch(batch, commands, folder), batches):
            for _, text in findings:
                if text.splitlines()[0] not in seen:
                    print(text, flush=True)
                    seen.add(text.splitlines()[0])
    return 1 if seen else 0


if __name__ == "__main__":
    sys.exit(main())
