#include "host_gpu/schedule/row_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/integer_math.h"

namespace vta::codegen {
namespace {

/// What a workgroup has at least, if the device allows.
constexpr int64_t kRowInvocations = 64;
/// So many invocations occupy a GPU of common size.
constexpr int64_t kManyInvocationsOfRows = 16384;
/// Fewer rounds are not worth the tree that adds them up.
constexpr int64_t kLeastRounds = 4;
/// Neighbouring invocations read whole lines of memory.
constexpr int64_t kLine = 32;

int64_t powerBelow(int64_t value) {
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(value, 1))));
}

}  // namespace

int64_t loopRounds(const RowSpec& spec, const RowSchedule& schedule) {
  return spec.passes * (ceilDiv(spec.terms, schedule.slices * schedule.vector) + 1);
}

std::string brokenRule(const RowSpec& spec, const RowSchedule& schedule,
                       const GpuKernelLimits& limits) {
  const RowSchedule& s = schedule;
  if (s.rows < 1 || s.slices < 1 || s.vector < 1) {
    return "a workgroup has at least 1 row, slice and term";
  }
  if (!std::has_single_bit(static_cast<uint64_t>(s.slices))) {
    return fmt::format("{} slices are not a power of two", s.slices);
  }
  if (spec.neighbours % s.vector != 0) {
    return fmt::format("{} terms are not always neighbours", s.vector);
  }
  if (s.invocations() > limits.invocations) {
    return fmt::format("{} invocations are more than the {} of a workgroup", s.invocations(),
                       limits.invocations);
  }
  if (loopRounds(spec, s) > kMostLoopRounds) {
    return fmt::format("{} rounds of loops are more than the {} of a device", loopRounds(spec, s),
                       kMostLoopRounds);
  }
  return "";
}

RowSchedule defaultRowSchedule(const RowSpec& spec, const GpuKernelLimits& limits) {
  RowSchedule schedule{.vector = spec.neighbours};
  const int64_t groups = ceilDiv(spec.terms, schedule.vector);
  const int64_t wanted =
      std::max(ceilDiv(kManyInvocationsOfRows, spec.rows), spec.walks_terms ? kLine : 1);
  const int64_t most = std::min(kRowInvocations, powerBelow(limits.invocations));
  schedule.slices = std::min({powerBelow(wanted), powerBelow(groups / kLeastRounds), most});
  // As many as it takes.
  while (loopRounds(spec, schedule) > kMostLoopRounds &&
         schedule.slices * 2 <= limits.invocations) {
    schedule.slices *= 2;
  }
  schedule.rows = std::max<int64_t>(most / schedule.slices, 1);
  return schedule;
}

}  // namespace vta::codegen
