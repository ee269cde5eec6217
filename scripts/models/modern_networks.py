#!/usr/bin/env python3
"""Networks with modern activations: how often data leaves the accelerator, as rows for scripts/benchmarks.

Prints one JSON object. Each network is a small one of its kind with seeded weights: the published architecture, with
the inputs of a small picture. `modern_networks.py --write FOLDER` writes them as ONNX files instead.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from network_builder import Network as Builder

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLES = "name: tables\nisa: {extensions: [qmul, clip, pad_min, requant, lut]}\n"


class Network(Builder):
    """With one activation function behind all convolutions."""

    gain, bias_deviation = 3, 0.3

    def __init__(self, seed, activation):
        super().__init__(seed)
        self.activation = getattr(self, activation)

    def block(self, *arguments, **options):
        """A convolution and the network's activation."""
        return self.activation(self.conv(*arguments, **options))

    def split(self, x, channels):
        halves = self.constant(np.array([channels // 2] * 2, np.int64))
        return self.op("Split", x, halves, outputs=2, axis=1)

    def join(self, *parts):
        return self.op("Concat", *parts, axis=1)

    def model(self, size, outputs):
        ports = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, size, size])]
        results = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
        weights = [numpy_helper.from_array(value, name) for name, value in self.constants]
        graph = helper.make_graph(self.nodes, "g", ports, results, initializer=weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
        return onnx.shape_inference.infer_shapes(model)


class Detector(Network):
    """What YOLOv5 and YOLOv8 have in common: a backbone of blocks, spatial pooling, and features joined both ways."""

    def bottleneck(self, x, channels, has_sum):
        y = self.block(self.block(x, channels, channels, 3), channels, channels, 3)
        return self.op("Add", x, y) if has_sum else y

    def spatial_pooling(self, x, channels):
        half = channels // 2
        pools = [self.block(x, channels, half)]
        for _ in range(3):
            pools.append(self.op("MaxPool", pools[-1], kernel_shape=[5, 5], strides=[1, 1], pads=[2] * 4))
        return self.block(self.join(*pools), 2 * channels, channels)

    def backbone(self, stem, stage):
        """Features with 64, 128 and 256 channels."""
        x = stage(self.block(stem, 16, 32, 3, 2), 32, 32, 1)
        small = stage(self.block(x, 32, 64, 3, 2), 64, 64, 2)
        middle = stage(self.block(small, 64, 128, 3, 2), 128, 128, 2)
        large = stage(self.block(middle, 128, 256, 3, 2), 256, 256, 1)
        return small, middle, self.spatial_pooling(large, 256)


def yolov5(size):
    net = Detector(5, "silu")

    def stage(x, channels, filters, count, has_sum=True):
        half = filters // 2
        left, right = net.block(x, channels, half), net.block(x, channels, half)
        for _ in range(count):
            left = net.bottleneck(left, half, has_sum)
        return net.block(net.join(left, right), filters, filters)

    small, middle, large = net.backbone(net.block("x", 3, 16, 3, 2), stage)
    large = net.block(large, 256, 128)
    middle = stage(net.join(net.upsample(large), middle), 256, 128, 1, False)
    middle = net.block(middle, 128, 64)
    small = stage(net.join(net.upsample(middle), small), 128, 64, 1, False)
    middle = stage(net.join(net.block(small, 64, 64, 3, 2), middle), 128, 128, 1, False)
    large = stage(net.join(net.block(middle, 128, 128, 3, 2), large), 256, 256, 1, False)
    return net.model(size, [net.conv(x, c, 255) for x, c in ((small, 64), (middle, 128), (large, 256))])


def yolov8(size):
    net = Detector(8, "silu")

    def stage(x, channels, filters, count, has_sum=True):
        half = filters // 2
        parts = net.split(net.block(x, channels, filters), filters)
        for _ in range(count):
            parts.append(net.bottleneck(parts[-1], half, has_sum))
        return net.block(net.join(*parts), half * len(parts), filters)

    small, middle, large = net.backbone(net.block("x", 3, 16, 3, 2), stage)
    middle = stage(net.join(net.upsample(large), middle), 384, 128, 1, False)
    small = stage(net.join(net.upsample(middle), small), 192, 64, 1, False)
    middle = stage(net.join(net.block(small, 64, 64, 3, 2), middle), 192, 128, 1, False)
    large = stage(net.join(net.block(middle, 128, 128, 3, 2), large), 384, 256, 1, False)
    outputs = []
    for x, channels in ((small, 64), (middle, 128), (large, 256)):
        for inner, filters in ((64, 64), (80, 80)):
            y = net.block(net.block(x, channels, inner, 3), inner, inner, 3)
            outputs.append(net.conv(y, inner, filters))
    return net.model(size, outputs)


class SeparableDetector(Detector):
    """YOLOX-Nano's blocks: depthwise convolutions, and weights whose channels differ as those of trained networks do."""

    def conv(self, x, channels, filters, kernel=1, stride=1, group=1, mean=None):
        x = super().conv(x, channels, filters, kernel, stride, group)
        (weight_name, weight), (bias_name, bias) = self.constants[-2:]
        if mean is not None:  # a head
            self.constants[-1] = (bias_name, (bias + mean).astype(np.float32))
            return x
        gain = np.exp(self.random.randn(filters) * 0.7)
        gain = (gain / np.sqrt(np.mean(gain**2))).astype(np.float32)
        shift = (0.5 * gain * np.abs(self.random.randn(filters))).astype(np.float32)
        self.constants[-2:] = [(weight_name, weight * gain[:, None, None, None]), (bias_name, bias * gain - shift)]
        return x

    def separable(self, x, channels, filters, stride=1):
        return self.block(self.block(x, channels, channels, 3, stride, channels), channels, filters)

    def head(self, x, channels, classes, size):
        """Coordinates of boxes, and the probabilities of an object and of its class, joined."""
        y = self.block(x, channels, 64)
        classed = self.separable(self.separable(y, 64, 64), 64, 64)
        placed = self.separable(self.separable(y, 64, 64), 64, 64)
        boxes = self.conv(placed, 64, 4, mean=0)
        found = self.op("Sigmoid", self.conv(placed, 64, 1, mean=-4.6))
        kinds = self.op("Sigmoid", self.conv(classed, 64, classes, mean=-3))
        return self.op("Reshape", self.join(boxes, found, kinds), self.shape(1, 5 + classes, size * size))


def yolox(size, classes=20):
    net = SeparableDetector(9, "silu")

    def stage(x, channels, filters, count, has_sum=True):
        half = filters // 2
        left, right = net.block(x, channels, half), net.block(x, channels, half)
        for _ in range(count):
            y = net.separable(net.block(left, half, half), half, half)
            left = net.op("Add", left, y) if has_sum else y
        return net.block(net.join(left, right), filters, filters)

    x = stage(net.separable(net.block("x", 3, 16, 3, 2), 16, 32, 2), 32, 32, 1)
    small = stage(net.separable(x, 32, 64, 2), 64, 64, 2)
    middle = stage(net.separable(small, 64, 128, 2), 128, 128, 1)
    large = net.block(middle, 128, 64)
    small = stage(net.join(net.upsample(large), small), 128, 64, 1, False)
    heads = [net.head(small, 64, classes, size // 8), net.head(middle, 128, classes, size // 16)]
    joined = net.op("Concat", *heads, axis=2)
    return net.model(size, [net.op("Transpose", joined, perm=[0, 2, 1])])


def efficientnet(size):
    """B0's blocks: expansion, depthwise convolution, squeeze-and-excitation, projection; one of each kind."""
    net = Network(3, "silu")

    def block(x, channels, filters, kernel, stride, expansion):
        inner = channels * expansion
        y = net.block(x, channels, inner) if expansion > 1 else x
        y = net.block(y, inner, inner, kernel, stride, inner)
        squeezed = net.block(net.op("GlobalAveragePool", y), inner, max(channels // 4, 4))
        gate = net.op("Sigmoid", net.conv(squeezed, max(channels // 4, 4), inner))
        y = net.conv(net.op("Mul", y, gate), inner, filters)
        return net.op("Add", x, y) if channels == filters and stride == 1 else y

    x = net.block("x", 3, 32, 3, 2)
    channels = 32
    for filters, kernel, stride, expansion, count in ((16, 3, 1, 1, 1), (24, 3, 2, 6, 2), (40, 5, 2, 6, 2),
                                                      (80, 3, 2, 6, 2), (112, 5, 1, 6, 1), (192, 5, 2, 6, 1)):
        for i in range(count):
            x = block(x, channels, filters, kernel, stride if i == 0 else 1, expansion)
            channels = filters
    x = net.op("GlobalAveragePool", net.block(x, channels, 640))
    return net.model(size, [net.conv(x, 640, 100)])


def convnext(size):
    """Blocks of ConvNeXt with GELU, with the normalisations folded into the convolutions."""
    net = Network(4, "gelu")
    x, channels = net.conv("x", 3, 32, 3, 2), 32
    for filters in (32, 64, 128):
        if filters != channels:
            x, channels = net.conv(x, channels, filters, 3, 2), filters
        for _ in range(2):
            y = net.block(net.conv(x, channels, channels, 7, 1, channels), channels, 4 * channels)
            x = net.op("Add", x, net.conv(y, 4 * channels, channels))
    x = net.op("GlobalAveragePool", x)
    return net.model(size, [net.conv(x, channels, 100)])


NETWORKS = {"EfficientNet-B0-like, 96x96": (efficientnet, 96), "ConvNeXt-like, 64x64": (convnext, 64),
            "YOLOv5n-like, 160x160": (yolov5, 160), "YOLOv8n-like, 160x160": (yolov8, 160)}


def measure(model, hw, *options):
    """Crossings and the accelerator's cycles of a run, all of whose layers are verified."""
    command = [ROOT / "build/bin/vta-run", model, "--hw", hw, "--sim=cycle", "--schedules=estimated", "--verify", "--json", *options]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"modern_networks.py: {' '.join(map(str, command))} fails:\n{result.stderr}")
    totals = json.loads(result.stdout)["totals"]
    return {"crossings": totals["crossings"], "cycles": totals["cycles"]}


def rows():
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        tables = pathlib.Path(folder) / "tables.yaml"
        tables.write_text(TABLES)
        for name, (make, size) in NETWORKS.items():
            model = pathlib.Path(folder) / "model.onnx"
            onnx.save(make(size), model)
            columns = {"host": ("default", "--activations=host"), "default": ("default",),
                       "zynq": ("zynq-7020",), "lut": (tables,)}
            found[name] = {f"{column}.{key}": value for column, (hw, *options) in columns.items()
                           for key, value in measure(model, hw, *options).items()}
    return found


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", metavar="FOLDER", type=pathlib.Path, help="write the networks as ONNX files")
    options = parser.parse_args(arguments)
    if not options.write:
        print(json.dumps(rows(), indent=1))
        return 0
    options.write.mkdir(parents=True, exist_ok=True)
    for make, size in NETWORKS.values():
        onnx.save(make(size), options.write / f"{make.__name__}.onnx")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
