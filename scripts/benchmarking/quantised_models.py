"""Every quantised ONNX model of ../shared/models on accelerators, against what the model means in real arithmetic
(scripts/benchmarking/exact_onnx.py).

Prints one JSON object: a row per model, configuration and rescaling, and one for the CPU backend, which computes in
float32 as the file says and as ONNX Runtime does: how far that is off is what float arithmetic leaves open.
`argmax_equal` is the share of samples with the same largest output, `within_2_steps` that of samples none of whose
outputs differs by more than two steps of the output's quantisation, `max_steps` the largest difference of all, `snr_db`
the outputs' signal to noise, `top1` the share of samples whose label comes out.
`recorded_steps` and `recorded_argmax` compare with the output that ONNX Runtime gave for the one input that comes with a
model. Every layer on the accelerator is checked against its reference too (--verify).
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
from exact_onnx import ExactModel  # noqa: E402
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


def prepare_data(folder, model, preprocess, samples, calibration):
    """Writes up to `samples` inputs; the arguments of vta-run that name them, those for their labels, and those that name
    `calibration` other inputs."""
    key = next((key for key in model_accuracy._RAW_DATA if key in model), None)
    if key:
        arguments = model_accuracy.write_raw(folder, key, preprocess, (max(1, calibration), samples))
    elif preprocess is not None:
        arguments = model_accuracy.write_images(folder, model, preprocess, (max(1, calibration), samples))
    else:
        return ["--input", MODELS / "ref" / model / "input_0.npy"], [], []
    pairs = dict(zip(arguments[::2], arguments[1::2], strict=True))

    def chosen(*names):
        return [item for name in names if name in pairs for item in (name, pairs[name])]
    # The model brings its scales with it: calibration says how weights are rounded that have to change.
    return chosen("--input", "--preprocess"), chosen("--labels-csv"), chosen("--calibrate") if calibration else []


def run(model, data, output, *arguments):
    command = [TOOL, model, *data, "--output", output, "--json", *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(f"{model} {' '.join(map(str, arguments))}: {result.stderr.strip()}")
    return json.loads(result.stdout)


def outputs_of(folder):
    """The first output of every sample, by sample."""
    files = sorted(folder.glob("*.npy"))
    names = {file.name.split(".")[-2] for file in files}
    return [np.load(file) for file in files if file.name.split(".")[-2] == min(names)]


def write_identity(path, model):
    """A model that returns the input of `model`: it shows what became of an image."""
    shape = onnx.load(model).graph.input[0]
    output = onnx.helper.make_tensor_value_info("same", onnx.TensorProto.FLOAT, [d.dim_value for d in shape.type.tensor_type.shape.dim])
    graph = onnx.helper.make_graph([onnx.helper.make_node("Identity", [shape.name], ["same"])], "identity", [shape], [output])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8), path)


def fit_weights(model, path):
    """A copy of `model` at `path` whose 8-bit weights are within 127 steps of their zero point, as int8 holds them."""
    proto = onnx.load(model)
    constants = {tensor.name: tensor for tensor in proto.graph.initializer}
    for node in proto.graph.node:
        if node.op_type != "DequantizeLinear" or node.input[0] not in constants or len(node.input) < 3:
            continue
        tensor = constants[node.input[0]]
        weights, zero = numpy_helper.to_array(tensor), numpy_helper.to_array(constants[node.input[2]])
        if weights.dtype == np.uint8 and zero.size == 1:
            fitting = np.clip(weights.astype(int), int(zero) - 127, int(zero) + 127).astype(np.uint8)
            tensor.CopyFrom(numpy_helper.from_array(fitting, tensor.name))
    onnx.save(proto, path)


def exact_outputs(model, data, folder):
    write_identity(folder / "identity.onnx", model)
    run(folder / "identity.onnx", data, folder / "inputs", "--partition=cpu")
    exact = ExactModel(model)
    return [exact.run(x)[0] for x in outputs_of(folder / "inputs")]


def compare(expected, actual, step):
    """The figures of the module's description, over two lists of outputs."""
    agree, differences, signal, noise = 0, [], 0.0, 0.0
    for left, right in zip(expected, actual, strict=True):
        agree += left.argmax() == right.argmax()
        error = right.astype(np.float64) - left
        signal, noise = signal + (left**2).sum(), noise + (error**2).sum()
        differences.append(np.abs(error).max() / (step or 1))
    differences = np.array(differences)
    row = {"samples": len(expected), "argmax_equal": round(float(agree) / len(expected), 4),
           "snr_db": round(float(10 * np.log10(signal / noise)), 1) if noise > 0 else None}
    if step:
        row |= {"within_2_steps": float((differences < 2.01).mean()), "max_steps": round(float(differences.max()), 2),
                "mean_of_max_steps": round(float(differences.mean()), 3)}
    return row


def compare_recorded(model, name, folder, step, *arguments):
    """Against ONNX Runtime's own output."""
    reference = MODELS / "ref" / name
    run(model, ["--input", reference / "input_0.npy"], folder, *arguments)
    row = compare([np.load(reference / "output_0.npy")], outputs_of(folder)[:1], step)
    return {"recorded_argmax": bool(row["argmax_equal"] == 1)} | ({"recorded_steps": row["max_steps"]} if step else {})


def measure(name, preprocess, samples, calibration, configurations, fitting=False, rescalings=("exact",)):
    model = MODELS / "onnx" / f"{name}.onnx"
    step = output_steps(model)[0]
    rows = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        if fitting:
            fit_weights(model, folder / model.name)
            model = folder / model.name
        data, labels, calibrate = prepare_data(folder, name, preprocess, samples, calibration)
        expected = exact_outputs(model, data, folder)
        backends = {f"{name} float32": ["--partition=cpu"]}
        for rescaling in rescalings:
            mark = "fast " if rescaling == "fast" else ""
            accelerated = ["--verify", "--rescaling", rescaling, *calibrate]
            backends |= {f"{mark}{name} {hw.stem}": ["--hw", hw, *accelerated] for hw in configurations}
        for number, (title, arguments) in enumerate(backends.items()):
            report = run(model, [*data, *labels], folder / str(number), *arguments)
            row = compare(expected, outputs_of(folder / str(number)), step)
            if "score" in report.get("batch", {}):
                row["top1"] = report["batch"]["score"]["top1"]
            if not fitting:
                row |= compare_recorded(model, name, folder / f"{number}-recorded", step, *(data[2:] if calibrate else []),
                                        *arguments)
            if "--verify" in arguments:
                row |= {"verified_layers": report["verified_layers"],
                        "macs_on_vta": report["totals"]["macs_on_vta"] / max(1, report["totals"]["macs"])}
            rows[title] = row
            print(f"quantised_models: {title}: {row}", file=sys.stderr)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=100, help="samples per model at most (default: %(default)s)")
    parser.add_argument("--calibrate", type=int, default=0,
                        help="samples to calibrate on, which are not compared (default: %(default)s)")
    parser.add_argument("--hw", type=Path, nargs="*", help="configurations; default: all of configs/hw")
    parser.add_argument("--fit-weights", action="store_true",
                        help="clamp weights that do not fit int8 without their zero point, in a copy: what differs then "
                             "has another cause")
    parser.add_argument("--rescaling", choices=("exact", "fast"), nargs="+", default=["exact"],
                        help="how the accelerators rescale; names of rows begin with fast where they do (default: exact)")
    parser.add_argument("model", nargs="*", help="a part of a model's name; default: all")
    args = parser.parse_args()
    if not MODELS.is_dir():
        parser.error(f"needs the models and data in {MODELS}")
    preprocess = {entry["file"]: entry.get("preprocess") for entry in json.loads((MODELS / "manifest.json").read_text())}
    configurations = args.hw or sorted(path for path in (ROOT / "configs/hw").glob("*.yaml") if path.stem != "vta-0.0.2-hls")
    rows, failed = {}, False
    for model in model_names():
        if args.model and not any(part in model for part in args.model):
            continue
        try:
            rows |= measure(model, preprocess[f"onnx/{model}.onnx"], args.samples, args.calibrate, configurations,
                            args.fit_weights, args.rescaling)
        except RuntimeError as error:
            print(f"quantised_models: error: {error}", file=sys.stderr)
            failed = True
    print(json.dumps(rows, indent=2))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
