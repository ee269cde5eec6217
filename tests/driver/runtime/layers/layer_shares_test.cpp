#include "driver/runtime/layers/layer_shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace vta::driver {
namespace {

using ::testing::ElementsAre;

// Loads, and FINISH in place of compute instructions.
Program programOf(std::initializer_list<Unit> units, std::vector<Symbol> symbols) {
  Program program;
  MemInsn inputs;
  inputs.memory_type = MemoryType::kInp;
  for (const Unit unit : units) {
    program.instructions.push_back(unit == Unit::kLoad ? Instruction::load(inputs)
                                                       : Instruction::finish());
  }
  program.symbols = std::move(symbols);
  return program;
}

TEST(LayerShares, UnitsGoFromStepToStepByThemselves) {
  const Program program = programOf(
      {Unit::kLoad, Unit::kCompute, Unit::kLoad, Unit::kCompute, Unit::kLoad, Unit::kCompute},
      {{0, "a"}, {2, "b"}, {3, "a"}, {4, "a"}, {5, "b"}});
  const std::vector<std::string_view> names = {"a", "b", "a"};
  // The load unit is in "b" at instruction 2, so that "a" at 4 is the third step.
  EXPECT_THAT(stepsOfInstructions(program, names), ElementsAre(0, 0, 1, 0, 2, 1));
}

TEST(LayerShares, ALaunchOfOneStepHasNoOthers) {
  const Program program = programOf({Unit::kLoad, Unit::kCompute}, {{0, "what it was made from"}});
  const std::vector<std::string_view> names = {"layer"};
  EXPECT_THAT(stepsOfInstructions(program, names), ElementsAre(0, 0));
}

TEST(LayerShares, RecordedSharesEndWhereTheLastInstructionOfAStepRetires) {
  Recording trace;
  trace.cycles = 100;
  trace.instructions.resize(6);
  const uint64_t retired[] = {9, 29, 19, 69, InstructionTimes::kNever, 59};
  for (size_t i = 0; i < 6; ++i) trace.instructions[i].retired = retired[i];
  const std::vector<uint32_t> steps = {0, 0, 1, 1, 1, 2};
  // The third step ends before the second one: nothing of the time is left for it but the end.
  EXPECT_THAT(recordedShares(trace, steps, 3), ElementsAre(30, 40, 30));
  EXPECT_THAT(recordedShares(trace, steps, 4), ElementsAre(30, 40, 0, 30));
}

TEST(LayerShares, ProportionalSharesAddUp) {
  EXPECT_THAT(proportionalShares(100, std::vector<uint64_t>{50, 100, 50}), ElementsAre(25, 50, 25));
  EXPECT_THAT(proportionalShares(7, std::vector<uint64_t>{0, 0}), ElementsAre(0, 7));
  EXPECT_TRUE(proportionalShares(7, {}).empty());
  const std::vector<uint64_t> shares =
      proportionalShares(1'000'003, std::vector<uint64_t>{1, 999'999'937, 3, 17, 5'000'011});
  EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), uint64_t{0}), 1'000'003u);
}

}  // namespace
}  // namespace vta::driver
