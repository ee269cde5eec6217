#include "explore/sweep/results/pareto.h"

#include <algorithm>

namespace vta::sweep {

bool dominates(std::span<const double> a, std::span<const double> b) {
  bool is_better = false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
    is_better = is_better || a[i] < b[i];
  }
  return is_better;
}

std::vector<size_t> paretoFront(const std::vector<PointResult>& results) {
  std::vector<size_t> feasible;
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].is_feasible) feasible.push_back(i);
  }
  // What dominates a point comes before it.
  std::vector<size_t> order = feasible;
  std::ranges::stable_sort(order, {}, [&](size_t i) { return results[i].objectives; });
  std::vector<size_t> front;
  for (const size_t i : order) {
    const bool is_beaten = std::ranges::any_of(
        front, [&](size_t f) { return dominates(results[f].objectives, results[i].objectives); });
    if (!is_beaten) front.push_back(i);
  }
  std::ranges::sort(front);
  return front;
}

}  // namespace vta::sweep
