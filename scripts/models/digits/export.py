"""Writes the trained network as an ONNX model (opset 13, NCHW, batch 1)."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from .render import IMAGE_SIZE


def _conv(layer, source, result, initializers):
    k = layer.kernel
    weight = layer.weight.reshape(k, k, layer.in_channels, layer.out_channels).transpose(3, 2, 0, 1)
    initializers += [numpy_helper.from_array(np.ascontiguousarray(weight), f"{layer.name}.weight"),
                     numpy_helper.from_array(layer.bias, f"{layer.name}.bias")]
    return helper.make_node("Conv", [source, f"{layer.name}.weight", f"{layer.name}.bias"], [result],
                            name=layer.name, kernel_shape=[k, k], strides=[layer.stride] * 2,
                            pads=[k // 2] * 4)


def to_onnx(network):
    """The model, checked: input `image` float32 [1, 1, H, W], output `probabilities` float32 [1, 10]."""
    weights = []
    nodes = [
        _conv(network.conv1, "image", "conv1_out", weights),
        helper.make_node("Relu", ["conv1_out"], ["relu1_out"], name="relu1"),
        _conv(network.conv2, "relu1_out", "conv2_out", weights),
        helper.make_node("Relu", ["conv2_out"], ["relu2_out"], name="relu2"),
        _conv(network.conv3, "relu2_out", "conv3_out", weights),
        helper.make_node("Relu", ["conv3_out"], ["relu3_out"], name="relu3"),
        _conv(network.conv4, "relu3_out", "conv4_out", weights),
        helper.make_node("Add", ["conv4_out", "relu2_out"], ["residual_out"], name="residual"),
        helper.make_node("Relu", ["residual_out"], ["relu4_out"], name="relu4"),
        helper.make_node("MaxPool", ["relu4_out"], ["pool_out"], name="pool", kernel_shape=[2, 2],
                         strides=[2, 2]),
        _conv(network.conv5, "pool_out", "conv5_out", weights),
        helper.make_node("Relu", ["conv5_out"], ["relu5_out"], name="relu5"),
        helper.make_node("GlobalAveragePool", ["relu5_out"], ["average_out"], name="average"),
        helper.make_node("Flatten", ["average_out"], ["flat_out"], name="flatten", axis=1),
        helper.make_node("Gemm", ["flat_out", "dense.weight", "dense.bias"], ["logits"], name="dense"),
        helper.make_node("Softmax", ["logits"], ["probabilities"], name="softmax", axis=1),
    ]
    weights += [numpy_helper.from_array(network.dense.weight, "dense.weight"),
                numpy_helper.from_array(network.dense.bias, "dense.bias")]
    graph = helper.make_graph(
        nodes, "digits",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 1, IMAGE_SIZE, IMAGE_SIZE])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, [1, 10])], weights)
    model = helper.make_model(graph, producer_name="vta-sdk train_digits",
                              opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 7  # the version that came with opset 13
    onnx.checker.check_model(model)
    return onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
