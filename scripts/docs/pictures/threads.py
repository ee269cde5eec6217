"""One layer with one and with two virtual threads, on one time axis."""

from pictures.svg import Picture

_ROWS = ("load", "gemm", "alu", "store")
_NAMES = {"load": "load", "gemm": "GEMM", "alu": "ALU", "store": "store"}
_LEFT, _RIGHT = 80, 840


def _timeline(p, top, title, spans, cycles_of_axis):
    scale = (_RIGHT - _LEFT) / cycles_of_axis
    p.text(20, top, title, "bold")
    for i, row in enumerate(_ROWS):
        y = top + 12 + i * 24
        p.text(_LEFT - 10, y + 13, _NAMES[row], "small end")
        p.line(_LEFT, y + 19, _RIGHT, y + 19)
        for begin, end in spans[row]:
            p.rect(_LEFT + begin * scale, y, max((end - begin) * scale, 0.6), 16, row, 0)


def draw(data):
    """`data`: what scripts/docs/draw_pictures.py --measure wrote."""
    one, two = data["one"], data["two"]
    longest = max(one["cycles"], two["cycles"])
    step = 2000
    axis = (longest + step - 1) // step * step
    p = Picture(860, 320, "A layer with one and with two virtual threads")
    for i, cycle in enumerate(range(0, axis + 1, step)):
        x = _LEFT + i * (_RIGHT - _LEFT) * step / axis
        p.line(x, 22, x, 284)
        p.text(x, 302, f"{cycle:,}", "small middle faint")
    _timeline(p, 20, f"one virtual thread: {one['cycles']:,} cycles. Loading and computing take turns.",
              one["spans"], axis)
    _timeline(p, 162, f"two virtual threads: {two['cycles']:,} cycles. Tiles are loaded while others are computed.",
              two["spans"], axis)
    p.text(20, 302, "cycles", "small faint")
    return p
