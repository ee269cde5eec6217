"""ResNet-18 and ResNet-50 as lists of convolutions, from which an ONNX file or another framework's network is made.

He, Zhang, Ren, Sun: Deep Residual Learning for Image Recognition (2015), table 1; the step of two is in the 3x3
convolution of a bottleneck. Normalisations are part of the convolutions, as they are when a network runs.
"""

from dataclasses import dataclass

from plain_onnx import model, node, weights

BLOCKS = {18: (2, 2, 2, 2), 50: (3, 4, 6, 3)}  # of each stage
CLASSES, EXTENT, STEM = 1000, 224, 64


@dataclass(frozen=True)
class Conv:
    channels: int
    filters: int
    kernel: int
    stride: int = 1

    @property
    def pad(self):
        return self.kernel // 2

    @property
    def scale(self):
        """Numbers up to this keep the sums' size (He et al., 2015)."""
        return (6 / (self.channels * self.kernel**2)) ** 0.5


@dataclass(frozen=True)
class Block:
    convs: tuple
    shortcut: Conv | None  # None where input and result have the same shape


def blocks_of(depth):
    """The blocks of ResNet-18 or ResNet-50 behind the first convolution and the pooling."""
    blocks, channels = [], STEM
    for stage, count in enumerate(BLOCKS[depth]):
        width = STEM << stage
        for index in range(count):
            stride = 2 if stage > 0 and index == 0 else 1
            if depth == 18:
                convs = (Conv(channels, width, 3, stride), Conv(width, width, 3))
            else:
                convs = (Conv(channels, width, 1), Conv(width, width, 3, stride), Conv(width, 4 * width, 1))
            filters = convs[-1].filters
            changes = stride != 1 or channels != filters
            blocks.append(Block(convs, Conv(channels, filters, 1, stride) if changes else None))
            channels = filters
    return blocks


class _Writer:
    def __init__(self):
        self.nodes, self.initializers = [], []

    def add(self, kind, inputs, **attributes):
        output = f"{kind}_{len(self.nodes)}"
        self.nodes.append(node(kind, inputs, output, **attributes))
        return output

    def weights(self, *shape, scale):
        self.initializers.append(weights(f"w_{len(self.initializers)}", shape, scale))
        return f"w_{len(self.initializers) - 1}"

    def conv(self, x, conv):
        parameters = (self.weights(conv.filters, conv.channels, conv.kernel, conv.kernel, scale=conv.scale),
                      self.weights(conv.filters, scale=0.01))
        return self.add("Conv", [x, *parameters], pads=[conv.pad] * 4, strides=[conv.stride] * 2)

    def block(self, x, block):
        y = x
        for place, conv in enumerate(block.convs):
            y = self.conv(self.add("Relu", [y]) if place else y, conv)
        return self.add("Relu", [self.add("Add", [y, self.conv(x, block.shortcut) if block.shortcut else x])])


def residual_network(depth, batch):
    """The ONNX file's bytes: images of 3 x 224 x 224 numbers to 1,000 scores each."""
    writer = _Writer()
    x = writer.add("Relu", [writer.conv("x", Conv(3, STEM, 7, 2))])
    x = writer.add("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    blocks = blocks_of(depth)
    for block in blocks:
        x = writer.block(x, block)
    x = writer.add("Flatten", [writer.add("GlobalAveragePool", [x])])
    features = blocks[-1].convs[-1].filters
    parameters = (writer.weights(features, CLASSES, scale=features**-0.5), writer.weights(CLASSES, scale=0.01))
    writer.nodes.append(node("Gemm", [x, *parameters], "y"))
    return model(writer.nodes, writer.initializers, (batch, 3, EXTENT, EXTENT), (batch, CLASSES))
