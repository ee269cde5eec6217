"""Networks of published shapes with seeded weights, as ONNX files: for cycles, which do not depend on weights."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper


class Builder:
    """Nodes and weights of a network with the input `x`."""

    def __init__(self, channels, size, seed=1):
        self.shape = [1, channels, size, size]
        self.random = np.random.RandomState(seed)
        self.nodes, self.weights = [], []

    def constant(self, value):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def op(self, kind, *inputs, **attributes):
        name = f"{kind.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def conv(self, x, channels, filters, kernel=1, stride=1, pad=None, group=1):
        taps = channels // group * kernel**2
        weight = self.random.randn(filters, channels // group, kernel, kernel) * np.sqrt(2 / taps)
        bias = self.random.randn(filters) * 0.1
        return self.op("Conv", x, self.constant(weight.astype(np.float32)), self.constant(bias.astype(np.float32)),
                       kernel_shape=[kernel] * 2, strides=[stride] * 2, group=group,
                       pads=[kernel // 2 if pad is None else pad] * 4)

    def model(self, outputs):
        """The network with these outputs: {name: shape}."""
        graph = helper.make_graph(self.nodes, "network",
                                  [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.shape)],
                                  [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
                                   for name, shape in outputs.items()],
                                  self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def mobilenet_v1(size=224):
    """MobileNetV1 of width 1.0 with 1,000 classes."""
    net = Builder(3, size)

    def relu6(x):
        return net.op("Clip", x, net.constant(np.float32(0)), net.constant(np.float32(6)))

    x, channels = relu6(net.conv("x", 3, 32, 3, 2)), 32
    for filters, stride in ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *((512, 1),) * 5, (1024, 2),
                            (1024, 1)):
        x = relu6(net.conv(x, channels, channels, 3, stride, group=channels))
        x, channels = relu6(net.conv(x, channels, filters)), filters
    x = net.op("GlobalAveragePool", x)
    return net.model({net.op("Flatten", net.conv(x, channels, 1000)): [1, 1000]})


class _YoloV5n:
    """YOLOv5n: depth 0.33, width 0.25, 80 classes, three scales. `activation`: "silu" or "leaky"."""

    def __init__(self, size, activation):
        self.net = Builder(3, size)
        self.size = size
        self.activation = activation

    def block(self, x, channels, filters, kernel=1, stride=1, pad=None):
        y = self.net.conv(x, channels, filters, kernel, stride, pad)
        if self.activation == "leaky":
            return self.net.op("LeakyRelu", y, alpha=0.1)
        return self.net.op("Mul", y, self.net.op("Sigmoid", y))

    def cross_stage(self, x, channels, filters, repeats, adds=True):
        inner = filters // 2
        left = self.block(x, channels, inner)
        for _ in range(repeats):
            y = self.block(self.block(left, inner, inner), inner, inner, 3)
            left = self.net.op("Add", left, y) if adds else y
        return self.block(self.net.op("Concat", left, self.block(x, channels, inner), axis=1), filters, filters)

    def pyramid(self, x, channels):
        x = self.block(x, channels, channels // 2)
        pools = [x]
        for _ in range(3):
            pools.append(self.net.op("MaxPool", pools[-1], kernel_shape=[5, 5], strides=[1, 1], pads=[2] * 4))
        return self.block(self.net.op("Concat", *pools, axis=1), 2 * channels, channels)

    def upsample(self, x):
        scales = self.net.constant(np.array([1, 1, 2, 2], np.float32))
        return self.net.op("Resize", x, "", scales, mode="nearest", coordinate_transformation_mode="asymmetric",
                           nearest_mode="floor")

    def join(self, *parts):
        return self.net.op("Concat", *parts, axis=1)

    def build(self):
        x = self.block("x", 3, 16, 6, 2, 2)
        x = self.cross_stage(self.block(x, 16, 32, 3, 2), 32, 32, 1)
        p3 = self.cross_stage(self.block(x, 32, 64, 3, 2), 64, 64, 2)
        p4 = self.cross_stage(self.block(p3, 64, 128, 3, 2), 128, 128, 3)
        x = self.cross_stage(self.block(p4, 128, 256, 3, 2), 256, 256, 1)
        top = self.block(self.pyramid(x, 256), 256, 128)
        x = self.cross_stage(self.join(self.upsample(top), p4), 256, 128, 1, adds=False)
        middle = self.block(x, 128, 64)
        small = self.cross_stage(self.join(self.upsample(middle), p3), 128, 64, 1, adds=False)
        x = self.join(self.block(small, 64, 64, 3, 2), middle)
        medium = self.cross_stage(x, 128, 128, 1, adds=False)
        x = self.join(self.block(medium, 128, 128, 3, 2), top)
        large = self.cross_stage(x, 256, 256, 1, adds=False)
        scales = ((small, 64, 8), (medium, 128, 16), (large, 256, 32))
        return self.net.model({self.net.conv(y, channels, 255): [1, 255, self.size // stride, self.size // stride]
                               for y, channels, stride in scales})


def yolo_v5n(size=320, activation="silu"):
    """YOLOv5n up to its three outputs, which the host decodes."""
    return _YoloV5n(size, activation).build()


def _dense(net, x, size, outputs):
    weight = net.random.randn(size, outputs) / np.sqrt(size)
    product = net.op("MatMul", x, net.constant(weight.astype(np.float32)))
    return net.op("Add", product, net.constant(np.zeros(outputs, np.float32)))


def _normalised(net, x, size):
    return net.op("LayerNormalization", x, net.constant(np.ones(size, np.float32)),
                  net.constant(np.zeros(size, np.float32)))


def bert(layers=24, length=16, size=32, heads=4):
    """The encoder of BERT, with embeddings as its input."""
    net = Builder(1, 1)
    net.shape = [1, length, size]
    split, join = (net.constant(np.array(shape)) for shape in ([1, length, heads, size // heads], [1, length, size]))
    scale = net.constant(np.float32(np.sqrt(size // heads)))
    x = "x"
    for _ in range(layers):
        query, key, value = (
            net.op("Transpose", net.op("Reshape", _dense(net, x, size, size), split), perm=permutation)
            for permutation in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
        weights = net.op("Softmax", net.op("Div", net.op("MatMul", query, key), scale), axis=-1)
        joined = net.op("Reshape", net.op("Transpose", net.op("MatMul", weights, value), perm=[0, 2, 1, 3]), join)
        x = _normalised(net, net.op("Add", x, _dense(net, joined, size, size)), size)
        inner = _dense(net, x, size, 4 * size)
        gelu = net.op("Erf", net.op("Mul", inner, net.constant(np.float32(np.sqrt(0.5)))))
        gate = net.op("Mul", net.op("Add", gelu, net.constant(np.float32(1))), net.constant(np.float32(0.5)))
        x = _normalised(net, net.op("Add", x, _dense(net, net.op("Mul", inner, gate), 4 * size, size)), size)
    return net.model({x: net.shape})


def chain(kind, count):
    """An operator `count` times, one behind the other."""
    net = Builder(8, 8)
    x = "x"
    for _ in range(count):
        x = net.op(kind, x)
    return net.model({x: net.shape})
