// Random tile programs, and contents of their tensors, all from one seed.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/tile/tile_builder.h"
#include "tests/compiler/kernel/random_kernel.h"

namespace vta::tile::testing {

using kernel::testing::Rng;

/// A matrix product, a convolution or an elementwise kernel with a random epilogue. It may be too
/// large for small scratchpads.
Result<TileProgram> randomTiles(Rng& rng, const HwConfig& hw);

/// Random bytes for each tensor of `program`.
std::vector<std::vector<uint8_t>> randomBuffers(Rng& rng, const TileProgram& program,
                                                const HwConfig& hw);

}  // namespace vta::tile::testing
