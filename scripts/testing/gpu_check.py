#!/usr/bin/env python3
"""What to run when a GPU is at hand: at most six minutes, with built programs only.

It lists the GPUs and tests each, compares integer networks with the CPU, looks for wrong accesses and races, times
kernels against the roofline and whole networks, also beside PyTorch, and tunes a network for a minute. All of it is
written as JSON, which scripts/benchmarks turns into tables (docs/gpu-backend.md). What did not fit into the time is
listed, and so is what is not installed.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))

from layer_models import conv_model, matmul_model  # noqa: E402
from residual_networks import residual_network  # noqa: E402

VERSION = 2  # of the result's form
ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT.parent / "shared/models/onnx"
DIGITS = ROOT / "examples/digits/digits.onnx"
# What vendors publish, by a part of the name: 10^9 bytes in a second, and 10^12 sums of products in a second of float32
# outside of tensor cores, and of dense float16 with float32 sums and int8 in them.
PEAKS = {"H200": (4800, 67.0 / 2, 989.5 / 2, 1979 / 2), "H100": (3350, 67.0 / 2, 989.5 / 2, 1979 / 2),
         "A100": (2039, 19.5 / 2, 312 / 2, 624 / 2), "L40S": (864, 91.6 / 2, 362 / 2, 733 / 2),
         "RTX 4090": (1008, 82.6 / 2, 165.2 / 2, 660.6 / 2), "RTX 3090": (936, 35.6 / 2, 71 / 2, 284 / 2),
         "T4": (320, 8.1 / 2, 65 / 2, 130 / 2)}


@dataclass(frozen=True)
class Kind:
    """Of numbers, and how vta-run computes in it."""
    name: str
    options: tuple
    bytes: int


KINDS = (Kind("float32", ("--partition=gpu",), 4), Kind("float16", ("--partition=gpu", "--gpu-precision=float16"), 2),
         Kind("int8", ("--partition=gpu-quantized",), 1))
INTEGER_NETWORKS = ("cifar10/mlperf_resnet8_qdq", "tinyml/mlperf_kws_dscnn_qdq", "imagenet/mobilenet_v1_0.25_128_qdq",
                    "imagenet/mobilenet_v2_1.0_224_ptq_qdq")
FLOAT_NETWORKS = ("cifar10/mlperf_resnet8_f32", "imagenet/mobilenet_v2_1.0_224_ptq_f32dq",
                  "imagenet/resnet18_seeded_f32")
# Rows, depth and columns of products; extent, channels, filters and kernel of convolutions.
MATMULS = ((256, 256, 256), (1024, 1024, 1024), (4096, 4096, 4096), (1, 4096, 4096))
CONVS = ((56, 64, 64, 3), (28, 128, 128, 3), (14, 256, 256, 3), (56, 64, 256, 1))
# Tuned for up to a minute, and the schedules tried for each of its layers.
TUNED_NETWORKS = ("imagenet/resnet18_seeded_f32", "cifar10/mlperf_resnet8_f32")
TUNING_SECONDS, TUNING_TRIALS = 60, 24
# Depth and images at once of the networks that PyTorch runs as well, and the rows of the product.
PEER_NETWORKS, PEER_SIZE = ((18, 1), (50, 1), (50, 64)), 4096
SANITIZERS = ("memcheck", "racecheck")
# A processor that stands for a GPU takes minutes for the others.
MOST_MACS_ON_CPU = 300e6


# Exit codes of programs that hear the signal, and of those that end by it.
INTERRUPTED = (128 + signal.SIGINT, -signal.SIGINT)


def run_up_to(command, seconds, stop_after):
    """What became of `command`, which is interrupted after `stop_after` seconds, and killed after `seconds`."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            try:
                output, errors = process.communicate(timeout=min(stop_after, seconds))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGINT)
                output, errors = process.communicate(timeout=max(1, seconds - stop_after))
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        return subprocess.CompletedProcess(command, process.returncode, output, errors)


class Check:
    """Runs programs until the time is over."""

    def __init__(self, bin_folder, seconds):
        self.bin, self.end = bin_folder, time.monotonic() + seconds
        self.part_end = self.end
        self.left_out, self.failures = [], []

    def begin_part(self, share):
        """What follows may take this share of the time that is left."""
        now = time.monotonic()
        self.part_end = now + share * (self.end - now)

    def seconds_left(self):
        """Of this part."""
        return max(0, self.part_end - time.monotonic())

    def run(self, what, tool, *arguments, stop_after=None):
        """The JSON object that a tool prints; None when it fails or there is no time for it. After `stop_after` seconds the
        tool is interrupted, which is no failure; it prints nothing then."""
        result = self.result_of(what, [self.bin / tool, *arguments], stop_after)
        if result is None:
            return None
        if result.returncode in INTERRUPTED:
            if not stop_after:
                self.left_out.append(what)
            return None
        if result.returncode != 0:
            lines = result.stderr.strip().splitlines() or [f"exit code {result.returncode}"]
            self.failures.append({"what": what, "message": lines[-1]})
        try:
            return json.loads(result.stdout)
        except json.JSONDecodeError:
            return None

    def result_of(self, what, command, stop_after=None):
        """How `command` ended; None if there is no time for it."""
        rest = self.seconds_left()
        if rest >= 1:
            try:
                return run_up_to([str(word) for word in command], rest, stop_after or rest)
            except subprocess.TimeoutExpired:
                pass
        self.left_out.append(what)
        return None


def peaks_of(name, options):
    """10^9 bytes, and {name of a kind: 10^12 sums of products} in a second; what nobody knows is missing."""
    known = next((peaks for part, peaks in PEAKS.items() if part in name), ())
    macs = dict(zip((kind.name for kind in KINDS), known[1:]))
    if options.peak_tmacs:
        macs["float32"] = options.peak_tmacs
    return options.peak_gbytes or next(iter(known), None), macs


def roofline_share(layer, kind, seconds, peaks):
    """The least time that peaks allow, as a share of the time; None without peaks."""
    peak_gbytes, peak_tmacs = peaks
    if not peak_gbytes or kind.name not in peak_tmacs or not seconds:
        return None
    return max(layer.macs / peak_tmacs[kind.name] / 1e12, bytes_of(layer, kind) / peak_gbytes / 1e9) / seconds


def bytes_of(layer, kind):
    """Inputs, weights and results of a layer, each once, in numbers of `kind`."""
    return layer.bytes // 4 * kind.bytes


def gpu_milliseconds(report):
    """What the steps on the GPU take, with the copies between its memory and the host's."""
    return sum(layer["ms"] or 0 for layer in report["layers"] if layer["where"] == "gpu")


def milliseconds_without_copies(report):
    """The same for a comparison with peaks, or with PyTorch, whose tensors stay on the GPU."""
    return gpu_milliseconds(report) - sum(layer["copy_ms"] or 0 for layer in report["layers"] if layer["where"] == "gpu")


def check_networks(check, gpu):
    """Integers of networks against the CPU's."""
    rows = []
    for model in (DIGITS, *(MODELS / f"{name}.onnx" for name in INTEGER_NETWORKS)):
        if not model.exists():
            continue
        report = check.run(f"integers of {model.stem}", "vta-run", model, "--partition=gpu-quantized",
                           f"--host=gpu:{gpu}", "--verify", "--json")
        if report:
            rows.append({"network": model.stem, "verified_layers": report["verified_layers"],
                         "gpu_ms": gpu_milliseconds(report)})
    return rows


def sanitizer():
    """The program of NVIDIA's toolkit that finds wrong accesses; None without it."""
    folders = [os.environ.get("PATH", ""), "/usr/local/cuda/bin", "/usr/local/cuda/compute-sanitizer"]
    return shutil.which("compute-sanitizer", path=os.pathsep.join(folders))


def check_accesses(check, gpu, info):
    """Wrong accesses and races of a small network's kernels, where the GPU's vendor has a program for that."""
    rows = []
    for tool in SANITIZERS if info["interface"] == "cuda" else ():
        program = sanitizer()
        if not program:
            check.left_out.append(f"{tool}: compute-sanitizer is not installed")
            continue
        result = check.result_of(tool, [program, "--tool", tool, "--error-exitcode", "9", check.bin / "vta-run", DIGITS,
                                        "--partition=gpu-quantized", f"--host=gpu:{gpu}"])
        if result is None:
            continue
        rows.append({"tool": tool, "passed": result.returncode == 0})
        if result.returncode:
            check.failures.append({"what": tool, "message": (result.stdout.strip().splitlines() or ["no output"])[-1]})
    return rows


def matmul_name(rows, depth, columns):
    return f"matmul {rows}x{depth}x{columns}"


def conv_name(extent, channels, filters, kernel):
    return f"conv {extent}x{extent}x{channels} to {filters}, {kernel}x{kernel}"


def layer_names():
    return [matmul_name(*shape) for shape in MATMULS] + [conv_name(*shape) for shape in CONVS]


def layers_to_time():
    """(name, layer) of all."""
    layers = [matmul_model(*shape) for shape in MATMULS] + [conv_model(*shape) for shape in CONVS]
    return list(zip(layer_names(), layers))


def peer_kernel(product):
    """The name of the layer that is a product of gpu_peer.py."""
    return matmul_name(*[product["size"]] * 3)


def time_kernels(check, gpu, peaks, is_cpu, folder):
    """Single layers in each kind of numbers: time, rates, and what share of the roofline that is."""
    rows = []
    for kind in KINDS[:1] if is_cpu else KINDS:
        for name, layer in layers_to_time():
            if is_cpu and layer.macs > MOST_MACS_ON_CPU:
                check.left_out.append(f"kernel {name}: a processor stands for the GPU")
                continue
            file = folder / "layer.onnx"
            file.write_bytes(layer.onnx)
            report = check.run(f"kernel {name} in {kind.name}", "vta-run", file, *kind.options, f"--host=gpu:{gpu}", "--json")
            if report:
                rows.append(kernel_row(name, layer, kind, milliseconds_without_copies(report) / 1e3, peaks))
    return rows


def kernel_row(name, layer, kind, seconds, peaks):
    return {"kernel": name, "kind": kind.name, "macs": layer.macs, "bytes": bytes_of(layer, kind), "ms": seconds * 1e3,
            "gmacs_per_second": layer.macs / seconds / 1e9 if seconds else None,
            "gbytes_per_second": bytes_of(layer, kind) / seconds / 1e9 if seconds else None,
            "roofline_share": roofline_share(layer, kind, seconds, peaks)}


def compare_with_peer(check, gpu, cuda_number, python, folder):
    """PyTorch's times on the same GPU beside ours: networks, and the kernels' product of each kind. None without it."""
    what = "comparison with PyTorch"
    networks = [f"{depth}x{batch}" for depth, batch in PEER_NETWORKS]
    result = check.result_of(what, [python, Path(__file__).with_name("gpu_peer.py"), "--gpu", cuda_number, "--size", PEER_SIZE,
                                    "--networks", *networks])
    if result is None:
        return None
    if result.returncode:
        check.left_out.append(f"{what}: {(result.stderr.strip().splitlines() or ['it failed'])[-1]}")
        return None
    peer = json.loads(result.stdout)
    for row, (depth, batch) in zip(peer["networks"], PEER_NETWORKS):
        file = folder / "network.onnx"
        file.write_bytes(residual_network(depth, batch))
        report = check.run(f"ResNet-{depth} of {batch} images", "vta-run", file, "--partition=gpu", "--gpu-precision=float16",
                           f"--host=gpu:{gpu}", "--json")
        row["vta_ms"] = report and milliseconds_without_copies(report)
    return peer


def time_networks(check, gpu):
    rows = []
    for model in (DIGITS, *(MODELS / f"{name}.onnx" for name in FLOAT_NETWORKS)):
        if not model.exists():
            continue
        report = check.run(f"time of {model.stem}", "vta-run", model, "--partition=gpu", f"--host=gpu:{gpu}", "--json")
        if report:
            rows.append({"network": model.stem, "gpu_ms": gpu_milliseconds(report),
                         "cpu_ms": report["totals"]["cpu_ms"], "compile_seconds": report["seconds"]["compile"],
                         "load_seconds": report["seconds"]["load"], "warnings": report["warnings"]})
    return rows


def gpu_ms_with(check, what, model, gpu, tuned):
    report = check.run(what, "vta-run", model, "--partition=gpu", f"--host=gpu:{gpu}", "--tuned", tuned, "--json")
    return report and gpu_milliseconds(report)


def tune_network(check, gpu, folder):
    """The first of the networks that is there: tuned for a minute, and what it takes without and with the schedules."""
    model = next((MODELS / f"{name}.onnx" for name in TUNED_NETWORKS if (MODELS / f"{name}.onnx").exists()), DIGITS)
    database = folder / f"gpu-{gpu}.db"
    what = f"tuning of {model.stem}"
    check.run(what, "vta-tune", model, "--target=gpu", f"--host=gpu:{gpu}", "--db", database, "--trials", TUNING_TRIALS,
              "--json", stop_after=min(TUNING_SECONDS, 0.6 * check.seconds_left()))
    if not database.exists():
        return None
    shown = check.run(what, "vta-tune", "--show", "--db", database, "--json")
    tasks = (shown or {}).get("tasks", [])
    return {"network": model.stem, "tasks": len(tasks), "trials": sum(task["trials"] for task in tasks),
            "failed_trials": sum(task["failed_trials"] for task in tasks),
            "schedules": [{"layer": task["layer"], "best_ns": task.get("best_cycles"), "schedule": task.get("schedule")}
                          for task in tasks],
            "gpu_ms": gpu_ms_with(check, what, model, gpu, "none"),
            "tuned_gpu_ms": gpu_ms_with(check, what, model, gpu, database)}


def check_gpu(check, number, infos, options, folder, share):
    """All parts for a GPU, which may take this share of the time that is left."""
    info = infos[number]
    peaks = peaks_of(info["name"], options)
    result = {"number": number, "info": info, "peak_gbytes_per_second": peaks[0], "peak_tmacs_per_second": peaks[1],
              "peer": None}
    check.begin_part(0.25 * share)
    result["integers"] = check_networks(check, number)
    check.begin_part(0.15 * share)
    result["accesses"] = check_accesses(check, number, info)
    check.begin_part(0.35 * share)
    result["kernels"] = time_kernels(check, number, peaks, info["kind"] == "CPU", folder)
    check.begin_part(0.35 * share)
    result["networks"] = time_networks(check, number)
    if info["interface"] == "cuda":
        check.begin_part(0.5 * share)
        before = sum(other["interface"] == "cuda" for other in infos[:number])
        result["peer"] = compare_with_peer(check, number, before, options.python, folder)
    check.begin_part(share)
    result["tuning"] = tune_network(check, number, folder)
    return result


def peer_lines(gpu):
    """Ours beside PyTorch's."""
    peer = gpu["peer"] or {"networks": [], "products": []}
    lines = [f"  {row['network']} of {row['batch']} images in float16: {row['vta_ms']:.3f} ms, PyTorch {row['ms']:.3f} ms"
             for row in peer["networks"] if row["vta_ms"]]
    return lines + [f"  product of {row['size']} rows in {row['kind']}: PyTorch {row['ms']:.3f} ms" for row in peer["products"]]


def describe(result):
    """What people read."""
    lines = []
    for test in result["self_tests"]:
        lines.append(f"{test['name']} ({test['interface']}): self-test {'passed' if test['passed'] else 'FAILED'}")
        lines += [f"  {step['name']}: {step['detail']}" for step in test.get("steps", []) if step["outcome"] == "failed"]
    for gpu in result["gpus"]:
        lines.append(f"\ngpu:{gpu['number']} {gpu['info']['name']} ({gpu['info']['interface']})")
        lines += [f"  {row['network']}: {row['verified_layers']} layers have the CPU's integers" for row in gpu["integers"]]
        for row in gpu["kernels"]:
            share = "" if row["roofline_share"] is None else f", {100 * row['roofline_share']:.0f} % of the roofline"
            lines.append(f"  {row['kernel']} in {row['kind']}: {row['ms']:.3f} ms, {row['gmacs_per_second'] or 0:.1f} GMAC/s, "
                         f"{row['gbytes_per_second'] or 0:.1f} GB/s{share}")
        lines += [f"  {row['network']}: {row['gpu_ms']:.3f} ms on the GPU, {row['cpu_ms']:.3f} ms on the CPU"
                  for row in gpu["networks"]]
        lines += [f"  {row['tool']}: {'nothing found' if row['passed'] else 'FAILED'}" for row in gpu["accesses"]]
        lines += peer_lines(gpu)
        tuning = gpu["tuning"]
        if tuning:
            times = (f": {tuning['gpu_ms']:.3f} ms untuned, {tuning['tuned_gpu_ms']:.3f} ms tuned"
                     if tuning["gpu_ms"] and tuning["tuned_gpu_ms"] else "")
            lines.append(f"  {tuning['network']}: {tuning['trials']} trials of {tuning['tasks']} layers, "
                         f"{tuning['failed_trials']} failed{times}")
    lines += [f"FAILED {failure['what']}: {failure['message']}" for failure in result["failures"]]
    lines += [f"left out: {what}" for what in result["left_out"]]
    lines.append(f"{result['seconds']:.0f} seconds")
    return "\n".join(lines) + "\n"


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, default=ROOT / "build/bin", metavar="DIR", help="folder of the programs")
    parser.add_argument("--seconds", type=float, default=360, help="what all of it may take (360)")
    parser.add_argument("--gpu", metavar="N", type=int, action="append",
                        help="a GPU by its number in vta-info; may be repeated; default: all that are no processors, or "
                             "all where there are only processors")
    parser.add_argument("--peak-tmacs", type=float, metavar="T",
                        help="10^12 sums of products of float32 in a second, for the roofline; known of some GPUs")
    parser.add_argument("--peak-gbytes", type=float, metavar="G", help="10^9 bytes of memory in a second; known of some")
    parser.add_argument("--python", default=sys.executable, metavar="PROGRAM",
                        help="the Python that has PyTorch; default: the one that runs this")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the results go")
    return parser.parse_args(arguments)


def chosen(infos, numbers):
    if numbers:
        return [number for number in numbers if number < len(infos)]
    proper = [number for number, info in enumerate(infos) if info["kind"] != "CPU"]
    return proper or list(range(len(infos)))


def main(arguments=None):
    options = parse(arguments)
    if not (options.bin / "vta-info").exists():
        print(f"gpu_check: no vta-info in {options.bin}; scripts/build makes it, --bin names another folder",
              file=sys.stderr)
        return 1
    start = time.monotonic()
    check = Check(options.bin, options.seconds)
    infos = (check.run("list of GPUs", "vta-info", "--json") or {}).get("gpus", [])
    result = {"format": "gpu-check", "version": VERSION,
              "self_tests": check.run("self-test", "vta-info", "--test-gpus", "--json") or [], "gpus": []}
    numbers = chosen(infos, options.gpu)
    with tempfile.TemporaryDirectory() as folder:
        for place, number in enumerate(numbers):
            share = 1 / (len(numbers) - place)
            result["gpus"].append(check_gpu(check, number, infos, options, Path(folder), share))
    result |= {"failures": check.failures, "left_out": check.left_out, "seconds": time.monotonic() - start}
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n")
    print(describe(result), end="")
    if not numbers:
        print("gpu_check: there is no GPU; vta-info says what is missing", file=sys.stderr)
    return 1 if check.failures or not numbers else 0


if __name__ == "__main__":
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    sys.exit(main())
