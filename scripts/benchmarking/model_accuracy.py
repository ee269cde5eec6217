"""Accuracy of the models in ../shared/models on the data there: float against quantised, on two accelerators.

Prints one JSON object: a row per model, for the table `accuracy` of scripts/benchmarking/benchmarks.toml. Every layer that runs on
the accelerator is checked against the host's integers at the same time. Samples used for calibration are not scored.
With --methods, the rows are those of the table `calibration`: each way of choosing ranges, on the first accelerator,
without wide activations. With --widths, they are those of the table `narrow_weights`: weights of 8, 4 and 2 bits, with
and without groups of input channels that share a step.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT.parent / "shared/models"
METHODS = ("auto", "minmax", "percentile")
# Bits of a weight and --weight-groups.
WIDTHS = {"8": (8, "none"), "4": (4, "none"), "4 auto": (4, "auto"), "4 by 32": (4, "32"), "2": (2, "none"), "2 by 32": (2, "32")}
CONFIGURATIONS = {"default": "configs/hw/default.yaml", "vta_0_0_2": "configs/hw/vta-0.0.2.yaml"}

# Data files by a part of the model's path: samples (uint8, or float32 as they are), labels, shape of a sample.
_RAW_DATA = {
    "cifar10/": ("cifar10/jpeg1000_nhwc.u8", "cifar10/jpeg1000_labels.u8", (32, 32, 3)),
    "mnist/": ("mnist/mnist2000_nhwc.u8", "mnist/mnist2000_labels.u8", (28, 28, 1)),
    "vww": ("tinyml/vww150_nhwc.u8", "tinyml/vww150_labels.u8", (96, 96, 3)),
    "kws": ("tinyml/kws500_mfcc_plus128.u8", "tinyml/kws500_labels.u8", (49, 10, 1)),
    "autoencoder": ("tinyml/ad40_windows_49x640.f32", None, (640,)),
}
_MODELS = [
    "mnist/mnist-8", "mnist/tinymaix_mnist_resnet_f32", "cifar10/mlperf_resnet8_f32", "cifar10/cifar_resnet20_f32",
    "cifar10/cifar_resnet32_f32", "tinyml/mlperf_vww_mbv1_f32", "tinyml/mlperf_kws_dscnn_f32",
    "tinyml/mlperf_ad_autoencoder_f32", "imagenet/squeezenet1.0_deepcomp_f32", "imagenet/tinymaix_mbv1_0.25_128_f32",
    "imagenet/mobilenet_v1_0.25_128_f32dq", "imagenet/mobilenet_v1_0.5_160_f32dq",
    "imagenet/mobilenet_v2_1.0_224_ptq_f32dq", "imagenet/bvlc_googlenet_f32",
]


def split(count, calibration_count, scored_count):
    """Indices to calibrate on, spread over all, and indices to score, spread over the others."""
    calibration = np.unique(np.linspace(0, count - 1, calibration_count).astype(int))
    rest = np.setdiff1d(np.arange(count), calibration)
    return calibration, rest[np.unique(np.linspace(0, len(rest) - 1, min(scored_count, len(rest))).astype(int))]


def raw_samples(key, preprocess):
    """Inputs [count, 1, C, H, W] (or [count, 1, n]) in float32 and labels, or None where there are none."""
    data, labels, shape = _RAW_DATA[key]
    folder = MODELS / "data"
    labels = None if labels is None else np.fromfile(folder / labels, np.uint8)
    if data.endswith(".f32"):
        return np.fromfile(folder / data, np.float32).reshape(-1, 1, *shape), labels
    pixels = np.fromfile(folder / data, np.uint8).reshape(-1, *shape).astype(np.float32)
    mean, std = (np.array(preprocess[name], np.float32) for name in ("mean", "std"))
    inputs = ((pixels / np.float32(255) - mean) / std).transpose(0, 3, 1, 2)[:, None]
    return np.ascontiguousarray(inputs, np.float32), labels


def write_raw(folder, key, preprocess, limits):
    """One .npy file a sample; the arguments of vta-run that name them."""
    inputs, labels = raw_samples(key, preprocess)
    rows = []
    for name, indices in zip(("calibration", "scored"), split(len(inputs), *limits)):
        (folder / name).mkdir()
        for i in indices:
            np.save(folder / name / f"{i:05}.npy", inputs[i])
            rows += [(f"{i:05}.npy", int(labels[i]))] if labels is not None and name == "scored" else []
    arguments = ["--input", folder / "scored", "--calibrate", folder / "calibration"]
    return arguments + label_arguments(folder, rows)


def first_class(model):
    """The number of ImageNet's first class: models of 1,001 classes begin with none of them."""
    graph = onnx.load(MODELS / "onnx" / f"{model}.onnx", load_external_data=False).graph
    return 1 if graph.output[0].type.tensor_type.shape.dim[-1].dim_value == 1001 else 0


def write_images(folder, model, preprocess, limits):
    """Links to the ImageNet pictures; the arguments of vta-run that name them."""
    first = first_class(model)
    with open(MODELS / "data/imagenet/labels.csv", newline="") as file:
        labelled = [(name, int(label) + first) for name, label in csv.reader(file)]
    calibration, scored = split(len(labelled), *limits)
    for name, indices in (("calibration", calibration), ("scored", scored)):
        (folder / name).mkdir()
        for i in indices:
            (folder / name / labelled[i][0]).symlink_to(MODELS / "data/imagenet" / labelled[i][0])
    size = preprocess["size"]
    (folder / "preprocess.yaml").write_text(
        f"color: {preprocess['color']}\nsize: [{size}, {size}]\nresize: center_crop\ncrop_fraction: 0.875\nscale: {1 / 255!r}\n"
        f"mean: {preprocess['mean']}\nstd: {preprocess['std']}\n")
    return ["--input", folder / "scored", "--calibrate", folder / "calibration", "--preprocess",
            folder / "preprocess.yaml", *label_arguments(folder, [labelled[i] for i in scored])]


def label_arguments(folder, rows):
    if not rows:
        return []
    with open(folder / "labels.csv", "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    return ["--labels-csv", folder / "labels.csv"]


def write_data(folder, model, preprocess, limits):
    """Data for a model; the arguments of vta-run that name them."""
    key = next((key for key in _RAW_DATA if key in model), None)
    return write_raw(folder, key, preprocess, limits) if key else write_images(folder, model, preprocess, limits)


def run(model, hw, *arguments):
    """What vta-run reports."""
    command = [ROOT / "build/bin/vta-run", "--sim=functional", MODELS / "onnx" / f"{model}.onnx", "--hw", ROOT / hw,
               *arguments, "--compare-float", "--json"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(f"{model} on {hw}: {result.stderr.strip()}")
    return json.loads(result.stdout)


def measure(model, preprocess, limits):
    """The row of one model: what vta-run reports on each configuration."""
    row = {}
    with tempfile.TemporaryDirectory() as name:
        data = write_data(Path(name), model, preprocess, limits)
        for title, hw in CONFIGURATIONS.items():
            report = run(model, hw, *data, "--verify")
            batch = report["batch"]
            row |= {"samples": batch["samples"], f"{title}.verified_layers": report["verified_layers"],
                    f"{title}.macs_on_vta": report["totals"]["macs_on_vta"] / report["totals"]["macs"]}
            if "score" in batch:
                row |= {"float": batch["float_score"]["top1"], f"{title}.top1": batch["score"]["top1"],
                        f"{title}.agreement": batch["float_agreement"]}
    return row


def compare_methods(model, preprocess, limits):
    """The row of one model with classes: how often each method of calibration keeps the class of the float model."""
    with tempfile.TemporaryDirectory() as name:
        data = write_data(Path(name), model, preprocess, limits)
        row = {}
        for method in METHODS:
            batch = run(model, CONFIGURATIONS["default"], *data, "--calibration-method", method,
                        "--wide-activations=none")["batch"]
            row |= {"samples": batch["samples"], f"{method}.top1": batch["score"]["top1"],
                    f"{method}.agreement": batch["float_agreement"]}
        return row


def compare_widths(model, preprocess, limits):
    """The row of one model with classes: how often its class is right with weights of so many bits."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = write_data(folder, model, preprocess, limits)
        row = {}
        for title, (width_bits, groups) in WIDTHS.items():
            hw = folder / f"weights-of-{width_bits}.yaml"
            hw.write_text(f"name: weights-of-{width_bits}\noperands: {{wgt_width_bits: {width_bits}}}\n"
                          "isa: {extensions: [qmul, clip, pad_min]}\n")
            batch = run(model, hw, *data, "--weight-groups", groups, "--wide-activations=none",
                        "--partition=cpu-quantized")["batch"]
            row |= {"samples": batch["samples"], "float": batch["float_score"]["top1"], title: batch["score"]["top1"]}
        return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calibrate", type=int, default=32, help="samples to calibrate on (default: %(default)s)")
    parser.add_argument("--samples", type=int, default=1000, help="samples to score at most (default: %(default)s)")
    parser.add_argument("--methods", action="store_true", help="compare methods of calibration")
    parser.add_argument("--widths", action="store_true", help="compare weights of 8, 4 and 2 bits")
    parser.add_argument("model", nargs="*", help="a part of a model's name; default: all of those that must run")
    args = parser.parse_args()
    if not MODELS.is_dir():
        parser.error(f"needs the models and data in {MODELS}")
    preprocess = {entry["file"]: entry.get("preprocess") for entry in json.loads((MODELS / "manifest.json").read_text())}
    rows, failed = {}, False
    row_of = compare_methods if args.methods else compare_widths if args.widths else measure
    for model in _MODELS:
        if args.model and not any(part in model for part in args.model):
            continue
        if row_of != measure and "autoencoder" in model:  # it has no classes
            continue
        print(f"model_accuracy: {model}", file=sys.stderr)
        try:
            rows[model] = row_of(model, preprocess[f"onnx/{model}.onnx"], (args.calibrate, args.samples))
        except RuntimeError as error:
            print(f"model_accuracy: error: {error}", file=sys.stderr)
            failed = True
    print(json.dumps(rows, indent=2))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
