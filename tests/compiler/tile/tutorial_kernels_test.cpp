// The kernels of TVM's tutorials for VTA: their values, and their cycles beside those of the
// kernels that the compiler has for the same.
#include "tests/compiler/tile/tutorial_kernels.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "compiler/kernel/lower.h"
#include "compiler/kernel/schedule/schedule_chooser.h"
#include "compiler/tile/program/tile_reference.h"
#include "compiler/tile/program/tile_text.h"
#include "compiler/tile/tile_lowering.h"
#include "sim/cycle/program_timer.h"
#include "tests/compiler/tile/random_tiles.h"
#include "tests/compiler/tile/tile_runner.h"

namespace vta::tile::testing {
namespace {

// What the project promises: tile kernels are as fast as built-in ones, but for this share.
constexpr double kMostCycles = 1.03;

class TutorialKernels : public ::testing::Test {
 protected:
  TutorialKernels() : timer_(sim::ProgramTimer::create(hw_).value()) {}

  // Checks the values, and returns the cycles.
  uint64_t run(const Result<TileProgram>& tiles) {
    EXPECT_TRUE(tiles.ok()) << tiles.status().message();
    const Result<Program> program = lowerTiles(*tiles, hw_);
    EXPECT_TRUE(program.ok()) << program.status().message();
    if (!program.ok()) return 0;
    Rng rng(1);
    std::vector<std::vector<uint8_t>> expected = randomBuffers(rng, *tiles, hw_);
    std::vector<std::vector<uint8_t>> buffers = withUops(*program, expected);
    runTileReference(*tiles, hw_, expected);
    const auto result = runOn("functional:checked", *program, hw_, buffers);
    EXPECT_TRUE(result.ok()) << result.status().message();
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(buffers[i], expected[i]);
    return timer_.run(*program)->cycles;
  }

  // The cycles of the fastest program that the compiler finds.
  uint64_t cyclesOf(const kernel::KernelDesc& desc) {
    const auto measure = [&](const Program& program, uint64_t most) {
      return timer_.cyclesUpTo(program, most);
    };
    kernel::ScheduleChooser chooser(hw_, {.measure = measure});
    const auto chosen = chooser.choose(desc);
    EXPECT_TRUE(chosen.ok()) << chosen.status().message();
    const Result<Program> program = kernel::lower(desc, chosen->schedule, hw_);
    EXPECT_TRUE(program.ok()) << program.status().message();
    return timer_.run(*program)->cycles;
  }

  void compare(const Result<TileProgram>& tiles, const kernel::KernelDesc& desc) {
    const uint64_t cycles = run(tiles);
    const uint64_t built_in = cyclesOf(desc);
    RecordProperty("cycles", std::to_string(cycles));
    RecordProperty("built_in_cycles", std::to_string(built_in));
    std::printf("%s: %lu cycles, built in: %lu\n", tiles->name.c_str(),
                static_cast<unsigned long>(cycles), static_cast<unsigned long>(built_in));
    EXPECT_LE(static_cast<double>(cycles), kMostCycles * static_cast<double>(built_in));
  }

  HwConfig hw_ = HwConfig::makeDefault();
  sim::ProgramTimer timer_;
};

TEST_F(TutorialKernels, VectorAddition) {
  // The compiler has no kernel of int32 values. The bus takes 8 bytes a cycle, and each of the
  // eight loads waits for its first beat.
  constexpr int64_t kBlocks = 64;
  const uint64_t cycles = run(vectorAddition(hw_, kBlocks, 16));
  constexpr uint64_t kBusCycles = kBlocks * 2 * 64 / 8;
  std::printf("vector_addition: %lu cycles, bus: %lu\n", static_cast<unsigned long>(cycles),
              static_cast<unsigned long>(kBusCycles));
  EXPECT_LE(static_cast<double>(cycles), 1.25 * kBusCycles);
}

TEST_F(TutorialKernels, MatrixProduct) {
  compare(matrixProduct(hw_, {.n = 16, .k = 16, .tile_n = 4}), builtIn(1, 1, 16, 16, false));
}

TEST_F(TutorialKernels, BlockedMatrixProduct) {
  compare(matrixProduct(hw_, {.n = 64, .k = 64, .tile_n = 4, .requantises = true}),
          builtIn(1, 1, 64, 64, true));
}

TEST_F(TutorialKernels, AttentionScores) {
  compare(scores(hw_, {.m = 64, .n = 4, .k = 4, .tile_n = 1}, 32), builtIn(8, 1, 4, 4, true));
}

TEST_F(TutorialKernels, Convolution) {
  compare(convolution(hw_, {}), builtIn(14, 3, 16, 16, true));
}

}  // namespace
}  // namespace vta::tile::testing
