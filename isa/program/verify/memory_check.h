// Replays a program's memory accesses: bounds, races between units, micro-ops. Internal to the isa
// library.
#pragma once

#include "isa/config/hw_config.h"
#include "isa/program/program.h"
#include "isa/program/verify/execution_order.h"
#include "isa/program/verify/findings.h"

namespace vta::verify {

/// Adds findings for SRAM and DRAM accesses out of bounds, accesses of two units to the same
/// element (at least one a write) that no token orders, micro-ops used before they were loaded, and
/// stores into constants; with options.compat_0_0_2 also what published hardware needs of
/// micro-ops and stored elements, with options.uninitialised_reads also scratchpad elements read
/// before they were written. Instructions must have passed checkInstruction.
void checkMemory(const Program& program, const HwConfig& hw, const ExecutionOrder& order,
                 const VerifyOptions& options, Findings& findings);

}  // namespace vta::verify
