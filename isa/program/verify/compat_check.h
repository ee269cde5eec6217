// The common subset of published 0.0.2 hardware; docs/isa.md, "Existing 0.0.2 hardware". Internal
// to the isa library.
#pragma once

#include <cstdint>
#include <span>

#include "isa/config/hw_config.h"
#include "isa/program/program.h"
#include "isa/program/verify/findings.h"

namespace vta::verify {

inline constexpr uint32_t kCompatQueueDepth = 512;

/// Rules that need neither micro-ops nor an order of execution.
void checkCompatInstructions(const Program& program, const HwConfig& hw, Findings& findings);

/// Rules about the micro-ops of one GEMM or ALU instruction (`uops` is what it executes, not empty;
/// loop counts are positive): the in-instruction hazard, and src = dst for immediate operations.
void checkCompatUops(uint32_t at, const GemmInsn& gemm, std::span<const Uop> uops,
                     Findings& findings);
void checkCompatUops(uint32_t at, const AluInsn& alu, std::span<const Uop> uops,
                     Findings& findings);

}  // namespace vta::verify
