"""Where the caches of a language model lie, and what a run adds to them."""

from pictures.svg import Picture

_ROWS = 8


def _cache(p, x, y, name):
    p.text(x, y - 6, name, "small")
    for i in range(_ROWS):
        valid = i < 3
        p.rect(x + i * 22, y, 20, 26, "memory" if valid else "queue" if i == 3 else "group", 2)
    p.text(x, y + 42, "valid", "faint small")
    p.text(x + 66, y + 42, "next", "faint small")
    p.text(x + 110, y + 42, "not valid yet", "faint small")


def draw():
    p = Picture(860, 330, "Where the caches of a language model lie, and what a run adds to them")
    p.rect(20, 30, 210, 270, "group")
    p.text(30, 50, "accelerator's memory", "bold")
    p.box(40, 70, 170, 60, "weights of all layers\nconstants of the module", "memory", "small")
    p.box(40, 190, 170, 60, "VTA\nproducts with weights", "unit", "small")
    p.arrow([(125, 130), (125, 190)], "each run, once", at=(132, 164))

    p.rect(260, 30, 290, 270, "group")
    p.text(270, 50, "one run on the host", "bold")
    p.box(280, 70, 250, 34, "row of the token, norms, rotation", "unit", "small")
    p.box(280, 140, 250, 44, "attention: query, all valid rows", "unit", "small")
    p.box(280, 220, 250, 34, "scores of all tokens", "outside", "small")
    p.arrow([(405, 104), (405, 140)])
    p.arrow([(405, 184), (405, 220)])
    p.arrow([(210, 220), (250, 220), (250, 162), (280, 162)])

    p.rect(580, 30, 260, 270, "group")
    p.text(590, 50, "state of the session", "bold")
    _cache(p, 600, 90, "keys of layer 0")
    _cache(p, 600, 170, "values of layer 0")
    p.box(600, 250, 176, 34, "text_length: 3", "memory", "mono")
    p.arrow([(600, 110), (570, 110), (570, 156), (530, 156)], "read in place", at=(454, 132))
    p.arrow([(530, 176), (566, 176), (566, 186), (600, 186)], "new row, behind the run", at=(600, 236))
    return p
