// Which instructions are certain to have finished when another one starts. Internal to the isa
// library.
//
// The three units and their token queues form a marked graph: which token an instruction pops does
// not depend on timing. So one run of the queues finds every deadlock, and vector clocks along the
// tokens give exactly the order that holds in all timings.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isa/program/program.h"
#include "isa/program/verify/findings.h"

namespace vta::verify {

inline constexpr int kUnitCount = 3;

/// For each unit, how many of its instructions have finished.
using Clock = std::array<uint32_t, kUnitCount>;

/// The order that holds in all timings.
struct ExecutionOrder {
  /// Instruction numbers as one possible execution takes them; shorter than the program after a
  /// deadlock.
  std::vector<uint32_t> sequence;
  /// By instruction number: what has certainly finished when the instruction starts. Its own unit's
  /// entry is the instruction's position in its unit.
  std::vector<Clock> before;
  /// By unit: its instructions' numbers.
  std::array<std::vector<uint32_t>, kUnitCount> streams;
};

struct QueueDepths {
  uint32_t commands = 512;
  uint32_t tokens = 512;
};

/// Runs the queues of `program`. Adds findings for deadlock, tokens missing, left over or too many,
/// and stores that FINISH does not wait for.
ExecutionOrder findExecutionOrder(const Program& program, const QueueDepths& depths,
                                  Findings& findings);

}  // namespace vta::verify
