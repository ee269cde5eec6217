// What a tile program asks of the engines.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/tile/program/tile_program.h"

namespace vta::tile {

/// Accumulators that the engines go through, and how often each tile is cleared.
struct TileWork {
  int64_t gemm = 0;     // of products
  int64_t alu = 0;      // of operations
  int64_t cleared = 0;  // set to 0
  std::vector<int64_t> clears;
};

TileWork countWork(const TileProgram& program);

/// The last statement with a product in it, also inside of loops; none: the number of statements.
size_t lastProduct(const std::vector<Statement>& statements);

}  // namespace vta::tile
