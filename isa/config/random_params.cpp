#include "isa/config/random_params.h"

#include <bit>
#include <utility>
#include <vector>

#include "isa/spec/parameters.h"

namespace vta {
namespace {

// Micro-ops of the wide encoding: a scratchpad then has the drawn depth in it, and twice that depth
// in the base encoding.
constexpr int kUopBytes = 8;

// One configuration in so many has elements above 4 KiB, the page of memories and of bursts.
constexpr int64_t kLargeElementsOneIn = 8;

int64_t drawFrom(const ValueRange& range, const UniformNumber& uniform) {
  if (!range.power_of_two) return uniform(range.min, range.max);
  const auto log2 = [](int64_t value) { return std::countr_zero(static_cast<uint64_t>(value)); };
  return int64_t{1} << uniform(log2(range.min), log2(range.max));
}

// Accumulators of 8 or 16 KiB. One or two input channels keep the array as small as those of other
// configurations.
void enlargeElements(HwParams& params, const UniformNumber& uniform) {
  constexpr int64_t kAccBytes = 4;
  const int64_t elements = (int64_t{4096} << uniform(1, 2)) / kAccBytes;
  params.batch = 1 << uniform(4, 6);
  params.block_out = static_cast<int>(elements / params.batch);
  params.block_in = 1 << uniform(0, 1);
}

}  // namespace

HwParams drawHwParams(const UniformNumber& uniform) {
  HwParams params;
  params.name = "random";
  std::vector<std::pair<const Parameter*, int64_t>> sizes;  // in elements
  for (const Parameter& parameter : parameters()) {
    if (!parameter.draw) continue;
    const int64_t value = drawFrom(*parameter.draw, uniform);
    if (parameter.memory) {
      sizes.emplace_back(&parameter, value);
    } else {
      parameter.access.set(params, value);
    }
  }
  if (uniform(1, kLargeElementsOneIn) == 1) enlargeElements(params, uniform);
  for (const auto& [parameter, elements] : sizes) {
    const auto elem_bytes = memoryInfo(*parameter->memory).elemBytes(params, kUopBytes);
    parameter->access.set(params, elements * static_cast<int64_t>(elem_bytes));
  }
  return params;
}

}  // namespace vta
