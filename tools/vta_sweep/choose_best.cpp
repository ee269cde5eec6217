#include "tools/vta_sweep/choose_best.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace vta::tools {
namespace {

Result<sweep::Expression> parseNamed(const sweep::SweepConfig& sweep, const std::string& option,
                                     const std::string& text,
                                     const std::vector<std::string>& names) {
  auto expression = sweep::Expression::parse(text);
  if (!expression.ok()) return expression.status().withContext(option);
  VTA_RETURN_IF_ERROR(sweep::checkAccuracyKnown(sweep, *expression).withContext(option));
  VTA_RETURN_IF_ERROR(expression->checkNames(names).withContext(option));
  return expression;
}

Result<sweep::Expression> parseBest(const sweep::SweepConfig& sweep, const std::string& best,
                                    const std::vector<std::string>& names) {
  return parseNamed(sweep, "--best", best.starts_with("-") ? best.substr(1) : best, names);
}

bool hasAll(const sweep::PointResult& result, const sweep::Expression& expression) {
  return std::ranges::all_of(expression.names(),
                             [&](const std::string& name) { return result.values.contains(name); });
}

}  // namespace

Result<const sweep::PointResult*> chooseBest(const sweep::SweepConfig& sweep,
                                             const std::vector<sweep::PointResult>& results,
                                             const std::vector<std::string>& names,
                                             const std::string& best, const std::string& where) {
  const bool maximise = best.starts_with("-");
  VTA_ASSIGN_OR_RETURN(sweep::Expression value, parseBest(sweep, best, names));
  std::optional<sweep::Expression> condition;
  if (!where.empty()) {
    VTA_ASSIGN_OR_RETURN(condition, parseNamed(sweep, "--where", where, names));
  }
  const sweep::PointResult* winner = nullptr;
  double least = 0;
  int64_t feasible = 0;
  int64_t unknown = 0;
  for (const sweep::PointResult& result : results) {
    if (!result.is_feasible) continue;
    ++feasible;
    if (!hasAll(result, value) || (condition && !hasAll(result, *condition))) {
      ++unknown;
      continue;
    }
    if (condition) {
      VTA_ASSIGN_OR_RETURN(const double holds, condition->evaluate(result.values));
      if (holds == 0) continue;
    }
    VTA_ASSIGN_OR_RETURN(double own, value.evaluate(result.values));
    if (maximise) own = -own;
    if (winner != nullptr && own >= least) continue;
    winner = &result;
    least = own;
  }
  if (winner != nullptr) return winner;
  return notFound(fmt::format(
      "no point of {} is left for --best: {} have results and fulfil the sweep's constraints{}{}",
      results.size(), feasible,
      unknown == 0 ? "" : fmt::format(", the accuracy of {} of these is unknown", unknown),
      where.empty() ? "" : ", and none of these fulfils --where " + where));
}

Status checkChoice(const sweep::SweepConfig& sweep, const std::vector<std::string>& names,
                   const std::string& best, const std::string& where) {
  if (best.empty()) return {};
  VTA_RETURN_IF_ERROR(parseBest(sweep, best, names).status());
  if (where.empty()) return {};
  return parseNamed(sweep, "--where", where, names).status();
}

}  // namespace vta::tools
