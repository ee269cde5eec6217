// TileStore: a finished tile to DRAM.
#pragma once

#include <cstdint>

#include "compiler/kernel/desc/stored_axis.h"
#include "compiler/kernel/emit/kernel_context.h"
#include "compiler/kernel/emit/tile_job.h"

namespace vta::kernel {

/// Emits the STOREs of a tile, to the places that Geometry says. Keeps references to the context.
class TileStore {
 public:
  explicit TileStore(KernelContext& context) : context_(context) {}

  void emitTile(const TileJob& job);

 private:
  void storeRows(const TileJob& job);
  void storePlace(const TileJob& job, int64_t block, int64_t place);
  void storeRuns(const TileJob& job, int64_t block, const StoredRun& rows, const StoredRun& cols);

  KernelContext& context_;
};

}  // namespace vta::kernel
