// Faults of the hardware in words.
#pragma once

#include "isa/config/hw_config.h"
#include "sim/common/stream.h"
#include "sim/common/violation.h"
#include "sim/cycle/common/context.h"

namespace vta::sim::cycle {

/// The fault with disassembly and reason. A deadlock says which unit waits for which token and
/// which instruction would have pushed it.
Fault describeFault(const HardwareFault& fault, const Stream& stream, const HwConfig& hw);

}  // namespace vta::sim::cycle
