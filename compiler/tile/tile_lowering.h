// From a tile program to a VTA program.
//
// 1. copies that nobody needs go (copy_elision.h);
// 2. tiles get their places in the scratchpads (tile_placement.h);
// 3. loops run out, and each statement becomes instructions: loops over elements become the loops
//    and micro-ops of GEMM and ALU instructions, boxes become LOADs and STOREs, and tokens order
//    what touches the same elements (compiler/kernel/emit/emitter.h);
// 4. the verifier proves that the program is free of races, deadlocks and accesses out of bounds.
#pragma once

#include "base/status.h"
#include "compiler/tile/program/tile_program.h"
#include "isa/config/hw_config.h"
#include "isa/program/program.h"

namespace vta::tile {

/// Lowers `program`, which a TileBuilder made for `hw`. The program has a buffer for each tensor,
/// in their order and with their names, and behind them one for micro-ops if there are any.
///
/// A load whose box is still in a slot from an earlier iteration is left out. Errors: tiles do not
/// fit; a box that leaves its tensor; elements of an output that are stored twice or never.
Result<Program> lowerTiles(TileProgram program, const HwConfig& hw);

}  // namespace vta::tile
