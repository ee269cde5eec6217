// Random tile programs x configurations: the lowered program's result is the reference's, bit for
// bit, on the checked functional simulator, on the cycle simulator, and where units take turns at
// random within what the tokens allow.
//
// VTA_TILE_SEED=<n> replays one case; VTA_TILE_CASES=<n> sets how many run.
#include <gtest/gtest.h>

#include <cstdlib>

#include "compiler/tile/program/tile_reference.h"
#include "compiler/tile/program/tile_text.h"
#include "compiler/tile/tile_lowering.h"
#include "isa/program/text/assembler.h"
#include "tests/compiler/kernel/interpreter.h"
#include "tests/compiler/tile/random_tiles.h"
#include "tests/compiler/tile/tile_runner.h"

namespace vta::tile::testing {
namespace {

constexpr uint64_t kDefaultCases = 600;

uint64_t fromEnvironment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Compares the outputs alone: nothing else may change either.
void expectSame(const TileProgram& tiles, const std::vector<std::vector<uint8_t>>& expected,
                const std::vector<std::vector<uint8_t>>& actual) {
  for (size_t i = 0; i < tiles.tensors.size(); ++i) {
    ASSERT_EQ(actual[i], expected[i]) << tiles.tensors[i].name << "\n" << toText(tiles);
  }
}

// False where the scratchpads are too small.
bool checkCase(uint64_t seed) {
  Rng rng(seed);
  const HwConfig hw = kernel::testing::randomHw(rng);
  SCOPED_TRACE("replay with VTA_TILE_SEED=" + std::to_string(seed) + " on " + hw.summary());
  const Result<TileProgram> tiles = randomTiles(rng, hw);
  EXPECT_TRUE(tiles.ok()) << tiles.status().message();
  if (!tiles.ok()) return true;
  const Result<Program> program = lowerTiles(*tiles, hw);
  if (!program.ok() && program.status().code() == StatusCode::kResourceExhausted) return false;
  EXPECT_TRUE(program.ok()) << program.status().message() << "\n" << toText(*tiles);
  if (!program.ok()) return true;

  const std::vector<std::vector<uint8_t>> inputs = randomBuffers(rng, *tiles, hw);
  std::vector<std::vector<uint8_t>> expected = inputs;
  runTileReference(*tiles, hw, expected);
  for (const char* device : {"functional:checked", "cycle"}) {
    SCOPED_TRACE(device);
    std::vector<std::vector<uint8_t>> buffers = withUops(*program, inputs);
    const Result<driver::LaunchResult> result = runOn(device, *program, hw, buffers);
    EXPECT_TRUE(result.ok()) << result.status().message() << disassembleProgram(*program, hw);
    if (result.ok()) expectSame(*tiles, expected, buffers);
  }
  SCOPED_TRACE("units in random order");
  std::vector<std::vector<uint8_t>> buffers = withUops(*program, inputs);
  EXPECT_EQ(kernel::testing::interpret(*program, hw, buffers, seed), "");
  expectSame(*tiles, expected, buffers);
  return true;
}

TEST(RandomTiles, MatchTheReference) {
  const uint64_t only = fromEnvironment("VTA_TILE_SEED", 0);
  if (only != 0) {
    checkCase(only);
    return;
  }
  const uint64_t cases = fromEnvironment("VTA_TILE_CASES", kDefaultCases);
  uint64_t ran = 0;
  for (uint64_t seed = 1; seed <= cases && !HasFailure(); ++seed) ran += checkCase(seed) ? 1 : 0;
  EXPECT_GE(ran, cases / 2) << "too many programs do not fit";
}

}  // namespace
}  // namespace vta::tile::testing
