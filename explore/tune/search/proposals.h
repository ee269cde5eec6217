// Proposals: candidates that may be fast, found without a look at the whole space.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "base/status.h"
#include "explore/tune/space/space.h"

namespace vta::tune {

using Random = std::mt19937_64;

/// A candidate that takes each decision from `mother` or from `father`; none if no legal schedule
/// has these decisions.
std::optional<Candidate> cross(const Space& space, Candidate mother, Candidate father,
                               Random& random);

/// A candidate that differs from `from` in one decision, chosen at random; none if a few attempts
/// found no legal one.
std::optional<Candidate> changeOne(const Space& space, Candidate from, Random& random);

/// What a model says of candidates: one score for each, the natural logarithm of cycles.
using Scorer = std::function<Result<std::vector<double>>(std::span<const Candidate>)>;

struct AnnealingOptions {
  size_t steps = 24;
  // A walker takes a step that is worse by this much with a probability of 1 / e: at first, and at
  // the end. They are differences of scores.
  double first_temperature = 0.2;
  double last_temperature = 0.01;
};

/// Simulated annealing: every walker begins at one of `starts` and changes one decision in each
/// step. All candidates that the walkers stood on, each once, in the order of the space.
/// Errors: those of `scorer`.
Result<std::vector<Candidate>> anneal(const Space& space, std::span<const Candidate> starts,
                                      const Scorer& scorer, const AnnealingOptions& options,
                                      Random& random);

}  // namespace vta::tune
