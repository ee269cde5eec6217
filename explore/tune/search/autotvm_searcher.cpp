// A searcher as AutoTVM's (Chen et al., "Learning to Optimize Tensor Programs", NeurIPS 2018):
// trees with a rank objective over features of the schedule, batches of 64, one proposal in twenty
// at random. Where AutoTVM walks its space by simulated annealing, all of this space is predicted,
// which finds the same or better candidates.
#include <algorithm>
#include <numeric>
#include <random>

#include "explore/tune/search/registry.h"

namespace vta::tune {
namespace {

constexpr size_t kAutoTvmBatch = 64;
constexpr double kEpsilon = 0.05;

class AutoTvmSearcher final : public Searcher {
 public:
  explicit AutoTvmSearcher(const SearchSetup& setup)
      : space_(*setup.space),
        history_(space_),
        random_(setup.seed),
        model_({.objective = Objective::kRank, .seed = setup.seed}) {
    for (Candidate i = 0; i < space_.size(); ++i) {
      features_.push_back(space_.scheduleFeatures(i));
    }
  }

  size_t batchSize() const override { return kAutoTvmBatch; }

  Result<std::vector<Candidate>> propose(size_t count) override {
    std::vector<Candidate> open;
    for (Candidate i = 0; i < space_.size(); ++i) {
      if (!history_.isProposed(i)) open.push_back(i);
    }
    std::ranges::shuffle(open, random_);
    if (model_.isFitted()) VTA_RETURN_IF_ERROR(sortByPrediction(open));
    open.resize(std::min(count, open.size()));
    for (const Candidate i : open) history_.propose(i);
    return open;
  }

  Status tell(std::span<const Trial> trials) override {
    history_.add(trials);
    for (const Trial& trial : trials) {
      if (!trial.cycles) continue;
      samples_.push_back(
          {features_[trial.candidate], space_.estimate(trial.candidate), *trial.cycles, 0});
    }
    return model_.fit(samples_);
  }

 private:
  // The fastest first, but for the random ones, which stay where they are.
  Status sortByPrediction(std::vector<Candidate>& open) {
    std::vector<Features> rows;
    std::vector<double> estimates(open.size(), 1);
    for (const Candidate i : open) rows.push_back(features_[i]);
    VTA_ASSIGN_OR_RETURN(const std::vector<double> scores, model_.predict(rows, estimates));
    std::vector<size_t> order(open.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, {}, [&](size_t i) { return scores[i]; });
    std::vector<Candidate> sorted;
    std::vector<bool> taken(open.size(), false);
    size_t next = 0;
    while (sorted.size() < open.size()) {
      size_t i = order[next];
      if (std::bernoulli_distribution(kEpsilon)(random_)) {
        i = std::uniform_int_distribution<size_t>(0, open.size() - 1)(random_);
      } else {
        ++next;
      }
      if (taken[i]) continue;
      taken[i] = true;
      sorted.push_back(open[i]);
    }
    open = std::move(sorted);
    return {};
  }

  const Space& space_;
  History history_;
  std::mt19937_64 random_;
  CostModel model_;
  std::vector<Features> features_;
  std::vector<Sample> samples_;
};

}  // namespace

std::unique_ptr<Searcher> makeAutoTvmSearcher(const SearchSetup& setup) {
  return std::make_unique<AutoTvmSearcher>(setup);
}

}  // namespace vta::tune
