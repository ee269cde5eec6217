"""BATCH x BLOCK_IN x BLOCK_OUT, enumerated."""

from .chart import COLOURS, Axis, Chart
from .study import PICTURE_LINK, feasible, shape, table

MODELS = ("imagenet/resnet18_seeded_f32", "imagenet/mobilenet_v2_1.0_224_ptq_f32dq", "tinyml/mlperf_kws_dscnn_f32")
MEMORY = "DDR3-1066"


def name_of(model):
    return model.split("/")[1]


def sections(study):
    """[(network, results)]"""
    return [(model, study.sweep("blocks.yaml", [model])) for model in MODELS]


def front_rows(results, memory):
    """Points of the front of latency and LUTs with one memory, the fastest first."""
    points = sorted((p for p in feasible(results) if p["memory"] == memory),
                    key=lambda p: (p["values"]["latency_ms"], p["values"]["lut"]))
    rows, least = [], float("inf")
    for point in points:
        values = point["values"]
        if values["lut"] >= least:
            continue
        least = values["lut"]
        rows.append([shape(point), f"{values['latency_ms']:.2f}", f"{values['lut']:,.0f}", f"{values['dsp']:.0f}",
                     f"{100 * values['utilisation']:.0f}", point["models"][0]["time"]["limit"]])
    return rows


def draw(results, model):
    points = [p for p in feasible(results) if p["memory"] == MEMORY]
    pairs = [(p["values"]["latency_ms"], p["values"]["lut"]) for p in points]
    chart = Chart(f"{name_of(model)}: LUTs over latency of all shapes of the array with {MEMORY}",
                  Axis("latency, ms", [x for x, _ in pairs], log=True), Axis("LUTs (estimate)", [y for _, y in pairs], log=True))
    for i, batch in enumerate((1, 2, 4)):
        chart.points([(p["values"]["latency_ms"], p["values"]["lut"]) for p in points if p["values"]["gemm.batch"] == batch],
                     COLOURS[i], f"BATCH = {batch}")
    front, least = [], float("inf")
    for x, y in sorted(pairs):
        if y < least:
            front.append((x, y))
            least = y
    chart.line(front, "#a40000", "Pareto front", steps=True)
    return chart


def run(study):
    text = ""
    for model, results in sections(study):
        picture = f"array-shapes-{name_of(model)}.svg"
        study.write_picture(picture, draw(results, model))
        count = len(feasible(results))
        text += (f"### {name_of(model)}\n\n{count} points have results. The front of latency and LUTs with {MEMORY}:\n\n" +
                 table(["BATCH x BLOCK_IN x BLOCK_OUT", "latency (ms)", "LUTs", "DSP blocks", "utilisation (%)", "limited by"],
                       front_rows(results, MEMORY)) +
                 f"\n![LUTs over latency]({PICTURE_LINK}/{picture})\n\n")
    study.write_part("array-shapes", text)
