"""The pipelines of the compute unit: from an instruction to its result in ACC."""

from pictures.svg import Picture


def _row(p, y, boxes, kind):
    x = 150
    for i, (text, width) in enumerate(boxes):
        p.box(x, y, width, 44, text, kind, "small")
        if i > 0:
            p.arrow([(x - 18, y + 22), (x, y + 22)])
        x += width + 18
    return x


def draw(timing):
    """`timing`: the constants of isa/spec/timing.h, in cycles."""
    p = Picture(860, 330, "The pipelines of the compute unit")
    p.text(20, 50, "every\ninstruction", "bold small")
    end = _row(p, 26, ((f"command queue\n{timing['QueueLatency']} cycles", 120), ("prepare\n1 cycle", 90),
                       ("scan\n1 cycle a micro-op", 150), (f"to issue\n{timing['ScanLatency']} cycles", 100),
                       ("issue, in order\nconflicts? tokens?", 140)), "queue")
    p.arrow([(end - 88, 70), (end - 88, 100), (136, 100), (136, 142), (150, 142)])
    p.text(20, 138, "GEMM", "bold small")
    _row(p, 120, (("micro-op\na cycle", 90), (f"multiply and add\n{timing['GemmDepth']} cycles", 220),
                  ("access to ACC\n1 bank", 110), (f"write ACC\n{timing['AccLatency']} cycles later", 150)), "unit")
    p.arrow([(136, 142), (136, 212), (150, 212)])
    p.text(20, 208, "ALU", "bold small")
    _row(p, 190, (("micro-op\na cycle", 90), (f"to the access\n{timing['AluDepth']} cycles", 220),
                  ("access to ACC\n1 or 2 banks", 110), (f"write ACC\n{timing['AccLatency']} cycles later", 150)), "unit")
    p.arrow([(136, 212), (136, 282), (150, 282)])
    p.text(20, 278, "LOAD", "bold small")
    _row(p, 260, ((f"start\n{timing['DmaStartLatency']} cycles", 90), ("beats of the bus become elements", 220),
                  (f"write\n{timing['LoadLatency']} cycle", 110)), "memory")
    p.text(640, 270, "Results retire in program order.\nThe three engines run\nat the same time.", "faint small")
    return p
