"""How long vta-compile takes for large networks, and how much memory, with no machine code in a cache.

The networks are of ../shared/models, or made here: many layers that are alike, and many operators in a row.

Prints one JSON object: a row per model with `processor_seconds`, `seconds` on the clock and `mb`, each the least of RUNS
runs, because others may use the machine, too. Calibration is on one random sample, as without --calibrate.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

import onnx

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / folder) for folder in ("models", "testing")]

import generated_models  # noqa: E402
import modern_networks  # noqa: E402
from every_model import MODELS, ROOT, Failure, run  # noqa: E402

BIN = ROOT / "build/bin"
RUNS = 3
NAMES = ("imagenet/bvlc_googlenet_f32", "imagenet/mobilenet_v2_1.0_224_ptq_f32dq", "light_densenet121", "light_resnet50",
         "light_vgg19")
GENERATED = {"BERT of 24 layers": lambda: generated_models.bert(24),
             "YOLOv8n-like, 640x640": lambda: modern_networks.yolov8(640),
             "10,000 Sin": lambda: generated_models.chain("Sin", 10_000)}


def model_file(name):
    """Where model `name` lies: below onnx/, or in onnx-light."""
    return MODELS / ("onnx" if "/" in name else "onnx-light") / f"{name}.onnx"


def measure(name):
    """The row of one model."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        model = model_file(name)
        if name in GENERATED:
            model = Path(folder) / "model.onnx"
            onnx.save(GENERATED[name](), model)
        for _ in range(RUNS):
            start = time.monotonic()
            _, processor_seconds, mb = run([BIN / "vta-compile", "--no-cache", model, "-o", Path(folder) / "m.vta.so"])
            rows.append({"processor_seconds": processor_seconds, "seconds": time.monotonic() - start, "mb": mb})
    return {key: min(row[key] for row in rows) for key in rows[0]}


def main():
    """Measures all models; returns the exit code."""
    if not (BIN / "vta-compile").exists():
        print(f"compile_times: error: {BIN / 'vta-compile'} is missing: build it with scripts/build", file=sys.stderr)
        return 1
    rows = {}
    for name in (*NAMES, *GENERATED):
        try:
            rows[name] = measure(name)
        except Failure as failure:
            print(f"compile_times: error: {name}: {failure}", file=sys.stderr)
            return 1
    print(json.dumps(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
