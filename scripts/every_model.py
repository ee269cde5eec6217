"""Every network of ../shared/models on every accelerator of configs/hw: compiled, run on the functional simulator, each of
its layers there checked bit for bit against the host.

Prints one JSON object: a row per model. Of each configuration, `CONFIGURATION.seconds` is the processor time of the compiler
with calibration on one random sample, `.mb` its peak memory, `.layers` how many layers were checked, `.macs_on_vta` the share
of multiply-accumulates on the accelerator. `slowest`, `largest`, `least_on_vta` and `checked` are over all `configurations`.
A model that the importer refuses has `refused` instead, what it said. Exits with 1 when a model fails in any other way.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODELS = ROOT.parent / "shared/models"
# Where a model may be refused, with the names of all operators that are missing.
MAY_BE_REFUSED = ("audio/", "llm/", "misc/")

# What symbolic dimensions are bound to.
SHAPES = {"misc/bert_toy_optimized": ["--shape", "batch=1", "--shape", "max_seq_len_in_batch=8"]}


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


def measure(name, model, hw, folder):
    """One model on one configuration: the part of the row."""
    module = folder / "model.vta.so"
    _, seconds, megabytes = run([ROOT / "build/bin/vta-compile", model, "--hw", hw, "--verify-programs", "-o", module,
                                 *SHAPES.get(name, [])])
    inputs = sorted((MODELS / "ref" / name).glob("input_*.npy"))
    data = ["--input", inputs[0]] if len(inputs) == 1 else []
    report, _, _ = run([ROOT / "build/bin/vta-run", "--sim=functional", module, *data, "--verify", "--json"])
    report = json.loads(report)
    totals = report["totals"]
    return {"seconds": seconds, "mb": megabytes, "layers": report["verified_layers"],
            "macs_on_vta": totals["macs_on_vta"] / totals["macs"] if totals["macs"] else 1.0}


def summary(row):
    """Figures over all configurations of a row."""
    def values(key):
        return [value for name, value in row.items() if name.endswith(key)]
    return {"configurations": len(values(".layers")), "slowest": max(values(".seconds")), "largest": max(values(".mb")), "checked": sum(values(".layers")),
            "least_on_vta": min(values(".macs_on_vta"))}


def measure_model(name, model, configurations):
    """The row of one model, and what failed."""
    row, failures = {}, []
    with tempfile.TemporaryDirectory() as folder:
        for hw in configurations:
            try:
                part = measure(name, model, hw, Path(folder))
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
    parser.add_argument("model", nargs="*", help="a part of a model's name; default: all")
    args = parser.parse_args()
    if not MODELS.is_dir():
        parser.error(f"needs the models in {MODELS}")
    configurations = args.hw or sorted((ROOT / "configs/hw").glob("*.yaml"))
    rows, failures = {}, []
    for name, model in model_files().items():
        if args.model and not any(part in name for part in args.model):
            continue
        rows[name], failed = measure_model(name, model, configurations)
        failures += failed
        for failure in failed:
            print(f"every_model: error: {failure}", file=sys.stderr, flush=True)
    print(json.dumps(rows, indent=2))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
