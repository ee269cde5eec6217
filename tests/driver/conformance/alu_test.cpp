// Every ALU operation on known answers: wrap-around, shift amounts, ties, saturation, order.
#include <limits>

#include "isa/spec/accumulator.h"
#include "tests/driver/conformance/compute_program.h"

namespace vta::driver::conformance {
namespace {

constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
constexpr int32_t kMax = std::numeric_limits<int32_t>::max();

class AluTest : public ConformanceTest {
 protected:
  /// Whether hardware has the operation with the bounds of 32 bits; NarrowAccumulatorsTest has
  /// other bounds.
  static bool has(const HwConfig& hw, AluOpcode opcode) {
    return hasAluOperation(hw.params(), *findAluOperation(opcode)) &&
           hw.params().acc_width_bits == kAccDramBits;
  }

  struct Case {
    int32_t x, y, expected;
  };

  /// Checks op(x, y) as a tensor operation.
  void checkTensor(AluOpcode opcode, const std::vector<Case>& cases, int32_t imm = 0) {
    for (const HwConfig& hw : configs()) {
      if (!has(hw, opcode)) continue;
      SCOPED_TRACE(hw.summary());
      ComputeProgram program(spec(), hw, {{0, 1, 0}});
      const auto lanes = static_cast<size_t>(program.machine().lanesOf(MemoryType::kAcc));
      for (size_t base = 0; base < cases.size(); base += lanes)
        checkSlice(hw, opcode, cases, base, imm);
    }
  }

  void checkSlice(const HwConfig& hw, AluOpcode opcode, const std::vector<Case>& cases, size_t base,
                  int32_t imm) {
    ComputeProgram program(spec(), hw, {{0, 1, 0}});
    const auto lanes = static_cast<size_t>(program.machine().lanesOf(MemoryType::kAcc));
    Lanes operands(2 * lanes);
    Lanes expected(lanes);
    for (size_t i = 0; i < lanes; ++i) {
      const Case& c = cases[(base + i) % cases.size()];
      operands[i] = c.x;
      operands[lanes + i] = c.y;
      expected[i] = c.expected;
    }
    program.loadAcc(0, operands);
    AluInsn insn = aluOnce(opcode);
    insn.imm = imm;
    program.add(Instruction::alu(insn));
    EXPECT_EQ(program.run(1), expected) << aluOpcodeName(opcode);
  }

  struct PairCase {
    int32_t x, multiplier, bias, expected;
  };

  /// Checks REQUANT, with its shift in the first lane of the multiplier and other bits there in the
  /// other lanes; src is either element of the pair.
  void checkRequant(const std::vector<PairCase>& cases, int32_t shift, ByteRange range) {
    for (const HwConfig& hw : configs()) {
      if (!has(hw, AluOpcode::kRequant)) continue;
      SCOPED_TRACE(hw.summary());
      ComputeProgram sizes(spec(), hw, {{0, 0, 0}});
      const auto lanes = static_cast<size_t>(sizes.machine().lanesOf(MemoryType::kAcc));
      for (size_t base = 0; base < cases.size(); base += lanes) {
        for (const uint32_t src : {2u, 3u}) {
          ComputeProgram program(spec(), hw, {{0, src, 0}});
          Lanes operands(4 * lanes);
          Lanes expected(lanes);
          for (size_t i = 0; i < lanes; ++i) {
            const PairCase& c = cases[(base + i) % cases.size()];
            const uint32_t high = i == 0 ? static_cast<uint32_t>(shift) : 17;
            const uint32_t low = static_cast<uint32_t>(c.multiplier) & ((1u << 26) - 1);
            operands[i] = c.x;
            operands[2 * lanes + i] = static_cast<int32_t>(high << 26 | low);
            operands[3 * lanes + i] = c.bias;
            expected[i] = c.expected;
          }
          program.loadAcc(0, operands);
          AluInsn insn = aluOnce(AluOpcode::kRequant);
          insn.imm = byteRangeImmediate(range);
          program.add(Instruction::alu(insn));
          EXPECT_EQ(program.run(1), expected) << "src " << src << " shift " << shift;
        }
      }
    }
  }

  void checkImmediate(AluOpcode opcode, int32_t imm,
                      const std::vector<std::pair<int32_t, int32_t>>& cases) {
    for (const HwConfig& hw : configs()) {
      if (!has(hw, opcode)) continue;
      SCOPED_TRACE(hw.summary());
      ComputeProgram program(spec(), hw, {{0, 0, 0}});
      const auto lanes = static_cast<size_t>(program.machine().lanesOf(MemoryType::kAcc));
      const size_t elements = (cases.size() + lanes - 1) / lanes;
      Lanes operands(elements * lanes);
      Lanes expected(elements * lanes);
      for (size_t i = 0; i < operands.size(); ++i) {
        operands[i] = cases[i % cases.size()].first;
        expected[i] = cases[i % cases.size()].second;
      }
      program.loadAcc(0, operands);
      AluInsn insn = aluOnce(opcode);
      insn.use_imm = true;
      insn.imm = imm;
      insn.iter_in = static_cast<uint32_t>(elements);
      insn.dst_factor_in = insn.src_factor_in = 1;
      program.add(Instruction::alu(insn));
      EXPECT_EQ(program.run(static_cast<uint32_t>(elements)), expected)
          << aluOpcodeName(opcode) << " " << imm;
    }
  }
};

TEST_P(AluTest, MinAndMax) {
  checkTensor(AluOpcode::kMin, {{1, 2, 1}, {-1, 2, -1}, {kMin, kMax, kMin}, {5, 5, 5}});
  checkTensor(AluOpcode::kMax, {{1, 2, 2}, {-1, -2, -1}, {kMin, kMax, kMax}, {5, 5, 5}});
  checkImmediate(AluOpcode::kMin, -32768, {{0, -32768}, {kMin, kMin}, {-32769, -32769}});
  checkImmediate(AluOpcode::kMax, 32767, {{0, 32767}, {kMax, kMax}, {32768, 32768}});
}

TEST_P(AluTest, AddAndMulWrap) {
  checkTensor(AluOpcode::kAdd, {{1, 2, 3}, {kMax, 1, kMin}, {kMin, -1, kMax}, {kMin, kMin, 0}});
  checkTensor(AluOpcode::kMul, {{3, -4, -12}, {65536, 65536, 0}, {kMin, -1, kMin}, {kMax, 2, -2}});
  checkImmediate(AluOpcode::kAdd, -5, {{2, -3}, {kMin, kMax - 4}});
  checkImmediate(AluOpcode::kMul, -3, {{2, -6}, {kMin, kMin}, {kMax, kMin + 3}});
}

TEST_P(AluTest, ShiftTakesTheLowSixBitsSigned) {
  checkTensor(AluOpcode::kShr, {{-9, 1, -5},
                                {100, 0, 100},
                                {kMin, 31, -1},
                                {kMax, 31, 0},
                                {3, -1, 6},
                                {1, -31, kMin},
                                {3, -31, kMin},
                                {12345, -32, 0},
                                {-9, 64 + 1, -5},  // bits above the low six do not count
                                {-9, 32, 0},       // 32 is -32
                                {3, 63, 6},        // 63 is -1
                                {3, -64, 3}});     // -64 is 0
  checkImmediate(AluOpcode::kShr, 4, {{-1, -1}, {-17, -2}, {kMin, -134217728}, {31, 1}});
  checkImmediate(AluOpcode::kShr, -4, {{-1, -16}, {kMax, -16}, {1, 16}});
  checkImmediate(AluOpcode::kShr, -32, {{-1, 0}, {kMax, 0}});
  checkImmediate(AluOpcode::kShr, 31, {{-1, -1}, {kMax, 0}});
}

TEST_P(AluTest, QmulRoundsTiesAwayFromZeroAndSaturates) {
  checkTensor(AluOpcode::kQmul,
              {{3, 2, 2},
               {-3, 2, -2},
               {1, 2, 1},
               {-1, 2, -1},
               {5, 1, 1},
               {-5, 1, -1},
               {6, 1, 2},
               {-6, 1, -2},
               {kMax, 131071, kMax},
               {kMin, 131071, kMin},
               {kMin, -131072, kMax},
               {4, 1 << 18, 0},  // the multiplier's low 18 bits are 0
               {4, (1 << 18) + 3, 3},
               {4, (1 << 18) - 1, -1}},  // all ones: -1
              2);
  checkTensor(AluOpcode::kQmul, {{kMax, 131071, 65535}, {kMin, 131071, -65536}, {0, -1, 0}}, 32);
  checkTensor(AluOpcode::kQmul, {{7, -6, -42}, {kMax, 2, kMax}}, 0);
  checkTensor(AluOpcode::kQmul, {{kMin, -131072, 0}, {kMax, 131071, 0}}, 62);
}

TEST_P(AluTest, PreluScalesWhatIsNegative) {
  checkTensor(AluOpcode::kPrelu,
              {{3, 2, 3},
               {-3, 2, -2},
               {-1, 2, -1},
               {-1, 1, 0},
               {0, 7, 0},
               {kMax, 0, kMax},
               {kMin, 131071, kMin},
               {kMin, -131072, kMax},
               {-4, (1 << 18) + 3, -3},  // the multiplier is the low 18 bits
               {-4, (1 << 18) - 1, 1}},
              2);
  checkTensor(AluOpcode::kPrelu, {{kMin, 131071, -65536}, {-1, -1, 0}, {5, 0, 5}}, 32);
  checkTensor(AluOpcode::kPrelu, {{-7, -6, 42}, {7, -6, 7}}, 0);
}

TEST_P(AluTest, RequantAddsScalesAndClips) {
  checkRequant({{3, 2, 0, 2},
                {-3, 2, 0, -2},
                {1, 1, 1, 1},
                {-1, 1, -1, -1},
                {0, 131071, 100, 100},
                {0, -131072, 100, -100},
                {kMax, 1, 1, -100},  // the sum wraps
                {kMin, 1, -1, 100},
                {kMax, 131071, 0, 100},  // the product saturates
                {5, 4, 400, 100},
                {-5, 4, -400, -100},
                {7, 0, 7, 0}},
               2, {-100, 100});
  checkRequant({{7, -6, -1, -36}, {7, 6, 0, 42}, {kMax, -1, 0, -128}, {kMin, 1, 0, -128}}, 0,
               {-128, 127});
  checkRequant({{-7, 6, 0, 5}, {1, 6, 0, 6}, {7, 6, 0, 9}}, 0, {5, 9});
  checkRequant({{kMax, 131071, 0, 0}, {kMin, -131072, 0, 0}}, 63, {-128, 127});
  checkRequant({{kMax, 131071, 0, 1}, {kMin, 131071, 0, -1}, {kMax / 2, 131071, 0, 0}}, 48,
               {-128, 127});
}

// Micro-op after micro-op: the pair stays, changes, and is overwritten by its own results.
TEST_P(AluTest, RequantOverItsOwnOperands) {
  for (const HwConfig& hw : configs()) {
    if (!hw.params().ext_requant) continue;
    SCOPED_TRACE(hw.summary());
    // dst 0 to 5 with the pair 2, 3; multiplier 1, bias 10, no shift.
    ComputeProgram program(spec(), hw, {{0, 2, 0}});
    const auto lanes = static_cast<size_t>(program.machine().lanesOf(MemoryType::kAcc));
    const std::vector<int32_t> values = {1, 2, 1, 10, 5, 6};
    // Element 2, the multiplier, becomes 1 * 1 + 10; from then on all is times 11. Element 3, the
    // bias, becomes (10 + 10) * 11, bounded.
    const std::vector<int32_t> results = {11, 12, 11, 120, 120, 120};
    Lanes operands, expected;
    for (const int32_t value : values) operands.insert(operands.end(), lanes, value);
    for (const int32_t value : results) expected.insert(expected.end(), lanes, value);
    program.loadAcc(0, operands);
    AluInsn insn = aluOnce(AluOpcode::kRequant);
    insn.imm = byteRangeImmediate({-120, 120});
    insn.iter_in = static_cast<uint32_t>(values.size());
    insn.dst_factor_in = 1;
    program.add(Instruction::alu(insn));
    EXPECT_EQ(program.run(static_cast<uint32_t>(values.size())), expected);
  }
}

TEST_P(AluTest, ClipTakesBothBoundsFromTheImmediate) {
  const auto bounds = [](int lo, int hi) {
    return static_cast<int16_t>((hi & 0xff) << 8 | (lo & 0xff));
  };
  checkImmediate(AluOpcode::kClip, bounds(-128, 127),
                 {{kMin, -128}, {kMax, 127}, {5, 5}, {-128, -128}});
  checkImmediate(AluOpcode::kClip, bounds(0, 6), {{-1, 0}, {7, 6}, {3, 3}});
  checkImmediate(AluOpcode::kClip, bounds(-100, -50), {{-101, -100}, {0, -50}});
}

// Tables of all lanes that differ, written in two parts from elements that are no multiple of 64,
// and read by each value of the low byte, with other bits above it.
TEST_P(AluTest, LutReadsWhatTableWrote) {
  for (const HwConfig& hw : configs()) {
    if (!hw.params().ext_lut) continue;
    SCOPED_TRACE(hw.summary());
    constexpr uint32_t kFirst = 3, kWords = 64, kValues = kFirst + kWords;
    ComputeProgram program(spec(), hw, {{kFirst, 0, 0}, {kValues, 0, 0}});
    const auto lanes = static_cast<uint32_t>(program.machine().lanesOf(MemoryType::kAcc));
    const auto entryOf = [](uint32_t index, uint32_t lane) {
      return static_cast<int8_t>(index * 7 + lane * 31 + 5);
    };
    Lanes operands(size_t{kFirst} * lanes, -1);
    for (uint32_t word = 0; word < kWords; ++word) {
      for (uint32_t lane = 0; lane < lanes; ++lane) {
        uint32_t bits = 0;
        for (uint32_t byte = 0; byte < 4; ++byte) {
          bits |= uint32_t{static_cast<uint8_t>(entryOf(4 * word + byte, lane))} << (8 * byte);
        }
        operands.push_back(static_cast<int32_t>(bits));
      }
    }
    Lanes expected = operands;
    const uint32_t num_values = (256 + lanes - 1) / lanes;
    for (uint32_t i = 0; i < num_values * lanes; ++i) {
      operands.push_back(static_cast<int32_t>(i & 0xff) - (i % 3 == 0 ? 256 : i % 3 * 4096));
      expected.push_back(entryOf(i & 0xff, i % lanes));
    }
    program.loadAcc(0, operands);
    for (const uint32_t part : {0u, 1u}) {
      AluInsn table = aluOnce(AluOpcode::kTable);
      table.use_imm = true;
      table.imm = -static_cast<int32_t>(kFirst);
      table.iter_out = kWords / 2;
      table.dst_factor_out = 1;
      table.iter_in = part + 1;  // the second time all words
      table.dst_factor_in = kWords / 2;
      program.add(Instruction::alu(table));
    }
    AluInsn lut = aluOnce(AluOpcode::kLut);
    lut.use_imm = true;
    lut.uop_bgn = 1;
    lut.uop_end = 2;
    lut.iter_in = num_values;
    lut.dst_factor_in = 1;
    program.add(Instruction::alu(lut));
    EXPECT_EQ(program.run(kValues + num_values), expected);
  }
}

TEST_P(AluTest, IterationsSeeEarlierOnes) {
  for (const HwConfig& hw : configs()) {
    SCOPED_TRACE(hw.summary());
    // ACC[i + 1] += ACC[i]: a running sum over elements.
    ComputeProgram program(spec(), hw, {{1, 0, 0}});
    const uint32_t lanes = program.machine().lanesOf(MemoryType::kAcc);
    constexpr uint32_t kCount = 9;
    program.loadAcc(0, Lanes(size_t{kCount} * lanes, 1));
    AluInsn insn = aluOnce(AluOpcode::kAdd);
    insn.iter_in = kCount - 1;
    insn.dst_factor_in = insn.src_factor_in = 1;
    program.add(Instruction::alu(insn));
    Lanes expected;
    for (uint32_t i = 0; i < kCount; ++i)
      expected.insert(expected.end(), lanes, static_cast<int32_t>(i + 1));
    EXPECT_EQ(program.run(kCount), expected);
  }
}

TEST_P(AluTest, LoopsAndMicroOpsAddTheirIndexes) {
  const HwConfig hw = configs().front();
  // Two micro-ops, 2 x 3 iterations: dst = u + 2 i0 + 4 i1.
  ComputeProgram program(spec(), hw, {{0, 0, 0}, {1, 1, 0}});
  program.loadAcc(0, Lanes(16 * 12, 10));
  AluInsn insn = aluOnce(AluOpcode::kAdd, 2);
  insn.use_imm = true;
  insn.imm = 7;
  insn.iter_out = 2;
  insn.iter_in = 3;
  insn.dst_factor_out = insn.src_factor_out = 2;
  insn.dst_factor_in = insn.src_factor_in = 4;
  program.add(Instruction::alu(insn));
  EXPECT_EQ(program.run(12), Lanes(16 * 12, 17));
}

TEST_P(AluTest, EmptyLoopsDoNothing) {
  const HwConfig hw = configs().front();
  ComputeProgram program(spec(), hw, {{0, 0, 0}});
  program.loadAcc(0, Lanes(16, 5));
  for (int which = 0; which < 3; ++which) {
    AluInsn insn = aluOnce(AluOpcode::kAdd);
    insn.use_imm = true;
    insn.imm = 1;
    if (which == 0) insn.iter_out = 0;
    if (which == 1) insn.iter_in = 0;
    if (which == 2) insn.uop_end = 0;
    program.add(Instruction::alu(insn));
  }
  EXPECT_EQ(program.run(1), Lanes(16, 5));
}

VTA_INSTANTIATE_CONFORMANCE(AluTest);

}  // namespace
}  // namespace vta::driver::conformance
