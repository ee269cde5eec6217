// Leaves out copies of tiles that nobody reads behind the copy.
#pragma once

#include "compiler/tile/program/tile_program.h"

namespace vta::tile {

/// A chain such as clip(acc >> 8) then changes `acc` in place: it takes one operation for each step
/// and no further room. What the program computes stays the same.
void elideCopies(TileProgram& program);

}  // namespace vta::tile
