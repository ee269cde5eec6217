// AluSteps: one step of an epilogue as ALU instructions.
#pragma once

#include <cstdint>

#include "compiler/kernel/emit/constant_operands.h"
#include "compiler/kernel/emit/kernel_context.h"
#include "compiler/kernel/emit/tile_job.h"

namespace vta::kernel {

/// Accumulators that ALU steps work on, side by side: pixels of some channel blocks of a tile.
struct TilePart {
  uint32_t acc = 0;
  uint32_t block = 0;  // the first one, counted from the first of the tile
  uint32_t blocks = 1;
  uint32_t pixels = 1;

  uint32_t elems() const { return blocks * pixels; }
  uint32_t end() const { return acc + elems(); }
};

/// All outputs of `tile`, which lie at `acc`.
inline TilePart wholeTilePart(const Tile& tile, uint32_t acc) {
  return {acc, 0, u32(tile.outBlocks()), u32(tile.pixels())};
}

/// Emits epilogue steps. Keeps references to its arguments.
class AluSteps {
 public:
  AluSteps(KernelContext& context, ConstantOperands& constants)
      : context_(context), constants_(constants) {}

  /// A step with an immediate, a parameter vector or itself as second operand, on part of a tile or
  /// of its residual.
  void apply(const EpilogueStep& step, const TileJob& job, const TilePart& part);
  /// A step on part of a tile with the accumulators from `residual` on as second operand: as many,
  /// or one for each block.
  void combine(const EpilogueStep& step, const TilePart& part, uint32_t residual,
               bool is_per_block = false);

 private:
  KernelContext& context_;
  ConstantOperands& constants_;
};

}  // namespace vta::kernel
