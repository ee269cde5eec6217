// Where the tiles of a program lie in the scratchpads.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "compiler/tile/program/tile_program.h"
#include "isa/config/hw_config.h"

namespace vta::tile {

/// The first element of each slot, by tile; none for tiles that no statement uses.
struct TilePlacement {
  std::vector<std::vector<uint32_t>> slots;
};

/// Gives each tile as many slots as its loop has stages. Errors: a scratchpad is too small; the
/// message has its tiles, what they need, and what would fit.
Result<TilePlacement> placeTiles(const TileProgram& program, const HwConfig& hw);

}  // namespace vta::tile
