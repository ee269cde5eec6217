#!/usr/bin/env python3
"""How long vta-tune takes for a whole network, by processor time.

usage: scripts/benchmarking/tuning_speed.py MODEL [--trials N] [--workers N]

Prints one JSON object. The processor's time hardly depends on what else the machine computes, so the time on the wall
of a machine with a free core for each worker is derived from it: while the searcher thinks, workers wait, and the
measurements are divided among them.
  tasks              distinct layers
  trials             schedules that were measured
  searcher_seconds   processor time of the tool itself: reading the model, finding schedules, learning, predicting
  worker_seconds     processor time of all workers: lowering and simulating
  free_seconds       searcher_seconds + worker_seconds / workers
  wall_seconds       what it took on this machine, now
  trials_per_second  trials / free_seconds
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("VTA_BINARY_DIR", ROOT / "build")) / "bin"
POLL_SECONDS = 0.1


def processor_seconds(pid):
    """Of the process itself, without its children; 0 when it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def tune(model, trials, workers, folder):
    """The tool's --json object, and its own, its workers' and the wall's seconds."""
    command = [BIN / "vta-tune", model, "--trials", trials, "--patience", 0, "--workers", workers,
               "--db", folder / "tuning.db", "--json"]
    start = time.monotonic()
    with (folder / "report.json").open("w") as report:
        tool = subprocess.Popen([str(word) for word in command], stdout=report)
        own = 0.0
        while tool.poll() is None:
            own = max(own, processor_seconds(tool.pid))
            time.sleep(POLL_SECONDS)
    wall = time.monotonic() - start
    if tool.returncode != 0:
        raise SystemExit(f"tuning_speed: error: vta-tune ended with {tool.returncode}; output above")
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return json.loads((folder / "report.json").read_text()), own, usage.ru_utime + usage.ru_stime - own, wall


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="ONNX model")
    parser.add_argument("--trials", type=int, default=1000, help="of each task")
    parser.add_argument("--workers", type=int, default=2, help="processes that measure")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report, own, workers, wall = tune(arguments.model, arguments.trials, arguments.workers, Path(folder))
    trials = sum(task["new_trials"] for task in report["tasks"])
    free = own + workers / arguments.workers
    json.dump({"tasks": len(report["tasks"]), "trials": trials, "searcher_seconds": own, "worker_seconds": workers,
               "free_seconds": free, "wall_seconds": wall, "trials_per_second": trials / free}, sys.stdout)


if __name__ == "__main__":
    main()
