#!/usr/bin/python3
"""What operators cost on this processor, in the unit of compiler/codegen/costs.h: the measurement behind its constants.

usage: scripts/benchmarking/cpu_costs.py [--rounds N]

Each row is processor time of one thread, the least of N rounds. From rows of elements the time of a reshape is taken
off, which is what copying a tensor into and out of a session takes.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "testing"))

from every_model import ROOT, Failure, run  # noqa: E402

UNIT_PS = 25  # compiler/codegen/costs.h
ROUND_SECONDS = 0.02
CHANNELS, EXTENT = 64, 56


def constants(**values):
    return [numpy_helper.from_array(np.asarray(value), name) for name, value in values.items()]


def convolution():
    """(nodes, constants, shape of y, multiply-accumulates): a quantised product, deep enough for its epilogue to vanish."""
    weights = np.ones((1024, CHANNELS, 3, 3), np.int8)
    nodes = [helper.make_node("DequantizeLinear", ["x", "s"], ["a"]), helper.make_node("DequantizeLinear", ["w", "s"], ["b"]),
             helper.make_node("Conv", ["a", "b"], ["c"], pads=[1] * 4, strides=[4, 4]), helper.make_node("QuantizeLinear", ["c", "t", "z"], ["y"])]
    shape = [1, 1024, EXTENT // 4, EXTENT // 4]
    return nodes, constants(w=weights, s=np.float32(0.01), t=np.float32(0.1), z=np.int8(0)), shape, int(np.prod(shape)) * CHANNELS * 9


def product_and_sum():
    """x * x + x, requantised."""
    nodes = [helper.make_node("DequantizeLinear", ["x", "s"], ["a"]), helper.make_node("Mul", ["a", "a"], ["b"]),
             helper.make_node("Add", ["a", "b"], ["c"]), helper.make_node("QuantizeLinear", ["c", "t", "z"], ["y"])]
    return nodes, constants(s=np.float32(0.01), t=np.float32(0.03), z=np.int8(0)), [1, CHANNELS, EXTENT, EXTENT]


def requantisation():
    nodes = [helper.make_node("DequantizeLinear", ["x", "s"], ["a"]), helper.make_node("QuantizeLinear", ["a", "t", "z"], ["y"])]
    return nodes, constants(s=np.float32(0.01), t=np.float32(0.03), z=np.int8(0)), [1, CHANNELS, EXTENT, EXTENT]


def move(op, shape, values=(), **attributes):
    names = list(dict(values))
    return [helper.make_node(op, ["x", *names], ["y"], **attributes)], constants(**dict(values)), shape


ELEMENTS = {"reshape": lambda: move("Reshape", [1, CHANNELS * EXTENT * EXTENT], {"r": np.array([1, -1])}),
            "requantisation": requantisation, "product and sum": product_and_sum,
            "transpose": lambda: move("Transpose", [1, EXTENT, EXTENT, CHANNELS], perm=[0, 2, 3, 1]),
            "pad": lambda: move("Pad", [1, CHANNELS, EXTENT + 2, EXTENT + 2], {"p": np.array([0, 0, 1, 1, 0, 0, 1, 1])}),
            "depth to space": lambda: move("DepthToSpace", [1, CHANNELS // 4, 2 * EXTENT, 2 * EXTENT], blocksize=2)}


def seconds_of(nodes, initializers, shape, folder, rounds):
    """The least processor time of an inference of a model with input x and output y."""
    import vta

    values = [helper.make_tensor_value_info(name, TensorProto.INT8, dims)
              for name, dims in (("x", [1, CHANNELS, EXTENT, EXTENT]), ("y", shape))]
    model = helper.make_model(helper.make_graph(nodes, "g", values[:1], values[1:], initializers), ir_version=8,
                              opset_imports=[helper.make_opsetid("", 17)])
    onnx.save(model, folder / "m.onnx")
    run([ROOT / "build/bin/vta-compile", folder / "m.onnx", "-o", folder / "m.vta.so", "--partition=cpu-quantized"])
    session = vta.Module(str(folder / "m.vta.so")).session(device=None, num_threads=1)
    session.run({"x": np.ones((1, CHANNELS, EXTENT, EXTENT), np.int8)})
    again = super(type(session), session).run

    def take(count):
        start = time.process_time()
        for _ in range(count):
            again()
        return (time.process_time() - start) / count

    count = max(1, round(ROUND_SECONDS / max(take(3), 1e-6)))
    return min(take(count) for _ in range(rounds))


def main():
    parser = argparse.ArgumentParser(prog="cpu_costs", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15, help="turns of each row, of which the quickest counts (default: 15)")
    rounds = parser.parse_args().rounds
    if rounds < 1:
        parser.error("--rounds takes a number from 1 on")
    sys.path.insert(0, str(ROOT / "build/python"))
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            *model, macs = convolution()
            rows = [("multiply-accumulate", seconds_of(*model, folder, rounds) / macs)]
            times = {}
            for operator, make in ELEMENTS.items():
                model = make()
                times[operator] = seconds_of(*model, folder, rounds) / np.prod(model[2])
            rows += [(f"element of {operator}", times[operator] - times["reshape"]) for operator in times if operator != "reshape"]
    except (Failure, ImportError) as error:
        print(f"cpu_costs: error: {error}", file=sys.stderr)
        return 1
    for name, seconds in rows:
        print(f"{name:28} {seconds * 1e12:7.1f} ps  {seconds * 1e12 / UNIT_PS:6.2f} units  {seconds / rows[0][1]:6.1f} int8 multiply-accumulates")
    return 0


if __name__ == "__main__":
    sys.exit(main())
