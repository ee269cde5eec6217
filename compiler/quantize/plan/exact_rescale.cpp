#include "compiler/quantize/plan/exact_rescale.h"

#include <algorithm>
#include <cmath>

#include "compiler/quantize/plan/alu_arithmetic.h"
#include "isa/spec/alu_operations.h"

namespace vta::compiler {
namespace {

// First multipliers to look at in a channel. About one in a hundred has a second one for which the
// product is precise enough to be tried. Each that is tried has other roundings, so each is another
// chance; where those of all these fail, the fraction bits are too few.
constexpr int kFirstMultipliers = 1 << 16;

// No accumulator holds sums beyond this.
constexpr double kLargestSum = 1LL << 32;

/// Where a channel's result steps: sums up to `below` give less than `result`, sums from `from` on
/// give it or more. They are neighbours, or the two beside a sum that is exactly half-way: QMUL
/// does not round to even, so that sum may go either way.
struct Step {
  int64_t below = 0, from = 0;
  int64_t result = 0;
};

/// The sign of factor * sum - half; fma rounds once, so it is that of the exact difference.
double differenceFrom(double half, double factor, int64_t sum) {
  return std::fma(factor, static_cast<double>(sum), -half);
}

/// From here on a real value, zero point left out, is rounded to `result` or more.
double halfBelow(int64_t result, int64_t zero_point) {
  return static_cast<double>(result - zero_point) - 0.5;
}

/// The channel's steps between the two bounds of `clip`, as far as its sums reach, from the
/// outermost inwards: errors of multipliers show there first.
std::vector<Step> stepsOf(const ExactChannel& channel, int64_t zero_point, IntRange clip) {
  std::vector<Step> steps;
  for (int64_t result = clip.lo + 1; result <= clip.hi; ++result) {
    const double half = halfBelow(result, zero_point);
    const double sum = std::ceil(half / channel.factor);
    if (std::abs(sum) > kLargestSum) continue;
    auto from = static_cast<int64_t>(sum);
    while (differenceFrom(half, channel.factor, from - 1) > 0) --from;
    while (differenceFrom(half, channel.factor, from) <= 0) ++from;
    int64_t below = from - 1;
    if (differenceFrom(half, channel.factor, below) == 0) --below;
    const Step step{below - channel.bias, from - channel.bias, result};
    if (step.below >= channel.least_sum && step.from <= channel.largest_sum) steps.push_back(step);
  }
  const auto distance = [&](const Step& step) { return std::abs(step.result - zero_point); };
  std::ranges::stable_sort(steps, std::ranges::greater{}, distance);
  return steps;
}

/// A channel, and what is worked out about it once.
struct Task {
  ExactChannel channel;
  std::vector<Step> steps;  // none where the result is always the same
  double addend = 0;        // bias and zero point, in output steps
  double reach = 0;  // the largest magnitude of anything on the way to the result, in output steps
};

Task makeTask(const ExactChannel& channel, int64_t zero_point, IntRange clip) {
  Task task{channel, stepsOf(channel, zero_point, clip), 0, 0};
  const auto real = [&](int64_t sum) { return channel.factor * static_cast<double>(sum); };
  task.addend = real(channel.bias) + static_cast<double>(zero_point);
  for (const double sum : {real(channel.least_sum), real(channel.largest_sum)}) {
    task.reach = std::max({task.reach, std::abs(sum), std::abs(sum + task.addend)});
  }
  task.reach += 2;  // what rounding adds
  return task;
}

/// What all channels share.
struct Shared {
  int first_shift = 0, second_shift = 0;
  double limit = 0;  // the largest multiplier
  int acc_bits = kAccDramBits;
  int64_t zero_point = 0;
  IntRange clip;
};

/// One channel's multipliers and addend.
struct ChannelSteps {
  int64_t first = 0, offset = 0, second = 0;
};

bool givesSteps(const ChannelSteps& steps, const Shared& shared, const std::vector<Step>& wanted) {
  const auto result = [&](int64_t sum) {
    const int64_t scaled = qmul(sum, steps.first, shared.first_shift);
    return qmul(scaled + steps.offset, steps.second, shared.second_shift);
  };
  return std::ranges::all_of(wanted, [&](const Step& step) {
    return result(step.from) >= step.result && result(step.below) < step.result;
  });
}

/// The magnitude of the largest sum at which the result steps.
double largestSum(const std::vector<Step>& steps) {
  int64_t largest = 1;
  for (const Step& step : steps) {
    largest = std::max({largest, std::abs(step.below), std::abs(step.from)});
  }
  return static_cast<double>(largest);
}

/// The result of a channel that has the same for every sum.
int64_t onlyResult(const ExactChannel& channel, int64_t zero_point, IntRange clip) {
  int64_t result = clip.hi;
  while (result > clip.lo && differenceFrom(halfBelow(result, zero_point), channel.factor,
                                            channel.least_sum + channel.bias) < 0) {
    --result;
  }
  return result;
}

/// That result whatever the sum is, so that it does not matter how far the sums reach.
ChannelSteps constantSteps(const Task& task, const Shared& shared) {
  const double second = std::floor(shared.limit / 2) + 1;
  const auto result = static_cast<double>(onlyResult(task.channel, shared.zero_point, shared.clip));
  const double offset = std::round(std::ldexp(result, shared.second_shift) / second);
  return {0, static_cast<int64_t>(offset), static_cast<int64_t>(second)};
}

std::optional<ChannelSteps> searchChannel(const Task& task, const Shared& shared) {
  if (task.steps.empty()) return constantSteps(task, shared);
  const double target = std::ldexp(task.channel.factor, shared.first_shift + shared.second_shift);
  // With a product that is off by more, the largest sum is wrong by about four units between the
  // two multipliers. Larger errors have never passed the test below.
  const double tolerance =
      std::ldexp(2 * shared.limit, shared.first_shift) / largestSum(task.steps);
  // Smaller second multipliers would make what lies between the two larger than an accumulator.
  const double least = std::ldexp(task.reach, shared.second_shift - (shared.acc_bits - 1));
  const double start = std::max(1.0, std::ceil(target / shared.limit));
  for (double first = start; first < start + kFirstMultipliers && first <= shared.limit; ++first) {
    const double second = std::min(std::round(target / first), shared.limit);
    if (second <= least) break;
    if (std::abs(first * second - target) > tolerance) continue;
    const double offset = std::round(std::ldexp(task.addend, shared.second_shift) / second);
    for (const int change : {0, -1, 1}) {
      const ChannelSteps steps{static_cast<int64_t>(first), static_cast<int64_t>(offset) + change,
                               static_cast<int64_t>(second)};
      if (givesSteps(steps, shared, task.steps)) return steps;
    }
  }
  return std::nullopt;
}

/// The steps with `fraction` bits between the multipliers, which multiply by up to 2^shift in all.
std::optional<ExactSteps> searchChannels(const std::vector<Task>& tasks, Shared shared, int shift,
                                         int fraction, int multiplier_bits) {
  if (fraction < 0 || shift - fraction > kMaxAluShift) return std::nullopt;
  shared.first_shift = shift - fraction;
  shared.second_shift = fraction + multiplier_bits - 1;
  ExactSteps steps;
  steps.first_shift = shared.first_shift;
  steps.second_shift = shared.second_shift;
  for (const Task& task : tasks) {
    const auto found = searchChannel(task, shared);
    if (!found) return std::nullopt;
    steps.first.push_back(static_cast<int32_t>(found->first));
    steps.offset.push_back(static_cast<int32_t>(found->offset));
    steps.second.push_back(static_cast<int32_t>(found->second));
  }
  return steps;
}

}  // namespace

std::optional<ExactSteps> findExactSteps(const std::vector<ExactChannel>& channels,
                                         int64_t zero_point, IntRange clip, int multiplier_bits,
                                         int acc_bits) {
  std::vector<Task> tasks;
  double reach = 1, largest_factor = 0;
  for (const ExactChannel& channel : channels) {
    tasks.push_back(makeTask(channel, zero_point, clip));
    if (tasks.back().steps.empty()) continue;
    reach = std::max(reach, tasks.back().reach);
    largest_factor = std::max(largest_factor, channel.factor);
  }
  Shared shared;
  shared.limit = std::ldexp(1.0, multiplier_bits - 1) - 1;
  shared.acc_bits = acc_bits;
  shared.zero_point = zero_point;
  shared.clip = clip;
  const int shift = largest_factor > 0
                        ? static_cast<int>(std::floor(std::log2(shared.limit / 2 / largest_factor)))
                        : 0;
  // The second multiplier stands for a factor up to one. With a bit more than always fits, factors
  // near one remain for the channel that reaches furthest: finer, but fewer to choose from.
  const int fits = acc_bits - 2 - static_cast<int>(std::ceil(std::log2(reach)));
  for (const int fraction : {std::min(shift, fits + 1), std::min(shift, fits)}) {
    if (auto steps = searchChannels(tasks, shared, shift, fraction, multiplier_bits)) return steps;
  }
  return std::nullopt;
}

}  // namespace vta::compiler
