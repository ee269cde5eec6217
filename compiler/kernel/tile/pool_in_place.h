// PoolInPlace: maximum pooling of a tile's accumulators where they lie (pool_plan.h).
#pragma once

#include <cstdint>

#include "compiler/kernel/desc/pool_plan.h"
#include "compiler/kernel/emit/kernel_context.h"
#include "compiler/kernel/emit/tile_job.h"

namespace vta::kernel {

/// For kernels whose plan has a pool. Keeps references to the context.
class PoolInPlace {
 public:
  explicit PoolInPlace(KernelContext& context);

  /// Makes the outputs of a tile whose reduction is complete from its accumulators. What the tile
  /// below reads too is kept in the carried rows.
  void emitTile(const TileJob& job);

 private:
  void poolRows(const TileJob& job, const PoolTile& cells);
  void poolColumns(const TileJob& job, const PoolTile& cells);
  void carryRows(const TileJob& job, const PoolTile& cells);
  void padWithZero(const TileJob& job);
  void slideWindows(const TileJob& job, const PoolTile& cells);
  void fillOutside(const TileJob& job, const PoolTile& cells);
  uint32_t carriedRow(const Tile& tile, int64_t row_class) const;

  const KernelPlan& plan_;
  const PoolPlan& pool_;
  Emitter& emit_;
};

}  // namespace vta::kernel
