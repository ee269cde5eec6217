"""Timing diagrams: what happens in which cycle of a LOAD, a GEMM and a STORE, by the rules of docs/timing.md.

Each runs alone, on a bus of 8 bytes with elements of 16, and with a memory that takes every request at once.
"""

from pictures.svg import LINE, Picture

ELEMENTS = 4
BEATS_OF_ELEMENT = 2
LATENCY = 6  # of the memory, from acceptance to the first beat, and from the last beat to the response
_LEFT, _RIGHT, _TOP, _ROW = 230, 840, 56, 26


def load_cycles(timing):
    """{event: its cycles} of a LOAD of INP that is dispatched in cycle 0."""
    start = int(timing["QueueLatency"])
    granted = start + int(timing["BurstLatency"])
    arrivals = [granted + 1 + LATENCY + i for i in range(ELEMENTS * BEATS_OF_ELEMENT)]
    popped, writes = [], []
    for i, arrival in enumerate(arrivals):
        element_before = writes[-1] if i % BEATS_OF_ELEMENT == 0 and writes else 0
        popped.append(max(arrival + 1, popped[-1] + 1 if popped else 0, element_before))
        if i % BEATS_OF_ELEMENT == BEATS_OF_ELEMENT - 1:
            earliest = writes[-1] + 1 if writes else start + int(timing["DmaStartLatency"])
            writes.append(max(popped[-1] + 1, earliest))
    return {"dispatched": [0], "started": [start], "granted": [granted], "accepted": [granted + 1], "arrivals": arrivals,
            "popped": popped, "writes": writes, "retired": [writes[-1]]}


def gemm_cycles(timing):
    """{event: its cycles} of a GEMM whose last token is pushed in cycle 0; it has been scanned before."""
    issued = 1
    enters = [issued + 1 + i for i in range(ELEMENTS)]
    accesses = [cycle + int(timing["GemmDepth"]) for cycle in enters]
    writes = [cycle + int(timing["AccLatency"]) for cycle in accesses]
    return {"token": [0], "issued": [issued], "enters": enters, "accesses": accesses, "writes": writes,
            "retired": [writes[-1]]}


def store_cycles(timing):
    """{event: its cycles} of a STORE that starts in cycle 0."""
    granted = int(timing["BurstLatency"])
    reads, loaded = [], []
    for _ in range(ELEMENTS):
        read = max(reads[-1] + 1, loaded[-1]) if reads else int(timing["DmaStartLatency"])
        reads.append(read)
        for _ in range(BEATS_OF_ELEMENT):
            loaded.append(max(reads[-1] + 1, granted + 1, loaded[-1] + 1 if loaded else 0))
    sent = [cycle + 1 for cycle in loaded]
    response = sent[-1] + LATENCY
    return {"started": [0], "granted": [granted], "accepted": [granted + 1], "reads": reads, "loaded": loaded, "sent": sent,
            "response": [response], "retired": [response + 1]}


def _diagram(title, rows, note):
    """Rows of (name, cycles, kind); cycles of several things are numbered from 0."""
    last = max(cycle for _, cycles, _ in rows for cycle in cycles) + 1
    cell = (_RIGHT - _LEFT) / (last + 1)
    bottom = _TOP + len(rows) * _ROW
    p = Picture(860, bottom + 16 + LINE * (note.count("\n") + 1), title)
    p.text(20, 24, title, "bold")
    p.text(20, _TOP - 8, "cycle", "small faint")
    for cycle in range(last + 1):
        x = _LEFT + cycle * cell
        p.line(x, _TOP - 4, x, bottom)
        if cell >= 20 or cycle % 2 == 0:
            p.text(x + cell / 2, _TOP - 8, str(cycle), "small middle faint")
    for i, (name, cycles, kind) in enumerate(rows):
        y = _TOP + i * _ROW
        p.text(_LEFT - 10, y + 17, name, "small end")
        p.line(_LEFT, y + _ROW, _RIGHT, y + _ROW)
        for number, cycle in enumerate(cycles):
            p.rect(_LEFT + cycle * cell + 1, y + 4, cell - 2, _ROW - 8, kind, 2)
            if len(cycles) > 1:
                p.text(_LEFT + (cycle + 0.5) * cell, y + 17, str(number), "small middle")
    p.text(20, bottom + 20, note, "small faint")
    return p


def draw_load(timing):
    """`timing`: the constants of isa/spec/timing.h, in cycles."""
    at = load_cycles(timing)
    after = [at["retired"][0] + 1]
    return _diagram("A LOAD of four elements", (
        ("dispatched by fetch", at["dispatched"], "queue"), ("started: tokens popped", at["started"], "unit"),
        ("burst offered and granted", at["granted"], "unit"), ("burst taken by the memory", at["accepted"], "outside"),
        ("beats arrive", at["arrivals"], "outside"), ("beats popped from the FIFO", at["popped"], "unit"),
        ("elements written to INP", at["writes"], "memory"), ("retired: tokens pushed", at["retired"], "queue"),
        ("a GEMM behind it can be issued", after, "queue")),
        f"Elements of 16 bytes on a bus of 8, and a memory with a latency of {LATENCY} cycles. Nothing else runs.")


def draw_gemm(timing):
    """`timing`: as for draw_load."""
    at = gemm_cycles(timing)
    after = [at["retired"][0] + 1]
    return _diagram("A GEMM of four micro-ops", (
        ("load pushes its token", at["token"], "queue"), ("issued: token popped", at["issued"], "unit"),
        ("micro-ops enter the array", at["enters"], "unit"), ("sums added to ACC", at["accesses"], "memory"),
        ("ACC and OUT written", at["writes"], "memory"), ("retired: tokens pushed", at["retired"], "queue"),
        ("a STORE behind it can start", after, "queue")),
        "The GEMM has been scanned while it waited for its token. No two micro-ops meet in a bank.")


def draw_store(timing):
    """`timing`: as for draw_load."""
    at = store_cycles(timing)
    return _diagram("A STORE of four elements", (
        ("started: tokens popped", at["started"], "unit"), ("burst offered and granted", at["granted"], "unit"),
        ("burst taken by the memory", at["accepted"], "outside"), ("elements read from OUT", at["reads"], "memory"),
        ("beats to the W register", at["loaded"], "unit"), ("beats taken by the memory", at["sent"], "outside"),
        ("response arrives", at["response"], "outside"), ("retired: tokens pushed", at["retired"], "queue")),
        f"Elements of 16 bytes on a bus of 8, and a memory with a latency of {LATENCY} cycles. Nothing else runs.")
