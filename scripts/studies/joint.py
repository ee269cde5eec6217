"""Hardware and schedules searched together: the gain over two steps, and the factor over random search."""

import tempfile
from pathlib import Path
from statistics import median

from .study import feasible, table

MODELS = ("imagenet/resnet18_seeded_f32", "imagenet/mobilenet_v2_1.0_224_ptq_f32dq")
DEVICE = "xc7z020"
TRIALS = 16  # schedules that are measured for each kernel of each point
# The text of a memory; without one, the name is of a memory that the tools know.
MEMORIES = {
    "simple": "",
    "latency-200": "kind: simple\nlatency_cycles: 200\nbeats_per_cycle: 1\noutstanding: 32\n",
    "narrow": "kind: simple\nlatency_cycles: 7\nbeats_per_cycle: 2/3\noutstanding: 3\n",
}

# Against random search: seeds for each network. The large one has few, because most schedules that random search draws
# are slow, and so is their simulation.
RANDOM_MODELS = {"cifar10/mlperf_resnet8_f32": 10, MODELS[0]: 3}
RANDOM_MEMORY = "ddr3-1066"
POINTS = 20

# Few accelerators, on each of which schedules are searched; and more than a search can go through.
FEW = {"gemm.block_in": "[16, 32]", "gemm.block_out": "[16, 32]", "inp_rows": "[1024, 4096]", "wgt_rows": "[512]",
       "acc_rows": "[512, 2048]", "axi.data_width_bits": "[64]"}
MANY = {"gemm.block_in": "[8, 16, 32]", "gemm.block_out": "[8, 16, 32]", "inp_rows": "[1024, 2048, 4096]",
        "wgt_rows": "[512, 1024, 2048]", "acc_rows": "[512, 1024, 2048]", "axi.data_width_bits": "[64, 128]"}


BY_CHANCE = "{searcher: random, trials: 1}"  # one schedule for each kernel, whatever it takes


def description(memory, schedules, objective, grid):
    """Array shapes and depths of scratchpads that the device has room for."""
    axes = "".join(f"  {name}: {values}\n" for name, values in grid.items())
    return f"""
base: ../hw/zynq-7020.yaml
grid:
{axes}derive:
  buffers.inp_buf_bytes: inp_rows * gemm.batch * gemm.block_in
  buffers.wgt_buf_bytes: wgt_rows * gemm.block_in * gemm.block_out
  buffers.acc_buf_bytes: acc_rows * 4 * gemm.batch * gemm.block_out
constraints: [fits({DEVICE})]
models: ../../examples/digits/digits.onnx
memories: {memory}
schedules: {schedules}
objectives: [{objective}]
"""


def searched(searcher):
    return f"{{searcher: {searcher}, trials: {TRIALS}}}"


def latencies(results):
    return {point["number"]: point["values"]["latency_ms"] for point in feasible(results)}


def compare_steps(own, found):
    """Latencies of the accelerator that is best with the compiler's own schedules, with these and with the best that are
    known, and of the best pair of accelerator and schedules. Both arguments are latencies by the point's number."""
    best = {number: min(latency, found[number]) for number, latency in own.items()}
    first = min(own, key=own.get)
    return own[first], best[first], min(best.values())


def latency_of_blind_step(own, found, by_chance):
    """The best known latency of the accelerator that is best with schedules by chance. All are latencies by number."""
    first = min(by_chance, key=by_chance.get)
    return min(own[first], found[first])


def steps_row(study, model, name, memory):
    own = latencies(study.sweep_text(description(memory, "estimated", "latency_ms", FEW), [model]))
    found = latencies(study.sweep_text(description(memory, searched("learned"), "latency_ms", FEW), [model]))
    first, second, joint = compare_steps(own, found)
    by_chance = latencies(study.sweep_text(description(memory, BY_CHANCE, "latency_ms", FEW), [model]))
    blind = latency_of_blind_step(own, found, by_chance)
    return [model.split("/")[1], name, len(own), f"{first:.2f}", f"{second:.2f}", f"{joint:.2f}", f"{first / second:.3f}",
            f"{second / joint:.3f}", f"{blind / joint:.3f}"]


def least_edp(study, model, method, searcher, seed):
    text = description(RANDOM_MEMORY, searched(searcher), "edp", MANY)
    found = study.sweep_text(text, [model], "--search", method, "--evaluations", POINTS, "--seed", seed)
    return min(point["values"]["edp"] for point in feasible(found))


def random_row(study, model, seeds):
    factors = [least_edp(study, model, "random", "random", seed) / least_edp(study, model, "surrogate", "learned", seed)
               for seed in range(1, seeds + 1)]
    return [model.split("/")[1], seeds, f"{median(factors):.2f}", f"{min(factors):.2f}", f"{max(factors):.2f}"]


def run(study):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, text in MEMORIES.items():
            memory = name
            if text:
                memory = Path(folder) / f"{name}.yaml"
                memory.write_text(text)
            rows += [steps_row(study, model, name, memory) for model in MODELS]
    study.write_part("joint", table(
        ["network", "memory", "points", "first step (ms)", "second step (ms)", "joint (ms)", "gain of the second step",
         "gain of joint search", "gain over a blind first step"], rows))
    rows = [random_row(study, model, seeds) for model, seeds in RANDOM_MODELS.items()]
    study.write_part("random", table(["network", "seeds", "median factor", "least", "most"], rows))
