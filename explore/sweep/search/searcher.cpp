#include "explore/sweep/search/searcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>

#include "explore/sweep/search/evolution.h"
#include "explore/sweep/search/surrogate_search.h"

namespace vta::sweep {
namespace {

constexpr size_t kBatch = 4096;  // points given to the evaluator at once

bool isStopped(const std::atomic<bool>* stop) { return stop != nullptr && *stop; }

Status enumerate(PointStore& store, const std::atomic<bool>* stop) {
  const SweepSpace& space = store.space();
  if (space.size() > kMostEnumerated) {
    return invalidArgument(fmt::format(
        "the space has {} points, more than the {} that are enumerated: choose a search "
        "(search: {{method: nsga2}}) or a smaller grid",
        space.size(), kMostEnumerated));
  }
  std::vector<std::vector<uint32_t>> batch;
  for (uint64_t number = 0; number < space.size() && !isStopped(stop); ++number) {
    batch.push_back(space.choicesOf(number));
    if (batch.size() < kBatch && number + 1 < space.size()) continue;
    VTA_RETURN_IF_ERROR(store.ask(batch).status());
    batch.clear();
  }
  return {};
}

Status searchRandomly(const SearchSetup& setup, PointStore& store, const std::atomic<bool>* stop) {
  SweepSpace& space = store.space();
  std::mt19937_64 random(setup.seed);
  std::set<uint64_t> seen;
  // A space whose points are nearly all illegal ends the search some day.
  const uint64_t most = std::min<uint64_t>(space.size(), 1000 * uint64_t(setup.evaluations));
  while (store.evaluations() < setup.evaluations && seen.size() < most && !isStopped(stop)) {
    std::vector<std::vector<uint32_t>> batch;
    const auto wanted = static_cast<size_t>(setup.evaluations - store.evaluations());
    while (batch.size() < std::min(wanted, kBatch) && seen.size() < most) {
      const uint64_t number = random() % space.size();
      if (seen.insert(number).second) batch.push_back(space.choicesOf(number));
    }
    VTA_RETURN_IF_ERROR(store.ask(batch).status());
  }
  return {};
}

}  // namespace

Result<std::vector<const PointResult*>> PointStore::ask(
    const std::vector<std::vector<uint32_t>>& choices) {
  std::vector<uint64_t> numbers;
  std::vector<Point> fresh;
  for (const std::vector<uint32_t>& chosen : choices) {
    Point point = space_->point(chosen);
    numbers.push_back(point.number);
    const auto [place, is_new] = results_.emplace(point.number, nullptr);
    if (!is_new) continue;
    if (point.isLegal()) ++evaluations_;
    fresh.push_back(std::move(point));
  }
  VTA_ASSIGN_OR_RETURN(std::vector<PointResult> results, evaluate_(std::move(fresh)));
  for (PointResult& result : results) {
    const uint64_t number = result.point.number;
    results_[number] = std::make_unique<PointResult>(std::move(result));
  }
  std::vector<const PointResult*> found;
  for (const uint64_t number : numbers) found.push_back(results_.at(number).get());
  return found;
}

std::vector<PointResult> PointStore::takeResults() {
  std::vector<PointResult> results;
  for (auto& [number, result] : results_) {
    if (result) results.push_back(std::move(*result));
  }
  results_.clear();
  return results;
}

Status search(const SearchSetup& setup, PointStore& store, const std::atomic<bool>* stop,
              std::string* remark) {
  if (setup.method == "enumerate") return enumerate(store, stop);
  if (setup.method == "random") return searchRandomly(setup, store, stop);
  if (setup.method == "surrogate") return searchWithSurrogate(setup, store, stop, remark);
  return evolve(setup, store, stop);
}

}  // namespace vta::sweep
