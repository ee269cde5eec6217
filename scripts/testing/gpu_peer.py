#!/usr/bin/env python3
"""What PyTorch takes on the same GPU: products, and residual networks in float16, for scripts/testing/gpu_check.py.

Prints one JSON object. PyTorch gets what makes it fast: channels last, the choice of convolutions by measuring
(benchmark mode), no normalisations, and a CUDA graph, so that launches cost nothing.
"""

import argparse
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))

from residual_networks import CLASSES, EXTENT, STEM, Conv, blocks_of  # noqa: E402

WARM_RUNS, TURNS = 3, 5
TURN_SECONDS = 0.05  # at least, so that the clock's steps do not count


def build_network(torch, depth):
    """The network of residual_networks.py as a module with its own weights."""
    nn = torch.nn

    def conv(shape):
        return nn.Conv2d(shape.channels, shape.filters, shape.kernel, shape.stride, shape.pad)

    class Residual(nn.Module):
        def __init__(self, block):
            super().__init__()
            layers = [layer for shape in block.convs for layer in (nn.ReLU(inplace=True), conv(shape))]
            self.convs = nn.Sequential(*layers[1:])
            self.shortcut = conv(block.shortcut) if block.shortcut else nn.Identity()

        def forward(self, x):
            return torch.relu(self.convs(x) + self.shortcut(x))

    blocks = blocks_of(depth)
    return nn.Sequential(conv(Conv(3, STEM, 7, 2)), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1),
                         *(Residual(block) for block in blocks), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(blocks[-1].convs[-1].filters, CLASSES))


def as_graph(torch, work):
    """`work` recorded as a CUDA graph."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(WARM_RUNS):
            work()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    return graph.replay


def milliseconds(torch, work, device):
    """Of one run: the least of several turns, each of enough runs."""
    wait = torch.cuda.synchronize if device == "cuda" else (lambda: None)
    run = as_graph(torch, work) if device == "cuda" else work
    run()
    wait()

    def turn(runs):
        start = time.monotonic()
        for _ in range(runs):
            run()
        wait()
        return time.monotonic() - start

    runs = 1
    while turn(runs) < TURN_SECONDS:
        runs *= 2
    return min(turn(runs) for _ in range(TURNS)) / runs * 1e3


def product_row(torch, kind, size, device):
    """A product of two square matrices of `kind`; None for one that this PyTorch does not have."""
    if kind == "int8":
        product = getattr(torch, "_int_mm", None)
        if product is None:
            return None
        a, b = (torch.randint(-128, 128, (size, size), dtype=torch.int8, device=device) for _ in range(2))
    else:
        product = torch.matmul
        a, b = (torch.randn(size, size, dtype=getattr(torch, kind), device=device) for _ in range(2))
    return {"kind": kind, "size": size, "ms": milliseconds(torch, lambda: product(a, b), device)}


def network_row(torch, depth, batch, device):
    kind = torch.float16 if device == "cuda" else torch.float32  # CPUs do not convolve halves
    network = build_network(torch, depth).eval().to(device=device, dtype=kind, memory_format=torch.channels_last)
    x = torch.randn(batch, 3, EXTENT, EXTENT, dtype=kind, device=device).to(memory_format=torch.channels_last)
    return {"network": f"ResNet-{depth}", "batch": batch, "ms": milliseconds(torch, lambda: network(x), device)}


def measure(torch, options):
    torch.backends.cudnn.benchmark = True
    torch.backends.cuda.matmul.allow_tf32 = False  # float32 has all of its bits here
    if options.device == "cuda":
        torch.cuda.set_device(options.gpu)
    with torch.inference_mode():
        products = [product_row(torch, kind, options.size, options.device) for kind in options.kinds]
        networks = [network_row(torch, *map(int, network.split("x")), options.device) for network in options.networks]
    return {"torch": torch.__version__, "products": [row for row in products if row], "networks": networks}


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--gpu", type=int, default=0, help="the GPU's number as CUDA counts them")
    parser.add_argument("--size", type=int, default=4096, help="rows and columns of the matrices")
    parser.add_argument("--kinds", nargs="*", default=["float32", "float16", "int8"])
    parser.add_argument("--networks", nargs="*", default=["18x1", "50x1", "50x64"], help="depth x images at once")
    return parser.parse_args(arguments)


def main(arguments=None):
    options = parse(arguments)
    try:
        import torch
    except ImportError:
        print("gpu_peer: PyTorch is not installed for this Python", file=sys.stderr)
        return 1
    if options.device == "cuda" and not torch.cuda.is_available():
        print("gpu_peer: this PyTorch finds no GPU", file=sys.stderr)
        return 1
    print(json.dumps(measure(torch, options)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
