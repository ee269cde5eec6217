#include "driver/generate/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace vta::driver {

Status checkSampling(const SamplingOptions& options) {
  if (!(options.temperature >= 0 && options.temperature <= 100)) {
    return invalidArgument(
        fmt::format("a temperature of {}; it is from 0 to 100", options.temperature));
  }
  if (options.top_k < 0) {
    return invalidArgument(fmt::format("top-k of {}; it is 0, for all, or more", options.top_k));
  }
  if (!(options.top_p > 0 && options.top_p <= 1)) {
    return invalidArgument(fmt::format("top-p of {}; it is above 0, and at most 1", options.top_p));
  }
  return {};
}

/// The likeliest first. Of equal scores the one with the smaller number goes first.
std::vector<Sampler::Choice> Sampler::choices(std::span<const float> scores) const {
  std::vector<Choice> all;
  const double highest = *std::ranges::max_element(scores);
  for (size_t i = 0; i < scores.size(); ++i) {
    const double weight =
        std::exp((static_cast<double>(scores[i]) - highest) / options_.temperature);
    all.push_back({static_cast<int64_t>(i), weight});
  }
  std::ranges::stable_sort(all, std::ranges::greater(), &Choice::weight);
  if (options_.top_k > 0 && options_.top_k < std::ssize(all)) {
    all.resize(static_cast<size_t>(options_.top_k));
  }
  double total = 0;
  for (const Choice& choice : all) total += choice.weight;
  double sum = 0;
  size_t count = 0;
  while (count < all.size() && (count == 0 || sum < options_.top_p * total)) {
    sum += all[count++].weight;
  }
  all.resize(count);
  return all;
}

Result<int64_t> Sampler::next(std::span<const float> scores) {
  if (scores.empty()) return invalidArgument("there are no scores to choose a token by");
  // Minus infinity is how models rule tokens out.
  const auto bad = std::ranges::find_if(
      scores, [](float score) { return std::isnan(score) || (std::isinf(score) && score > 0); });
  if (bad != scores.end()) {
    return invalidArgument(
        fmt::format("the score of token {} is not a finite number", bad - scores.begin()));
  }
  const auto best = std::ranges::max_element(scores);
  if (std::isinf(*best)) return invalidArgument("the model rules out all tokens");
  if (options_.temperature == 0) return best - scores.begin();
  const std::vector<Choice> all = choices(scores);
  double total = 0;
  for (const Choice& choice : all) total += choice.weight;
  // The distributions of the standard library differ from one to another.
  double rest = static_cast<double>(random_() >> 11) * 0x1p-53 * total;
  for (const Choice& choice : all) {
    rest -= choice.weight;
    if (rest < 0) return choice.token;
  }
  return all.back().token;
}

}  // namespace vta::driver
