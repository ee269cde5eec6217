#!/usr/bin/env python3
"""What to run when a GPU is at hand: at most six minutes, with built programs only.

It lists the GPUs and tests each, compares integer networks with the CPU, times kernels against the roofline and whole
networks, tunes a network for a minute, and writes all of it as JSON. What did not fit into the time is listed. docs/gpu-backend.md has an example.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))

from layer_models import conv_model, matmul_model  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT.parent / "shared/models/onnx"
DIGITS = ROOT / "examples/digits/digits.onnx"
# What vendors publish, by a part of the name: 10^12 sums of products of float32 in a second, and 10^9 bytes.
PEAKS = {"H200": (67.0 / 2, 4800), "H100": (67.0 / 2, 3350), "A100": (19.5 / 2, 2039), "L40S": (91.6 / 2, 864),
         "RTX 4090": (82.6 / 2, 1008), "RTX 3090": (35.6 / 2, 936), "T4": (8.1 / 2, 320)}
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
        rest = self.seconds_left()
        if rest < 1:
            self.left_out.append(what)
            return None
        command = [str(self.bin / tool), *map(str, arguments)]
        try:
            result = run_up_to(command, rest, stop_after or rest)
        except subprocess.TimeoutExpired:
            self.left_out.append(what)
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


def peaks_of(name, options):
    """Sums of products and bytes in a second; None where nobody knows."""
    known = next((peaks for part, peaks in PEAKS.items() if part in name), (None, None))
    macs = options.peak_tmacs or known[0]
    gbytes = options.peak_gbytes or known[1]
    return macs and macs * 1e12, gbytes and gbytes * 1e9


def roofline_share(macs, size_bytes, seconds, peaks):
    """The least time that peaks allow, as a share of the time; None without peaks."""
    if not all(peaks) or not seconds:
        return None
    return max(macs / peaks[0], size_bytes / peaks[1]) / seconds


def gpu_milliseconds(report):
    return sum(layer["ms"] or 0 for layer in report["layers"] if layer["where"] == "gpu")


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


def time_kernels(check, gpu, peaks, is_cpu, folder):
    """Single layers of float32: time, rates, and what share of the roofline that is."""
    rows = []
    layers = [("matmul " + "x".join(map(str, shape)), matmul_model(*shape)) for shape in MATMULS]
    layers += [("conv {0}x{0}x{1} to {2}, {3}x{3}".format(*shape), conv_model(*shape)) for shape in CONVS]
    for name, layer in layers:
        if is_cpu and layer.macs > MOST_MACS_ON_CPU:
            check.left_out.append(f"kernel {name}: a processor stands for the GPU")
            continue
        file = folder / "layer.onnx"
        file.write_bytes(layer.onnx)
        report = check.run(f"kernel {name}", "vta-run", file, "--partition=gpu", f"--host=gpu:{gpu}", "--json")
        if not report:
            continue
        seconds = gpu_milliseconds(report) / 1e3
        rows.append({"kernel": name, "macs": layer.macs, "bytes": layer.bytes, "ms": seconds * 1e3,
                     "gmacs_per_second": layer.macs / seconds / 1e9 if seconds else None,
                     "gbytes_per_second": layer.bytes / seconds / 1e9 if seconds else None,
                     "roofline_share": roofline_share(layer.macs, layer.bytes, seconds, peaks)})
    return rows


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


def check_gpu(check, number, info, options, folder, share):
    """All parts for a GPU, which may take this share of the time that is left."""
    peaks = peaks_of(info["name"], options)
    result = {"number": number, "info": info, "peak_macs_per_second": peaks[0], "peak_bytes_per_second": peaks[1]}
    check.begin_part(0.35 * share)
    result["integers"] = check_networks(check, number)
    check.begin_part(0.4 * share)
    result["kernels"] = time_kernels(check, number, peaks, info["kind"] == "CPU", folder)
    check.begin_part(0.4 * share)
    result["networks"] = time_networks(check, number)
    check.begin_part(share)
    result["tuning"] = tune_network(check, number, folder)
    return result


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
            lines.append(f"  {row['kernel']}: {row['ms']:.3f} ms, {row['gmacs_per_second'] or 0:.1f} GMAC/s, "
                         f"{row['gbytes_per_second'] or 0:.1f} GB/s{share}")
        lines += [f"  {row['network']}: {row['gpu_ms']:.3f} ms on the GPU, {row['cpu_ms']:.3f} ms on the CPU"
                  for row in gpu["networks"]]
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
    result = {"format": "gpu-check", "version": 1,
              "self_tests": check.run("self-test", "vta-info", "--test-gpus", "--json") or [], "gpus": []}
    numbers = chosen(infos, options.gpu)
    with tempfile.TemporaryDirectory() as folder:
        for place, number in enumerate(numbers):
            share = 1 / (len(numbers) - place)
            result["gpus"].append(check_gpu(check, number, infos[number], options, Path(folder), share))
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
