// Faults of the hardware in words.
#pragma once

#include "isa/hw_config.h"
#include "sim/cycle/context.h"
#include "sim/functional/fault.h"
#include "sim/functional/stream.h"

namespace vta::sim::cycle {

/// The fault with disassembly and reason. A deadlock says which unit waits for which token and
/// which instruction would have pushed it.
Fault describeFault(const HardwareFault& fault, const Stream& stream, const HwConfig& hw);

}  // namespace vta::sim::cycle
