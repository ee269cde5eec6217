#include "isa/program/verify/execution_order.h"

#include <gtest/gtest.h>

#include "tests/isa/config/random_config.h"
#include "tests/isa/program/verify/brute_force.h"

namespace vta::verify {
namespace {

Instruction carrier(Unit unit, Tokens tokens) {
  MemInsn mem;
  mem.memory_type = unit == Unit::kLoad      ? MemoryType::kInp
                    : unit == Unit::kCompute ? MemoryType::kUop
                                             : MemoryType::kOut;
  return unit == Unit::kStore ? Instruction::store(mem, tokens) : Instruction::load(mem, tokens);
}

// A random program of token carriers whose pops all have an earlier push in program order, so that
// it cannot deadlock while command queues are deep.
Program randomTokenProgram(test::Rng& rng, int size) {
  Program program;
  int held[4] = {};  // load->compute, compute->load, compute->store, store->compute
  const auto flip = [&] { return test::uniform(rng, 0, 2) == 0; };
  const auto pop = [&](int queue) {
    return held[queue] > 0 && flip() ? (--held[queue], true) : false;
  };
  const auto push = [&](int queue) { return flip() ? (++held[queue], true) : false; };
  for (int i = 0; i < size; ++i) {
    const auto unit = static_cast<Unit>(test::uniform(rng, 0, 2));
    Tokens t;
    if (unit == Unit::kLoad) t = {.pop_next = pop(1), .push_next = push(0)};
    if (unit == Unit::kCompute) {
      t = {.pop_prev = pop(0), .pop_next = pop(3), .push_prev = push(1), .push_next = push(2)};
    }
    if (unit == Unit::kStore) t = {.pop_prev = pop(2), .push_prev = push(3)};
    program.instructions.push_back(carrier(unit, t));
  }
  program.instructions.push_back(Instruction::finish());
  return program;
}

TEST(ExecutionOrder, ClocksEqualTheTransitiveClosureOnRandomPrograms) {
  test::Rng rng(8);
  for (int round = 0; round < 60; ++round) {
    const Program program = randomTokenProgram(rng, 60);
    Findings findings(program, 100);
    const ExecutionOrder order = findExecutionOrder(program, {512, 512}, findings);
    ASSERT_EQ(order.sequence.size(), program.instructions.size());
    const auto before = test::bruteForceOrder(program);
    for (uint32_t j = 0; j < program.instructions.size(); ++j) {
      for (size_t unit = 0; unit < kUnitCount; ++unit) {
        for (uint32_t p = 0; p < order.streams[unit].size(); ++p) {
          const uint32_t i = order.streams[unit][p];
          ASSERT_EQ(order.before[j][unit] > p, before[i][j]) << i << " " << j;
        }
      }
    }
  }
}

TEST(ExecutionOrder, OrderRespectsTheClocks) {
  test::Rng rng(9);
  const Program program = randomTokenProgram(rng, 400);
  Findings findings(program, 100);
  const ExecutionOrder order = findExecutionOrder(program, {3, 512}, findings);
  Clock done{};
  for (uint32_t at : order.sequence) {
    for (size_t unit = 0; unit < kUnitCount; ++unit) {
      EXPECT_GE(done[unit], order.before[at][unit]);
    }
    ++done[static_cast<size_t>(program.instructions[at].unit())];
  }
}

}  // namespace
}  // namespace vta::verify
