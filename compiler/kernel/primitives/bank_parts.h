// The order in which the ALU goes through accumulators so that it stays out of the GEMM core's way.
//
// The ALU goes before the GEMM core where both want one bank of ACC in a cycle (docs/timing.md).
// The GEMM core goes through neighbouring accumulators, one a cycle, and so through the banks in
// turn. An ALU with fewer lanes takes an accumulator every `alu_passes` cycles. If the next one is
// in the bank that the GEMM core has reached by then, a collision puts the GEMM core off by a
// cycle, and from there on the two never meet.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/kernel/primitives/loop_nest.h"
#include "isa/config/hw_config.h"

namespace vta::kernel {

/// Accumulators from one that the ALU takes to the next one: 1 for neighbours, more where passes
/// and banks want it.
uint32_t aluBankStride(const HwConfig& hw);

/// The accumulators of an ALU instruction `nest`, in the order of such steps: as one nest where
/// that is possible, or as one for each bank that the steps begin in. Short rows of neighbours stay
/// as they are.
std::vector<Nest> splitByBank(const Nest& nest, uint32_t stride);

}  // namespace vta::kernel
