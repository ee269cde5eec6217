#include "isa/program/verify/memory_check.h"

#include <gtest/gtest.h>

#include "isa/program/verify/verifier.h"
#include "tests/isa/config/random_config.h"
#include "tests/isa/program/sample_program.h"
#include "tests/isa/program/verify/brute_force.h"

namespace vta::verify {
namespace {

using test::ProgramBuilder;
using test::uniform;

const HwConfig kHw = HwConfig::makeDefault();

// A random program that cannot deadlock and stays in bounds: loads, GEMMs and stores on a few
// elements and a few bytes, with tokens at random.
class RandomProgram {
 public:
  explicit RandomProgram(test::Rng& rng) : rng_(rng), builder_(kHw) {
    for (int i = 0; i < 4; ++i)
      builder_.program.uops.push_back({pick(0, 6), pick(0, 6), pick(0, 2)});
    builder_.buffer("uop", BufferKind::kUop, 16);
    builder_.buffer("data", BufferKind::kScratch, 4096);
    builder_.load(ProgramBuilder::row(MemoryType::kUop, 0, 0, 4), 0);
  }

  Program build(int size) {
    for (int i = 0; i < size; ++i) add();
    // FINISH, after tokens that are left and stores that go on: not what is tested here.
    builder_.add(Instruction::finish());
    return builder_.program;
  }

 private:
  uint32_t pick(int64_t min, int64_t max) { return static_cast<uint32_t>(uniform(rng_, min, max)); }
  bool flip() { return uniform(rng_, 0, 1) == 0; }
  bool pop(int queue) { return held_[queue] > 0 && flip() ? (--held_[queue], true) : false; }
  bool push(int queue) { return flip() ? (++held_[queue], true) : false; }

  void add() {
    switch (pick(0, 4)) {
      case 0:
        return addMem(MemoryType::kInp);
      case 1:
        return addMem(MemoryType::kWgt);
      case 2:
        return addMem(MemoryType::kAcc);
      case 3:
        return addMem(MemoryType::kOut);
      default:
        addGemm();
    }
  }

  Tokens computeTokens() {
    return {.pop_prev = pop(0), .pop_next = pop(3), .push_prev = push(1), .push_next = push(2)};
  }

  void addMem(MemoryType type) {
    MemInsn mem;
    mem.memory_type = type;
    mem.sram_base = pick(0, 8);
    // WGT elements are large: keep them apart from what is stored, or everything races.
    mem.dram_base = type == MemoryType::kWgt ? pick(3, 8) : pick(0, 10);
    mem.y_size = pick(1, 2);
    mem.x_size = pick(1, 2);
    mem.x_stride = pick(0, 4);
    if (type == MemoryType::kOut) {
      builder_.store(mem, 1, {.pop_prev = pop(2), .push_prev = push(3)});
      return;
    }
    if (type == MemoryType::kInp) mem.x_pad_0 = pick(0, 1);
    const bool by_compute = type == MemoryType::kAcc;
    builder_.load(mem, 1,
                  by_compute ? computeTokens() : Tokens{.pop_next = pop(1), .push_next = push(0)});
  }

  void addGemm() {
    const uint32_t first = pick(0, 3);
    builder_.add(Instruction::gemm({.reset = pick(0, 3) == 0,
                                    .uop_bgn = first,
                                    .uop_end = pick(first + 1, 4),
                                    .iter_out = pick(1, 3),
                                    .iter_in = pick(1, 3),
                                    .dst_factor_out = pick(0, 3),
                                    .dst_factor_in = pick(0, 3),
                                    .src_factor_out = pick(0, 3),
                                    .src_factor_in = pick(0, 3),
                                    .wgt_factor_out = pick(0, 1),
                                    .wgt_factor_in = pick(0, 1)},
                                   computeTokens()));
  }

  test::Rng& rng_;
  ProgramBuilder builder_;
  int held_[4] = {};  // load->compute, compute->load, compute->store, store->compute
};

TEST(MemoryCheck, FindsARaceExactlyWhenEnumerationDoes) {
  test::Rng rng(15);
  int races = 0;
  constexpr int kRounds = 3000;
  for (int round = 0; round < kRounds; ++round) {
    const Program program = RandomProgram(rng).build(3 + round % 10);
    ASSERT_TRUE(checkProgramStructure(program, kHw).ok());
    Findings tokens(program, 100);
    const ExecutionOrder order = findExecutionOrder(program, {512, 512}, tokens);
    Findings findings(program, 100);
    checkMemory(program, kHw, order, {}, findings);
    const bool expected = test::bruteForceHasRace(program, kHw);
    ASSERT_EQ(!findings.empty(), expected)
        << (expected ? "race not found:\n" : findings.list()[0].message + "\n")
        << disassembleProgram(program, kHw);
    races += expected;
  }
  EXPECT_GT(races, kRounds / 5);
  EXPECT_LT(races, kRounds * 4 / 5);
}

}  // namespace
}  // namespace vta::verify
