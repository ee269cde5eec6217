"""Builds float networks with seeded weights, from the layers and blocks that published families are made of."""

import numpy as np
from onnx import helper


class Network:
    """Nodes and seeded weights of a float network with input x."""

    # Standard deviations: of a convolution's weights as the variance of its sum over that of its inputs; of its bias.
    gain, bias_deviation = 2, 0.1

    def __init__(self, seed):
        self.random = np.random.RandomState(seed)
        self.nodes, self.constants = [], []

    def constant(self, value):
        name = f"c{len(self.constants)}"
        self.constants.append((name, np.asarray(value)))
        return name

    def op(self, kind, *inputs, outputs=1, **attributes):
        names = [f"{kind.lower()}{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, name=names[0], **attributes))
        return names[0] if outputs == 1 else names

    def conv(self, x, channels, filters, kernel=1, stride=1, group=1):
        taps = channels // group * kernel**2
        weight = self.random.randn(filters, channels // group, kernel, kernel) * np.sqrt(self.gain / taps)
        bias = self.random.randn(filters) * self.bias_deviation
        return self.op("Conv", x, self.constant(weight.astype(np.float32)), self.constant(bias.astype(np.float32)),
                       kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[kernel // 2] * 4, group=group)

    def silu(self, x):
        return self.op("Mul", x, self.op("Sigmoid", x))

    def hard_swish(self, x):
        three, zero, six = (self.constant(np.float32(value)) for value in (3, 0, 6))
        return self.op("Div", self.op("Mul", x, self.op("Clip", self.op("Add", x, three), zero, six)), six)

    def hard_swish_of_hard_sigmoid(self, x):
        return self.op("Mul", x, self.op("HardSigmoid", x, alpha=1 / 6, beta=0.5))

    def gelu(self, x):
        root, one, half = (self.constant(np.float32(value)) for value in (2**0.5, 1, 0.5))
        return self.op("Mul", self.op("Mul", x, self.op("Add", self.op("Erf", self.op("Div", x, root)), one)), half)

    def mish(self, x):
        return self.op("Mul", x, self.op("Tanh", self.op("Softplus", x)))

    def leaky(self, x):
        return self.op("LeakyRelu", x, alpha=0.1)

    def squeeze(self, x, channels, gate):
        pooled = self.op("GlobalAveragePool", x)
        inner = self.op("Relu", self.conv(pooled, channels, 8))
        return self.op("Mul", x, self.op(gate, self.conv(inner, 8, channels)))

    def bottleneck(self, x, channels, inner, activation, gate):
        y = activation(self.conv(x, channels, inner))
        y = activation(self.conv(y, inner, inner, 3, group=inner))
        return self.op("Add", x, self.conv(self.squeeze(y, inner, gate), inner, channels))

    def relu_conv(self, *args, **kwargs):
        return self.op("Relu", self.conv(*args, **kwargs))

    def shape(self, *extents):
        return self.constant(np.array(extents, np.int64))

    def shuffle(self, x, groups, channels, size):
        """Channels of all groups in turn, as exporters write it."""
        x = self.op("Reshape", x, self.shape(1, groups, channels // groups, size, size))
        x = self.op("Transpose", x, perm=[0, 2, 1, 3, 4])
        return self.op("Reshape", x, self.shape(1, channels, size, size))

    def shuffle_unit_of_groups(self, x, channels, inner, size, filters=None):
        """Of ShuffleNet v1, with 4 groups: a sum; with `filters`, half the size and a join with what was pooled."""
        stride = 2 if filters else 1
        y = self.shuffle(self.relu_conv(x, channels, inner, group=4), 4, inner, size)
        y = self.conv(y, inner, inner, 3, stride, group=inner)
        y = self.conv(y, inner, filters or channels, group=4)
        if not filters:
            return self.op("Relu", self.op("Add", x, y))
        pooled = self.op("AveragePool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
        return self.op("Relu", self.op("Concat", pooled, y, axis=1))

    def shuffle_unit_of_halves(self, x, channels, size):
        """Of ShuffleNet v2: one half of the channels goes on as it is, and all are shuffled."""
        half = channels // 2
        left, right = self.op("Split", x, self.shape(half, half), outputs=2, axis=1)
        right = self.relu_conv(right, half, half)
        right = self.relu_conv(self.conv(right, half, half, 3, group=half), half, half)
        return self.shuffle(self.op("Concat", left, right, axis=1), 2, channels, size)

    def shuffle_unit_of_halves_that_shrinks(self, x, channels, filters, size):
        half = filters // 2
        left = self.relu_conv(self.conv(x, channels, channels, 3, 2, group=channels), channels, half)
        right = self.relu_conv(x, channels, half)
        right = self.relu_conv(self.conv(right, half, half, 3, 2, group=half), half, half)
        return self.shuffle(self.op("Concat", left, right, axis=1), 2, filters, size)

    def upsample(self, x):
        scales = self.constant(np.array([1, 1, 2, 2], np.float32))
        return self.op("Resize", x, "", scales, mode="nearest", coordinate_transformation_mode="asymmetric",
                       nearest_mode="floor")
