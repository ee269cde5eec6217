"""Whole networks of published families, small and with seeded weights: each function returns a `Family`."""

import math
from typing import NamedTuple

import numpy as np

import tool_case  # noqa: F401  (finds the line below)
from network_builder import Network


class Family(NamedTuple):
    network: Network
    output: str
    shape: list  # of the input x
    opset: int = 17


class FamilyNetwork(Network):
    """More layers than those of detectors: 1-D, dilated and transposed convolutions, attention."""

    def weights(self, *shape):
        fan_in = math.prod(shape[1:]) if len(shape) > 2 else shape[0]
        return self.constant((self.random.randn(*shape) * math.sqrt(2 / fan_in)).astype(np.float32))

    def vector(self, size, around=0.0):
        return self.constant((around + 0.1 * self.random.randn(size)).astype(np.float32))

    def dense(self, x, inputs, outputs):
        return self.op("Add", self.op("MatMul", x, self.weights(inputs, outputs)), self.vector(outputs))

    def conv_1d(self, x, channels, filters, stride=1):
        return self.op("Conv", x, self.weights(filters, channels, 3), self.vector(filters), kernel_shape=[3],
                       strides=[stride], pads=[1, 1])

    def dilated(self, x, channels, filters, dilation):
        return self.op("Relu", self.op("Conv", x, self.weights(filters, channels, 3, 3), self.vector(filters),
                                       kernel_shape=[3, 3], dilations=[dilation] * 2, pads=[dilation] * 4))

    def up_conv(self, x, channels, filters, kernel, stride, pad=0):
        weight = self.random.randn(channels, filters, kernel, kernel) * math.sqrt(2 / channels) / kernel * stride
        return self.op("ConvTranspose", x, self.constant(weight.astype(np.float32)), self.vector(filters),
                       kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[pad] * 4)

    def max_pool(self, x, kernel, stride, pad=0):
        return self.op("MaxPool", x, kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[pad] * 4)

    def resize(self, x, sizes, mode="linear"):
        return self.op("Resize", x, "", "", self.shape(*sizes), mode=mode,
                       coordinate_transformation_mode="half_pixel")

    def layer_norm(self, x, size):
        return self.op("LayerNormalization", x, self.vector(size, 1.0), self.vector(size), axis=-1)

    def heads(self, x, tokens, size, heads, perm):
        x = self.op("Reshape", x, self.shape(1, tokens, heads, size // heads))
        return self.op("Transpose", x, perm=perm)

    def attention(self, x, tokens, size, heads):
        query, value = (self.heads(self.dense(x, size, size), tokens, size, heads, [0, 2, 1, 3]) for _ in range(2))
        key = self.heads(self.dense(x, size, size), tokens, size, heads, [0, 2, 3, 1])
        scale = self.constant(np.float32(math.sqrt(heads / size)))
        weights = self.op("Softmax", self.op("Mul", self.op("MatMul", query, key), scale), axis=-1)
        y = self.op("Transpose", self.op("MatMul", weights, value), perm=[0, 2, 1, 3])
        return self.dense(self.op("Reshape", y, self.shape(1, tokens, size)), size, size)

    def encoder_block(self, x, tokens, size, heads):
        x = self.op("Add", x, self.attention(self.layer_norm(x, size), tokens, size, heads))
        inner = self.gelu(self.dense(self.layer_norm(x, size), size, 2 * size))
        return self.op("Add", x, self.dense(inner, 2 * size, size))

    def silu_conv(self, *args, **kwargs):
        return self.silu(self.conv(*args, **kwargs))

    def cross_stage(self, x, channels, filters, blocks):
        """YOLOv8's C2f: one half goes through bottlenecks, and every result is joined."""
        half = filters // 2
        parts = self.op("Split", self.silu_conv(x, channels, filters), self.shape(half, half), outputs=2, axis=1)
        for _ in range(blocks):
            inner = self.silu_conv(self.silu_conv(parts[-1], half, half, 3), half, half, 3)
            parts.append(self.op("Add", parts[-1], inner))
        return self.silu_conv(self.op("Concat", *parts, axis=1), half * len(parts), filters)

    def pyramid(self, x, channels, inner, filters):
        """Pools of growing windows, joined (SPPF)."""
        pools = [self.silu_conv(x, channels, inner)]
        for _ in range(3):
            pools.append(self.max_pool(pools[-1], 5, 1, 2))
        return self.silu_conv(self.op("Concat", *pools, axis=1), 4 * inner, filters)


def res_next():
    """Xie et al., Aggregated Residual Transformations for Deep Neural Networks, 2017."""
    n = FamilyNetwork(1)
    x = n.relu_conv("x", 3, 32, 3, 2)
    for _ in range(2):
        y = n.relu_conv(n.relu_conv(x, 32, 32), 32, 32, 3, group=8)
        x = n.op("Relu", n.op("Add", x, n.conv(y, 32, 32)))
    return Family(n, n.op("Flatten", n.conv(n.op("GlobalAveragePool", x), 32, 10)), [1, 3, 16, 16])


def deep_lab():
    """Chen et al., Rethinking Atrous Convolution for Semantic Image Segmentation, 2017: its pyramid and its end."""
    n = FamilyNetwork(2)
    x = n.relu_conv("x", 3, 32, 3, 2)
    pooled = n.resize(n.relu_conv(n.op("GlobalAveragePool", x), 32, 16), [1, 16, 8, 8])
    parts = [n.relu_conv(x, 32, 16), n.dilated(x, 32, 16, 2), n.dilated(x, 32, 16, 4), pooled]
    y = n.conv(n.relu_conv(n.op("Concat", *parts, axis=1), 64, 32), 32, 21)
    return Family(n, n.resize(y, [1, 21, 16, 16]), [1, 3, 16, 16])


def conv_next():
    """Liu et al., A ConvNet for the 2020s, 2022."""
    n = FamilyNetwork(3)
    x = n.op("Conv", "x", n.weights(32, 3, 4, 4), n.vector(32), kernel_shape=[4, 4], strides=[4, 4])
    for _ in range(2):
        y = n.op("Transpose", n.conv(x, 32, 32, 7, group=32), perm=[0, 2, 3, 1])
        y = n.dense(n.gelu(n.dense(n.layer_norm(y, 32), 32, 64)), 64, 32)
        x = n.op("Add", x, n.op("Transpose", n.op("Mul", y, n.vector(32, 0.5)), perm=[0, 3, 1, 2]))
    return Family(n, n.dense(n.op("Flatten", n.op("GlobalAveragePool", x)), 32, 10), [1, 3, 32, 32])


def dcgan_generator():
    """Radford et al., Unsupervised Representation Learning with DCGANs, 2016."""
    n = FamilyNetwork(4)
    x = n.op("Relu", n.up_conv("x", 32, 48, 4, 1))
    x = n.op("Relu", n.up_conv(x, 48, 24, 4, 2, 1))
    return Family(n, n.op("Tanh", n.up_conv(x, 24, 3, 4, 2, 1)), [1, 32, 1, 1])


def u_net():
    """Ronneberger et al., U-Net, 2015."""
    n = FamilyNetwork(5)
    fine = n.relu_conv(n.relu_conv("x", 3, 16, 3), 16, 16, 3)
    middle = n.relu_conv(n.max_pool(fine, 2, 2), 16, 32, 3)
    deep = n.relu_conv(n.max_pool(middle, 2, 2), 32, 48, 3)
    x = n.relu_conv(n.op("Concat", middle, n.up_conv(deep, 48, 32, 2, 2), axis=1), 64, 32, 3)
    x = n.relu_conv(n.op("Concat", fine, n.up_conv(x, 32, 16, 2, 2), axis=1), 32, 16, 3)
    return Family(n, n.conv(x, 16, 2), [1, 3, 16, 16])


def deep_q_network():
    """Mnih et al., Human-level control through deep reinforcement learning, 2015."""
    n = FamilyNetwork(6)
    x = "x"
    for channels, filters, kernel, stride in ((4, 32, 8, 4), (32, 64, 4, 2), (64, 64, 3, 1)):
        x = n.op("Relu", n.op("Conv", x, n.weights(filters, channels, kernel, kernel), n.vector(filters),
                              kernel_shape=[kernel] * 2, strides=[stride] * 2))
    x = n.op("Relu", n.dense(n.op("Flatten", x), 64 * 9, 128))
    return Family(n, n.dense(x, 128, 6), [1, 4, 52, 52])


def mobile_net_v3():
    """Howard et al., Searching for MobileNetV3, 2019."""
    n = FamilyNetwork(8)
    x = n.hard_swish(n.conv("x", 3, 16, 3, 2))
    for _ in range(2):
        x = n.bottleneck(x, 16, 40, n.hard_swish, "HardSigmoid")
    x = n.hard_swish(n.conv(n.op("GlobalAveragePool", n.hard_swish(n.conv(x, 16, 48))), 48, 64))
    return Family(n, n.op("Flatten", n.conv(x, 64, 10)), [1, 3, 16, 16])


def efficient_net():
    """Tan and Le, EfficientNet, 2019."""
    n = FamilyNetwork(9)
    x = n.silu_conv("x", 3, 16, 3, 2)
    for _ in range(2):
        x = n.bottleneck(x, 16, 48, n.silu, "Sigmoid")
    x = n.op("Flatten", n.op("GlobalAveragePool", n.silu_conv(x, 16, 64)))
    return Family(n, n.dense(x, 64, 10), [1, 3, 16, 16])


def efficient_net_lite():
    """EfficientNet without gates, and with a relu that ends at 6."""
    n = FamilyNetwork(10)

    def relu6(x):
        return n.op("Clip", x, n.constant(np.float32(0)), n.constant(np.float32(6)))

    x = relu6(n.conv("x", 3, 16, 3, 2))
    for kernel in (3, 5):
        y = relu6(n.conv(relu6(n.conv(x, 16, 48)), 48, 48, kernel, group=48))
        x = n.op("Add", x, n.conv(y, 48, 16))
    return Family(n, n.dense(n.op("Flatten", n.op("GlobalAveragePool", x)), 16, 10), [1, 3, 16, 16])


def lstm_language_model():
    """A row of embedded words, an LSTM and the scores of the next word."""
    n = FamilyNetwork(11)
    steps, size, words = 6, 32, 40
    gates = [n.constant((0.2 * n.random.randn(*shape)).astype(np.float32))
             for shape in ((1, 4 * size, size), (1, 4 * size, size), (1, 8 * size))]
    y = n.op("Squeeze", n.op("LSTM", "x", *gates, hidden_size=size), n.shape(1))
    return Family(n, n.dense(y, size, words), [steps, 1, size])


def whisper_encoder():
    """Radford et al., Robust Speech Recognition via Large-Scale Weak Supervision, 2022: stem and one block."""
    n = FamilyNetwork(12)
    x = n.gelu(n.conv_1d(n.gelu(n.conv_1d("x", 20, 32)), 32, 32, 2))
    x = n.op("Transpose", x, perm=[0, 2, 1])
    x = n.op("Add", x, n.constant((0.1 * n.random.randn(1, 16, 32)).astype(np.float32)))
    return Family(n, n.layer_norm(n.encoder_block(x, 16, 32, 2), 32), [1, 20, 32])


def wave_net():
    """van den Oord et al., WaveNet, 2016: gated dilated causal convolutions of a sequence, and sums of their ends."""
    n = FamilyNetwork(17)

    def conv(x, channels, filters, taps=1, dilation=1):
        return n.op("Conv", x, n.weights(filters, channels, taps), n.vector(filters), kernel_shape=[taps],
                    dilations=[dilation])

    x, ends = conv("x", 8, 16), []
    for dilation in (1, 2, 4):
        past = n.op("Pad", x, n.shape(0, 0, dilation, 0, 0, 0))
        gate = n.op("Sigmoid", conv(past, 16, 16, 2, dilation))
        y = n.op("Mul", n.op("Tanh", conv(past, 16, 16, 2, dilation)), gate)
        ends.append(conv(y, 16, 24))
        x = n.op("Add", x, conv(y, 16, 16))
    y = n.op("Relu", n.op("Add", n.op("Add", ends[0], ends[1]), ends[2]))
    return Family(n, conv(n.op("Relu", conv(y, 24, 16)), 16, 12), [1, 8, 40])


def vision_transformer():
    """Dosovitskiy et al., An Image is Worth 16x16 Words, 2021: one patch a token, and one for the class."""
    n = FamilyNetwork(13)
    x = n.op("Conv", "x", n.weights(32, 3, 4, 4), n.vector(32), kernel_shape=[4, 4], strides=[4, 4])
    x = n.op("Transpose", n.op("Reshape", x, n.shape(1, 32, 16)), perm=[0, 2, 1])
    x = n.op("Concat", n.constant(n.random.randn(1, 1, 32).astype(np.float32)), x, axis=1)
    x = n.op("Add", x, n.constant((0.1 * n.random.randn(1, 17, 32)).astype(np.float32)))
    for _ in range(2):
        x = n.encoder_block(x, 17, 32, 2)
    first = n.op("Gather", n.layer_norm(x, 32), n.constant(np.int64(0)), axis=1)
    return Family(n, n.dense(first, 32, 10), [1, 3, 16, 16])


def yolo_v5():
    """A detector with focus slices, cross-stage parts, a pyramid of pools and two scales."""
    n = FamilyNetwork(14)
    corners = [n.op("Slice", "x", n.shape(i, j), n.shape(99, 99), n.shape(2, 3), n.shape(2, 2))
               for i in (0, 1) for j in (0, 1)]
    x = n.silu_conv(n.op("Concat", *corners, axis=1), 12, 16, 3)
    fine = n.cross_stage(n.silu_conv(x, 16, 32, 3, 2), 32, 32, 1)
    coarse = n.pyramid(n.silu_conv(fine, 32, 32, 3, 2), 32, 16, 32)
    joined = n.op("Concat", n.upsample(n.silu_conv(coarse, 32, 32)), fine, axis=1)
    fine = n.cross_stage(joined, 64, 32, 1)
    scales = [n.op("Reshape", n.conv(part, 32, 3 * 9), n.shape(1, 27, size)) for part, size in ((fine, 64), (coarse, 16))]
    return Family(n, n.op("Sigmoid", n.op("Concat", *scales, axis=2)), [1, 3, 32, 32])


def yolo_v8():
    """A detector whose boxes are means of 16 distances."""
    n = FamilyNetwork(15)
    x = n.silu_conv(n.silu_conv("x", 3, 16, 3, 2), 16, 32, 3, 2)
    x = n.pyramid(n.cross_stage(x, 32, 32, 1), 32, 16, 32)
    boxes = n.conv(n.silu_conv(x, 32, 32, 3), 32, 64)
    boxes = n.op("Transpose", n.op("Reshape", boxes, n.shape(1, 4, 16, 64)), perm=[0, 2, 1, 3])
    boxes = n.op("Conv", n.op("Softmax", boxes, axis=1),
                 n.constant(np.arange(16, dtype=np.float32).reshape(1, 16, 1, 1)), kernel_shape=[1, 1])
    classes = n.op("Sigmoid", n.op("Reshape", n.conv(n.silu_conv(x, 32, 32, 3), 32, 8), n.shape(1, 8, 64)))
    return Family(n, n.op("Concat", n.op("Reshape", boxes, n.shape(1, 4, 64)), classes, axis=1), [1, 3, 32, 32])


def nano_det():
    """A detector of ShuffleNet's units and LeakyReLU."""
    n = FamilyNetwork(16)
    x = n.relu_conv("x", 3, 24, 3, 2)
    fine = n.shuffle_unit_of_halves(n.shuffle_unit_of_halves_that_shrinks(x, 24, 48, 8), 48, 8)
    coarse = n.leaky(n.conv(n.shuffle_unit_of_halves_that_shrinks(fine, 48, 96, 4), 96, 48))
    x = n.op("Concat", n.leaky(n.conv(fine, 48, 48)), n.upsample(coarse), axis=1)
    x = n.leaky(n.conv(n.leaky(n.conv(x, 96, 96, 5, group=96)), 96, 48))
    return Family(n, n.conv(x, 48, 20), [1, 3, 32, 32])


FAMILIES = {f.__name__: f for f in (
    conv_next, dcgan_generator, deep_lab, deep_q_network, efficient_net, efficient_net_lite, lstm_language_model,
    mobile_net_v3, nano_det, res_next, u_net, vision_transformer, wave_net, whisper_encoder, yolo_v5, yolo_v8)}
