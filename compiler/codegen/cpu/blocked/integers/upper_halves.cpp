#include "compiler/codegen/cpu/blocked/integers/upper_halves.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <optional>

#include "compiler/codegen/schedule/integer_finish.h"

namespace vta::codegen::blocked {
namespace {

using Channels = std::vector<int32_t>;

constexpr int kUpperBits = 32;
// From here on the half that rounding adds lies in the upper 32 bits.
constexpr int kLeastShift = kUpperBits + 1;
constexpr int kLargestShift = 62;  // the half is added to upper parts of up to 2^30
constexpr int kFactorBits = 31;
// Results are below 2^29, so adding less than this wraps nothing.
constexpr int64_t kMostAdded = int64_t{1} << 30;

bool isSmall(const Channels& multiplier, int shift) {
  if (shift < 2) return false;
  const int64_t bound = int64_t{1} << std::min(shift - 2, kFactorBits);
  return std::ranges::all_of(multiplier, [bound](int64_t m) { return std::abs(m) < bound; });
}

/// What follows a 'q' in one channel: perhaps an addition, then a clip.
struct Clip {
  int64_t low = 0, high = 0, added = 0;
};

/// The clip behind `step` in a channel, if there is one. `constant`: the first one behind the step.
std::optional<Clip> clipBehind(const IntegerTree& tree, size_t step, size_t constant,
                               size_t channel) {
  const std::string_view rest = std::string_view(tree.finish).substr(step + 1);
  const auto number = [&](size_t i) { return int64_t{tree.constants[constant + i][channel]}; };
  if (rest.starts_with('k')) return Clip{number(0), number(1), 0};
  if (!rest.starts_with("cak") || std::abs(number(0)) > kMostAdded) return std::nullopt;
  return Clip{number(1), number(2), number(0)};
}

/// A multiplier, doubled as often as `shift` has grown.
struct Factor {
  int32_t value = 0;
  int shift = 0;
};

Factor doubled(int64_t multiplier, int shift, int doublings) {
  return {static_cast<int32_t>(multiplier * (int64_t{1} << doublings)), shift + doublings};
}

Factor exactFactor(int64_t multiplier, int shift) {
  return doubled(multiplier, shift, std::max(0, kLeastShift - shift));
}

/// A factor by which halves may go up, since the clip behind hides it.
std::optional<Factor> factorWithClip(int64_t multiplier, int shift, const Clip& clip) {
  const auto magnitude = static_cast<uint64_t>(std::abs(multiplier));
  if (magnitude == 0) return exactFactor(0, shift);
  const int zeros = std::countr_zero(magnitude);
  const auto odd = static_cast<int64_t>(magnitude >> zeros);
  if (clip.added - (odd - 1) / 2 <= clip.low) return exactFactor(multiplier, shift);
  const int free_bits = kFactorBits - static_cast<int>(std::bit_width(magnitude));
  const int doublings = std::min(free_bits, kLargestShift - shift);
  const int64_t farthest = std::max(std::abs(clip.low), std::abs(clip.high));
  // The results from where on the factor is not exact; it is off by less than one there.
  const int64_t result = static_cast<int64_t>(magnitude << (zeros + doublings)) >> shift;
  if (result < farthest + std::abs(clip.added) + 2) return std::nullopt;
  Factor factor = doubled(multiplier, shift, doublings);
  factor.value += multiplier < 0 ? -1 : 1;
  return factor;
}

/// Factors for all channels by which halves may go up; nothing if one has none.
std::optional<std::vector<Factor>> factorsWithClip(const IntegerTree& tree, size_t step,
                                                   size_t first, int shift) {
  std::vector<Factor> factors;
  for (size_t channel = 0; channel < tree.constants[first].size(); ++channel) {
    const std::optional<Clip> clip = clipBehind(tree, step, first + 2, channel);
    if (!clip) return std::nullopt;
    const auto factor = factorWithClip(tree.constants[first][channel], shift, *clip);
    if (!factor) return std::nullopt;
    factors.push_back(*factor);
  }
  return factors;
}

/// Multiplier and shift, the constants from `first` on, become factor, rounding and shift.
void replaceConstants(IntegerTree& tree, size_t first, const std::vector<Factor>& factors) {
  Channels values, roundings, shifts;
  for (const Factor& factor : factors) {
    values.push_back(factor.value);
    roundings.push_back(int32_t{1} << (factor.shift - kLeastShift));
    shifts.push_back(factor.shift - kUpperBits);
  }
  const auto at = tree.constants.begin() + static_cast<std::ptrdiff_t>(first);
  at[0] = std::move(values);
  at[1] = std::move(roundings);
  tree.constants.insert(at + 2, std::move(shifts));
}

/// `first`: the multiplier's place among the constants.
void takeUpperHalf(IntegerTree& tree, size_t step, size_t first) {
  const Channels& multiplier = tree.constants[first];
  const int shift = tree.constants[first + 1].front();
  if (!isSmall(multiplier, shift)) return;
  std::optional<std::vector<Factor>> factors = factorsWithClip(tree, step, first, shift);
  tree.finish[step] = factors ? 'n' : 'h';
  if (!factors) {
    factors.emplace();
    for (const int32_t m : multiplier) factors->push_back(exactFactor(m, shift));
  }
  replaceConstants(tree, first, *factors);
}

}  // namespace

void takeUpperHalves(IntegerTree& tree) {
  size_t constant = 0;  // the first one of the step
  for (size_t step = 0; step < tree.finish.size(); ++step) {
    const bool has_constant = step > 0 && tree.finish[step - 1] == 'c';
    if (tree.finish[step] == 'q' && has_constant) takeUpperHalf(tree, step, constant - 1);
    constant += static_cast<size_t>(finishConstants(tree.finish[step]));
  }
}

}  // namespace vta::codegen::blocked
