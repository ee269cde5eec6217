#include "explore/tune/search/proposals.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace vta::tune {
namespace {

constexpr int kAttempts = 8;  // to change a decision

size_t numberBelow(size_t limit, Random& random) {
  return std::uniform_int_distribution<size_t>(0, limit - 1)(random);
}

/// The first fields of all decisions.
std::vector<size_t> decisionsOf(const Space& space) {
  std::vector<size_t> firsts;
  for (size_t f = 0; f < space.joinsPrevious().size(); ++f) {
    if (!space.joinsPrevious()[f]) firsts.push_back(f);
  }
  return firsts;
}

/// Walkers with the scores of where they stand.
struct Walkers {
  std::vector<Candidate> places;
  std::vector<double> scores;
};

/// Moves every walker to its next place, or leaves it where it is.
void stepAll(Walkers& walkers, std::span<const Candidate> next, std::span<const double> scores,
             double temperature, Random& random) {
  for (size_t i = 0; i < next.size(); ++i) {
    const double worse = scores[i] - walkers.scores[i];
    const double luck = std::uniform_real_distribution<double>(0, 1)(random);
    if (luck >= std::exp(-worse / temperature)) continue;  // a better place is always taken
    walkers.places[i] = next[i];
    walkers.scores[i] = scores[i];
  }
}

}  // namespace

std::optional<Candidate> cross(const Space& space, Candidate mother, Candidate father,
                               Random& random) {
  const std::span<const int64_t> others = space.fields(father);
  std::vector<int64_t> child(space.fields(mother).begin(), space.fields(mother).end());
  bool from_father = false;
  for (size_t f = 0; f < child.size(); ++f) {
    if (!space.joinsPrevious()[f]) from_father = std::bernoulli_distribution(0.5)(random);
    if (from_father) child[f] = others[f];
  }
  return space.findFields(child);
}

std::optional<Candidate> changeOne(const Space& space, Candidate from, Random& random) {
  const std::vector<size_t> decisions = decisionsOf(space);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    // As another candidate decides, so that values are those of legal schedules.
    const auto other = space.fields(static_cast<Candidate>(numberBelow(space.size(), random)));
    std::vector<int64_t> fields(space.fields(from).begin(), space.fields(from).end());
    size_t f = decisions[numberBelow(decisions.size(), random)];
    do {
      fields[f] = other[f];
      ++f;
    } while (f < fields.size() && space.joinsPrevious()[f]);
    const std::optional<Candidate> found = space.findFields(fields);
    if (found && *found != from) return found;
  }
  return std::nullopt;
}

Result<std::vector<Candidate>> anneal(const Space& space, std::span<const Candidate> starts,
                                      const Scorer& scorer, const AnnealingOptions& options,
                                      Random& random) {
  Walkers walkers{{starts.begin(), starts.end()}, {}};
  VTA_ASSIGN_OR_RETURN(walkers.scores, scorer(walkers.places));
  std::set<Candidate> visited(starts.begin(), starts.end());
  const double cooling = std::pow(options.last_temperature / options.first_temperature,
                                  1 / static_cast<double>(std::max<size_t>(options.steps, 1)));
  double temperature = options.first_temperature;
  for (size_t step = 0; step < options.steps; ++step, temperature *= cooling) {
    std::vector<Candidate> next;
    for (const Candidate place : walkers.places) {
      next.push_back(changeOne(space, place, random).value_or(place));
    }
    VTA_ASSIGN_OR_RETURN(const std::vector<double> scores, scorer(next));
    stepAll(walkers, next, scores, temperature, random);
    visited.insert(walkers.places.begin(), walkers.places.end());
  }
  return std::vector<Candidate>(visited.begin(), visited.end());
}

}  // namespace vta::tune
