"""Every network of ../shared/models on every accelerator of configs/hw: compiled, run on the functional simulator, each of
its layers there checked bit for bit against the host.

Prints one JSON object: a row per model. Of each configuration, `CONFIGURATION.seconds` is the processor time of the compiler
with calibration on one random sample, `.mb` its peak memory, `.layers` how many layers were checked, `.macs_on_vta` the share
of multiply-accumulates on the accelerator. `slowest`, `largest`, `least_on_vta` and `checked` are over all `configurations`.
A model that the importer refuses has `refused` instead, what it said. Exits with 1 when a model fails in any other way.

With --sim rtl the networks run on the Verilated RTL, half an hour and more for all: `.seconds` and `.mb` are then those of the
run, and `.cycles`, in all `cycles`, what it took; these must be the cycle simulator's too.
"""

import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT.parent / "shared/models"
# Where a model may be refused, with the names of all operators that are missing.
MAY_BE_REFUSED = ("audio/", "llm/", "misc/")

# What symbolic dimensions are bound to.
SHAPES = {"misc/bert_toy_optimized": ["--shape", "batch=1", "--shape", "max_seq_len_in_batch=8"],
          "audio/silero_vad_op18_ifless": ["--shape", "sequence=576"]}


class Failure(Exception):
    """A command failed; its standard error."""


def model_files():
    """Models by name: the path below onnx/ without the suffix, or that of onnx-light."""
    files = {str(path.relative_to(MODELS / "onnx"))[:-5]: path for path in (MODELS / "onnx").glob("*/*.onnx")}
    return dict(sorted(files.items())) | {path.stem: path for path in sorted((MODELS / "onnx-light").glob("*.onnx"))}


def column(hw):
    """Configuration as part of a column's name, in which a dot means something else."""
    return re.sub(r"\W", "_", hw.stem)


def run(command):
    """Standard output, processor seconds and peak megabytes of `command`."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen([str(word) for word in command], stdout=output, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        if process.returncode != 0:
            raise Failure(errors.read().decode(errors="replace").strip())
        return output.read(), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def report_of(module, sim, data):
    """vta-run's report on all layers of `module`, checked, with the run's processor seconds and peak megabytes."""
    report, seconds, megabytes = run([ROOT / "build/bin/vta-run", f"--sim={sim}", module, *data, "--verify", "--json"])
    return json.loads(report), seconds, megabytes


def functional_part(module, data, seconds, megabytes):
    """Figures of a module that took the compiler `seconds` and `megabytes`."""
    report, _, _ = report_of(module, "functional", data)
    totals = report["totals"]
    return {"seconds": seconds, "mb": megabytes, "layers": report["verified_layers"],
            "macs_on_vta": totals["macs_on_vta"] / totals["macs"] if totals["macs"] else 1.0}


def rtl_part(module, data):
    """Figures of a module's run on the RTL."""
    rtl, seconds, megabytes = report_of(module, "rtl", data)
    cycle, _, _ = report_of(module, "cycle", data)
    for ours, theirs in zip(cycle["layers"], rtl["layers"]):
        if ours["cycles"] != theirs["cycles"]:
            raise Failure(f"{ours['name']}: {theirs['cycles']} cycles on the RTL, {ours['cycles']} on the cycle simulator")
    return {"seconds": seconds, "mb": megabytes, "layers": rtl["verified_layers"], "cycles": rtl["totals"]["cycles"]}


def measure(name, model, hw, folder, sim):
    """One model on one configuration: the part of the row."""
    module = folder / "model.vta.so"
    _, seconds, megabytes = run([ROOT / "build/bin/vta-compile", model, "--no-cache", "--hw", hw, "--verify-programs",
                                 "-o", module, *SHAPES.get(name, [])])
    inputs = sorted((MODELS / "ref" / name).glob("input_*.npy"))
    data = ["--input", inputs[0]] if len(inputs) == 1 else []
    return rtl_part(module, data) if sim == "rtl" else functional_part(module, data, seconds, megabytes)


def summary(row):
    """Figures over all configurations of a row."""
    def values(key):
        return [value for name, value in row.items() if name.endswith(key)]
    figures = {"configurations": len(values(".layers")), "slowest": max(values(".seconds")), "largest": max(values(".mb")),
               "checked": sum(values(".layers"))}
    if values(".cycles"):
        figures["cycles"] = sum(values(".cycles"))
    if values(".macs_on_vta"):
        figures["least_on_vta"] = min(values(".macs_on_vta"))
    return figures


def measure_model(name, model, configurations, sim="functional"):
    """The row of one model, and what failed."""
    row, failures = {}, []
    with tempfile.TemporaryDirectory() as folder:
        for hw in configurations:
            try:
                part = measure(name, model, hw, Path(folder), sim)
            except Failure as failure:
                if "unsupported operator" in str(failure) and name.startswith(MAY_BE_REFUSED):
                    return {"refused": str(failure)}, []
                failures.append(f"{name} on {hw.stem}: {failure}")
                continue
            print(f"every_model: {name} on {hw.stem}: {part}", file=sys.stderr, flush=True)
            row |= {f"{column(hw)}.{key}": value for key, value in part.items()}
    return row | (summary(row) if row else {}), failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hw", type=Path, nargs="*", help="configurations; default: all of configs/hw")
    parser.add_argument("--sim", choices=["functional", "rtl"], default="functional", help="simulator; default: functional")
    parser.add_argument("--jobs", type=int, default=1, help="models at once; default: 1")
    parser.add_argument("model", nargs="*", help="a part of a model's name; default: all")
    args = parser.parse_args()
    if not MODELS.is_dir():
        parser.error(f"needs the models in {MODELS}")
    if args.jobs < 1:
        parser.error("--jobs must be at least 1")
    configurations = args.hw or sorted(path for path in (ROOT / "configs/hw").glob("*.yaml") if path.stem != "vta-0.0.2-hls")
    chosen = {name: model for name, model in model_files().items()
              if not args.model or any(part in name for part in args.model)}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        results = pool.map(lambda item: measure_model(*item, configurations, args.sim), chosen.items())
        rows, failures = {}, []
        for name, (row, failed) in zip(chosen, results):
            rows[name] = row
            failures += failed
            for failure in failed:
                print(f"every_model: error: {failure}", file=sys.stderr, flush=True)
    print(json.dumps(rows, indent=2))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
