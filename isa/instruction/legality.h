// What one instruction alone can have wrong, beyond what its encoding excludes.
#pragma once

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "isa/instruction/instruction.h"

namespace vta {

/// Checks the rules of docs/isa.md that need no other instruction: the token directions that the
/// unit has, memory types that LOAD and STORE have, micro-op ranges inside the micro-op buffer, and
/// the operands and immediates that an ALU operation takes. Codes and extensions are
/// decodeInstruction's business.
Status checkInstruction(const Instruction& insn, const HwConfig& hw);

/// Checks what the immediate field of an ALU instruction holds against its form.
Status checkAluImmediate(const AluOperation& operation, int32_t imm);

}  // namespace vta
