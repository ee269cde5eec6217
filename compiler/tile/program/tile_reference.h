// What a tile program computes, scalar and slow: the oracle of its lowering.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/tile/program/tile_program.h"
#include "isa/config/hw_config.h"

namespace vta::tile {

/// Runs `program` statement by statement on tiles of numbers, without slots, instructions and
/// tokens. `buffers` has the bytes of each tensor, as they lie in DRAM; outputs are written.
/// `program` is one that lowerTiles takes.
void runTileReference(const TileProgram& program, const HwConfig& hw,
                      std::vector<std::vector<uint8_t>>& buffers);

}  // namespace vta::tile
