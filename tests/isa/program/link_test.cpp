#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/program/program.h"
#include "tests/isa/program/sample_program.h"

namespace vta {
namespace {

using test::gemmProgram;
using test::ProgramBuilder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const HwConfig kHw = HwConfig::makeDefault();

LinkedProgram linked(const std::vector<Program>& programs) {
  Result<LinkedProgram> result = linkPrograms(programs, kHw);
  EXPECT_TRUE(result.ok()) << result.status().message();
  EXPECT_TRUE(checkProgramStructure(result->program, kHw).ok());
  return *result;
}

// A program that uses the compute and store units only.
Program aluProgram() {
  ProgramBuilder b(kHw);
  b.program.uops = {{0, 0, 0}, {1, 1, 0}};
  const uint32_t uop = b.buffer("uop", BufferKind::kUop, 8);
  const uint32_t acc = b.buffer("bias", BufferKind::kConstant, 128);
  const uint32_t out = b.buffer("sum", BufferKind::kOutput, 32);
  b.load(ProgramBuilder::row(MemoryType::kUop, 0, 0, 2), uop);
  b.load(ProgramBuilder::row(MemoryType::kAcc, 0, 0, 2), acc);
  b.add(Instruction::alu({.alu_opcode = AluOpcode::kAdd,
                          .use_imm = true,
                          .imm = 1,
                          .uop_end = 2,
                          .iter_out = 1,
                          .iter_in = 1},
                         {.push_next = true}));
  b.store(ProgramBuilder::row(MemoryType::kOut, 0, 0, 2), out,
          {.pop_prev = true, .push_prev = true});
  b.add(Instruction::finish({.pop_next = true}));
  return b.program;
}

TEST(Link, OneProgramStaysAsItIs) {
  const Program program = gemmProgram(kHw);
  const LinkedProgram result = linked({program});
  EXPECT_EQ(result.program, program);
  EXPECT_THAT(result.buffer_maps[0], ElementsAre(0, 1, 2, 3));
}

TEST(Link, FinishBecomesABarrierThatTheNextLoadWaitsFor) {
  const LinkedProgram result = linked({gemmProgram(kHw), gemmProgram(kHw, 4, "b_")});
  const auto& insns = result.program.instructions;
  ASSERT_EQ(insns.size(), 16u);
  EXPECT_EQ(insns[7].unit(), Unit::kCompute);
  EXPECT_EQ(insns[7].mem().x_size, 0u);
  EXPECT_EQ(insns[7].tokens, (Tokens{.pop_next = true, .push_prev = true}));
  EXPECT_TRUE(insns[9].tokens.pop_next) << "first load-unit instruction of the second program";
  EXPECT_FALSE(insns[10].tokens.pop_next);
  EXPECT_EQ(insns[15], Instruction::finish({.pop_next = true}));
}

TEST(Link, ACarrierWaitsWhereTheFirstLoadAlreadyWaits) {
  Program second = gemmProgram(kHw, 4, "b_");
  second.instructions[0].tokens.push_prev = true;  // the first LOAD INP waits for the UOP load
  second.instructions[1].tokens.pop_next = true;
  second.symbols = {{0, "u"}, {1, "inp"}};
  const LinkedProgram result = linked({gemmProgram(kHw), second});
  const auto& insns = result.program.instructions;
  ASSERT_EQ(insns.size(), 17u);
  EXPECT_EQ(insns[9].mem().x_size, 0u);
  EXPECT_EQ(insns[9].unit(), Unit::kLoad);
  EXPECT_EQ(insns[9].tokens, (Tokens{.pop_next = true}));
  EXPECT_TRUE(insns[10].tokens.pop_next);
  EXPECT_EQ(result.program.symbolAt(8), "u");
  EXPECT_EQ(result.program.symbolAt(9), "inp");
  EXPECT_EQ(result.program.relocations[5], (Relocation{10, result.buffer_maps[1][1]}));
}

TEST(Link, NoTokenIsPushedWhenTheNextProgramLoadsNothing) {
  const LinkedProgram result = linked({gemmProgram(kHw), aluProgram(), gemmProgram(kHw)});
  const auto& insns = result.program.instructions;
  EXPECT_FALSE(insns[7].tokens.push_prev);
  EXPECT_TRUE(insns[12].tokens.push_prev);
  EXPECT_TRUE(insns[14].tokens.pop_next);
}

TEST(Link, MicroOpsAreRelocatedAndEqualOnesShared) {
  const LinkedProgram result = linked({gemmProgram(kHw), aluProgram(), gemmProgram(kHw)});
  const Program& p = result.program;
  EXPECT_EQ(p.uops, (std::vector<Uop>{{0, 0, 0}, {0, 0, 0}, {1, 1, 0}}));
  EXPECT_EQ(p.instructions[0].mem().dram_base, 0u);
  EXPECT_EQ(p.instructions[8].mem().dram_base, 1u);
  EXPECT_EQ(p.instructions[13].mem().dram_base, 0u);
  EXPECT_EQ(p.buffers[0].size_bytes, 12u);
}

TEST(Link, BuffersOfEqualNameAndKindAreMerged) {
  Program second = gemmProgram(kHw, 8);
  second.buffers[1].alignment_bytes = 1024;
  const LinkedProgram result = linked({gemmProgram(kHw), second, aluProgram()});
  EXPECT_THAT(result.buffer_maps[1], ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(result.buffer_maps[2], ElementsAre(0, 4, 5));
  EXPECT_EQ(result.program.buffers[1].size_bytes, 8u * 16);
  EXPECT_EQ(result.program.buffers[1].alignment_bytes, 1024u);
}

TEST(Link, UnnamedBuffersAndOtherKindsStayApart) {
  Program first = gemmProgram(kHw);
  Program second = gemmProgram(kHw);
  first.buffers[2].name = second.buffers[2].name = "";
  second.buffers[1].kind = BufferKind::kScratch;
  const LinkedProgram result = linked({first, second});
  EXPECT_THAT(result.buffer_maps[1], ElementsAre(0, 4, 5, 3));
}

TEST(Link, SymbolsMoveAndUnnamedProgramsStayUnnamed) {
  const LinkedProgram result = linked({gemmProgram(kHw, 4, "a_"), aluProgram()});
  EXPECT_EQ(result.program.symbolAt(7), "a_gemm");
  EXPECT_EQ(result.program.symbolAt(8), "");
}

TEST(Link, ErrorsNameTheProgram) {
  EXPECT_THAT(linkPrograms({}, kHw).status().message(), HasSubstr("no programs"));
  std::vector<Program> programs = {gemmProgram(kHw), gemmProgram(kHw)};
  programs[0].instructions.back().tokens.push_next = true;
  EXPECT_THAT(linkPrograms(programs, kHw).status().message(),
              HasSubstr("program 0: FINISH pushes a token"));
  programs = {gemmProgram(kHw), gemmProgram(kHw)};
  programs[1].hw_fingerprint ^= 1;
  EXPECT_THAT(linkPrograms(programs, kHw).status().message(),
              HasSubstr("program 1: program was built for another"));
}

}  // namespace
}  // namespace vta
