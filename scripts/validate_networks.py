"""Every layer of some networks on the Verilated RTL and on the cycle simulator: equal cycles, equal counters.

Prints a table row for each network; exits with 1 when a layer differs. Networks that are not there are left out, by name.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODELS = ROOT.parent / "shared/models/onnx"
NETWORKS = {
    "digits": ROOT / "examples/digits/digits.onnx",
    "kws_dscnn": MODELS / "tinyml/mlperf_kws_dscnn_f32.onnx",
    "mlperf_resnet8": MODELS / "cifar10/mlperf_resnet8_f32.onnx",
    "ResNet-18": MODELS / "imagenet/resnet18_seeded_f32.onnx",
    "SqueezeNet 1.0": MODELS / "imagenet/squeezenet1.0_deepcomp_f32.onnx",
    "MobileNetV2": MODELS / "imagenet/mobilenet_v2_1.0_224_ptq_qdq.onnx",
}
FIGURES = ("cycles", "uops", "dram_read_bytes", "dram_write_bytes", "fetch", "load", "compute", "store")


def layers(vta_run, simulator, model):
    command = [vta_run, f"--sim={simulator}", "--json", str(model)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}: {result.stderr}")
    return [layer for layer in json.loads(result.stdout)["layers"] if layer["where"] == "vta"]


def main(vta_run, chosen):
    print("| network | layers on the VTA | cycles | layers with a difference |\n|---|---|---|---|")
    different = 0
    for name, model in NETWORKS.items():
        if chosen and name not in chosen:
            continue
        if not model.exists():
            print(f"{name}: {model} is not there", file=sys.stderr)
            continue
        pairs = list(zip(layers(vta_run, "rtl", model), layers(vta_run, "cycle", model), strict=True))
        wrong = [a["name"] for a, b in pairs if any(a[figure] != b[figure] for figure in FIGURES)]
        for layer in wrong:
            print(f"{name}: layer '{layer}' differs", file=sys.stderr)
        print(f"| {name} | {len(pairs)} | {sum(a['cycles'] for a, _ in pairs):,} | {len(wrong)} |", flush=True)
        different += len(wrong)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
