// Whether a tile program that comes from outside is one that a TileBuilder could have made.
#pragma once

#include "base/status.h"
#include "compiler/tile/program/tile_program.h"
#include "isa/config/hw_config.h"

namespace vta::tile {

/// Loops in each other, at most.
inline constexpr size_t kMaxLoopDepth = 32;

/// Checks every number of `program`, so that lowerTiles and runTileReference may take it: indices,
/// extents and distances, operations that `hw` has, tiles that are read where they are alive.
/// Errors: kInvalidArgument, with the kernel's name and the statement.
Status checkTiles(const TileProgram& program, const HwConfig& hw);

}  // namespace vta::tile
