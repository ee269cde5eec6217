#include "sim/cycle/program_timer.h"

#include <gtest/gtest.h>

#include <vector>

namespace vta::sim {
namespace {

// Loads `rows` rows of 64 bytes, and ends.
Program loads(const HwConfig& hw, uint32_t rows) {
  MemInsn mem;
  mem.memory_type = MemoryType::kInp;
  mem.y_size = rows;
  mem.x_size = mem.x_stride = 4;
  Program program;
  program.hw_fingerprint = hw.fingerprint();
  program.encoding = hw.encoding();
  program.instructions = {Instruction::load(mem), Instruction::finish()};
  program.buffers = {{"input", BufferKind::kInput, uint64_t{64} * rows, 16}};
  program.relocations = {{0, 0}};
  return program;
}

TEST(ProgramTimer, GivesUpWhereAProgramTakesLonger) {
  const HwConfig hw = HwConfig::makeDefault();
  Result<ProgramTimer> timer = ProgramTimer::create(hw);
  ASSERT_TRUE(timer.ok());
  const Program program = loads(hw, 100);
  const auto whole = timer->run(program);
  ASSERT_TRUE(whole.ok()) << whole.status().message();
  EXPECT_GT(whole->cycles, 800u);
  const auto upTo = [&](uint64_t most) {
    const auto cycles = timer->cyclesUpTo(program, most);
    EXPECT_TRUE(cycles.ok()) << cycles.status().message();
    return *cycles;
  };
  EXPECT_EQ(upTo(whole->cycles), whole->cycles);
  EXPECT_EQ(upTo(whole->cycles + 1), whole->cycles);
  EXPECT_EQ(upTo(whole->cycles - 1), std::nullopt);
  EXPECT_EQ(upTo(100), std::nullopt);
  EXPECT_EQ(upTo(0), std::nullopt);
  // The limit is forgotten.
  EXPECT_EQ(timer->run(program)->cycles, whole->cycles);
}

TEST(ProgramTimer, ReportsFaultsBeforeTheLimit) {
  const HwConfig hw = HwConfig::makeDefault();
  Result<ProgramTimer> timer = ProgramTimer::create(hw);
  ASSERT_TRUE(timer.ok());
  Program program = loads(hw, 1);
  program.instructions.pop_back();  // without FINISH nothing ends it
  EXPECT_FALSE(timer->cyclesUpTo(program, 1'000'000).ok());
}

}  // namespace
}  // namespace vta::sim
