// Which values the accumulators of a group can have, as far as weights and parameters tell.
#pragma once

#include <cstdint>
#include <optional>

#include "base/status.h"
#include "compiler/vta/partition/group.h"
#include "isa/config/hw_config.h"

namespace vta::compiler {

/// Values between two bounds, both included.
struct Interval {
  int64_t low = 0, high = 0;
};

/// Whether a signed number of `bits` bits can have every value of `x`.
bool fits(const Interval& x, int bits);

/// What `step` makes of values in `x`, with a second operand in `y`, if nothing wraps; QMUL
/// saturates to `bits` bits. None for an operation whose results have no such bounds.
std::optional<Interval> stepResult(const GroupStep& step, Interval x, Interval y, int bits);

/// Whether hardware whose accumulators have fewer bits than the host's integers computes the same
/// result. Sums, products and shifts to the left may wrap on the way, as they have the same low
/// bits; what compares, scales or shifts to the right has to see the whole number. The error names
/// the bits that it takes.
Status checkAccumulators(const OffloadGroup& group, const HwConfig& hw);

}  // namespace vta::compiler
