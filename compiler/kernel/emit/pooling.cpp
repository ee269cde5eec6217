// Maximum pooling of a tile's accumulators, in place (pool_plan.h).
#include <algorithm>
#include <array>

#include "compiler/kernel/emit/lowering.h"

namespace vta::kernel {
namespace {

int64_t sizeOf(const RegionAxis::Range& range) { return range.end - range.begin; }

// Rows and columns of accumulators, block by block.
struct View {
  uint32_t first = 0;
  int64_t block_pitch = 0, row_pitch = 0;
};

struct Extent {
  int64_t blocks = 1, rows = 1, cols = 1;
};

Nest combineNest(const View& dst, const View& src, const Extent& extent) {
  Nest nest;
  nest.base.dst_idx = dst.first;
  nest.base.src_idx = src.first;
  nest.push({u32(extent.blocks), u32(dst.block_pitch), u32(src.block_pitch), 0, true});
  nest.push({u32(extent.rows), u32(dst.row_pitch), u32(src.row_pitch), 0, true});
  nest.push({u32(extent.cols), 1, 1, 0, true});
  return nest;
}

}  // namespace

KernelLowering::Area KernelLowering::areaOf(const Job& job) const {
  Area area;
  area.tile = job.tile;
  if (!plan_.pool) {
    area.grids[area.num_grids++] = {
        job.acc, 0, 1, job.tile.height, 0, 1, job.tile.width, job.tile.width, job.tile.pixels()};
    return area;
  }
  const PoolAxis& rows = plan_.pool->rows;
  const PoolAxis& cols = plan_.pool->cols;
  const PoolTile cells = makePoolTile(*plan_.pool, job.tile);
  area.tile = cells.area;
  if (rows.slides) {
    const int64_t row = cells.area.y - (job.tile.y - rows.pad);
    const int64_t col = cells.area.x - (job.tile.x - cols.pad);
    area.grids[area.num_grids++] = {job.acc + u32(row * cells.row_pitch + col),
                                    0,
                                    1,
                                    cells.area.height,
                                    0,
                                    1,
                                    cells.area.width,
                                    cells.row_pitch,
                                    cells.block_pitch};
    return area;
  }
  for (int64_t qy = 0; qy < rows.classes(); ++qy) {
    for (int64_t qx = 0; qx < cols.classes(); ++qx) {
      Grid& grid = area.grids[area.num_grids];
      grid.acc = job.acc + cells.base[qy][qx];
      grid.row = rows.place(qy, cells.rows[qy].begin) - area.tile.y;
      grid.row_step = rows.stride;
      grid.rows = sizeOf(cells.rows[qy]);
      grid.col = cols.place(qx, cells.cols[qx].begin) - area.tile.x;
      grid.col_step = cols.stride;
      grid.cols = sizeOf(cells.cols[qx]);
      grid.row_pitch = grid.cols;
      grid.block_pitch = grid.rows * grid.cols;
      if (grid.rows > 0 && grid.cols > 0) ++area.num_grids;
    }
  }
  return area;
}

void KernelLowering::poolAccumulators(const Job& job) {
  const PoolTile cells = makePoolTile(*plan_.pool, job.tile);
  if (plan_.pool->rows.slides) return slideWindows(job, cells);
  poolRows(job, cells);
  poolColumns(job, cells);
  carryRows(job, cells);
  if (plan_.pool->pads_with_zero) padWithZero(job);
}

// Stride 1: what lies outside gets its value, then come the maxima to the right and down. What they
// do to the last columns and rows, which no window begins with, does not matter.
void KernelLowering::slideWindows(const Job& job, const PoolTile& cells) {
  const Tile& tile = job.tile;
  const PoolPlan& pool = *plan_.pool;
  const int64_t blocks = tile.outBlocks();
  const uint32_t end = job.acc + job.elems;
  if (!pool.pads_with_zero) {
    const int64_t row = cells.area.y - (tile.y - pool.rows.pad);
    const int64_t col = cells.area.x - (tile.x - pool.cols.pad);
    const Rect inside{{row, row + cells.area.height}, {col, col + cells.area.width}};
    const int64_t width = tile.width + pool.cols.kernel - 1;
    forEachOutside(inside, cells.height, width, [&](const Rect& rect) {
      const View outside{job.acc + u32(rect.y.begin * cells.row_pitch + rect.x.begin),
                         cells.block_pitch, cells.row_pitch};
      const Extent extent{blocks, rect.y.end - rect.y.begin, rect.x.end - rect.x.begin};
      aluImmediate(AluOpcode::kMin, kMinInt8, combineNest(outside, outside, extent), job.acc, end);
    });
  }
  const std::array<SramAccess, 1> accesses = {{{Sram::kAcc, job.acc, end, true}}};
  const auto shift = [&](int64_t distance, int64_t elems) {
    const View dst{job.acc, cells.block_pitch, 0};
    const View src{job.acc + u32(distance), cells.block_pitch, 0};
    emit_.alu({AluOpcode::kMax, false, 0}, combineNest(dst, src, {blocks, 1, elems}), accesses);
  };
  for (int64_t tap = 1; tap < pool.cols.kernel; ++tap) shift(1, cells.block_pitch - 1);
  for (int64_t tap = 1; tap < pool.rows.kernel; ++tap) {
    shift(cells.row_pitch, (cells.height - tap) * cells.row_pitch);
  }
}

// Outputs of windows that slide: each row of a block by itself.
void KernelLowering::storeRows(const Job& job) {
  const Tile& tile = job.tile;
  const PoolTile cells = makePoolTile(*plan_.pool, tile);
  Box row = outputBox(tile, output_buffer_);
  row.blocks = row.rows = 1;
  for (int64_t block = 0; block < tile.outBlocks(); ++block) {
    for (int64_t y = 0; y < tile.height; ++y) {
      row.block = tile.out_block + block;
      row.y = tile.y + y;
      const uint32_t place = job.acc + u32(block * cells.block_pitch + y * cells.row_pitch);
      emit_.storePart(boxTransfer(row, MemoryType::kOut, place), job.acc, job.acc + job.elems);
    }
  }
}

// Along rows: into the centre's columns, for every class of rows.
void KernelLowering::poolRows(const Job& job, const PoolTile& cells) {
  const Tile& tile = job.tile;
  const PoolAxis& axis = plan_.pool->cols;
  const std::array<SramAccess, 1> accesses = {{{Sram::kAcc, job.acc, job.acc + job.elems, true}}};
  for (int64_t qy = 0; qy < plan_.pool->rows.classes(); ++qy) {
    const int64_t rows = sizeOf(cells.rows[qy]);
    for (int64_t tap = 0; tap < axis.kernel; ++tap) {
      if (tap == axis.centre) continue;
      const int64_t q = tap % axis.stride;
      const int64_t shift = tap / axis.stride;
      const RegionAxis::Range& cols = cells.cols[q];
      const int64_t begin = std::max(tile.x, cols.begin - shift);
      const int64_t end = std::min(tile.x + tile.width, cols.end - shift);
      if (begin >= end || rows == 0) continue;
      const View dst{job.acc + cells.base[qy][axis.centre] + u32(begin - tile.x), rows * tile.width,
                     tile.width};
      const View src{job.acc + cells.base[qy][q] + u32(begin + shift - cols.begin),
                     rows * sizeOf(cols), sizeOf(cols)};
      emit_.alu({AluOpcode::kMax, false, 0},
                combineNest(dst, src, {tile.outBlocks(), rows, end - begin}), accesses);
    }
  }
}

// Down the centre's columns, into the centre's rows.
void KernelLowering::poolColumns(const Job& job, const PoolTile& cells) {
  const Tile& tile = job.tile;
  const PoolAxis& axis = plan_.pool->rows;
  const int64_t centre_x = plan_.pool->cols.centre;
  const SlotRange& carry = plan_.sram.carry;
  const std::array<SramAccess, 2> accesses = {{{Sram::kAcc, job.acc, job.acc + job.elems, true},
                                               {Sram::kAcc, carry.base, carry.end(), false}}};
  const View out{job.acc, tile.pixels(), tile.width};
  for (int64_t tap = 0; tap < axis.kernel; ++tap) {
    if (tap == axis.centre) continue;
    const int64_t q = tap % axis.stride;
    const int64_t shift = tap / axis.stride;
    if (shift == 0 && tile.y > 0 && axis.isShared(q) && axis.isInside(q, tile.y)) {
      const View src{carriedRow(tile, q), plan_.tiling.width, 0};
      emit_.alu({AluOpcode::kMax, false, 0},
                combineNest(out, src, {tile.outBlocks(), 1, tile.width}), accesses);
    }
    const RegionAxis::Range& rows = cells.rows[q];
    const int64_t begin = std::max(tile.y, rows.begin - shift);
    const int64_t end = std::min(tile.y + tile.height, rows.end - shift);
    if (begin >= end) continue;
    View dst = out;
    dst.first += u32((begin - tile.y) * tile.width);
    const View src{
        job.acc + cells.base[q][centre_x] + u32((begin + shift - rows.begin) * tile.width),
        sizeOf(rows) * tile.width, tile.width};
    emit_.alu({AluOpcode::kMax, false, 0},
              combineNest(dst, src, {tile.outBlocks(), end - begin, tile.width}),
              std::span(accesses).first(1));
  }
}

// Copies the rows that the next tile reads too: what is at most a row's value, then the row.
void KernelLowering::carryRows(const Job& job, const PoolTile& cells) {
  const Tile& tile = job.tile;
  const PoolAxis& axis = plan_.pool->rows;
  const int64_t next = tile.y + tile.height;
  if (next >= axis.out) return;
  const SlotRange& carry = plan_.sram.carry;
  const std::array<SramAccess, 2> accesses = {{{Sram::kAcc, job.acc, job.acc + job.elems, false},
                                               {Sram::kAcc, carry.base, carry.end(), true}}};
  for (int64_t q = 0; q < axis.sharedClasses(); ++q) {
    if (!axis.isInside(q, next)) continue;
    const RegionAxis::Range& rows = cells.rows[q];
    const View dst{carriedRow(tile, q), plan_.tiling.width, 0};
    const View src{
        job.acc + cells.base[q][plan_.pool->cols.centre] + u32((next - rows.begin) * tile.width),
        sizeOf(rows) * tile.width, 0};
    const Nest nest = combineNest(dst, src, {tile.outBlocks(), 1, tile.width});
    emit_.alu({AluOpcode::kMin, false, 0}, nest, accesses);
    emit_.alu({AluOpcode::kMax, false, 0}, nest, accesses);
  }
}

uint32_t KernelLowering::carriedRow(const Tile& tile, int64_t row_class) const {
  const PoolPlan& pool = *plan_.pool;
  const int64_t block = pool.carries_all_blocks ? tile.out_block : 0;
  return plan_.sram.carry.base + u32((row_class * pool.carry_blocks + block) * plan_.tiling.width);
}

// Windows that reach into padding of zeros.
void KernelLowering::padWithZero(const Job& job) {
  const Tile& tile = job.tile;
  const auto within = [](const RegionAxis::Range& range, int64_t begin, int64_t size) {
    RegionAxis::Range result;
    result.begin = std::clamp<int64_t>(range.begin - begin, 0, size);
    result.end = std::clamp<int64_t>(range.end - begin, result.begin, size);
    return result;
  };
  const Rect inside{within(plan_.pool->rows.outputsInside(), tile.y, tile.height),
                    within(plan_.pool->cols.outputsInside(), tile.x, tile.width)};
  forEachOutside(inside, tile.height, tile.width, [&](const Rect& rect) {
    aluImmediate(AluOpcode::kMax, 0, rectNest(tile, rect, job.acc), job.acc,
                 job.acc + u32(tile.elems()));
  });
}

}  // namespace vta::kernel
