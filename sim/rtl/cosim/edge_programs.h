// Programs for the corners of the core that random legal programs do not reach.
#pragma once

#include <cstdint>
#include <optional>

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "sim/random/program_image.h"

namespace vta::sim {

inline constexpr uint64_t kEdgePrograms = 45;

struct EdgeProgram {
  ProgramImage image;
  /// Which of two faults is reported depends on timing; both are bounds of a scratchpad.
  bool races = false;
};

/// Program number `index` modulo kEdgePrograms: a token queue overflows; no FINISH; no instruction;
/// compute's reorder buffer fills; FINISH waits for a load, and for a store; a transfer past the
/// bus's addresses; one past the end of each scratchpad; two units, or two transfers of the load
/// unit, fault in about the same cycle; two loads fault in one cycle, the older of INP or of WGT;
/// the second element of REQUANT's pair is loaded right before it or behind it. Nothing where `hw`
/// cannot have it. Errors: those of encodeInstruction.
Result<std::optional<EdgeProgram>> edgeProgram(const HwConfig& hw, uint64_t index);

}  // namespace vta::sim
