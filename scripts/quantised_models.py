"""Every quantised ONNX model of ../shared/models on accelerators: the arithmetic that the model prescribes, computed on the
host as the file says, against the integers that the accelerator computes.

Prints one JSON object: a row per model and configuration. `argmax_equal` is the share of samples with the same largest
output, `within_2_steps` that of samples none of whose outputs differs by more than two steps of the output's quantisation,
`max_steps` the largest difference of all. Every layer on the accelerator is checked against its reference too (--verify).
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parent))
import model_accuracy  # noqa: E402
from model_accuracy import MODELS, ROOT  # noqa: E402

TOOL = ROOT / "build/bin/vta-run"


def model_names():
    """Quantised models by path below onnx/, without the suffix."""
    return sorted(str(path.relative_to(MODELS / "onnx"))[:-5] for path in (MODELS / "onnx").glob("*/*qdq*.onnx"))


def output_steps(path):
    """Scale of each output's last quantisation; None where it ends in another operator."""
    graph = onnx.load(path).graph
    producers = {name: node for node in graph.node for name in node.output}
    constants = {tensor.name: tensor for tensor in graph.initializer}
    steps = []
    for output in graph.output:
        node = producers[output.name]
        is_rounded = node.op_type == "DequantizeLinear"
        steps.append(float(numpy_helper.to_array(constants[node.input[1]])) if is_rounded else None)
    return steps


def prepare_data(folder, model, preprocess, samples):
    """Writes up to `samples` inputs; the arguments of vta-run that name them."""
    key = next((key for key in model_accuracy._RAW_DATA if key in model), None)
    if key:
        return drop_calibration(model_accuracy.write_raw(folder, key, preprocess, (1, samples)))
    if preprocess is not None:
        return drop_calibration(model_accuracy.write_images(folder, preprocess, (1, samples)))
    return ["--input", MODELS / "ref" / model / "input_0.npy"]


def drop_calibration(arguments):
    """A quantised model brings its scales with it."""
    at = arguments.index("--calibrate")
    return arguments[:at] + arguments[at + 2:]


def run(model, data, output, *arguments):
    command = [TOOL, MODELS / "onnx" / f"{model}.onnx", *data, "--output", output, "--json", *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(f"{model} {' '.join(map(str, arguments))}: {result.stderr.strip()}")
    return json.loads(result.stdout)


def compare(expected, actual, steps):
    """The figures of the module's description, over the .npy files of two folders, and how often each difference occurs."""
    files = sorted(expected.glob("*.npy"))
    agree, differences = 0, []
    for file in files:
        left, right = np.load(file).astype(np.float64), np.load(actual / file.name).astype(np.float64)
        agree += left.argmax() == right.argmax()
        differences.append(np.abs(left - right).max() / (steps or 1))
    differences = np.array(differences)
    row = {"samples": len(files), "argmax_equal": agree / len(files)}
    if steps:
        row |= {"within_2_steps": float((differences < 2.01).mean()), "max_steps": round(float(differences.max()), 2),
                "mean_of_max_steps": round(float(differences.mean()), 3)}
    return row


def measure(model, preprocess, samples, configurations):
    steps = {step for step in output_steps(MODELS / "onnx" / f"{model}.onnx")}
    step = steps.pop() if len(steps) == 1 else None
    rows = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = prepare_data(folder, model, preprocess, samples)
        run(model, data, folder / "expected", "--partition=cpu")
        for hw in configurations:
            report = run(model, data, folder / hw.stem, "--hw", hw, "--verify")
            rows[f"{model} {hw.stem}"] = compare(folder / "expected", folder / hw.stem, step) | {
                "verified_layers": report["verified_layers"],
                "macs_on_vta": report["totals"]["macs_on_vta"] / max(1, report["totals"]["macs"])}
            print(f"quantised_models: {model} {hw.stem}: {rows[f'{model} {hw.stem}']}", file=sys.stderr)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=100, help="samples per model at most (default: %(default)s)")
    parser.add_argument("--hw", type=Path, nargs="*", help="configurations; default: all of configs/hw")
    parser.add_argument("model", nargs="*", help="a part of a model's name; default: all")
    args = parser.parse_args()
    if not MODELS.is_dir():
        parser.error(f"needs the models and data in {MODELS}")
    preprocess = {entry["file"]: entry.get("preprocess") for entry in json.loads((MODELS / "manifest.json").read_text())}
    configurations = args.hw or sorted((ROOT / "configs/hw").glob("*.yaml"))
    rows, failed = {}, False
    for model in model_names():
        if args.model and not any(part in model for part in args.model):
            continue
        try:
            rows |= measure(model, preprocess[f"onnx/{model}.onnx"], args.samples, configurations)
        except RuntimeError as error:
            print(f"quantised_models: error: {error}", file=sys.stderr)
            failed = True
    print(json.dumps(rows, indent=2))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
