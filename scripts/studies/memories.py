"""How the ranking of accelerators changes with the memory, for ten networks."""

from .chart import COLOURS, Axis, Chart
from .study import feasible, table

MODELS = ("imagenet/resnet18_seeded_f32", "imagenet/mobilenet_v2_1.0_224_ptq_f32dq", "imagenet/squeezenet1.0_deepcomp_f32",
          "imagenet/mobilenet_v1_0.25_128_qdq", "cifar10/cifar_resnet20_f32", "cifar10/mlperf_resnet8_qdq",
          "tinyml/mlperf_kws_dscnn_f32", "tinyml/mlperf_vww_mbv1_qdq", "tinyml/mlperf_ad_autoencoder_f32", "mnist/mnist-8")
PICTURED = "tinyml/mlperf_vww_mbv1_qdq"
MEMORIES = ("simple", "DDR3-1066", "DDR4-2400")


def accelerator(point):
    """"16x32, 128 bits, 8 bursts": BLOCK_IN x BLOCK_OUT, the width of the bus, bursts in flight."""
    values = point["values"]
    return (f"{values['gemm.block_in']:.0f}x{values['gemm.block_out']:.0f}, {values['axi.data_width_bits']:.0f} bits, "
            f"{values['axi.outstanding_bursts']:.0f} bursts")


def latencies(results):
    """{memory: {accelerator: latency}} of accelerators with results for all memories."""
    found = {memory: {} for memory in MEMORIES}
    for point in feasible(results):
        found[point["memory"]][accelerator(point)] = point["values"]["latency_ms"]
    common = set.intersection(*(set(of) for of in found.values()))
    return {memory: {key: value for key, value in of.items() if key in common} for memory, of in found.items()}


def kendall(first, second):
    """Kendall's tau-a of two orders of the same accelerators: 1 for the same order, -1 for the reversed one."""
    keys = list(first)
    balance = 0
    for i, a in enumerate(keys):
        for b in keys[:i]:
            product = (first[a] - first[b]) * (second[a] - second[b])
            balance += (product > 0) - (product < 0)
    return balance / (len(keys) * (len(keys) - 1) / 2)


def rank(of, key):
    return 1 + sum(value < of[key] for value in of.values())


def row_of(model, of):
    """The best accelerator with `simple`, its rank and loss with the others, what is best there, how orders agree."""
    best = {memory: min(sorted(of[memory]), key=of[memory].get) for memory in MEMORIES}
    chosen = best["simple"]
    cells = [model.split("/")[1], chosen]
    for memory in MEMORIES[1:]:
        loss = of[memory][chosen] / of[memory][best[memory]] - 1
        tau = kendall(of["simple"], of[memory])
        cells += [best[memory], f"{rank(of[memory], chosen)} ({100 * loss:.1f} %)", f"{tau:.2f}"]
    return cells


def draw(of, model):
    """Ranks of the accelerators that are among the eight best with any memory."""
    shown = sorted({key for memory in MEMORIES for key in sorted(of[memory], key=of[memory].get)[:8]},
                   key=lambda key: rank(of["simple"], key))
    ranks = {key: [rank(of[memory], key) for memory in MEMORIES] for key in shown}
    most = max(max(places) for places in ranks.values())
    chart = Chart(f"{model.split('/')[1]}: ranks of accelerators with each memory", Axis("", [0, len(MEMORIES) - 1], names=MEMORIES),
                  Axis("rank", [1, most], down=True))
    for i, (key, places) in enumerate(ranks.items()):
        chart.line(list(enumerate(places)), COLOURS[i % len(COLOURS)], key)
    return chart


def run(study):
    rows = []
    for model in MODELS:
        of = latencies(study.sweep("memories.yaml", [model]))
        rows.append(row_of(model, of))
        if model == PICTURED:
            study.write_picture("memories.svg", draw(of, model))
    text = ""
    for place, memory in enumerate(MEMORIES[1:]):
        first = 2 + 3 * place
        text += f"With {memory} in place of `simple`:\n\n" + table(
            ["network", "best with simple", f"best with {memory}", "rank of the former (loss)", "tau"],
            [row[:2] + row[first:first + 3] for row in rows]) + "\n"
    study.write_part("memories", text)
