"""The phases of the compiler, from an ONNX file to a module."""

from pictures.svg import Picture

_GRAPH = (("import", "ONNX nodes become ops of the graph dialect"),
          ("optimise", "constants and batch normalisation are folded"),
          ("quantise", "float becomes int8 and int32, from calibration"),
          ("partition", "groups of ops that one kernel can compute"),
          ("pack", "tensors in the order of the hardware's blocks"),
          ("tensorise", "each group is proved to be built from instructions"),
          ("place and outline", "host functions, and which runs when"))
_KERNEL = (("choose schedules", "tiles, order, virtual threads"),
           ("lower kernels", "instructions, micro-ops, tokens"),
           ("link and overlap", "layers become one launch"))


def _column(p, x, y, width, phases, kind):
    for i, (name, what) in enumerate(phases):
        top = y + i * 54
        p.box(x, top, width, 40, f"{name}\n{what}", kind, "small")
        if i > 0:
            p.arrow([(x + width / 2, top - 14), (x + width / 2, top)])


def draw():
    p = Picture(860, 480, "The phases of the compiler")
    p.box(40, 20, 360, 36, "model.onnx", "outside", "mono")
    p.arrow([(220, 56), (220, 78)])
    _column(p, 40, 78, 360, _GRAPH, "unit")
    p.text(40, 474, "the graph half: MLIR", "faint small")

    p.arrow([(400, 368), (430, 368), (430, 98), (460, 98)], "layers on the VTA: KernelDesc", at=(460, 68))
    _column(p, 460, 78, 360, _KERNEL, "memory")
    p.text(460, 248, "the kernel half: C++ without MLIR", "faint small")

    p.arrow([(400, 422), (446, 422), (446, 300), (460, 300)], "what stays on the host", at=(460, 274))
    p.box(460, 280, 360, 40, "back end of the CPU\nlinalg, loops, LLVM: an object file", "queue", "small")
    p.box(460, 400, 360, 44, "model.vta.so\nprograms, host code, weights, a plan of steps", "outside", "small")
    p.arrow([(640, 320), (640, 400)])
    p.arrow([(820, 206), (840, 206), (840, 422), (820, 422)], "programs", at=(772, 372))
    return p
