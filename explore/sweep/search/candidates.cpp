#include "explore/sweep/search/candidates.h"

#include <algorithm>
#include <set>

namespace vta::sweep {
namespace {

/// Names in the objectives and constraints of a sweep: of points (`of_points`) or of results.
std::vector<std::string> namesOf(SweepSpace& space, bool of_points) {
  std::set<std::string> names;
  const auto add = [&](const Expression& expression) {
    for (const std::string& name : expression.names()) {
      if (space.isKnownBeforehand(name) == of_points) names.insert(name);
    }
  };
  for (const Objective& objective : space.sweep().objectives) add(objective.expression);
  for (const Constraint& constraint : space.sweep().constraints) add(constraint.expression);
  return {names.begin(), names.end()};
}

}  // namespace

std::vector<std::string> resultsThatCount(SweepSpace& space) { return namesOf(space, false); }

Candidates::Candidates(SweepSpace& space, const Surrogate& surrogate, size_t most,
                       std::mt19937_64& random)
    : space_(space), surrogate_(surrogate), known_names_(namesOf(space, true)) {
  std::set<uint64_t> seen;
  const auto take = [&](uint64_t number) {
    const Point point = space.point(space.choicesOf(number));
    if (!point.isLegal() || !seen.insert(point.number).second) return;
    numbers_.push_back(point.number);
    surrogate.inputs().append(point, rows_);
    for (const std::string& name : known_names_) known_.push_back(point.values.at(name));
  };
  if (space.size() <= most) {
    for (uint64_t number = 0; number < space.size(); ++number) take(number);
    return;
  }
  // A space whose points are nearly all illegal ends the draw some day.
  for (size_t drawn = 0; drawn < 10 * most && size() < most; ++drawn) {
    take(random() % space.size());
  }
}

Result<std::vector<std::vector<double>>> Candidates::objectives(
    const std::vector<std::vector<double>>& predicted) {
  SweepConfig& sweep = space_.sweep();
  std::vector<std::vector<double>> all(size());
  Values values;
  for (size_t i = 0; i < size(); ++i) {
    for (size_t k = 0; k < known_names_.size(); ++k) {
      values[known_names_[k]] = known_[i * known_names_.size() + k];
    }
    for (size_t k = 0; k < predicted.size(); ++k) {
      values[surrogate_.results()[k]] = predicted[k][i];
    }
    bool holds = true;
    for (Constraint& constraint : sweep.constraints) {
      VTA_ASSIGN_OR_RETURN(const double value, constraint.expression.evaluate(values));
      holds = holds && value != 0;
    }
    if (!holds) continue;
    for (Objective& objective : sweep.objectives) {
      VTA_ASSIGN_OR_RETURN(const double value, objective.expression.evaluate(values));
      all[i].push_back(objective.maximise ? -value : value);
    }
  }
  return all;
}

}  // namespace vta::sweep
