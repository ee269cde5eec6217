#include "compiler/launch/overlap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/launch/interval_map.h"
#include "isa/program/text/assembler.h"
#include "isa/program/verify/verifier.h"
#include "tests/isa/program/sample_program.h"

namespace vta {
namespace {

using compiler::overlapLayers;
using test::gemmProgram;
using test::ProgramBuilder;
using ::testing::HasSubstr;

const HwConfig kHw = HwConfig::makeDefault();

// Two programs as one; the buffers that each of them names lie at their `addresses`.
Program linkedTwo(const Program& first, const Program& second) {
  const std::vector<Program> programs = {first, second};
  Result<LinkedProgram> linked = linkPrograms(programs, kHw);
  EXPECT_TRUE(linked.ok()) << linked.status().message();
  return linked->program;
}

// The second program on other scratchpad elements, so that only memory orders the two.
Program moved(Program program, uint32_t by) {
  for (Uop& uop : program.uops) uop = {uop.dst_idx + by, uop.src_idx + by, uop.wgt_idx + by};
  for (Instruction& insn : program.instructions) {
    auto* mem = std::get_if<MemInsn>(&insn.body);
    if (mem != nullptr && mem->memory_type != MemoryType::kUop) mem->sram_base += by;
  }
  return program;
}

// Where a unit's n-th instruction is.
size_t positionOf(const Program& program, Opcode opcode, MemoryType type, int number) {
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& insn = program.instructions[i];
    const auto* mem = std::get_if<MemInsn>(&insn.body);
    if (insn.opcode == opcode && mem != nullptr && mem->memory_type == type && number-- == 0) {
      return i;
    }
  }
  ADD_FAILURE() << "no such instruction";
  return 0;
}

void expectLegal(const Program& program) {
  const Status status = verifyProgramStatus(program, kHw, {.uninitialised_reads = true});
  EXPECT_TRUE(status.ok()) << status.message() << disassembleProgram(program, kHw);
}

TEST(NewestIn, RemembersTheLastEventOfEveryAddress) {
  NewestIn map;
  EXPECT_EQ(map.newest(0, 100), NewestIn::kNone);
  map.touch(10, 20, 1);
  map.touch(30, 40, 2);
  map.touch(15, 35, 3);
  map.touch(50, 50, 9);
  EXPECT_EQ(map.newest(0, 10), NewestIn::kNone);
  EXPECT_EQ(map.newest(0, 11), 1);
  EXPECT_EQ(map.newest(14, 16), 3);
  EXPECT_EQ(map.newest(35, 36), 2);
  EXPECT_EQ(map.newest(40, 1000), NewestIn::kNone);
}

TEST(Overlap, IndependentLayersLoadWithoutWaiting) {
  const Program barrier = linkedTwo(gemmProgram(kHw), moved(gemmProgram(kHw, 4, "b_"), 16));
  // uop, inp, wgt, out; inp, wgt, out
  const Program program = overlapLayers(
      barrier, kHw, std::vector<uint64_t>{0, 0x100, 0x200, 0x300, 0x500, 0x600, 0x700});
  expectLegal(program);
  const size_t load = positionOf(program, Opcode::kLoad, MemoryType::kInp, 1);
  EXPECT_LT(load, positionOf(program, Opcode::kStore, MemoryType::kOut, 0));
  EXPECT_FALSE(program.instructions[load].tokens.pop_next);
  EXPECT_LT(program.instructions.size(), barrier.instructions.size());
  EXPECT_EQ(program.relocations.size(), barrier.relocations.size());
}

TEST(Overlap, LoadsWaitForTheStoresThatTheyRead) {
  Program first = gemmProgram(kHw);
  Program second = moved(gemmProgram(kHw, 4, "b_"), 16);
  first.buffers[3].kind = second.buffers[1].kind = BufferKind::kScratch;
  first.buffers[3].name = second.buffers[1].name = "between";
  const Program program = overlapLayers(
      linkedTwo(first, second), kHw, std::vector<uint64_t>{0, 0x100, 0x200, 0x300, 0x600, 0x700});
  expectLegal(program);
  const size_t inp = positionOf(program, Opcode::kLoad, MemoryType::kInp, 1);
  EXPECT_GT(inp, positionOf(program, Opcode::kStore, MemoryType::kOut, 0));
  EXPECT_TRUE(program.instructions[inp].tokens.pop_next);
  EXPECT_EQ(program.instructions[inp - 1].mem().x_size, 0u) << "carries the store's token";
  EXPECT_TRUE(program.instructions[inp - 1].tokens.pop_next);
  // Weights do not wait.
  const size_t wgt = positionOf(program, Opcode::kLoad, MemoryType::kWgt, 1);
  EXPECT_FALSE(program.instructions[wgt].tokens.pop_next &&
               program.instructions[inp].tokens.pop_next == false);
}

TEST(Overlap, AddressesDecideNotNames) {
  const Program barrier = linkedTwo(gemmProgram(kHw), moved(gemmProgram(kHw, 4, "b_"), 16));
  const auto waits = [&](uint64_t second_input) {
    const Program program = overlapLayers(
        barrier, kHw, std::vector<uint64_t>{0, 0x100, 0x200, 0x300, second_input, 0x600, 0x700});
    return program.instructions[positionOf(program, Opcode::kLoad, MemoryType::kInp, 1)]
        .tokens.pop_next;
  };
  EXPECT_TRUE(waits(0x330)) << "the last stored element";
  EXPECT_FALSE(waits(0x340)) << "right behind it";
}

TEST(Overlap, TransposedWeightsShareTheScratchpadOfWeights) {
  HwParams params;
  params.ext_transpose = true;
  const HwConfig hw = *HwConfig::create(params);
  Program second = gemmProgram(hw, 4, "b_");
  second.instructions[1].mem().sram_base = 16;  // only WGT is shared
  for (Uop& uop : second.uops) uop.dst_idx = uop.src_idx = 16;
  second.instructions[6].mem().sram_base = 16;
  second.instructions[2].mem().memory_type = MemoryType::kWgtTransposed;
  const std::vector<Program> programs = {gemmProgram(hw), second};
  const Result<LinkedProgram> linked = linkPrograms(programs, hw);
  ASSERT_TRUE(linked.ok()) << linked.status().message();
  const Program program = overlapLayers(
      linked->program, hw, std::vector<uint64_t>{0, 0x100, 0x200, 0x300, 0x500, 0x600, 0x700});
  const Status status = verifyProgramStatus(program, hw, {.uninitialised_reads = true});
  EXPECT_TRUE(status.ok()) << status.message() << disassembleProgram(program, hw);
  EXPECT_TRUE(
      program.instructions[positionOf(program, Opcode::kLoad, MemoryType::kWgtTransposed, 0)]
          .tokens.pop_next);
}

TEST(Overlap, SharedScratchpadElementsStillWait) {
  const Program barrier = linkedTwo(gemmProgram(kHw), gemmProgram(kHw, 4, "b_"));
  const Program program = overlapLayers(
      barrier, kHw, std::vector<uint64_t>{0, 0x100, 0x200, 0x300, 0x500, 0x600, 0x700});
  expectLegal(program);
  EXPECT_TRUE(program.instructions[positionOf(program, Opcode::kLoad, MemoryType::kInp, 1)]
                  .tokens.pop_next);
}

TEST(Overlap, MicroOpsThatAreThereAreNotLoadedAgain) {
  const Program barrier = linkedTwo(gemmProgram(kHw), gemmProgram(kHw, 4, "b_"));
  const Program program = overlapLayers(
      barrier, kHw, std::vector<uint64_t>{0, 0x100, 0x200, 0x300, 0x500, 0x600, 0x700});
  int uop_loads = 0;
  for (const Instruction& insn : program.instructions) {
    const auto* mem = std::get_if<MemInsn>(&insn.body);
    uop_loads += mem != nullptr && mem->memory_type == MemoryType::kUop && mem->x_size > 0 ? 1 : 0;
  }
  EXPECT_EQ(uop_loads, 1);
}

TEST(Overlap, EveryInstructionKeepsItsSymbol) {
  const Program barrier =
      linkedTwo(gemmProgram(kHw, 4, "a_"), moved(gemmProgram(kHw, 4, "b_"), 16));
  const Program program = overlapLayers(
      barrier, kHw, std::vector<uint64_t>{0, 0x100, 0x200, 0x300, 0x500, 0x600, 0x700});
  EXPECT_EQ(program.symbolAt(
                static_cast<uint32_t>(positionOf(program, Opcode::kLoad, MemoryType::kInp, 0))),
            "a_gemm");
  EXPECT_EQ(program.symbolAt(
                static_cast<uint32_t>(positionOf(program, Opcode::kLoad, MemoryType::kInp, 1))),
            "b_gemm");
  EXPECT_EQ(program.symbolAt(
                static_cast<uint32_t>(positionOf(program, Opcode::kStore, MemoryType::kOut, 0))),
            "a_gemm");
}

TEST(Overlap, ProgramsThatItCannotReadStayAsTheyAre) {
  const std::vector<uint64_t> addresses = {0, 0x100, 0x200, 0x300};
  // The GEMM's micro-op comes from an earlier launch.
  Program no_uops = gemmProgram(kHw);
  no_uops.instructions[0].mem().sram_base = 8;
  EXPECT_EQ(overlapLayers(no_uops, kHw, addresses), no_uops);
  // Past the scratchpad's end.
  Program outside = gemmProgram(kHw);
  outside.instructions[1].mem().sram_base = kHw.depthElems(MemoryType::kInp) - 1;
  EXPECT_EQ(overlapLayers(outside, kHw, addresses), outside);
  Program far_loop = gemmProgram(kHw);
  far_loop.instructions[4].gemm().src_factor_in = kHw.depthElems(MemoryType::kInp) - 1;
  EXPECT_EQ(overlapLayers(far_loop, kHw, addresses), far_loop);
  // Micro-ops that the program does not have.
  Program more_uops = gemmProgram(kHw);
  more_uops.instructions[0].mem().x_size = 2;
  EXPECT_EQ(overlapLayers(more_uops, kHw, addresses), more_uops);
  // The load stands behind the instruction that waits for it.
  Program backwards = gemmProgram(kHw);
  std::swap(backwards.instructions[2], backwards.instructions[4]);
  std::swap(backwards.relocations[2].instruction, backwards.relocations[2].instruction);
  EXPECT_EQ(overlapLayers(backwards, kHw, addresses), backwards);
}

}  // namespace
}  // namespace vta
