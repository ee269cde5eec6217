// Instructions that no state makes legal, as the simulators report them.
#pragma once

#include <optional>

#include "isa/config/hw_config.h"
#include "isa/instruction/instruction.h"
#include "sim/common/violation.h"

namespace vta::sim {

/// Why `insn` is illegal whatever the state (isa/instruction/legality.h).
std::optional<Violation> checkLegality(const Instruction& insn, const HwConfig& hw);

}  // namespace vta::sim
