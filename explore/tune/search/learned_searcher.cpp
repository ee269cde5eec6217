// The searcher with the learned cost model. The first draft of a schedule's cycles is the analytic
// model's estimate, corrected by a model that learned before if there is one; the trees learn how
// far the draft is off, from past trials of other tasks and then from this one's, and of these
// above all from the fast ones. A second model, which only this task's trials teach, chooses half
// of each batch once there are enough of them. Batches grow to their size. Candidates of one kind
// fill at most a part of a batch, and half of it, later a quarter, are the best neighbours of the
// fastest schedules.
//
// In a small space the model predicts every candidate. In a large one it predicts those that
// simulated annealing comes by, children of the fastest, their neighbours, and the best drafts.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "explore/tune/search/own_ranking.h"
#include "explore/tune/search/proposals.h"
#include "explore/tune/search/registry.h"

namespace vta::tune {
namespace {

constexpr size_t kBatch = 16;
// Of one kind in a batch.
constexpr size_t kMostOfKind = 6;
// Candidates that the model does not choose: one in so many. They correct what it is sure of.
constexpr size_t kExploreOneIn = 16;
// Neighbours of the fastest schedules: one in so many. When the second model chooses, too, it
// takes one in kOwnOneIn, and neighbours are fewer.
constexpr size_t kNearOneIn = 2;
constexpr size_t kOwnOneIn = 2;
constexpr size_t kNearBesideOwnOneIn = 4;
// Candidates of kinds that were tried so few times: one in so many. The fastest schedule may be of
// a kind of which nobody has seen a good one yet.
constexpr size_t kRareOneIn = 8;
constexpr size_t kRareTrials = 8;
// Schedules whose neighbours are of interest.
constexpr size_t kMostParents = 4;
// Past samples that are learned with this task's: more would only take time.
constexpr size_t kMostPast = 2000;
// Weights of samples: a schedule that takes by the share kSlow longer than the fastest counts 1 / e
// of it. The slow ones count little, however many they are.
constexpr double kSlow = 0.01;
constexpr double kWeightOfFastest = 3;
constexpr double kLeastWeight = 0.02;
constexpr double kWeightOfPast = 0.3;  // of other tasks' trials
// A model is fitted again when it has so many times the trials of this task to learn from.
constexpr double kGrowth = 1.1;
// In large spaces: walkers, children of the fastest, and candidates in the order of drafts.
constexpr size_t kWalkers = 32;
constexpr size_t kChildren = 64;
constexpr size_t kBestDrafts = 256;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

class LearnedSearcher final : public Searcher {
 public:
  explicit LearnedSearcher(const SearchSetup& setup)
      : space_(*setup.space),
        tolerance_(setup.tolerance),
        is_large_(space_.size() > setup.most_predicted),
        history_(space_),
        random_(setup.seed),
        model_({.seed = setup.seed}),
        own_(space_, setup.seed),
        scores_(space_.size(), kUnknown) {
    const size_t step = setup.past.size() / kMostPast + 1;
    for (size_t i = 0; i < setup.past.size(); i += step) samples_.push_back(setup.past[i]);
    for (Sample& sample : samples_) {
      sample.weight = static_cast<float>(kWeightOfPast);
      own_group_ = std::max(own_group_, sample.group + 1);
    }
    past_count_ = samples_.size();
    status_ = makeDrafts(setup.prior);
  }

  // Small at first, as many as were measured: each result may change what is promising.
  size_t batchSize() const override {
    return std::clamp<size_t>(history_.trials().size(), 1, kBatch);
  }

  Result<std::vector<Candidate>> propose(size_t count) override {
    VTA_RETURN_IF_ERROR(status_);
    VTA_RETURN_IF_ERROR(learn());
    std::vector<Candidate> open;
    if (is_large_) {
      VTA_ASSIGN_OR_RETURN(open, findPromising(count));
    } else {
      for (const Candidate i : space_.byEstimate()) {
        if (isOpen(i)) open.push_back(i);
      }
    }
    VTA_RETURN_IF_ERROR(sortByPrediction(open));
    std::vector<Candidate> by_own;
    if (own_.isFitted()) {
      VTA_ASSIGN_OR_RETURN(by_own, own_.sort(open));
    }
    return choose(open, by_own, count);
  }

  Status tell(std::span<const Trial> trials) override {
    history_.add(trials);
    for (const Trial& trial : trials) {
      ++trials_of_kind_[space_.kind(trial.candidate)];
      if (!trial.cycles) continue;
      own_.add(trial.candidate, *trial.cycles);
      samples_.push_back(
          {space_.features(trial.candidate), drafts_[trial.candidate], *trial.cycles, own_group_});
    }
    return {};
  }

 private:
  // No schedule takes fewer cycles: neither drafts nor predictions say so.
  double floorOf(Candidate i) const { return static_cast<double>(space_.floorCycles(i)); }

  // Of all candidates, and of past samples.
  Status makeDrafts(const CostModel* prior) {
    std::vector<Features> rows;
    for (Candidate i = 0; i < space_.size(); ++i) {
      drafts_.push_back(space_.estimate(i));
      rows.push_back(space_.features(i));
    }
    if (prior != nullptr) {
      VTA_ASSIGN_OR_RETURN(const std::vector<double> scores, prior->predict(rows, drafts_));
      for (size_t i = 0; i < scores.size(); ++i) drafts_[i] = std::exp(scores[i]);
    }
    for (Candidate i = 0; i < space_.size(); ++i) drafts_[i] = std::max(drafts_[i], floorOf(i));
    by_draft_.assign(space_.byEstimate().begin(), space_.byEstimate().end());
    std::ranges::stable_sort(by_draft_, {}, [this](Candidate i) { return drafts_[i]; });
    return prior != nullptr ? improvePast(*prior) : Status();
  }

  Status improvePast(const CostModel& prior) {
    std::vector<Features> rows;
    std::vector<double> estimates;
    for (const Sample& sample : samples_) {
      rows.push_back(sample.features);
      estimates.push_back(sample.estimate);
    }
    VTA_ASSIGN_OR_RETURN(const std::vector<double> past, prior.predict(rows, estimates));
    for (size_t i = 0; i < past.size(); ++i) samples_[i].estimate = std::exp(past[i]);
    return {};
  }

  // Again only when there is a good part more to learn from, so that long searches stay cheap.
  Status learn() {
    const size_t own = samples_.size() - past_count_;
    if (samples_.empty()) return {};
    if (model_.isFitted() && static_cast<double>(own) < kGrowth * static_cast<double>(learned_)) {
      return {};
    }
    learned_ = std::max<size_t>(own, 1);
    weighOwn();
    std::ranges::fill(scores_, kUnknown);
    VTA_RETURN_IF_ERROR(own_.fit());
    return model_.fit(samples_);
  }

  // Which of the fast schedules is the fastest matters, and how slow the slow ones are does not.
  void weighOwn() {
    const auto best = static_cast<double>(history_.bestCycles());
    for (size_t i = past_count_; i < samples_.size(); ++i) {
      const double behind = static_cast<double>(samples_[i].cycles) / best - 1;
      const double weight = kWeightOfFastest * std::exp(-behind / kSlow);
      samples_[i].weight = static_cast<float>(std::max(kLeastWeight, weight));
    }
  }

  bool isOpen(Candidate i) const {
    return !history_.isProposed(i) && !history_.isHopeless(i, tolerance_);
  }

  // For each of `candidates`, the natural logarithm of its cycles.
  Result<std::vector<double>> predict(std::span<const Candidate> candidates) {
    VTA_RETURN_IF_ERROR(predictUnknown(candidates));
    std::vector<double> scores;
    for (const Candidate i : candidates) scores.push_back(scores_[i]);
    return scores;
  }

  // A model says the same of a candidate until it is fitted again.
  Status predictUnknown(std::span<const Candidate> candidates) {
    std::vector<Candidate> unknown;
    std::vector<Features> rows;
    std::vector<double> estimates;
    for (const Candidate i : candidates) {
      if (!std::isnan(scores_[i])) continue;
      unknown.push_back(i);
      rows.push_back(space_.features(i));
      estimates.push_back(drafts_[i]);
    }
    VTA_ASSIGN_OR_RETURN(const std::vector<double> scores, model_.predict(rows, estimates));
    for (size_t i = 0; i < unknown.size(); ++i) {
      const double least = std::log(std::max(1.0, floorOf(unknown[i])));
      scores_[unknown[i]] = std::max(scores[i], least);
    }
    return {};
  }

  Status sortByPrediction(std::vector<Candidate>& open) {
    VTA_ASSIGN_OR_RETURN(const std::vector<double> scores, predict(open));
    std::vector<std::pair<double, Candidate>> ranked;
    for (size_t i = 0; i < open.size(); ++i) ranked.emplace_back(scores[i], open[i]);
    std::ranges::stable_sort(ranked, {}, &std::pair<double, Candidate>::first);
    for (size_t i = 0; i < open.size(); ++i) open[i] = ranked[i].second;
    return {};
  }

  // The fastest schedules, at most kMostParents.
  std::vector<Candidate> parents() const {
    std::vector<Trial> fast;
    for (const Trial& trial : history_.trials()) {
      if (trial.cycles) fast.push_back(trial);
    }
    std::ranges::stable_sort(fast, {}, [](const Trial& trial) { return *trial.cycles; });
    if (fast.size() > kMostParents) fast.resize(kMostParents);
    std::vector<Candidate> candidates;
    for (const Trial& trial : fast) candidates.push_back(trial.candidate);
    return candidates;
  }

  Candidate any() {
    return std::uniform_int_distribution<Candidate>(
        0, static_cast<Candidate>(space_.size() - 1))(random_);
  }

  // Open candidates of a large space, at least `count` while there are as many.
  Result<std::vector<Candidate>> findPromising(size_t count) {
    const std::vector<Candidate> fast = parents();
    std::set<Candidate> found;
    VTA_ASSIGN_OR_RETURN(const std::vector<Candidate> walked, walk(fast));
    found.insert(walked.begin(), walked.end());
    for (const Candidate parent : fast) {
      const std::vector<Candidate>& near = neighboursOf(parent);
      found.insert(near.begin(), near.end());
    }
    for (size_t i = 0; i < kChildren && fast.size() > 1; ++i) {
      const Candidate mother = fast[any() % fast.size()];
      const Candidate father = fast[any() % fast.size()];
      const std::optional<Candidate> child = cross(space_, mother, father, random_);
      if (child) found.insert(*child);
    }
    std::erase_if(found, [this](Candidate i) { return !isOpen(i); });
    size_t drafts = 0;
    for (const Candidate i : by_draft_) {
      if (drafts >= kBestDrafts && found.size() >= count) break;
      if (isOpen(i) && found.insert(i).second) ++drafts;
    }
    return std::vector<Candidate>(found.begin(), found.end());
  }

  // Where walkers come by that begin at the fastest schedules, at the best draft, and anywhere.
  Result<std::vector<Candidate>> walk(std::span<const Candidate> fast) {
    std::vector<Candidate> starts(fast.begin(), fast.end());
    starts.push_back(by_draft_.front());
    while (starts.size() < kWalkers) starts.push_back(any());
    const auto scorer = [this](std::span<const Candidate> places) { return predict(places); };
    return anneal(space_, starts, scorer, {}, random_);
  }

  // For each candidate, whether it differs in one decision from one of the fastest schedules.
  std::vector<bool> markNear() {
    std::vector<bool> near(space_.size(), false);
    for (const Candidate parent : parents()) {
      for (const Candidate i : neighboursOf(parent)) near[i] = true;
    }
    return near;
  }

  // Found by a look at the whole space, once for each parent.
  const std::vector<Candidate>& neighboursOf(Candidate parent) {
    const auto [found, is_new] = neighbours_.try_emplace(parent);
    if (is_new) found->second = space_.neighbours(parent);
    return found->second;
  }

  // Adds to the batch, but no candidate twice and none beyond `most`.
  void take(std::vector<Candidate>& batch, Candidate i, size_t most) {
    if (history_.isProposed(i) || batch.size() >= most) return;
    history_.propose(i);
    batch.push_back(i);
  }

  // `open` is sorted, the most promising first, and so is `by_own` in the order of the second
  // model, if that has learned.
  std::vector<Candidate> choose(const std::vector<Candidate>& open,
                                const std::vector<Candidate>& by_own, size_t count) {
    const size_t explored = count / kExploreOneIn;
    const size_t most_chosen = count - explored;
    std::vector<Candidate> batch;
    for (const Candidate i : by_own) take(batch, i, count / kOwnOneIn);
    takeNear(batch, open,
             batch.size() + count / (by_own.empty() ? kNearOneIn : kNearBesideOwnOneIn));
    takeRare(batch, open, std::min(most_chosen, batch.size() + count / kRareOneIn));
    std::map<uint64_t, size_t> of_kind;
    for (const Candidate i : open) {
      if (batch.size() >= most_chosen) break;
      if (++of_kind[space_.kind(i)] <= kMostOfKind) take(batch, i, most_chosen);
    }
    for (size_t i = 0; i < explored && !open.empty(); ++i) {
      const size_t any_open = std::uniform_int_distribution<size_t>(0, open.size() - 1)(random_);
      take(batch, open[any_open], count);
    }
    for (const Candidate i : open) take(batch, i, count);  // what is left to fill the batch
    return batch;
  }

  void takeNear(std::vector<Candidate>& batch, const std::vector<Candidate>& open, size_t most) {
    const std::vector<bool> near = markNear();
    for (const Candidate i : open) {
      if (near[i]) take(batch, i, most);
    }
  }

  // Of kinds with few trials, those of this batch included.
  void takeRare(std::vector<Candidate>& batch, const std::vector<Candidate>& open, size_t most) {
    std::map<uint64_t, size_t> of_kind = trials_of_kind_;
    for (const Candidate i : open) {
      if (batch.size() >= most) return;
      if (history_.isProposed(i) || of_kind[space_.kind(i)] >= kRareTrials) continue;
      ++of_kind[space_.kind(i)];
      take(batch, i, most);
    }
  }

  const Space& space_;
  double tolerance_;
  bool is_large_;  // too large to predict all of it before each batch
  History history_;
  Random random_;
  CostModel model_;
  OwnRanking own_;               // the second model
  std::vector<Sample> samples_;  // with drafts as their estimates
  std::vector<double> drafts_;   // of each candidate, in cycles
  std::vector<double> scores_;   // of each candidate by the model that there is, or kUnknown
  std::map<Candidate, std::vector<Candidate>> neighbours_;  // of candidates that were parents
  std::map<uint64_t, size_t> trials_of_kind_;
  std::vector<Candidate> by_draft_;
  Status status_;  // of the drafts
  uint32_t own_group_ = 0;
  size_t past_count_ = 0;  // the first of the samples
  size_t learned_ = 0;     // samples of this task that the model was fitted to
};

}  // namespace

std::unique_ptr<Searcher> makeLearnedSearcher(const SearchSetup& setup) {
  return std::make_unique<LearnedSearcher>(setup);
}

}  // namespace vta::tune
