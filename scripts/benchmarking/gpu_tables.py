"""Tables of what scripts/testing/gpu_check.py has measured on a GPU, as rows for scripts/benchmarks: one JSON object.

Usage: gpu_tables.py kernels | networks

The result lies in gpu_check.json beside this file (`scripts/testing/gpu_check.py --json FILE`). Without it the rows are the
same, and say that nothing was measured.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "testing"))

import gpu_check  # noqa: E402

RESULT = Path(__file__).with_name("gpu_check.json")
NOT_MEASURED = "not measured"


def kernel_rows(gpu):
    """Layers in each kind of numbers; `gpu` is the check's result of one GPU, or None."""
    measured = {(row["kernel"], row["kind"]): row for row in gpu["kernels"]} if gpu else {}
    peer = {(gpu_check.peer_kernel(row), row["kind"]): row["ms"] for row in peer_rows(gpu, "products")}
    rows = {}
    for kind in gpu_check.KINDS:
        for name in gpu_check.layer_names():
            found = measured.get((name, kind.name), {"ms": NOT_MEASURED})
            rows[f"{name}, {kind.name}"] = found | {"gpu": name_of(gpu), "peer_ms": peer.get((name, kind.name))}
    return rows


def network_rows(gpu):
    """The networks that PyTorch runs as well."""
    measured = {(row["network"], row["batch"]): row for row in peer_rows(gpu, "networks")}
    rows = {}
    for depth, batch in gpu_check.PEER_NETWORKS:
        row = {"gpu": name_of(gpu), "ms": NOT_MEASURED}
        found = measured.get((f"ResNet-{depth}", batch))
        if found:
            row["peer_ms"] = found["ms"]
        if found and found["vta_ms"]:
            row |= {"ms": found["vta_ms"], "ratio": found["vta_ms"] / found["ms"]}
        rows[f"ResNet-{depth}, batch {batch}, float16"] = row
    return rows


def peer_rows(gpu, part):
    return gpu["peer"][part] if gpu and gpu["peer"] else []


def name_of(gpu):
    return gpu["info"]["name"] if gpu else None


def first_gpu(file):
    """The first GPU of a check's result; None without a file. Errors: ValueError for one of another version."""
    if not file.exists():
        return None
    result = json.loads(file.read_text())
    if result.get("format") != "gpu-check" or result.get("version") != gpu_check.VERSION:
        raise ValueError(f"{file}: not a result of this version of scripts/testing/gpu_check.py: run that again")
    return next(iter(result["gpus"]), None)


def main(arguments):
    tables = {"kernels": kernel_rows, "networks": network_rows}
    if len(arguments) != 1 or arguments[0] not in tables:
        print(f"gpu_tables: name one of the tables {', '.join(tables)}", file=sys.stderr)
        return 2
    try:
        print(json.dumps(tables[arguments[0]](first_gpu(RESULT))))
    except ValueError as error:
        print(f"gpu_tables: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
