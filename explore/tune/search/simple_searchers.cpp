// Searchers that learn nothing from what is measured: random, grid, analytic.
#include <algorithm>
#include <numeric>
#include <random>

#include "explore/tune/search/registry.h"

namespace vta::tune {
namespace {

class FixedOrderSearcher final : public Searcher {
 public:
  FixedOrderSearcher(const Space& space, std::vector<Candidate> order)
      : history_(space), order_(std::move(order)) {}

  Result<std::vector<Candidate>> propose(size_t count) override {
    std::vector<Candidate> batch;
    for (; next_ < order_.size() && batch.size() < count; ++next_) {
      if (!history_.isProposed(order_[next_])) batch.push_back(order_[next_]);
    }
    return batch;
  }

  Status tell(std::span<const Trial> trials) override {
    history_.add(trials);
    return {};
  }

 private:
  History history_;
  std::vector<Candidate> order_;
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
  return std::make_unique<FixedOrderSearcher>(*setup.space, std::move(order));
}

std::unique_ptr<Searcher> makeGridSearcher(const SearchSetup& setup) {
  return std::make_unique<FixedOrderSearcher>(*setup.space, allOf(*setup.space));
}

std::unique_ptr<Searcher> makeAnalyticSearcher(const SearchSetup& setup) {
  const std::span<const Candidate> order = setup.space->byEstimate();
  return std::make_unique<FixedOrderSearcher>(*setup.space,
                                              std::vector<Candidate>(order.begin(), order.end()));
}

}  // namespace vta::tune
