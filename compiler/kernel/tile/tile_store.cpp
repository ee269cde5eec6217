#include "compiler/kernel/tile/tile_store.h"

#include "compiler/kernel/emit/int8_operand.h"

namespace vta::kernel {

void TileStore::emitTile(const TileJob& job) {
  const KernelPlan& plan = context_.plan;
  if (plan.pool && plan.pool->rows.slides) return storeRows(job);
  if (plan.outputs.storesAll()) {
    const ActivationBox box = outputBox(plan, job.tile, context_.buffers.output);
    context_.emit.transfer(box.transfer(MemoryType::kOut, job.acc));
    return;
  }
  const Geometry& g = plan.geometry;
  for (int64_t block = 0; block < job.tile.outBlocks(); ++block) {
    const int64_t phase = g.phaseOf(job.tile.out_block + block);
    for (int64_t place = 0; place < g.interleave_y * g.interleave_x; ++place) {
      if (g.phases == 1 || place == phase) storePlace(job, block, place);
    }
  }
}

// The outputs of windows that slide: they are not side by side, so each row of a block is stored by
// itself.
void TileStore::storeRows(const TileJob& job) {
  const Tile& tile = job.tile;
  const PoolTile cells = makePoolTile(*context_.plan.pool, tile);
  ActivationBox row = outputBox(context_.plan, tile, context_.buffers.output);
  row.blocks = row.rows = 1;
  for (int64_t block = 0; block < tile.outBlocks(); ++block) {
    for (int64_t y = 0; y < tile.height; ++y) {
      row.block = tile.out_block + block;
      row.y = tile.y + y;
      const uint32_t place = job.acc + u32(block * cells.block_pitch + y * cells.row_pitch);
      context_.emit.storePart(row.transfer(MemoryType::kOut, place), job.acc, job.end());
    }
  }
}

// One of the places of a block in the interleaved image.
void TileStore::storePlace(const TileJob& job, int64_t block, int64_t place) {
  const Tile& tile = job.tile;
  const Geometry& g = context_.plan.geometry;
  const int64_t place_y = place / g.interleave_x, place_x = place % g.interleave_x;
  const std::vector<StoredRun> rows = storedRows(g).runs(tile.y, tile.height, place_y);
  const std::vector<StoredRun> cols = storedColumns(g).runs(tile.x, tile.width, place_x);
  for (const StoredRun& row : rows) {
    for (const StoredRun& col : cols) storeRuns(job, block, row, col);
  }
}

// The outputs of a block in some rows and columns.
void TileStore::storeRuns(const TileJob& job, int64_t block, const StoredRun& rows,
                          const StoredRun& cols) {
  const Tile& tile = job.tile;
  const Geometry& g = context_.plan.geometry;
  const int64_t width = g.storedWidth();
  const int64_t stored_block = g.storedBlockOf(tile.out_block + block);
  const int64_t plane = (tile.n * g.storedBlocks() + stored_block) * g.storedHeight();
  // Rows follow each other in ACC only where they are stored as a whole.
  const int64_t at_once = cols.count == tile.width ? rows.count : 1;
  for (int64_t y = 0; y < rows.count; y += at_once) {
    Transfer t;
    t.memory_type = MemoryType::kOut;
    t.buffer = context_.buffers.output;
    t.sram_base = job.acc + u32((block * tile.height + rows.first + y - tile.y) * tile.width +
                                cols.first - tile.x);
    t.dram_base = (plane + rows.stored + y * g.interleave_y) * width + cols.stored;
    t.push(at_once, g.interleave_y * width);
    t.push(cols.count, g.interleave_x);
    if (g.interleave_x > 1) t.push(1, 1);
    context_.emit.storePart(t, job.acc, job.end());
  }
}

}  // namespace vta::kernel
