"""Networks on this machine's CPU beside ONNX Runtime: processor time of an inference on one thread (scripts/compare_cpu)."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnx

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
MODELS = ROOT.parent / "shared/models/onnx"
PACKAGE = "onnxruntime-node@1.30.0"
FOLDER = BUILD / "onnxruntime"
NAMES = ("imagenet/resnet18_seeded_f32", "imagenet/mobilenet_v2_1.0_224_ptq_f32dq", "imagenet/squeezenet1.0_deepcomp_f32",
         "imagenet/bvlc_googlenet_f32", "imagenet/mobilenet_v1_0.5_160_f32dq", "vision-other/ultraface-rfb-320",
         "cifar10/mlperf_resnet8_f32", "tinyml/mlperf_kws_dscnn_f32", "tinyml/mlperf_vww_mbv1_f32",
         "imagenet/mobilenet_v2_1.0_224_ptq_qdq", "imagenet/mobilenet_v1_0.5_160_qdq", "cifar10/mlperf_resnet8_qdq",
         "tinyml/mlperf_kws_dscnn_qdq", "tinyml/mlperf_vww_mbv1_qdq")
WARM_UP = 3
TURN_SECONDS = 0.05


class Failure(Exception):
    """A program failed; the message says which."""


def run(*command):
    """Runs a command whose output nobody wants unless it fails."""
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise Failure(f"{command[0]}: exit code {result.returncode}\n{result.stdout}{result.stderr}")


def install():
    """ONNX Runtime for node; its folder."""
    package = FOLDER / "node_modules/onnxruntime-node"
    installed = package / "package.json"
    version = PACKAGE.split("@")[1]
    if installed.exists() and json.loads(installed.read_text())["version"] == version:
        return package
    if shutil.which("npm") is None:
        raise Failure("npm is missing: it installs ONNX Runtime (Debian package npm)")
    FOLDER.mkdir(parents=True, exist_ok=True)
    run("npm", "install", "--prefix", FOLDER, "--ignore-scripts", "--no-audit", "--no-fund", PACKAGE)
    return package


def describe(model):
    """The inputs of an ONNX file as dictionaries of name, type and shape, and whether it has quantisers."""
    graph = onnx.load(model, load_external_data=False).graph
    constants = {tensor.name for tensor in graph.initializer}
    inputs = []
    for value in graph.input:
        if value.name in constants:
            continue
        tensor = value.type.tensor_type
        shape = [dim.dim_value or 1 for dim in tensor.shape.dim]
        dtype = onnx.mapping.TENSOR_TYPE_TO_NP_TYPE[tensor.elem_type]
        inputs.append({"name": value.name, "type": str(dtype), "shape": shape, "symbols": [
            dim.dim_param for dim in tensor.shape.dim if dim.dim_param]})
    return inputs, any(node.op_type == "QuantizeLinear" for node in graph.node)


class Ours:
    """A model as a module, in this process."""

    def __init__(self, model, inputs, partition, tuned, folder):
        import vta

        module = folder / "model.vta.so"
        symbols = {symbol for tensor in inputs for symbol in tensor["symbols"]}
        run(BUILD / "bin/vta-compile", model, "-o", module, "--partition", partition,
            *(word for symbol in sorted(symbols) for word in ("--shape", f"{symbol}=1")),
            "--tuned", tuned or "none")
        self.session = vta.Module(str(module)).session(device=None, num_threads=1)
        arrays = {tensor["name"]: self.values(tensor) for tensor in inputs}
        self.session.run(arrays)
        self.run = super(type(self.session), self.session).run

    @staticmethod
    def values(tensor):
        """The same numbers that ONNX Runtime gets."""
        count = int(np.prod(tensor["shape"]))
        numbers = np.arange(count) % (7 if tensor["type"] == "int64" else 17)
        numbers = numbers if tensor["type"] == "int64" else numbers / 17
        return numbers.astype(tensor["type"]).reshape(tensor["shape"])

    def take(self, count):
        """Processor seconds of `count` inferences."""
        start = time.process_time()
        for _ in range(count):
            self.run()
        return time.process_time() - start


class Theirs:
    """The same model with ONNX Runtime, in a process of its own."""

    def __init__(self, package, model, inputs):
        self.process = subprocess.Popen(["node", str(ROOT / "scripts/benchmarking/onnxruntime_worker.js"), str(package), str(model),
                                         json.dumps(inputs)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def take(self, count):
        """Processor seconds of `count` inferences."""
        try:
            print(count, file=self.process.stdin, flush=True)
        except BrokenPipeError:
            pass
        line = self.process.stdout.readline()
        if not line:
            raise Failure(f"node ended with exit code {self.process.wait()}; output above")
        return int(line) * 1e-6

    def close(self):
        """Ends the process."""
        self.process.stdin.close()
        self.process.wait()


def compare(model, package, rounds, tuned):
    """The row of one model, in milliseconds."""
    inputs, is_quantised = describe(model)
    with tempfile.TemporaryDirectory() as folder:
        ours = Ours(model, inputs, "cpu-quantized" if is_quantised else "cpu", tuned, Path(folder))
        theirs = Theirs(package, model, inputs)
        try:
            sides = {"ours": ours, "theirs": theirs}
            counts = {}
            for name, side in sides.items():
                side.take(WARM_UP)
                counts[name] = max(1, round(TURN_SECONDS / max(side.take(1), 1e-6)))
            least = {name: min(side_times) for name, side_times in by_turns(sides, counts, rounds).items()}
        finally:
            theirs.close()
    return {"type": "int8" if is_quantised else "float", "ms": 1e3 * least["ours"], "peer_ms": 1e3 * least["theirs"]}


def by_turns(sides, counts, rounds):
    """Seconds of an inference in each round, by side."""
    times = {name: [] for name in sides}
    for _ in range(rounds):
        for name, side in sides.items():
            times[name].append(side.take(counts[name]) / counts[name])
    return times


def processor():
    """The name of this machine's processor."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown processor"


def print_row(name, row):
    print(f"{name:48} {row['type']:6} {row['ms']:9.3f} {row['peer_ms']:9.3f} {row['ms'] / row['peer_ms']:7.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(prog="compare_cpu", description=__doc__)
    parser.add_argument("models", nargs="*", metavar="MODEL", type=Path)
    parser.add_argument("--rounds", type=int, default=7, help="turns of each program, of which the quickest counts")
    parser.add_argument("--tuned", metavar="DB", help="schedules that vta-tune --target=cpu has found")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error("--rounds takes a number from 1 on")
    models = {path.stem: path for path in arguments.models} or {
        name.split("/")[1]: MODELS / f"{name}.onnx" for name in NAMES}
    sys.path.insert(0, str(BUILD / "python"))
    rows = {}
    try:
        package = install()
        if not arguments.json:
            print(f"{processor()}, one thread, processor time\n{'model':48} {'type':6} {'ms':>9} {'ORT ms':>9} {'ratio':>7}")
        for name, model in models.items():
            if not model.exists():
                raise Failure(f"{os.path.relpath(model)} is not here")
            rows[name] = compare(model, package, arguments.rounds, arguments.tuned)
            if not arguments.json:
                print_row(name, rows[name])
    except Failure as failure:
        print(f"compare_cpu: error: {failure}", file=sys.stderr)
        return 1
    if arguments.json:
        print(json.dumps(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
