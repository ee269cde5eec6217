// A genetic algorithm: children take each decision from one of two fast parents, and some change
// one more.
#include <algorithm>
#include <random>

#include "explore/tune/search/proposals.h"
#include "explore/tune/search/registry.h"

namespace vta::tune {
namespace {

constexpr size_t kPopulation = 32;
constexpr double kMutationRate = 0.3;
constexpr int kChildAttempts = 8;

class GeneticSearcher final : public Searcher {
 public:
  explicit GeneticSearcher(const SearchSetup& setup)
      : space_(*setup.space), history_(space_), random_(setup.seed) {}

  Result<std::vector<Candidate>> propose(size_t count) override {
    std::vector<Candidate> batch;
    while (batch.size() < count && history_.left() > 0) {
      const Candidate child = population_.size() < kPopulation / 2 ? anyNew() : makeChild();
      history_.propose(child);
      batch.push_back(child);
    }
    return batch;
  }

  Status tell(std::span<const Trial> trials) override {
    history_.add(trials);
    for (const Trial& trial : trials) {
      if (trial.cycles) population_.push_back(trial);
    }
    std::ranges::stable_sort(population_, {}, [](const Trial& trial) { return *trial.cycles; });
    if (population_.size() > kPopulation) population_.resize(kPopulation);
    return {};
  }

 private:
  size_t below(size_t limit) {
    return std::uniform_int_distribution<size_t>(0, limit - 1)(random_);
  }

  // A candidate that was not proposed: a random one, or the next after it.
  Candidate anyNew() {
    auto i = static_cast<Candidate>(below(space_.size()));
    while (history_.isProposed(i)) i = static_cast<Candidate>((i + 1) % space_.size());
    return i;
  }

  // The faster of two.
  Candidate select() {
    const size_t i = std::min(below(population_.size()), below(population_.size()));
    return population_[i].candidate;
  }

  Candidate makeChild() {
    for (int attempt = 0; attempt < kChildAttempts; ++attempt) {
      const Candidate mother = select();
      std::optional<Candidate> found = cross(space_, mother, select(), random_);
      const bool mutates = std::bernoulli_distribution(kMutationRate)(random_);
      if (!found || mutates || history_.isProposed(*found)) found = mutate(found.value_or(mother));
      if (found) return *found;
    }
    return anyNew();
  }

  std::optional<Candidate> mutate(Candidate of) {
    std::vector<Candidate> near = space_.neighbours(of);
    std::erase_if(near, [this](Candidate i) { return history_.isProposed(i); });
    if (near.empty()) return std::nullopt;
    return near[below(near.size())];
  }

  const Space& space_;
  History history_;
  Random random_;
  std::vector<Trial> population_;  // the fastest first
};

}  // namespace

std::unique_ptr<Searcher> makeGeneticSearcher(const SearchSetup& setup) {
  return std::make_unique<GeneticSearcher>(setup);
}

}  // namespace vta::tune
