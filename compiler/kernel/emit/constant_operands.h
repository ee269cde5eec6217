// ConstantOperands: what every tile of a kernel uses and no tile makes.
#pragma once

#include <array>
#include <cstdint>

#include "compiler/kernel/emit/kernel_context.h"
#include "compiler/kernel/emit/tile_job.h"
#include "compiler/kernel/primitives/slot_cache.h"

namespace vta::kernel {

/// Loads the identity matrix, the padding element, the channel parameters, and the first value of
/// carried rows.
class ConstantOperands {
 public:
  explicit ConstantOperands(KernelContext& context);

  /// Emits what fills the ALU's table, if the kernel has one. It has to come before all else: the
  /// table goes through accumulators that belong to tiles.
  void fillTable();

  /// Emits once what stays in the scratchpads for the whole kernel. It has to come before the first
  /// operand of a tile, but not before the first instruction of the program.
  void ensureLoaded();

  /// Where parameter vector `param` of the tile's channel blocks lies in ACC. The vector is loaded
  /// if need be. A pair of vectors has two elements for each block, from an even element on.
  uint32_t param(const TileJob& job, int32_t param);

 private:
  void loadResidentParams();
  void loadTileParams(const TileJob& job, uint32_t base);
  uint32_t widthOf(int32_t param) const;

  KernelContext& context_;
  std::array<SlotCache, 2> params_;  // one slot in each copy
  bool loaded_ = false;
};

}  // namespace vta::kernel
