// Sampler: which token follows, by the scores that a model gives to all.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace vta::driver {

struct SamplingOptions {
  double temperature = 0;  // scores are divided by it; 0: the token with the highest score
  int64_t top_k = 0;       // only so many of the likeliest tokens; 0: all
  double top_p = 1;        // only the likeliest tokens that have this probability together
  uint64_t seed = 1;
};

/// Errors: a value out of range, with the range.
Status checkSampling(const SamplingOptions& options);

class Sampler {
 public:
  /// checkSampling accepts `options`.
  explicit Sampler(const SamplingOptions& options) : options_(options), random_(options.seed) {}

  /// One of the scores' numbers. The same seed and scores give the same tokens on every machine.
  /// Errors: no scores, one that is not a number or infinite, or minus infinity alone.
  Result<int64_t> next(std::span<const float> scores);

 private:
  struct Choice {
    int64_t token;
    double weight;
  };
  std::vector<Choice> choices(std::span<const float> scores) const;

  SamplingOptions options_;
  std::mt19937_64 random_;
};

}  // namespace vta::driver
