#include "explore/sweep/search/evolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/moead.hpp>
#include <pagmo/algorithms/nsga2.hpp>
#include <pagmo/batch_evaluators/member_bfe.hpp>
#include <pagmo/bfe.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>
#include <pagmo/utils/hypervolume.hpp>
#include <utility>

#include "explore/sweep/results/pareto.h"

namespace vta::sweep {
namespace {

// Objectives of a point that has none: worse than any point's.
constexpr double kPenalty = 1e30;

/// What all copies of the problem share.
struct Evaluation {
  PointStore* store = nullptr;
  size_t objectives = 0;
  Status error;  // the first one; pagmo runs on, without evaluations
  const std::atomic<bool>* stop = nullptr;
  int64_t most = 0;

  bool isOver() const {
    return !error.ok() || store->evaluations() >= most || (stop != nullptr && *stop);
  }
};

/// The space as pagmo sees it: a number in [0, extent) for each digit.
class SpaceProblem {
 public:
  SpaceProblem() = default;
  explicit SpaceProblem(Evaluation* evaluation) : evaluation_(evaluation) {}

  pagmo::vector_double fitness(const pagmo::vector_double& x) const { return fitnesses(x); }
  pagmo::vector_double batch_fitness(const pagmo::vector_double& xs) const { return fitnesses(xs); }
  pagmo::vector_double::size_type get_nobj() const {
    return evaluation_ == nullptr ? 1 : evaluation_->objectives;
  }

  std::pair<pagmo::vector_double, pagmo::vector_double> get_bounds() const {
    pagmo::vector_double low;
    pagmo::vector_double high;
    if (evaluation_ == nullptr) return {{0}, {1}};
    for (const uint32_t extent : evaluation_->store->space().extents()) {
      low.push_back(0);
      high.push_back(extent);
    }
    return {low, high};
  }

 private:
  pagmo::vector_double fitnesses(const pagmo::vector_double& xs) const {
    const std::vector<uint32_t>& extents = evaluation_->store->space().extents();
    std::vector<std::vector<uint32_t>> asked;
    for (size_t first = 0; first < xs.size(); first += extents.size()) {
      std::vector<uint32_t>& choices = asked.emplace_back();
      for (size_t i = 0; i < extents.size(); ++i) {
        const double digit = std::clamp(std::floor(xs[first + i]), 0.0, double(extents[i] - 1));
        choices.push_back(static_cast<uint32_t>(digit));
      }
    }
    pagmo::vector_double values(asked.size() * evaluation_->objectives, kPenalty);
    if (evaluation_->isOver()) return values;
    const auto found = evaluation_->store->ask(asked);
    if (!found.ok()) {
      evaluation_->error = found.status();
      return values;
    }
    for (size_t i = 0; i < asked.size(); ++i) {
      const PointResult& result = *(*found)[i];
      if (!result.is_feasible) continue;
      std::ranges::copy(result.objectives,
                        values.begin() + static_cast<std::ptrdiff_t>(i * evaluation_->objectives));
    }
    return values;
  }

  Evaluation* evaluation_ = nullptr;
};

pagmo::algorithm algorithmOf(const SearchSetup& setup, unsigned seed) {
  // One generation at a time, so that the number of evaluations decides when it ends.
  if (setup.method == "moead") {
    const auto neighbours =
        static_cast<pagmo::population::size_type>(std::clamp(setup.population / 2, 2, 20));
    return pagmo::algorithm(
        pagmo::moead(1u, "grid", "tchebycheff", neighbours, 1.0, 0.5, 20., 0.9, 2u, true, seed));
  }
  pagmo::nsga2 nsga2(1u, 0.95, 10., 1.0 / 4, 20., seed);
  nsga2.set_bfe(pagmo::bfe(pagmo::member_bfe{}));
  return pagmo::algorithm(nsga2);
}

/// A size that the algorithm takes: NSGA-II wants multiples of four, MOEA/D a grid of weights.
size_t populationOf(const SearchSetup& setup, size_t objectives) {
  const auto wanted = static_cast<size_t>(std::max(8, setup.population));
  if (setup.method != "moead") return (wanted + 3) / 4 * 4;
  if (objectives <= 2) return wanted;
  // C(steps + objectives - 1, objectives - 1) weights.
  size_t size = 1;
  for (size_t steps = 1; size < wanted; ++steps) {
    size = 1;
    for (size_t i = 1; i < objectives; ++i) size = size * (steps + i) / i;
  }
  return size;
}

}  // namespace

Status evolve(const SearchSetup& setup, PointStore& store, const std::atomic<bool>* stop) {
  Evaluation evaluation{&store, 0, {}, stop, setup.evaluations};
  evaluation.objectives = store.space().objectiveCount();
  if (evaluation.objectives < 2) {
    return invalidArgument(fmt::format(
        "search method {} needs two objectives or more; use random for one", setup.method));
  }
  try {  // pagmo reports errors no other way
    const auto seed = static_cast<unsigned>(setup.seed);
    pagmo::problem problem{SpaceProblem(&evaluation)};
    pagmo::population population(problem, pagmo::bfe(pagmo::member_bfe{}),
                                 populationOf(setup, evaluation.objectives), seed);
    // A generation that finds nothing new costs no evaluations; so do all when nothing is left.
    const int64_t most_idle = 200;
    int64_t idle = 0;
    for (unsigned generation = 1; !evaluation.isOver() && idle < most_idle; ++generation) {
      const int64_t before = store.evaluations();
      population = algorithmOf(setup, seed + generation).evolve(population);
      idle = store.evaluations() == before ? idle + 1 : 0;
    }
  } catch (const std::exception& error) {
    return internalError(fmt::format("{}: {}", setup.method, error.what()));
  }
  return evaluation.error;
}

double hypervolume(const std::vector<PointResult>& results, const std::vector<double>& reference) {
  std::vector<pagmo::vector_double> points;
  for (const size_t i : paretoFront(results)) {
    const std::vector<double>& objectives = results[i].objectives;
    bool is_inside = true;
    for (size_t k = 0; k < objectives.size(); ++k) {
      is_inside = is_inside && objectives[k] < reference[k];
    }
    if (is_inside) points.push_back(objectives);
  }
  if (points.empty()) return 0;
  return pagmo::hypervolume(points).compute(reference);
}

}  // namespace vta::sweep
