// Searchers: which points of a space are evaluated.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/status.h"
#include "explore/sweep/evaluate/evaluator.h"
#include "explore/sweep/space/sweep_space.h"

namespace vta::sweep {

/// Evaluates points, each of them once however often a searcher asks for it, and keeps everything.
class PointStore {
 public:
  using Evaluate = std::function<Result<std::vector<PointResult>>(std::vector<Point>)>;

  PointStore(SweepSpace& space, Evaluate evaluate)
      : space_(&space), evaluate_(std::move(evaluate)) {}

  /// The results of the points with these choices, in their order. Illegal points are kept as well,
  /// but do not count as evaluations.
  Result<std::vector<const PointResult*>> ask(const std::vector<std::vector<uint32_t>>& choices);

  SweepSpace& space() { return *space_; }
  /// Points that were evaluated.
  int64_t evaluations() const { return evaluations_; }
  /// In the order of their numbers.
  std::vector<PointResult> takeResults();

 private:
  SweepSpace* space_;
  Evaluate evaluate_;
  std::map<uint64_t, std::unique_ptr<PointResult>> results_;
  int64_t evaluations_ = 0;
};

/// The most points that "enumerate" goes through.
inline constexpr uint64_t kMostEnumerated = 2'000'000;

/// Runs the search that `setup` names: "enumerate" evaluates all points, "random" distinct points
/// in a random order, "nsga2" and "moead" are pagmo's. Deterministic for a seed. Stops when
/// setup.evaluations points are evaluated (not "enumerate") or *stop is true. Errors: those of the
/// evaluation; a space too large to enumerate.
/// "surrogate" learns from the points before (surrogate_search.h); `remark` gets what it says of
/// itself.
Status search(const SearchSetup& setup, PointStore& store, const std::atomic<bool>* stop = nullptr,
              std::string* remark = nullptr);

/// The volume between the front of `results` and `reference`, which every point of it has to
/// dominate (others are left out); pagmo's.
double hypervolume(const std::vector<PointResult>& results, const std::vector<double>& reference);

}  // namespace vta::sweep
