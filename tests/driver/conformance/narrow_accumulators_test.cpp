// Accumulators of fewer than 32 bits: what wraps and what saturates, at their own bounds.
#include "isa/spec/accumulator.h"
#include "isa/spec/alu_operations.h"
#include "tests/driver/conformance/compute_program.h"

namespace vta::driver::conformance {
namespace {

class NarrowAccumulatorsTest : public ConformanceTest {
 protected:
  struct Case {
    int32_t x, y, expected;
  };

  std::vector<HwConfig> narrowConfigs() const {
    std::vector<HwConfig> narrow;
    for (const HwConfig& hw : configs()) {
      if (hw.params().acc_width_bits < kAccDramBits) narrow.push_back(hw);
    }
    return narrow;
  }

  /// Checks ACC[0] = op(ACC[0], ACC[1]) with one case in all lanes.
  void check(const HwConfig& hw, AluOpcode opcode, const std::vector<Case>& cases,
             int32_t imm = 0) {
    if (!hasAluOperation(hw.params(), *findAluOperation(opcode))) return;
    for (const Case& c : cases) {
      ComputeProgram program(spec(), hw, {{0, 1, 0}});
      const uint32_t lanes = program.machine().lanesOf(MemoryType::kAcc);
      Lanes operands(lanes, c.x);
      operands.insert(operands.end(), lanes, c.y);
      program.loadAcc(0, operands);
      AluInsn insn = aluOnce(opcode);
      insn.imm = imm;
      program.add(Instruction::alu(insn));
      EXPECT_EQ(program.run(1), Lanes(lanes, c.expected))
          << hw.summary() << ": " << aluOpcodeName(opcode) << " " << c.x << " " << c.y;
    }
  }
};

TEST_P(NarrowAccumulatorsTest, LoadsKeepTheLowBits) {
  for (const HwConfig& hw : narrowConfigs()) {
    SCOPED_TRACE(hw.summary());
    const int bits = hw.params().acc_width_bits;
    const auto [least, most] = accumulatorRange(bits);
    const auto above = static_cast<int32_t>(1u << (bits - 1));
    ComputeProgram program(spec(), hw, {});
    const uint32_t lanes = program.machine().lanesOf(MemoryType::kAcc);
    Lanes operands, expected;
    for (const auto& [loaded, held] : {std::pair(most, most), std::pair(above, least),
                                       std::pair(least - 1, most), std::pair(-1, -1)}) {
      operands.insert(operands.end(), lanes, loaded);
      expected.insert(expected.end(), lanes, held);
    }
    program.loadAcc(0, operands);
    EXPECT_EQ(program.run(4), expected);
  }
}

TEST_P(NarrowAccumulatorsTest, SumsProductsAndShiftsWrap) {
  for (const HwConfig& hw : narrowConfigs()) {
    const int bits = hw.params().acc_width_bits;
    const auto [least, most] = accumulatorRange(bits);
    check(hw, AluOpcode::kAdd, {{most, 1, least}, {least, -1, most}, {least, least, 0}});
    check(hw, AluOpcode::kMul, {{least, -1, least}, {most, 2, -2}, {most, most, 1}, {-3, 4, -12}});
    check(hw, AluOpcode::kShr,
          {{least, bits - 1, -1},
           {least, 31, -1},
           {1, 1 - bits, least},
           {3, 1 - bits, least},
           {1, -bits, 0},
           {-1, -4, -16},
           {most, -1, -2},
           {-9, 64 + 1, -5},
           {5, 32, 0}});
    check(hw, AluOpcode::kMin, {{least, most, least}, {most, -1, -1}});
    check(hw, AluOpcode::kMax, {{least, most, most}, {least, -1, -1}});
  }
}

TEST_P(NarrowAccumulatorsTest, QmulAndPreluSaturate) {
  for (const HwConfig& hw : narrowConfigs()) {
    const auto [least, most] = accumulatorRange(hw.params().acc_width_bits);
    check(hw, AluOpcode::kQmul,
          {{most, 3, most}, {least, 3, least}, {least, -3, most}, {5, 1, 3}, {-5, 1, -3}}, 1);
    check(hw, AluOpcode::kQmul, {{most, 2, most}, {least, 2, least}, {least, -2, most}}, 1);
    check(hw, AluOpcode::kQmul, {{most, 1, 0}, {least, 1, 0}}, 62);
    check(hw, AluOpcode::kPrelu, {{least, 3, least}, {least, -3, most}, {most, 3, most}}, 1);
  }
}

// The shift is in the highest six bits of the multiplier's first lane.
TEST_P(NarrowAccumulatorsTest, RequantHasItsShiftBelowTheTop) {
  for (const HwConfig& hw : narrowConfigs()) {
    if (!hw.params().ext_requant) continue;
    SCOPED_TRACE(hw.summary());
    const int bits = hw.params().acc_width_bits;
    const auto [least, most] = accumulatorRange(bits);
    for (const auto& [x, bias, expected] :
         {Case{40, 8, 6}, Case{-40, -12, -7}, Case{most, 1, -100}, Case{least, -1, 100}}) {
      ComputeProgram program(spec(), hw, {{0, 2, 0}});
      const uint32_t lanes = program.machine().lanesOf(MemoryType::kAcc);
      Lanes operands(lanes, x);
      operands.insert(operands.end(), lanes, 0);
      operands.insert(operands.end(), lanes, static_cast<int32_t>(4u << (bits - 6) | 2));
      operands.insert(operands.end(), lanes, bias);
      program.loadAcc(0, operands);
      AluInsn insn = aluOnce(AluOpcode::kRequant);
      insn.imm = byteRangeImmediate({-100, 100});
      program.add(Instruction::alu(insn));
      EXPECT_EQ(program.run(1), Lanes(lanes, expected)) << x << " " << bias;
    }
  }
}

VTA_INSTANTIATE_CONFORMANCE(NarrowAccumulatorsTest);

}  // namespace
}  // namespace vta::driver::conformance
