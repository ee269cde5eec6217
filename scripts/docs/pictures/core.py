"""The units of the core, with their command queues, token queues and memories."""

from pictures.svg import Picture


def draw():
    p = Picture(860, 484, "The units of the core, their queues and their memories")
    p.box(40, 20, 780, 44, "DRAM: instructions, micro-ops, inputs, weights, parameters, outputs", "outside")
    p.rect(20, 96, 820, 370, "group", 8)
    p.text(32, 116, "the core", "faint small")

    p.box(330, 124, 200, 44, "fetch\nreads and decodes instructions", "unit", "small")
    p.arrow([(430, 64), (430, 124)], "instructions", at=(438, 88))
    for x, name in ((70, "load"), (330, "compute"), (610, "store")):
        p.box(x + 20, 200, 160, 26, f"{name} queue", "queue", "small")
    p.arrow([(330, 146), (170, 146), (170, 200)], "LOAD of INP, WGT", at=(178, 192))
    p.arrow([(430, 168), (430, 200)], "GEMM, ALU, LOAD of UOP, ACC", at=(438, 188))
    p.arrow([(530, 146), (710, 146), (710, 200)], "STORE", at=(718, 192))

    p.box(70, 262, 200, 50, "load\nDRAM to INP and WGT", "unit", "small")
    p.box(330, 262, 200, 50, "compute\nGEMM core and tensor ALU", "unit", "small")
    p.box(610, 262, 200, 50, "store\nOUT to DRAM", "unit", "small")
    for x in (170, 430, 710):
        p.arrow([(x, 226), (x, 262)])

    # Token queues, both ways between neighbours.
    p.arrow([(270, 278), (330, 278)], kind="token")
    p.arrow([(330, 298), (270, 298)], kind="token")
    p.arrow([(530, 278), (610, 278)], kind="token")
    p.arrow([(610, 298), (530, 298)], kind="token")
    p.text(300, 254, "tokens", "middle small")
    p.text(570, 254, "tokens", "middle small")

    p.box(70, 364, 90, 50, "INP\ninputs", "memory", "small")
    p.box(180, 364, 90, 50, "WGT\nweights", "memory", "small")
    p.box(290, 364, 90, 50, "UOP\nmicro-ops", "memory", "small")
    p.box(400, 364, 130, 50, "ACC\naccumulators", "memory", "small")
    p.box(610, 364, 200, 50, "OUT\nthe low 8 bits of ACC", "memory", "small")
    p.arrow([(115, 312), (115, 364)])
    p.arrow([(225, 312), (225, 364)])
    p.arrow([(335, 364), (335, 312)])
    p.arrow([(465, 312), (465, 364)])
    p.arrow([(450, 364), (450, 312)])
    p.arrow([(160, 376), (172, 340), (344, 340), (352, 312)])
    p.arrow([(270, 376), (280, 348), (368, 348), (374, 312)])
    p.arrow([(530, 389), (610, 389)])
    p.arrow([(710, 364), (710, 312)])
    p.text(32, 438, "Blue: units, which run at the same time. Yellow: queues. Green: memories on the chip.\n"
           "Load, compute and store reach DRAM by the same bus as fetch.", "faint small")
    return p
