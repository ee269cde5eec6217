"""Networks compiled for a GPU, and run on the processor that stands for one: rows for scripts/benchmarks, one JSON object.

A row per network of ../shared/models; ResNet-50 is made here:
  compile_seconds   vta-compile --partition=gpu on the clock, with nothing in its cache; the least of RUNS
  again_seconds     the same command once more
  code_mb           of kernels in all forms together
  gpu_ms            on Mesa's llvmpipe, as vta-run measures its steps; the least of RUNS
  cpu_ms            of `--partition=cpu` on all cores; the least of RUNS
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))

from residual_networks import residual_network  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
BIN = ROOT / "build/bin"
MODELS = ROOT.parent / "shared/models"
DRIVER = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
RUNS = 2
# Where they lie below MODELS, or the depth of a residual network, and how they are computed.
NETWORKS = {"ResNet-18": ("onnx/imagenet/resnet18_seeded_f32.onnx", "gpu"),
            "ResNet-50": (50, "gpu"),
            "SqueezeNet 1.0": ("onnx/imagenet/squeezenet1.0_deepcomp_f32.onnx", "gpu"),
            "MobileNetV2": ("onnx/imagenet/mobilenet_v2_1.0_224_ptq_f32dq.onnx", "gpu"),
            "MobileNetV2 (QDQ, integers)": ("onnx/imagenet/mobilenet_v2_1.0_224_ptq_qdq.onnx", "gpu-quantized")}


def run(*command, **environment):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True,
                          env={**os.environ, **environment}).stdout


def compile_row(model, partition, folder):
    """The least times of compiling, and the size of the code; the module lies in `folder` afterwards."""
    first, again = [], []
    for number in range(RUNS):
        for times in (first, again):
            start = time.monotonic()
            run(BIN / "vta-compile", model, f"--partition={partition}", "-o", folder / "m.vta.so",
                VTA_CACHE_DIR=str(folder / f"cache{number}"))
            times.append(time.monotonic() - start)
    return {"compile_seconds": min(first), "again_seconds": min(again), "code_mb": code_bytes(folder) / 1e6}


def code_bytes(folder):
    """Of the kernels of all programs of the module in `folder`."""
    listing = json.loads(run(BIN / "vta-objdump", folder / "m.vta.so", "--json"))
    size_bytes = 0
    for index, program in enumerate(listing["programs"]):
        if listing["executors"][program["executor"]]["kind"] == "gpu":
            run(BIN / "vta-objdump", folder / "m.vta.so", "--program", index, "--kernels", folder / f"kernels{index}")
            size_bytes += sum(file.stat().st_size for file in (folder / f"kernels{index}").iterdir())
    return size_bytes


def milliseconds(model, machine, *options):
    """What the layers on `machine` take in the fastest run."""
    reports = [json.loads(run(BIN / "vta-run", model, *options, "--json", VK_ICD_FILENAMES=DRIVER)) for _ in range(RUNS)]
    return min(sum(layer["ms"] or 0 for layer in report["layers"] if layer["where"] == machine) for report in reports)


def measure(source, partition):
    """The row of one network."""
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(source, int):
            model = Path(folder) / "model.onnx"
            model.write_bytes(residual_network(source, batch=1))
        else:
            model = MODELS / source
        row = compile_row(model, partition, Path(folder))
        row["gpu_ms"] = milliseconds(Path(folder) / "m.vta.so", "gpu", "--host=gpu:llvmpipe")
        cpu = "cpu-quantized" if partition == "gpu-quantized" else "cpu"
        return row | {"cpu_ms": milliseconds(model, "cpu", f"--partition={cpu}")}


def main():
    print(json.dumps({name: measure(*network) for name, network in NETWORKS.items()}))


if __name__ == "__main__":
    sys.exit(main())
