// The searcher with the learned cost model. The first draft of a schedule's cycles is the analytic
// model's estimate, corrected by a model that learned before if there is one; the trees learn how
// far the draft is off, from past trials of other tasks and then from this one's. A batch is
// diverse: candidates of one kind fill at most a part of it.
#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "tune/search/registry.h"

namespace vta::tune {
namespace {

constexpr size_t kBatch = 16;
// Of one kind in a batch.
constexpr size_t kMostOfKind = 6;
// Candidates that the model does not choose: one in so many. They correct what it is sure of.
constexpr size_t kExploreOneIn = 8;
// Past samples that are learned with this task's: more would only take time.
constexpr size_t kMostPast = 4000;
// Samples of this task count as often as that, because they are about it.
constexpr size_t kWeightOfOwn = 3;
// Samples by which a model has to lag behind before it is fitted again.
constexpr double kGrowth = 1.05;

class LearnedSearcher final : public Searcher {
 public:
  explicit LearnedSearcher(const SearchSetup& setup)
      : space_(*setup.space),
        tolerance_(setup.tolerance),
        history_(space_),
        random_(setup.seed),
        model_({.seed = setup.seed}) {
    const size_t step = setup.past.size() / kMostPast + 1;
    for (size_t i = 0; i < setup.past.size(); i += step) samples_.push_back(setup.past[i]);
    for (const Sample& sample : samples_) own_group_ = std::max(own_group_, sample.group + 1);
    status_ = makeDrafts(setup.prior);
  }

  size_t batchSize() const override { return kBatch; }

  Result<std::vector<Candidate>> propose(size_t count) override {
    VTA_RETURN_IF_ERROR(status_);
    VTA_RETURN_IF_ERROR(learn());
    std::vector<Candidate> open;
    for (const Candidate i : space_.byEstimate()) {
      if (!history_.isProposed(i) && !history_.isHopeless(i, tolerance_)) open.push_back(i);
    }
    VTA_RETURN_IF_ERROR(sortByPrediction(open));
    return choose(open, count);
  }

  Status tell(std::span<const Trial> trials) override {
    history_.add(trials);
    for (const Trial& trial : trials) {
      if (!trial.cycles) continue;
      const Sample sample = {space_.features(trial.candidate), drafts_[trial.candidate],
                             *trial.cycles, own_group_};
      samples_.insert(samples_.end(), kWeightOfOwn, sample);
    }
    return {};
  }

 private:
  // Of all candidates, and of past samples.
  Status makeDrafts(const CostModel* prior) {
    std::vector<Features> rows;
    for (Candidate i = 0; i < space_.size(); ++i) {
      drafts_.push_back(space_.estimate(i));
      rows.push_back(space_.features(i));
    }
    if (prior == nullptr) return {};
    VTA_ASSIGN_OR_RETURN(const std::vector<double> scores, prior->predict(rows, drafts_));
    for (size_t i = 0; i < scores.size(); ++i) drafts_[i] = std::exp(scores[i]);
    rows.clear();
    std::vector<double> estimates;
    for (const Sample& sample : samples_) {
      rows.push_back(sample.features);
      estimates.push_back(sample.estimate);
    }
    VTA_ASSIGN_OR_RETURN(const std::vector<double> past, prior->predict(rows, estimates));
    for (size_t i = 0; i < past.size(); ++i) samples_[i].estimate = std::exp(past[i]);
    return {};
  }

  // Again only when there is a good part more to learn from, so that long searches stay cheap.
  Status learn() {
    if (samples_.empty() || static_cast<double>(samples_.size()) < kGrowth * learned_) return {};
    learned_ = static_cast<double>(samples_.size());
    return model_.fit(samples_);
  }

  Status sortByPrediction(std::vector<Candidate>& open) const {
    std::vector<Features> rows;
    std::vector<double> estimates;
    for (const Candidate i : open) {
      rows.push_back(space_.features(i));
      estimates.push_back(drafts_[i]);
    }
    VTA_ASSIGN_OR_RETURN(const std::vector<double> scores, model_.predict(rows, estimates));
    std::vector<std::pair<double, Candidate>> ranked;
    for (size_t i = 0; i < open.size(); ++i) ranked.emplace_back(scores[i], open[i]);
    std::ranges::stable_sort(ranked, {}, &std::pair<double, Candidate>::first);
    for (size_t i = 0; i < open.size(); ++i) open[i] = ranked[i].second;
    return {};
  }

  // `open` is sorted, the most promising first.
  std::vector<Candidate> choose(const std::vector<Candidate>& open, size_t count) {
    std::vector<Candidate> batch;
    std::map<uint64_t, size_t> of_kind;
    const auto take = [&](Candidate i) {
      if (history_.isProposed(i) || batch.size() == count) return;
      history_.propose(i);
      batch.push_back(i);
    };
    const size_t explored = count / kExploreOneIn;
    for (const Candidate i : open) {
      if (batch.size() + explored >= count) break;
      if (++of_kind[space_.kind(i)] <= kMostOfKind) take(i);
    }
    for (size_t i = 0; i < explored && !open.empty(); ++i) {
      take(open[std::uniform_int_distribution<size_t>(0, open.size() - 1)(random_)]);
    }
    for (const Candidate i : open) take(i);  // what is left to fill the batch
    return batch;
  }

  const Space& space_;
  double tolerance_;
  History history_;
  std::mt19937_64 random_;
  CostModel model_;
  std::vector<Sample> samples_;  // with drafts as their estimates
  std::vector<double> drafts_;   // of each candidate, in cycles
  Status status_;                // of the drafts
  uint32_t own_group_ = 0;
  double learned_ = 0;  // samples that the model was fitted to
};

}  // namespace

std::unique_ptr<Searcher> makeLearnedSearcher(const SearchSetup& setup) {
  return std::make_unique<LearnedSearcher>(setup);
}

}  // namespace vta::tune
