"""The best configuration for three networks on three devices."""

from .chart import COLOURS, Axis, Chart
from .study import PICTURE_LINK, feasible, table

MODELS = ("imagenet/resnet18_seeded_f32", "imagenet/mobilenet_v2_1.0_224_ptq_f32dq", "tinyml/mlperf_kws_dscnn_f32")
DEVICES = ("xc7z020", "xczu3eg", "xczu7ev")
PORTS = (64, 128)
BASELINE = "base: ../hw/default.yaml\nmodels: ../../examples/digits/digits.onnx\nmemories: ddr3-1066\n"


def name_of(model):
    return model.split("/")[1]


def best_on(results, device, port):
    """The point with the least latency, or None; of equal ones the smallest."""
    points = [p for p in feasible(results) if p["values"][f"fits.{device}"] and p["values"]["axi.data_width_bits"] == port]
    return min(points, key=lambda p: (p["values"]["latency_ms"], p["values"]["lut"]), default=None)


def described(point):
    """"16x32 double_pumped, ALU/2, rows 4096/512/1024": array, multipliers, passes of the ALU, rows of INP, WGT and ACC."""
    values = point["values"]
    kind = point["text"].split("gemm.multipliers=")[1].split(",")[0]
    rows = "/".join(f"{values[key]:.0f}" for key in ("inp_rows", "wgt_rows", "acc_rows"))
    return (f"{values['gemm.block_in']:.0f}x{values['gemm.block_out']:.0f} {kind}, ALU/{values['compute.alu_passes']:.0f}, "
            f"rows {rows}")


def rows_of(results, default_ms, port):
    rows = []
    for device in DEVICES:
        point = best_on(results, device, port)
        if point is None:
            rows.append([device, "none fits", "", "", "", "", ""])
            continue
        values = point["values"]
        rows.append([device, described(point), f"{values['latency_ms']:.2f}", f"{default_ms / values['latency_ms']:.2f}",
                     f"{values['lut']:,.0f}", f"{values['dsp']:.0f}", point["models"][0]["time"]["limit"]])
    return rows


def draw(results, model):
    points = [p for p in feasible(results) if p["values"]["axi.data_width_bits"] == PORTS[0]]
    places = [(p["values"]["latency_ms"], p["values"]["lut"]) for p in points]
    chart = Chart(f"{name_of(model)}: LUTs over latency, and the smallest device that each accelerator fits on",
                  Axis("latency, ms", [x for x, _ in places], log=True), Axis("LUTs (estimate)", [y for _, y in places]))
    left = points
    for i, device in enumerate(DEVICES):
        fitting = [p for p in left if p["values"][f"fits.{device}"]]
        left = [p for p in left if not p["values"][f"fits.{device}"]]
        chart.points([(p["values"]["latency_ms"], p["values"]["lut"]) for p in fitting], COLOURS[i], device)
    return chart


def run(study):
    text = ""
    for model in MODELS:
        default_ms = feasible(study.sweep_text(BASELINE, [model]))[0]["values"]["latency_ms"]
        results = study.sweep("devices.yaml", [model])
        text += f"### {name_of(model)}\n\n`default.yaml` takes {default_ms:.2f} ms.\n\n"
        for port in PORTS:
            text += f"With a port of {port} bits:\n\n" + table(
                ["device", "fastest accelerator", "latency (ms)", "times faster than default", "LUTs", "DSP blocks", "limited by"],
                rows_of(results, default_ms, port)) + "\n"
        picture = f"devices-{name_of(model)}.svg"
        study.write_picture(picture, draw(results, model))
        text += f"![LUTs over latency]({PICTURE_LINK}/{picture})\n\n"
    study.write_part("devices", text)
