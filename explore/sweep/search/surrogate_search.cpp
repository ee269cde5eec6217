#include "explore/sweep/search/surrogate_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "explore/sweep/results/pareto.h"
#include "explore/sweep/search/candidates.h"

namespace vta::sweep {
namespace {

constexpr size_t kMostCandidates = 100'000;
constexpr int kFirstOneIn = 4;  // so many of the evaluations are random, before there is a model
constexpr int kLeastFirst = 8;
constexpr int kRounds = 12;  // fits of the model, the rest of the evaluations among them
constexpr size_t kExploreOneIn = 8;

using Objectives = std::vector<double>;

/// Which of `points` no other one dominates; empty ones are left out.
std::vector<size_t> frontOf(const std::vector<Objectives>& points) {
  std::vector<size_t> order;
  for (size_t i = 0; i < points.size(); ++i) {
    if (!points[i].empty()) order.push_back(i);
  }
  // What dominates a point comes before it.
  std::ranges::stable_sort(order, {}, [&](size_t i) { return points[i]; });
  std::vector<size_t> front;
  for (const size_t i : order) {
    const bool is_beaten =
        std::ranges::any_of(front, [&](size_t f) { return dominates(points[f], points[i]); });
    if (!is_beaten) front.push_back(i);
  }
  return front;
}

class SurrogateSearch {
 public:
  SurrogateSearch(const SearchSetup& setup, PointStore& store, const std::atomic<bool>* stop)
      : setup_(setup),
        store_(store),
        stop_(stop),
        random_(setup.seed),
        surrogate_(store.space().sweep(), resultsThatCount(store.space())),
        candidates_(store.space(), surrogate_, kMostCandidates, random_) {}

  Status run() {
    if (candidates_.size() == 0) return {};  // every point is illegal
    VTA_RETURN_IF_ERROR(evaluate(firstOnes()));
    const auto batch = static_cast<size_t>(
        std::max<int64_t>(1, (setup_.evaluations - store_.evaluations()) / kRounds));
    while (!isOver()) {
      VTA_RETURN_IF_ERROR(predict());
      const auto left = static_cast<size_t>(setup_.evaluations - store_.evaluations());
      VTA_RETURN_IF_ERROR(evaluate(choose(std::min(batch, left))));
    }
    return {};
  }

  std::string remark() const {
    if (compared_ == 0) return "";
    return fmt::format(
        "the learned model was off by {:.2f} % in the mean, {:.1f} % at most, on the {} "
        "points that it chose",
        100 * error_sum_ / static_cast<double>(compared_), 100 * worst_error_, compared_);
  }

 private:
  bool isOver() const {
    const bool is_stopped = stop_ != nullptr && *stop_;
    return is_stopped || store_.evaluations() >= setup_.evaluations ||
           asked_.size() == candidates_.size();
  }

  std::vector<size_t> firstOnes() {
    const size_t wanted = static_cast<size_t>(
        std::min(setup_.evaluations, std::max(kLeastFirst, setup_.evaluations / kFirstOneIn)));
    std::vector<size_t> order(candidates_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::shuffle(order, random_);
    order.resize(std::min(wanted, order.size()));
    return order;
  }

  Status evaluate(const std::vector<size_t>& chosen) {
    std::vector<std::vector<uint32_t>> choices;
    for (const size_t i : chosen) {
      asked_.insert(i);
      choices.push_back(store_.space().choicesOf(candidates_.number(i)));
    }
    VTA_ASSIGN_OR_RETURN(const auto results, store_.ask(choices));
    for (size_t k = 0; k < results.size(); ++k) {
      evaluated_.push_back(results[k]);
      compare(chosen[k], *results[k]);
    }
    return {};
  }

  /// What was predicted of a point, before it was evaluated, with what it is.
  void compare(size_t candidate, const PointResult& result) {
    for (size_t r = 0; r < predicted_.size(); ++r) {
      const auto value = result.values.find(surrogate_.results()[r]);
      if (value == result.values.end() || value->second == 0) continue;
      const double error = std::abs(predicted_[r][candidate] / value->second - 1);
      error_sum_ += error;
      worst_error_ = std::max(worst_error_, error);
      ++compared_;
    }
  }

  Status predict() {
    const Status status = surrogate_.fit(evaluated_);
    if (!status.ok()) {  // too few points have results: only chance is left
      predicted_.clear();
      objectives_.assign(candidates_.size(), {});
      return {};
    }
    predicted_ = surrogate_.predict(candidates_.rows());
    VTA_ASSIGN_OR_RETURN(objectives_, candidates_.objectives(predicted_));
    return {};
  }

  /// Candidates that may be on the front: what is known of evaluated points counts as it is, what
  /// is predicted as somewhat better than the model says, because it errs.
  std::vector<size_t> promising() {
    const double benefit = surrogate_.leftOutError();
    std::vector<Objectives> points = objectives_;
    for (size_t i = 0; i < points.size(); ++i) {
      if (asked_.contains(i)) points[i].clear();
      for (double& value : points[i]) value -= benefit * std::abs(value);
    }
    std::vector<Objectives> known;
    for (const PointResult* result : evaluated_) {
      if (result->is_feasible) known.push_back(result->objectives);
    }
    for (Objectives& point : points) {
      const bool is_beaten = std::ranges::any_of(
          known, [&](const Objectives& other) { return dominates(other, point); });
      if (!point.empty() && is_beaten) point.clear();
    }
    return frontOf(points);
  }

  /// Sizes of the objectives, so that distances count alike.
  Objectives rangesOf(const std::vector<size_t>& front) const {
    Objectives ranges(store_.space().objectiveCount(), 0);
    for (size_t k = 0; k < ranges.size(); ++k) {
      double least = std::numeric_limits<double>::infinity();
      double most = -std::numeric_limits<double>::infinity();
      const auto include = [&](const Objectives& point) {
        if (point.empty()) return;
        least = std::min(least, point[k]);
        most = std::max(most, point[k]);
      };
      for (const size_t i : front) include(objectives_[i]);
      for (const PointResult* result : evaluated_) include(result->objectives);
      ranges[k] = most > least ? most - least : 1;
    }
    return ranges;
  }

  std::vector<size_t> choose(size_t count) {
    const size_t explored = count / kExploreOneIn;
    std::vector<size_t> chosen = farthest(promising(), count - explored);
    std::vector<size_t> open;
    for (size_t i = 0; i < candidates_.size(); ++i) {
      if (!asked_.contains(i) && std::ranges::find(chosen, i) == chosen.end()) open.push_back(i);
    }
    while (chosen.size() < count && !open.empty()) {
      const size_t place = random_() % open.size();
      chosen.push_back(open[place]);
      open[place] = open.back();
      open.pop_back();
    }
    return chosen;
  }

  /// `count` of `front`, each as far as possible from evaluated points and from those before it.
  std::vector<size_t> farthest(const std::vector<size_t>& front, size_t count) const {
    const Objectives ranges = rangesOf(front);
    const auto distance = [&](const Objectives& a, const Objectives& b) {
      double sum = 0;
      for (size_t k = 0; k < ranges.size(); ++k) sum += std::pow((a[k] - b[k]) / ranges[k], 2);
      return sum;
    };
    std::vector<double> nearest(front.size(), INFINITY);
    const auto include = [&](const Objectives& taken) {
      if (taken.empty()) return;
      for (size_t i = 0; i < front.size(); ++i) {
        nearest[i] = std::min(nearest[i], distance(objectives_[front[i]], taken));
      }
    };
    for (const PointResult* result : evaluated_) include(result->objectives);
    std::vector<size_t> chosen;
    while (chosen.size() < std::min(count, front.size())) {
      const auto best = static_cast<size_t>(std::ranges::max_element(nearest) - nearest.begin());
      chosen.push_back(front[best]);
      include(objectives_[front[best]]);
      nearest[best] = -1;
    }
    return chosen;
  }

  const SearchSetup& setup_;
  PointStore& store_;
  const std::atomic<bool>* stop_;
  std::mt19937_64 random_;
  Surrogate surrogate_;
  Candidates candidates_;
  std::set<size_t> asked_;
  std::vector<const PointResult*> evaluated_;
  std::vector<std::vector<double>> predicted_;  // a list for each result
  std::vector<Objectives> objectives_;          // of each candidate, predicted
  double error_sum_ = 0;
  double worst_error_ = 0;
  int64_t compared_ = 0;
};

}  // namespace

Status searchWithSurrogate(const SearchSetup& setup, PointStore& store,
                           const std::atomic<bool>* stop, std::string* remark) {
  if (resultsThatCount(store.space()).empty()) {
    return invalidArgument(
        "search method surrogate learns results, but objectives and constraints depend on none: "
        "enumerate the space");
  }
  SurrogateSearch search(setup, store, stop);
  const Status status = search.run();
  if (remark != nullptr) *remark = search.remark();
  return status;
}

}  // namespace vta::sweep
