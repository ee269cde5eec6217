// Searchers that learn nothing from what is measured: random, grid, analytic.
#include <algorithm>
#include <numeric>
#include <random>

#include "tune/search/registry.h"

namespace vta::tune {
namespace {

class FixedOrderSearcher final : public Searcher {
 public:
  explicit FixedOrderSearcher(std::vector<Candidate> order)
      : order_(std::move(order)), is_told_(order_.size(), false) {}

  Result<std::vector<Candidate>> propose(size_t count) override {
    std::vector<Candidate> batch;
    for (; next_ < order_.size() && batch.size() < count; ++next_) {
      if (!is_told_[order_[next_]]) batch.push_back(order_[next_]);
    }
    return batch;
  }

  Status tell(std::span<const Trial> trials) override {
    for (const Trial& trial : trials) is_told_[trial.candidate] = true;
    return {};
  }

 private:
  std::vector<Candidate> order_;
  std::vector<bool> is_told_;  // by candidate: some come from earlier runs
  size_t next_ = 0;
};

std::vector<Candidate> allOf(const Space& space) {
  std::vector<Candidate> all(space.size());
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

}  // namespace

std::unique_ptr<Searcher> makeRandomSearcher(const SearchSetup& setup) {
  std::vector<Candidate> order = allOf(*setup.space);
  std::mt19937_64 random(setup.seed);
  std::ranges::shuffle(order, random);
  return std::make_unique<FixedOrderSearcher>(std::move(order));
}

std::unique_ptr<Searcher> makeGridSearcher(const SearchSetup& setup) {
  return std::make_unique<FixedOrderSearcher>(allOf(*setup.space));
}

std::unique_ptr<Searcher> makeAnalyticSearcher(const SearchSetup& setup) {
  const std::span<const Candidate> order = setup.space->byEstimate();
  return std::make_unique<FixedOrderSearcher>(std::vector<Candidate>(order.begin(), order.end()));
}

}  // namespace vta::tune
