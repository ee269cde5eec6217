// Static program verifier: proves what a legal program promises before any device runs it.
#pragma once

#include <string>
#include <vector>

#include "isa/config/hw_config.h"
#include "isa/program/program.h"

namespace vta {

struct VerifyOptions {
  /// Also demand the common subset of published 0.0.2 hardware (isa.md, "Existing 0.0.2 hardware").
  /// Implied by a configuration with compat_0_0_2.
  bool compat_0_0_2 = false;
  /// Also report reads of INP, WGT, ACC and OUT elements that the program has not written before.
  /// Legal, because scratchpads keep their contents across launches, but a self-contained kernel
  /// never does it.
  bool uninitialised_reads = false;
  /// Stop collecting after this many findings.
  int max_findings = 20;
};

/// What is wrong, where. `instruction` is the program's instruction number.
struct VerifyFinding {
  uint32_t instruction = 0;
  std::string message;  // with the disassembly and, where known, the symbol
};

/// Checks token balance, deadlock with finite queues, races between units on SRAM and DRAM that
/// tokens do not order, bounds of SRAM and DRAM accesses, unsupported extensions and, on demand,
/// compatibility with 0.0.2 hardware. Empty result: the program is legal.
std::vector<VerifyFinding> verifyProgram(const Program& program, const HwConfig& hw,
                                         const VerifyOptions& options = {});

/// verifyProgram as a Status whose message lists the findings.
Status verifyProgramStatus(const Program& program, const HwConfig& hw,
                           const VerifyOptions& options = {});

}  // namespace vta
