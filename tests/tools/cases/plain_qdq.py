"""A float network as a plain exporter quantises it: QuantizeLinear and DequantizeLinear with ranges from min to max."""

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper

ROUNDED = ("Conv", "Sigmoid", "Mul", "Add", "Concat", "MaxPool", "Resize")


def values_inside(network):
    """The names of what has a range: the input, and results that are rounded."""
    return [network.graph.input[0].name] + [n.output[0] for n in network.graph.node if n.op_type in ROUNDED]


def with_values_as_outputs(network):
    """A copy of the network that also returns what is rounded."""
    copy = ModelProto()
    copy.CopyFrom(network)
    known = {value.name for value in copy.graph.output}
    for name in values_inside(network)[1:]:
        if name not in known:
            copy.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))
    return copy


def quantised(network, ranges):
    """The network with all of `values_inside`, whose `ranges` are (least, largest) by name, rounded to uint8, and weights to int8."""
    copy = ModelProto()
    copy.CopyFrom(network)
    graph, nodes = copy.graph, []
    ranges = {name: ranges[name] for name in values_inside(network)}
    weights = {w.name: numpy_helper.to_array(w) for w in graph.initializer}

    def constant(name, value):
        graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def pair(name):
        least, largest = min(ranges[name][0], 0), max(ranges[name][1], 0)
        scale = np.float32((largest - least) / 255 or 1)
        zero = np.uint8(np.clip(np.round(-least / scale), 0, 255))
        constants = [constant(name + "/scale", scale), constant(name + "/zero", zero)]
        nodes.append(helper.make_node("QuantizeLinear", [name, *constants], [name + "/q"]))
        nodes.append(helper.make_node("DequantizeLinear", [name + "/q", *constants], [name + "/d"]))

    pair(graph.input[0].name)
    for node in graph.node:
        changed = type(node)()
        changed.CopyFrom(node)
        for i, name in enumerate(node.input):
            if name in ranges:
                changed.input[i] = name + "/d"
        if node.op_type == "Conv":
            weight = weights[node.input[1]]
            scale = np.abs(weight).max((1, 2, 3)).astype(np.float32) / np.float32(127)
            integers = np.clip(np.round(weight / scale[:, None, None, None]), -127, 127).astype(np.int8)
            inputs = [constant(node.output[0] + "/w", integers), constant(node.output[0] + "/ws", scale)]
            nodes.append(helper.make_node("DequantizeLinear", inputs, [node.output[0] + "/wd"], axis=0))
            changed.input[1] = node.output[0] + "/wd"
        nodes.append(changed)
        if node.output[0] in ranges:
            pair(node.output[0])
    results = {value.name for value in graph.output}
    for node in nodes:  # what is returned is rounded too
        if node.op_type == "DequantizeLinear" and node.output[0].removesuffix("/d") in results:
            nodes.append(helper.make_node("Identity", [node.output[0]], [node.output[0] + "/out"]))
    for value in graph.output:
        if value.name in ranges:
            value.name += "/out"
    del graph.node[:]
    graph.node.extend(nodes)
    return copy
