"""A small convolutional network with hand-written gradients, in numpy.

Activations are float32 in NHWC; weights of a convolution are [kernel * kernel * in, out] in the order
(kernel row, kernel column, input channel), which turns it into one matrix product over patches.
"""

import numpy as np

# Standardisation of the input as in preprocess.yaml: 8-bit greys become -1 to 1.
INPUT_SCALE, INPUT_MEAN, INPUT_STD = 1 / 255, 0.5, 0.5


def normalise(images):
    """uint8 [N, H, W] to float32 [N, H, W, 1]."""
    return (((images * np.float32(INPUT_SCALE)) - np.float32(INPUT_MEAN)) / np.float32(INPUT_STD))[..., None]


class Conv:
    """Convolution with zero padding kernel // 2 and a bias, then optionally relu."""

    def __init__(self, name, in_channels, out_channels, kernel, stride, relu, rng):
        self.name, self.kernel, self.stride, self.relu = name, kernel, stride, relu
        self.in_channels, self.out_channels = in_channels, out_channels
        fan_in = kernel * kernel * in_channels
        self.weight = rng.normal(0, np.sqrt(2 / fan_in), (fan_in, out_channels)).astype(np.float32)
        self.bias = np.zeros(out_channels, np.float32)

    def forward(self, x):
        pad = self.kernel // 2
        padded = np.pad(x, ((0, 0), (pad, pad), (pad, pad), (0, 0)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (self.kernel, self.kernel), (1, 2))
        windows = windows[:, ::self.stride, ::self.stride].transpose(0, 1, 2, 4, 5, 3)
        self._in_shape, self._out_shape = x.shape, windows.shape[:3] + (self.out_channels,)
        self._patches = windows.reshape(-1, self.weight.shape[0])
        y = self._patches @ self.weight + self.bias
        if self.relu:
            y = np.maximum(y, 0)
            self._active = y > 0
        return y.reshape(self._out_shape)

    def backward(self, grad):
        grad = grad.reshape(-1, self.out_channels)
        if self.relu:
            grad = grad * self._active
        self.weight_grad, self.bias_grad = self._patches.T @ grad, grad.sum(0)
        n, height, width, channels = self._in_shape
        pad, (_, out_h, out_w, _) = self.kernel // 2, self._out_shape
        windows = (grad @ self.weight.T).reshape(n, out_h, out_w, self.kernel, self.kernel, channels)
        padded = np.zeros((n, height + 2 * pad, width + 2 * pad, channels), np.float32)
        for r in range(self.kernel):
            for c in range(self.kernel):
                rows = slice(r, r + self.stride * out_h, self.stride)
                columns = slice(c, c + self.stride * out_w, self.stride)
                padded[:, rows, columns] += windows[:, :, :, r, c]
        return padded[:, pad:pad + height, pad:pad + width]


class MaxPool2:
    """Largest of each 2 x 2 square."""

    def forward(self, x):
        n, h, w, c = x.shape
        squares = x.reshape(n, h // 2, 2, w // 2, 2, c).transpose(0, 1, 3, 5, 2, 4).reshape(n, h // 2, w // 2, c, 4)
        self._shape, self._winner = x.shape, squares.argmax(-1)
        return squares.max(-1)

    def backward(self, grad):
        n, h, w, c = self._shape
        squares = (np.arange(4) == self._winner[..., None]) * grad[..., None]
        return squares.reshape(n, h // 2, w // 2, c, 2, 2).transpose(0, 1, 4, 2, 5, 3).reshape(self._shape)


class Dense:
    """Matrix product with a bias."""

    def __init__(self, name, in_features, out_features, rng):
        self.name = name
        self.weight = rng.normal(0, np.sqrt(1 / in_features), (in_features, out_features)).astype(np.float32)
        self.bias = np.zeros(out_features, np.float32)

    def forward(self, x):
        self._x = x
        return x @ self.weight + self.bias

    def backward(self, grad):
        self.weight_grad, self.bias_grad = self._x.T @ grad, grad.sum(0)
        return grad @ self.weight.T


class DigitsNetwork:
    """conv, strided conv, residual block, max pool, conv, global average pool, dense: 10 logits."""

    def __init__(self, rng):
        self.conv1 = Conv("conv1", 1, 16, 3, 1, True, rng)
        self.conv2 = Conv("conv2", 16, 32, 3, 2, True, rng)
        self.conv3 = Conv("conv3", 32, 32, 3, 1, True, rng)
        self.conv4 = Conv("conv4", 32, 32, 3, 1, False, rng)
        self.pool = MaxPool2()
        self.conv5 = Conv("conv5", 32, 64, 3, 1, True, rng)
        self.dense = Dense("dense", 64, 10, rng)
        self.layers = [self.conv1, self.conv2, self.conv3, self.conv4, self.conv5, self.dense]

    def forward(self, x):
        x = self.conv2.forward(self.conv1.forward(x))
        x = np.maximum(x + self.conv4.forward(self.conv3.forward(x)), 0)
        self._active = x > 0
        x = self.conv5.forward(self.pool.forward(x))
        self._pooled_shape = x.shape
        return self.dense.forward(x.mean((1, 2)))

    def backward(self, grad):
        n, h, w, c = self._pooled_shape
        grad = self.dense.backward(grad)[:, None, None, :] / np.float32(h * w)
        grad = self.pool.backward(self.conv5.backward(np.broadcast_to(grad, (n, h, w, c))))
        grad = grad * self._active
        grad = grad + self.conv3.backward(self.conv4.backward(grad))
        return self.conv1.backward(self.conv2.backward(grad))


def softmax_cross_entropy(logits, labels):
    """Mean loss and its gradient with respect to the logits."""
    shifted = logits - logits.max(1, keepdims=True)
    log_prob = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
    rows = np.arange(len(labels))
    grad = np.exp(log_prob)
    grad[rows, labels] -= 1
    return -log_prob[rows, labels].mean(), grad / np.float32(len(labels))


class Adam:
    """Adam with decoupled weight decay on the weights (not on the biases)."""

    def __init__(self, layers, weight_decay=1e-4):
        self._slots = [(layer, name, np.zeros_like(getattr(layer, name)), np.zeros_like(getattr(layer, name)))
                       for layer in layers for name in ("weight", "bias")]
        self._weight_decay, self._step = weight_decay, 0

    def update(self, rate):
        self._step += 1
        for layer, name, mean, square in self._slots:
            value, grad = getattr(layer, name), getattr(layer, name + "_grad")
            mean += 0.1 * (grad - mean)
            square += 0.001 * (grad * grad - square)
            step = (mean / (1 - 0.9**self._step)) / (np.sqrt(square / (1 - 0.999**self._step)) + 1e-8)
            if name == "weight":
                step = step + self._weight_decay * value
            value -= np.float32(rate) * step
