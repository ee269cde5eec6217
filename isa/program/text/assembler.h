// Text form of programs: the syntax that vta-objdump prints and vta-translate reads back.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "isa/instruction/instruction.h"
#include "isa/program/program.h"

namespace vta {

/// One instruction on one line, for example
/// "gemm uop=0:9 iter=14x4 dst=14,1 src=16,1 wgt=0,0 pop_prev push_next".
std::string disassemble(const Instruction& insn);
/// The same, with the names of the operations that users have defined for `hw`; without it they are
/// called by their codes ("op12").
std::string disassemble(const Instruction& insn, const HwConfig& hw);

/// The whole program in assembler syntax; `assemble` reads it back to an equal program.
std::string disassembleProgram(const Program& program, const HwConfig& hw);

/// Parses assembler text. Errors are "source:line:column: message".
Result<Program> assemble(std::string_view text, std::string_view source_name, const HwConfig& hw);

}  // namespace vta
