// FaultCase: what the suites of faults have in common.
#pragma once

#include <gmock/gmock.h>

#include "isa/instruction/encoding.h"
#include "tests/driver/conformance/compute_program.h"

namespace vta::driver::conformance {

/// Launches that end with a fault: its kind, the number of its instruction, its disassembly and the
/// reason.
class FaultCase : public ConformanceTest {
 protected:
  /// Launches and checks the fault.
  static void expectFault(Machine& machine, FaultKind kind, uint32_t instruction,
                          const std::string& disassembly, const std::string& reason) {
    const LaunchResult result = machine.launch();
    ASSERT_TRUE(result.fault.has_value());
    EXPECT_EQ(faultKindName(result.fault->kind), faultKindName(kind));
    EXPECT_EQ(result.fault->instruction, instruction);
    EXPECT_THAT(result.fault->disassembly, testing::HasSubstr(disassembly));
    EXPECT_THAT(result.fault->reason, testing::HasSubstr(reason));
  }

  /// `insn` alone, behind a LOAD of `uops`, is the fault.
  void expectFaultOf(const Instruction& insn, FaultKind kind, const std::string& disassembly,
                     const std::string& reason, const std::vector<Uop>& uops = {{0, 0, 0}}) {
    SCOPED_TRACE(disassembly);
    ComputeProgram program(spec(), HwConfig::makeDefault(), uops);
    Machine& machine = program.machine();
    machine.fillOut(0);
    machine.add(insn);
    machine.add(Instruction::finish());
    expectFault(machine, kind, 1, disassembly, reason);
  }

  /// The encoding of `insn` by a configuration with all extensions, after an edit of its first
  /// word.
  static std::vector<std::byte> rawInstruction(const Instruction& insn, uint64_t clear,
                                               uint64_t set,
                                               const HwConfig& hw = HwConfig::makeDefault()) {
    std::vector<std::byte> bytes;
    EXPECT_TRUE(encodeInstruction(insn, hw, bytes).ok());
    for (size_t i = 0; i < 8; ++i) {
      bytes[i] &= static_cast<std::byte>(~(clear >> (8 * i)) & 0xff);
      bytes[i] |= static_cast<std::byte>(set >> (8 * i) & 0xff);
    }
    return bytes;
  }
};

}  // namespace vta::driver::conformance
