"""Memory scopes of a GPU, and how a workgroup of the kernel for products uses them."""

from pictures.svg import Picture

# A small block, so that its parts can be seen: 8 x 8 sums, steps of 4, tiles of 2 x 2.
_BLOCK, _DEPTH, _TILE = 8, 4, 2
_CELL = 14


def _grid(p, x, y, rows, columns, kind, marked=lambda row, column: False):
    for row in range(rows):
        for column in range(columns):
            p.rect(x + column * _CELL, y + row * _CELL, _CELL - 2, _CELL - 2, "unit" if marked(row, column) else kind, 1)


def draw():
    p = Picture(860, 330, "Memory scopes of a GPU, and how a workgroup of the kernel for products uses them")
    p.rect(20, 30, 250, 280, "group")
    p.text(30, 50, "global memory: all workgroups", "bold")
    p.text(30, 76, "A, by rows", "small")
    _grid(p, 30, 84, _BLOCK, 2 * _DEPTH, "memory", lambda row, column: column < _DEPTH)
    p.text(154, 76, "B, by columns", "small")
    _grid(p, 154, 84, 2 * _DEPTH, _BLOCK, "memory", lambda row, column: row < _DEPTH)
    p.text(40, 226, "one step's parts are marked", "faint small")
    p.box(40, 250, 210, 40, "result", "memory", "small")

    p.rect(320, 30, 230, 280, "group")
    p.text(330, 50, "shared memory: a workgroup", "bold")
    p.text(340, 76, "part of A", "small")
    _grid(p, 340, 84, _BLOCK, _DEPTH, "queue", lambda row, column: row < _TILE)
    p.text(430, 76, "part of B", "small")
    _grid(p, 430, 84, _DEPTH, _BLOCK, "queue", lambda row, column: column < _TILE)
    p.text(340, 226, "every invocation copies some", "faint small")
    p.text(340, 242, "elements, then all wait", "faint small")

    p.rect(600, 30, 240, 280, "group")
    p.text(610, 50, "registers: one invocation", "bold")
    p.text(620, 76, "tile of sums", "small")
    _grid(p, 620, 84, _TILE, _TILE, "unit")
    p.text(620, 136, "reads a strip of each part", "faint small")
    p.text(620, 152, "for each of its sums", "faint small")
    p.box(620, 250, 200, 40, "bias, factor, activation", "unit", "small")

    p.arrow([(266, 140), (340, 140)], "copy", at=(280, 132))
    p.arrow([(542, 110), (620, 110)], "read", at=(560, 102))
    p.arrow([(720, 160), (720, 250)], "last step", at=(728, 210))
    p.arrow([(620, 270), (250, 270)], "write once", at=(410, 262))
    return p
