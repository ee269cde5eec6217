"""Search algorithms at equal budgets against the enumerated front."""

from statistics import mean

from .chart import COLOURS, Axis, Chart
from .hypervolume import hypervolume, pareto_front
from .study import feasible, table

MODEL = "imagenet/resnet18_seeded_f32"
SWEEP = "buffers.yaml"
METHODS = ("random", "nsga2", "moead", "surrogate")
SHARES = (5, 10, 20)  # percent of the space
SEEDS = 10


def objectives_of(results):
    return [tuple(point["objectives"]) for point in feasible(results)]


def measure(study, budget, method, reference, truth):
    """The share of the enumerated front's hypervolume, for each seed."""
    shares = []
    for seed in range(1, SEEDS + 1):
        found = study.sweep(SWEEP, [MODEL], "--search", method, "--evaluations", budget, "--seed", seed)
        shares.append(hypervolume(pareto_front(objectives_of(found)), reference) / truth)
    return shares


def draw(shares):
    """A range and its mean for each method and budget."""
    values = [value for of_budget in shares.values() for seeds in of_budget.values() for value in seeds]
    chart = Chart("Share of the enumerated front's hypervolume for each search method and budget",
                  Axis("evaluations, % of the space", [-0.5, len(SHARES) - 0.5], names=[str(share) for share in SHARES]),
                  Axis("share of the hypervolume", [min(values), 1.0]))
    for i, method in enumerate(METHODS):
        offset = 0.12 * (i - (len(METHODS) - 1) / 2)
        seeds = [shares[share][method] for share in SHARES]
        for place, of_seeds in enumerate(seeds):
            chart.range(place + offset, min(of_seeds), max(of_seeds), COLOURS[i])
        chart.points([(place + offset, mean(of_seeds)) for place, of_seeds in enumerate(seeds)], COLOURS[i], method, 5)
    return chart


def run(study):
    everything = study.sweep(SWEEP, [MODEL])
    points = objectives_of(everything)
    reference = tuple(1.01 * max(values) for values in zip(*points))
    front = pareto_front(points)
    truth = hypervolume(front, reference)
    shares = {}
    rows = []
    for share in SHARES:
        budget = len(points) * share // 100
        shares[share] = {method: measure(study, budget, method, reference, truth) for method in METHODS}
        for method, seeds in shares[share].items():
            rows.append([method, budget, f"{100 * mean(seeds):.2f}", f"{100 * min(seeds):.2f}", f"{100 * max(seeds):.2f}",
                         sum(value >= 0.99 for value in seeds)])
    study.write_part("search", f"The space has {len(points)} points, {len(front)} different ones on the front.\n\n" + table(
        ["method", "evaluations", "mean hypervolume (%)", "least (%)", "most (%)", f"seeds of {SEEDS} with 99 % or more"], rows))
    study.write_picture("search.svg", draw(shares))
    trainings = [len(points) * share // 100 for share in (*SHARES, 40)]
    study.write_part("model", table(
        ["training points", "mean error (%)", "largest error (%)", "predictions a second", "fit (s)"],
        [[row["training"], f"{100 * row['mean_error']:.2f}", f"{100 * row['worst_error']:.1f}",
          f"{row['predictions_per_second']:,.0f}", f"{row['fit_seconds']:.2f}"]
         for row in study.model_error(SWEEP, everything, trainings)]))
