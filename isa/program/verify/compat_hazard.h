// What published 0.0.2 hardware computes wrongly: docs/isa.md, "Existing 0.0.2 hardware".
#pragma once

#include <span>
#include <string>

#include "isa/instruction/instruction.h"

namespace vta {

/// Says where an instruction uses an ACC element that it wrote one or two iterations before, which
/// published hardware does not interlock; empty where it does not. `uops` is what it executes, not
/// empty; loop counts are positive.
std::string findCompatHazard(const GemmInsn& gemm, std::span<const Uop> uops);
std::string findCompatHazard(const AluInsn& alu, std::span<const Uop> uops);

}  // namespace vta
