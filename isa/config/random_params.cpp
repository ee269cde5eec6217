#include "isa/config/random_params.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "isa/spec/parameters.h"

namespace vta {
namespace {

// Micro-ops of the wide encoding: a scratchpad then has the drawn depth in it, and twice that depth
// in the base encoding.
constexpr int kMostUopBytes = 8;

int log2Floor(int64_t value) { return std::bit_width(static_cast<uint64_t>(value)) - 1; }

// Of every second scratchpad one to three of eight parts are not there, so that its depth is no
// power of two.
constexpr int64_t kParts = 8;
constexpr int64_t kMostMissingParts = 3;

// Over several powers of two small numbers are as frequent as large ones: a queue of 3 as one of
// 300.
int64_t drawFrom(const ValueRange& range, const UniformNumber& uniform) {
  constexpr int64_t kNarrow = 8;
  if (!range.power_of_two && range.max < kNarrow * range.min) return uniform(range.min, range.max);
  if (range.min <= 0) return uniform(range.min, range.max);
  const int64_t power = int64_t{1} << uniform(log2Floor(range.min), log2Floor(range.max));
  if (range.power_of_two) return power;
  return uniform(std::max(range.min, power), std::min(range.max, 2 * power - 1));
}

}  // namespace

int64_t leaveOutSome(int64_t elements, const UniformNumber& uniform) {
  if (uniform(0, 1) == 0) return elements;
  return elements * (kParts - uniform(1, kMostMissingParts)) / kParts;
}

HwParams drawHwParams(const UniformNumber& uniform, const Reshape& reshape) {
  HwParams params;
  params.name = "random";
  std::vector<std::pair<const Parameter*, int64_t>> sizes;  // in elements
  for (const Parameter& parameter : parameters()) {
    if (!parameter.draw) continue;
    const int64_t value = drawFrom(*parameter.draw, uniform);
    if (parameter.memory) {
      sizes.emplace_back(&parameter, leaveOutSome(value, uniform));
    } else {
      parameter.access.set(params, value);
    }
  }
  if (reshape) reshape(params, uniform);
  for (const auto& [parameter, elements] : sizes) {
    const auto elem_bytes = memoryInfo(*parameter->memory).elemBytes(params, kMostUopBytes);
    parameter->access.set(params, elements * static_cast<int64_t>(elem_bytes));
  }
  return params;
}

}  // namespace vta
