#include "isa/program/verify/compat_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "isa/program/verify/verifier.h"
#include "tests/isa/config/random_config.h"
#include "tests/isa/program/sample_program.h"

namespace vta::verify {
namespace {

using test::gemmProgram;
using test::ProgramBuilder;
using ::testing::HasSubstr;

const HwConfig kHw = *loadHwConfig(VTA_SOURCE_DIR "/configs/hw/vta-0.0.2.yaml");

// All findings of the 0.0.2 rules for gemmProgram(32) after `change`.
std::string findingsAfter(const std::function<void(Program&)>& change) {
  Program program = gemmProgram(kHw, 32);
  change(program);
  const Status status = verifyProgramStatus(program, kHw);
  return status.ok() ? "ok" : status.message();
}

TEST(Compat, TheSampleIsInsideTheSubset) {
  EXPECT_EQ(findingsAfter([](Program&) {}), "ok");
}

TEST(Compat, OperationsAndEncodingsOutsideTheSubset) {
  const HwConfig full = HwConfig::makeDefault();
  const VerifyOptions compat{.compat_0_0_2 = true};
  const auto aluFinding = [&](const AluInsn& changes) {
    Program program = gemmProgram(full);
    AluInsn& alu = program.instructions[5].alu();
    alu.alu_opcode = changes.alu_opcode;
    alu.use_imm = changes.use_imm;
    alu.imm = changes.imm;
    return verifyProgramStatus(program, full, compat).message();
  };
  EXPECT_THAT(aluFinding({.alu_opcode = AluOpcode::kMul, .use_imm = true}),
              HasSubstr("MUL is outside the common subset"));
  EXPECT_THAT(aluFinding({.alu_opcode = AluOpcode::kQmul}), HasSubstr("extension qmul"));
  EXPECT_THAT(aluFinding({.alu_opcode = AluOpcode::kClip, .use_imm = true}),
              HasSubstr("extension clip"));
  EXPECT_THAT(aluFinding({.alu_opcode = AluOpcode::kShr, .use_imm = true, .imm = 16}),
              HasSubstr("a shift by 16 (legal: -16 to 15)"));
  EXPECT_THAT(aluFinding({.alu_opcode = AluOpcode::kShr, .use_imm = true, .imm = -17}),
              HasSubstr("a shift by -17"));
  EXPECT_EQ(aluFinding({.alu_opcode = AluOpcode::kShr, .use_imm = true, .imm = -16}), "");

  const HwConfig wide = *loadHwConfig(VTA_SOURCE_DIR "/configs/hw/wide.yaml");
  EXPECT_THAT(verifyProgramStatus(gemmProgram(wide), wide, compat).message(),
              HasSubstr("wide encoding does not exist"));
  EXPECT_TRUE(verifyProgramStatus(gemmProgram(wide), wide).ok());
}

TEST(Compat, PaddingRules) {
  EXPECT_THAT(findingsAfter([](Program& p) { p.instructions[2].mem().x_pad_1 = 1; }),
              HasSubstr("padding on WGT"));
  EXPECT_THAT(findingsAfter([](Program& p) { p.instructions[0].mem().y_pad_0 = 1; }),
              HasSubstr("a UOP load of other than one unpadded row"));
  EXPECT_THAT(findingsAfter([](Program& p) { p.instructions[6].mem().x_pad_0 = 1; }),
              HasSubstr("padding on STORE"));
  EXPECT_EQ(findingsAfter([](Program& p) { p.instructions[1].mem().y_pad_0 = 1; }), "ok");
  EXPECT_THAT(findingsAfter([](Program& p) {
                p.instructions[1].mem().y_pad_0 = 1;
                p.instructions[1].mem().x_size = 0;
                p.relocations.erase(p.relocations.begin() + 1);
              }),
              HasSubstr("padding with x_size 0"));
  const HwConfig full = HwConfig::makeDefault();
  Program program = gemmProgram(full);
  program.instructions[1].mem().pad_kind = PadKind::kMin;
  EXPECT_THAT(verifyProgramStatus(program, full, {.compat_0_0_2 = true}).message(),
              HasSubstr("extension pad_min"));
}

TEST(Compat, TransposedWeights) {
  HwParams params;
  params.ext_transpose = true;
  const HwConfig hw = *HwConfig::create(params);
  Program program = gemmProgram(hw);
  program.instructions[2].mem().memory_type = MemoryType::kWgtTransposed;
  EXPECT_TRUE(verifyProgramStatus(program, hw).ok());
  EXPECT_THAT(verifyProgramStatus(program, hw, {.compat_0_0_2 = true}).message(),
              HasSubstr("extension transpose"));
}

TEST(Compat, Handovers) {
  HwParams params;
  params.ext_handover = true;
  const HwConfig hw = *HwConfig::create(params);
  Program program = gemmProgram(hw);
  program.instructions.insert(
      program.instructions.begin() + 3,
      Instruction::load(ProgramBuilder::row(MemoryType::kInpFromOut, 100, 0, 1)));
  for (Relocation& r : program.relocations) r.instruction += r.instruction >= 3 ? 1 : 0;
  EXPECT_THAT(verifyProgramStatus(program, hw, {.compat_0_0_2 = true}).message(),
              HasSubstr("extension handover"));
}

TEST(Compat, Acc8BitAndManyMicroOps) {
  EXPECT_THAT(findingsAfter([](Program& p) {
                MemInsn mem = ProgramBuilder::row(MemoryType::kAcc8, 100, 0, 1);
                p.instructions.insert(p.instructions.begin() + 1, Instruction::load(mem));
                for (Relocation& r : p.relocations) r.instruction += r.instruction >= 1;
                p.relocations.insert(p.relocations.begin() + 1, {1, 1});
              }),
              HasSubstr("ACC_8BIT is outside"));
  EXPECT_THAT(findingsAfter([](Program& p) { p.instructions[0].mem().sram_base = 2048; }),
              HasSubstr("micro-ops past index 2047"));
  EXPECT_THAT(findingsAfter([](Program& p) { p.instructions[3].gemm().uop_end = 2049; }),
              HasSubstr("micro-ops past index 2047"));
}

TEST(Compat, LoopsMustNotBeEmpty) {
  EXPECT_THAT(findingsAfter([](Program& p) { p.instructions[3].gemm().iter_out = 0; }),
              HasSubstr("an empty loop"));
  EXPECT_THAT(findingsAfter([](Program& p) { p.instructions[5].alu().uop_end = 0; }),
              HasSubstr("an empty loop"));
}

TEST(Compat, ImmediateOperationsWorkInPlace) {
  EXPECT_THAT(findingsAfter([](Program& p) { p.instructions[5].alu().src_factor_in = 0; }),
              HasSubstr("src other than dst (their factors differ)"));
  EXPECT_THAT(findingsAfter([](Program& p) { p.uops[0].src_idx = 1; }),
              HasSubstr("src other than dst is outside"));
}

TEST(Compat, StoredElementsMustBeWrittenByAnOperation) {
  EXPECT_THAT(findingsAfter([](Program& p) { p.instructions[6].mem().x_size = 33; }),
              HasSubstr("stores OUT[32], which no ALU or GEMM (reset=0) operation"));
  // Reset after the operations, as if the accumulators were prepared too early for the next tile.
  EXPECT_THAT(findingsAfter([](Program& p) {
                GemmInsn gemm = p.instructions[3].gemm();
                gemm.iter_in = 2;
                p.instructions[5].tokens.push_next = false;
                p.instructions.insert(p.instructions.begin() + 6,
                                      Instruction::gemm(gemm, {.push_next = true}));
                p.relocations.back().instruction = 7;
              }),
              HasSubstr("stores OUT[0], which no ALU or GEMM"));
}

TEST(Compat, TheFirstComputeInstructionWaitsForNothing) {
  EXPECT_THAT(findingsAfter([](Program& p) {
                p.instructions[4].tokens.pop_prev = false;
                p.instructions[0].tokens.pop_prev = true;
              }),
              HasSubstr("first compute instruction must not wait"));
}

TEST(Compat, FinishWaitsForStores) {
  EXPECT_THAT(findingsAfter([](Program& p) {
                p.instructions[6].tokens.push_prev = false;
                p.instructions[7].tokens.pop_next = false;
              }),
              HasSubstr("FINISH does not wait for this store"));
}

TEST(Compat, AccumulatingAgainTooSoonIsAHazard) {
  const auto withStep = [](uint32_t step) {
    return findingsAfter([&](Program& p) { p.instructions[4].gemm().dst_factor_in = step; });
  };
  EXPECT_EQ(withStep(1), "ok");
  EXPECT_THAT(withStep(0), HasSubstr("ACC[0] is used again 1 iteration after it is written in the "
                                     "same instruction"));
}

// All iterations, one after the other.
template <typename Body>
bool bruteForceHazard(const Body& body, const std::vector<Uop>& uops, bool tensor) {
  std::vector<std::pair<uint32_t, uint32_t>> iterations;
  for (uint32_t i0 = 0; i0 < body.iter_out; ++i0) {
    for (uint32_t i1 = 0; i1 < body.iter_in; ++i1) {
      for (const Uop& uop : uops) {
        iterations.emplace_back(uop.dst_idx + i0 * body.dst_factor_out + i1 * body.dst_factor_in,
                                uop.src_idx + i0 * body.src_factor_out + i1 * body.src_factor_in);
      }
    }
  }
  for (size_t n = 0; n < iterations.size(); ++n) {
    for (size_t d = 1; d <= 2 && n + d < iterations.size(); ++d) {
      if (iterations[n].first == iterations[n + d].first) return true;
      if (tensor && iterations[n].first == iterations[n + d].second) return true;
    }
  }
  return false;
}

TEST(Compat, HazardsEqualTheEnumerationOnRandomLoops) {
  test::Rng rng(11);
  const Program program = gemmProgram(kHw);
  int hazards = 0;
  for (int round = 0; round < 20000; ++round) {
    const auto pick = [&](int64_t min, int64_t max) {
      return static_cast<uint32_t>(test::uniform(rng, min, max));
    };
    std::vector<Uop> uops(pick(1, 5));
    for (Uop& uop : uops) uop = {pick(0, 9), pick(0, 9), 0};
    AluInsn alu{.alu_opcode = AluOpcode::kAdd,
                .iter_out = pick(1, 4),
                .iter_in = pick(1, 4),
                .dst_factor_out = pick(0, 6),
                .dst_factor_in = pick(0, 6),
                .src_factor_out = pick(0, 6),
                .src_factor_in = pick(0, 6)};
    Findings alu_findings(program, 10);
    checkCompatUops(5, alu, uops, alu_findings);
    ASSERT_EQ(!alu_findings.empty(), bruteForceHazard(alu, uops, true)) << round;

    const GemmInsn gemm{.iter_out = alu.iter_out,
                        .iter_in = alu.iter_in,
                        .dst_factor_out = alu.dst_factor_out,
                        .dst_factor_in = alu.dst_factor_in};
    Findings gemm_findings(program, 10);
    checkCompatUops(4, gemm, uops, gemm_findings);
    ASSERT_EQ(!gemm_findings.empty(), bruteForceHazard(gemm, uops, false)) << round;
    hazards += !gemm_findings.empty();
  }
  EXPECT_GT(hazards, 1000);
  EXPECT_LT(hazards, 19000);
}

}  // namespace
}  // namespace vta::verify
