#include "host_cpu/blocked/integers/upper_halves.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <functional>
#include <optional>

#include "host_cpu/blocked/integers/word_weights.h"
#include "host_cpu/schedule/integer_finish.h"

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

int bitWidth(int64_t value) {
  return static_cast<int>(std::bit_width(static_cast<uint64_t>(std::abs(value))));
}

/// Bits by which the sums of a tree can be shifted to the left in each channel: inputs are int8.
Channels freeBits(const IntegerTree& tree) {
  const Tensor weight = weightsOf(tree.sums->getOperand(1));
  const size_t channels = tree.bias.size(), each = weight.as<int8_t>().size() / channels;
  Channels bits;
  for (size_t channel = 0; channel < channels; ++channel) {
    int64_t largest = std::abs(int64_t{tree.bias[channel]});
    for (const int8_t w : weight.as<int8_t>().subspan(channel * each, each)) {
      largest += int64_t{128} * std::abs(int{w});
    }
    bits.push_back(std::max(0, kFactorBits - bitWidth(largest)));
  }
  return bits;
}

/// Bits by which products need smaller factors in each channel, so that they are below a quarter.
Channels missingBits(const Channels& multiplier, int shift) {
  Channels bits;
  for (const int32_t m : multiplier) bits.push_back(std::max(0, bitWidth(m) + 2 - shift));
  return bits;
}

/// Whether `bits` is free in front of the 'q' at `step`.
bool isFree(const IntegerTree& tree, size_t step, const Channels& bits) {
  if (std::ranges::max(bits) == 0) return true;
  if (!tree.sums || step != 2 || tree.finish.front() != 's') return false;
  return std::ranges::equal(bits, freeBits(tree), std::less_equal());
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
  const int free_bits = kFactorBits - bitWidth(multiplier);
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
                                                   size_t first, const Channels& shifts) {
  std::vector<Factor> factors;
  for (size_t channel = 0; channel < shifts.size(); ++channel) {
    const std::optional<Clip> clip = clipBehind(tree, step, first + 2, channel);
    if (!clip) return std::nullopt;
    const auto factor = factorWithClip(tree.constants[first][channel], shifts[channel], *clip);
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

/// `first`: the multiplier's place among the constants. Returns the steps that are new.
size_t takeUpperHalf(IntegerTree& tree, size_t step, size_t first) {
  const Channels& multiplier = tree.constants[first];
  const int shift = tree.constants[first + 1].front();
  const Channels enlarged = missingBits(multiplier, shift);
  if (std::ranges::count(multiplier, INT32_MIN) > 0 || !isFree(tree, step, enlarged)) return 0;
  Channels shifts;
  for (const int32_t bits : enlarged) shifts.push_back(shift + bits);
  std::optional<std::vector<Factor>> factors = factorsWithClip(tree, step, first, shifts);
  tree.finish[step] = factors ? 'n' : 'h';
  if (!factors) {
    factors.emplace();
    for (size_t channel = 0; channel < shifts.size(); ++channel) {
      factors->push_back(exactFactor(multiplier[channel], shifts[channel]));
    }
  }
  replaceConstants(tree, first, *factors);
  if (std::ranges::max(enlarged) == 0) return 0;
  tree.finish.insert(tree.finish.begin() + 1, 'e');
  tree.constants.insert(tree.constants.begin(), enlarged);
  return 1;
}

}  // namespace

void takeUpperHalves(IntegerTree& tree) {
  size_t constant = 0;  // the first one of the step
  for (size_t step = 0; step < tree.finish.size(); ++step) {
    const bool has_constant = step > 0 && tree.finish[step - 1] == 'c';
    if (tree.finish[step] == 'q' && has_constant) {
      const size_t added = takeUpperHalf(tree, step, constant - 1);
      step += added;
      constant += added;
    }
    constant += static_cast<size_t>(finishConstants(tree.finish[step]));
  }
}

}  // namespace vta::codegen::blocked
