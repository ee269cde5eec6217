#include "compiler/kernel/emit/tile_job.h"

namespace vta::kernel {
namespace {

int64_t sizeOf(const RegionAxis::Range& range) { return range.end - range.begin; }

// All accumulators of a tile that does not pool.
AccGrid wholeGrid(const TileJob& job) {
  return {.acc = job.acc,
          .rows = job.tile.height,
          .cols = job.tile.width,
          .row_pitch = job.tile.width,
          .block_pitch = job.tile.pixels()};
}

// The rectangle inside the image of a tile whose windows slide.
AccGrid slidingGrid(const PoolPlan& pool, const TileJob& job, const PoolTile& cells) {
  const int64_t row = cells.area.y - (job.tile.y - pool.rows.pad);
  const int64_t col = cells.area.x - (job.tile.x - pool.cols.pad);
  return {.acc = job.acc + u32(row * cells.row_pitch + col),
          .rows = cells.area.height,
          .cols = cells.area.width,
          .row_pitch = cells.row_pitch,
          .block_pitch = cells.block_pitch};
}

// Row class `qy` and column class `qx` of a tile that pools.
AccGrid classGrid(const PoolPlan& pool, const TileJob& job, const PoolTile& cells, int64_t qy,
                  int64_t qx) {
  AccGrid grid;
  grid.acc = job.acc + cells.base[qy][qx];
  grid.row = pool.rows.place(qy, cells.rows[qy].begin) - cells.area.y;
  grid.row_step = pool.rows.stride;
  grid.rows = sizeOf(cells.rows[qy]);
  grid.col = pool.cols.place(qx, cells.cols[qx].begin) - cells.area.x;
  grid.col_step = pool.cols.stride;
  grid.cols = sizeOf(cells.cols[qx]);
  grid.row_pitch = grid.cols;
  grid.block_pitch = grid.rows * grid.cols;
  return grid;
}

}  // namespace

int64_t TileOrder::count() const {
  const Tiling& t = plan_.tiling;
  return plan_.geometry.batch_blocks * t.pixelTiles() * t.outTiles();
}

TileJob TileOrder::job(int64_t number) const {
  const Tiling& t = plan_.tiling;
  const int64_t pixels = plan_.geometry.batch_blocks * t.pixelTiles();
  const int64_t outs = t.outTiles();
  const bool weights_outer = schedule_.order == Schedule::Order::kWeightsOuter;
  int64_t pixel = weights_outer ? number % pixels : number / outs;
  int64_t out = weights_outer ? number / pixels : number % outs;
  // The last pass over the pixels goes forward, so that the first tiles of the next layer find
  // their inputs early.
  if (plan_.alternates && weights_outer && out % 2 == 1 && out + 1 < outs) {
    pixel = pixels - 1 - pixel;
  } else if (plan_.alternates && !weights_outer && pixel % 2 == 1) {
    out = outs - 1 - out;
  }
  if (plan_.pool) {
    // Tiles that pool go down the image: the next one takes over the rows that this one carries.
    const int64_t place = pixel % t.pixelTiles();
    pixel += place % t.tiles_y * t.tiles_x + place / t.tiles_y - place;
  }
  const SlotRange& accs = plan_.sram.acc;
  const SlotRange& pools = plan_.sram.pool_input;
  TileJob job;
  job.backwards = plan_.alternates && number % 2 == 1;
  job.tile = makeTile(plan_.outputs, t, pixel, out);
  job.elems = plan_.pool ? makePoolTile(*plan_.pool, job.tile).elems : u32(job.tile.elems());
  job.slot = static_cast<uint32_t>(number % accs.count);
  job.acc = accs.slotBase(job.slot);
  if (pools.count > 0) {
    job.pool_input = pools.slotBase(static_cast<uint32_t>(number % pools.count));
  }
  return job;
}

Step TileOrder::step(const TileJob& job, int64_t number) const {
  const int64_t steps = plan_.tiling.steps();
  return makeStep(plan_.geometry, plan_.tiling, job.backwards ? steps - 1 - number : number);
}

TileArea areaOf(const KernelPlan& plan, const TileJob& job) {
  TileArea area;
  area.tile = job.tile;
  if (!plan.pool) {
    area.grids[area.num_grids++] = wholeGrid(job);
    return area;
  }
  const PoolTile cells = makePoolTile(*plan.pool, job.tile);
  area.tile = cells.area;
  if (plan.pool->rows.slides) {
    area.grids[area.num_grids++] = slidingGrid(*plan.pool, job, cells);
    return area;
  }
  for (int64_t qy = 0; qy < plan.pool->rows.classes(); ++qy) {
    for (int64_t qx = 0; qx < plan.pool->cols.classes(); ++qx) {
      const AccGrid grid = classGrid(*plan.pool, job, cells, qy, qx);
      if (grid.rows > 0 && grid.cols > 0) area.grids[area.num_grids++] = grid;
    }
  }
  return area;
}

Nest rectNest(const Tile& tile, const Rect& rect, uint32_t acc) {
  Nest nest;
  nest.base.dst_idx = acc + u32(rect.y.begin * tile.width + rect.x.begin);
  nest.base.src_idx = nest.base.dst_idx;
  const uint32_t pixels = u32(tile.pixels());
  const uint32_t width = u32(tile.width);
  nest.push({u32(tile.outBlocks()), pixels, pixels, 0, true});
  nest.push({u32(rect.y.end - rect.y.begin), width, width, 0, true});
  nest.push({u32(rect.x.end - rect.x.begin), 1, 1, 0, true});
  return nest;
}

}  // namespace vta::kernel
