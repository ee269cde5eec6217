#include "isa/verify/schedule.h"

#include <gtest/gtest.h>

#include "tests/isa/random_config.h"
#include "tests/isa/sample_program.h"

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

struct Edge {
  bool Tokens::*push;
  Unit producer;
  bool Tokens::*pop;
  Unit consumer;
};
constexpr Edge kEdges[] = {
    {&Tokens::push_next, Unit::kLoad, &Tokens::pop_prev, Unit::kCompute},
    {&Tokens::push_prev, Unit::kCompute, &Tokens::pop_next, Unit::kLoad},
    {&Tokens::push_next, Unit::kCompute, &Tokens::pop_prev, Unit::kStore},
    {&Tokens::push_prev, Unit::kStore, &Tokens::pop_next, Unit::kCompute},
};

// Happens-before by transitive closure over unit order and token edges.
std::vector<std::vector<bool>> bruteForceOrder(const Program& program) {
  const size_t n = program.instructions.size();
  std::vector<std::vector<bool>> before(n, std::vector<bool>(n, false));
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = i + 1; j < n; ++j) {
      before[i][j] = program.instructions[i].unit() == program.instructions[j].unit();
    }
  }
  for (const Edge& edge : kEdges) {
    std::vector<size_t> pushes;
    std::vector<size_t> pops;
    for (size_t i = 0; i < n; ++i) {
      const Instruction& insn = program.instructions[i];
      if (insn.unit() == edge.producer && insn.tokens.*edge.push) pushes.push_back(i);
      if (insn.unit() == edge.consumer && insn.tokens.*edge.pop) pops.push_back(i);
    }
    for (size_t k = 0; k < pops.size(); ++k) before[pushes[k]][pops[k]] = true;
  }
  for (size_t k = 0; k < n; ++k) {
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; before[i][k] && j < n; ++j) {
        if (before[k][j]) before[i][j] = true;
      }
    }
  }
  return before;
}

TEST(Schedule, ClocksEqualTheTransitiveClosureOnRandomPrograms) {
  test::Rng rng(8);
  for (int round = 0; round < 60; ++round) {
    const Program program = randomTokenProgram(rng, 60);
    Findings findings(program, 100);
    const Schedule schedule = scheduleProgram(program, {512, 512}, findings);
    ASSERT_EQ(schedule.order.size(), program.instructions.size());
    const auto before = bruteForceOrder(program);
    for (uint32_t j = 0; j < program.instructions.size(); ++j) {
      for (size_t unit = 0; unit < kUnitCount; ++unit) {
        for (uint32_t p = 0; p < schedule.streams[unit].size(); ++p) {
          const uint32_t i = schedule.streams[unit][p];
          ASSERT_EQ(schedule.before[j][unit] > p, before[i][j]) << i << " " << j;
        }
      }
    }
  }
}

TEST(Schedule, OrderRespectsTheClocks) {
  test::Rng rng(9);
  const Program program = randomTokenProgram(rng, 400);
  Findings findings(program, 100);
  const Schedule schedule = scheduleProgram(program, {3, 512}, findings);
  Clock done{};
  for (uint32_t at : schedule.order) {
    for (size_t unit = 0; unit < kUnitCount; ++unit) {
      EXPECT_GE(done[unit], schedule.before[at][unit]);
    }
    ++done[static_cast<size_t>(program.instructions[at].unit())];
  }
}

}  // namespace
}  // namespace vta::verify
