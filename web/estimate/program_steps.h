// What each instruction of a program does when, for a reader who steps through its cycles.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "sim/memory/memory_config.h"

namespace vta::web {

/// Assembles a program and runs it on the cycle simulator: {"cycles", "instructions": [...],
/// "bursts": [[master, first cycle, last cycle], ...], "findings": [[instruction, text], ...]}.
/// An instruction has its text, unit and tokens, the cycles in which it was dispatched, started and
/// retired, and what it writes: a scratchpad, its first element and how many. Findings are those of
/// the verifier; a program with some may run all the same.
///
/// Errors: of the assembler, with line and column; a program of more than kMostSteps instructions;
/// faults, such as tokens that nobody pushes.
Result<nlohmann::ordered_json> stepProgram(std::string_view assembler, const HwConfig& hw,
                                           const sim::MemoryConfig& memory);
inline constexpr size_t kMostSteps = 2000;

}  // namespace vta::web
