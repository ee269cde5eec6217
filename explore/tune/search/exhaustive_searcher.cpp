// Branch and bound over the whole space: what a proven floor rules out is never measured, and a
// measurement ends where it cannot matter. When the search is over, the best is the optimum of the
// space, or within the tolerance of it.
#include <algorithm>

#include "explore/tune/search/registry.h"

namespace vta::tune {
namespace {

class ExhaustiveSearcher final : public Searcher {
 public:
  explicit ExhaustiveSearcher(const SearchSetup& setup)
      : space_(*setup.space), tolerance_(setup.tolerance), history_(space_) {}

  // Small: each result may make the others needless.
  size_t batchSize() const override { return 8; }

  Result<std::vector<Candidate>> propose(size_t count) override {
    std::vector<Candidate> batch;
    // The most promising first, so that the others have little to beat.
    const std::span<const Candidate> order = space_.byEstimate();
    for (; next_ < order.size() && batch.size() < count; ++next_) {
      const Candidate i = order[next_];
      if (history_.isProposed(i) || history_.isHopeless(i, tolerance_)) continue;
      history_.propose(i);
      batch.push_back(i);
    }
    return batch;
  }

  Status tell(std::span<const Trial> trials) override {
    history_.add(trials);
    return {};
  }

  // A schedule within the tolerance of the best is as good as slower ones.
  uint64_t limitCycles() const override {
    const uint64_t best = history_.bestCycles();
    if (best == kAnyCycles) return kAnyCycles;
    return static_cast<uint64_t>(static_cast<double>(best) / (1 + tolerance_));
  }

 private:
  const Space& space_;
  double tolerance_;
  History history_;
  size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Searcher> makeExhaustiveSearcher(const SearchSetup& setup) {
  return std::make_unique<ExhaustiveSearcher>(setup);
}

}  // namespace vta::tune
