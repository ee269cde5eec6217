#include "compiler/kernel/tile/pool_in_place.h"

#include <algorithm>
#include <array>
#include <span>

namespace vta::kernel {
namespace {

constexpr AccOperation kMaximum = {.opcode = AluOpcode::kMax, .use_imm = false};
constexpr AccOperation kMinimum = {.opcode = AluOpcode::kMin, .use_imm = false};

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

// The part of `range` in [begin, begin + size), counted from `begin`.
RegionAxis::Range within(const RegionAxis::Range& range, int64_t begin, int64_t size) {
  RegionAxis::Range result;
  result.begin = std::clamp<int64_t>(range.begin - begin, 0, size);
  result.end = std::clamp<int64_t>(range.end - begin, result.begin, size);
  return result;
}

SramAccess tileAccess(const TileJob& job, bool is_write) {
  return {Sram::kAcc, job.acc, job.end(), is_write};
}

}  // namespace

PoolInPlace::PoolInPlace(KernelContext& context)
    : plan_(context.plan), pool_(*context.plan.pool), emit_(context.emit) {}

void PoolInPlace::emitTile(const TileJob& job) {
  const PoolTile cells = makePoolTile(pool_, job.tile);
  if (pool_.rows.slides) return slideWindows(job, cells);
  poolRows(job, cells);
  poolColumns(job, cells);
  carryRows(job, cells);
  if (pool_.pads_with_zero) padWithZero(job);
}

// Stride 1: accumulators outside the image get their value, then come the maxima to the right and
// down. The last columns and rows get useless values, but no window begins there.
void PoolInPlace::slideWindows(const TileJob& job, const PoolTile& cells) {
  if (!pool_.pads_with_zero) fillOutside(job, cells);
  const int64_t blocks = job.tile.outBlocks();
  const std::array<SramAccess, 1> accesses = {{tileAccess(job, true)}};
  const auto shift = [&](int64_t distance, int64_t elems) {
    const View dst{job.acc, cells.block_pitch, 0};
    const View src{job.acc + u32(distance), cells.block_pitch, 0};
    emit_.alu(kMaximum, combineNest(dst, src, {blocks, 1, elems}), accesses);
  };
  for (int64_t tap = 1; tap < pool_.cols.kernel; ++tap) shift(1, cells.block_pitch - 1);
  for (int64_t tap = 1; tap < pool_.rows.kernel; ++tap) {
    shift(cells.row_pitch, (cells.height - tap) * cells.row_pitch);
  }
}

// The least value for accumulators outside the image: they take no part in a maximum.
void PoolInPlace::fillOutside(const TileJob& job, const PoolTile& cells) {
  const Tile& tile = job.tile;
  const int64_t row = cells.area.y - (tile.y - pool_.rows.pad);
  const int64_t col = cells.area.x - (tile.x - pool_.cols.pad);
  const Rect inside{{row, row + cells.area.height}, {col, col + cells.area.width}};
  const int64_t width = tile.width + pool_.cols.kernel - 1;
  forEachOutside(inside, cells.height, width, [&](const Rect& rect) {
    const View outside{job.acc + u32(rect.y.begin * cells.row_pitch + rect.x.begin),
                       cells.block_pitch, cells.row_pitch};
    const Extent extent{tile.outBlocks(), sizeOf(rect.y), sizeOf(rect.x)};
    emit_.aluImmediate(AluOpcode::kMin, kMinInt8, combineNest(outside, outside, extent), job.acc,
                       job.end());
  });
}

// Along rows: into the columns of the centre, for every class of rows.
void PoolInPlace::poolRows(const TileJob& job, const PoolTile& cells) {
  const Tile& tile = job.tile;
  const PoolAxis& axis = pool_.cols;
  const std::array<SramAccess, 1> accesses = {{tileAccess(job, true)}};
  for (int64_t qy = 0; qy < pool_.rows.classes(); ++qy) {
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
      emit_.alu(kMaximum, combineNest(dst, src, {tile.outBlocks(), rows, end - begin}), accesses);
    }
  }
}

// Down the columns of the centre, into its rows.
void PoolInPlace::poolColumns(const TileJob& job, const PoolTile& cells) {
  const Tile& tile = job.tile;
  const PoolAxis& axis = pool_.rows;
  const int64_t centre_x = pool_.cols.centre;
  const SlotRange& carry = plan_.sram.carry;
  const std::array<SramAccess, 2> accesses = {
      {tileAccess(job, true), {Sram::kAcc, carry.base, carry.end(), false}}};
  const View out{job.acc, tile.pixels(), tile.width};
  for (int64_t tap = 0; tap < axis.kernel; ++tap) {
    if (tap == axis.centre) continue;
    const int64_t q = tap % axis.stride;
    const int64_t shift = tap / axis.stride;
    if (shift == 0 && tile.y > 0 && axis.isShared(q) && axis.isInside(q, tile.y)) {
      const View src{carriedRow(tile, q), plan_.tiling.width, 0};
      emit_.alu(kMaximum, combineNest(out, src, {tile.outBlocks(), 1, tile.width}), accesses);
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
    emit_.alu(kMaximum, combineNest(dst, src, {tile.outBlocks(), end - begin, tile.width}),
              std::span(accesses).first(1));
  }
}

// Copies the rows that the next tile reads too: a minimum brings the carried row to at most the
// value of the new one, then a maximum makes it that value.
void PoolInPlace::carryRows(const TileJob& job, const PoolTile& cells) {
  const Tile& tile = job.tile;
  const PoolAxis& axis = pool_.rows;
  const int64_t next = tile.y + tile.height;
  if (next >= axis.out) return;
  const SlotRange& carry = plan_.sram.carry;
  const std::array<SramAccess, 2> accesses = {
      {tileAccess(job, false), {Sram::kAcc, carry.base, carry.end(), true}}};
  for (int64_t q = 0; q < axis.sharedClasses(); ++q) {
    if (!axis.isInside(q, next)) continue;
    const RegionAxis::Range& rows = cells.rows[q];
    const View dst{carriedRow(tile, q), plan_.tiling.width, 0};
    const View src{
        job.acc + cells.base[q][pool_.cols.centre] + u32((next - rows.begin) * tile.width),
        sizeOf(rows) * tile.width, 0};
    const Nest nest = combineNest(dst, src, {tile.outBlocks(), 1, tile.width});
    emit_.alu(kMinimum, nest, accesses);
    emit_.alu(kMaximum, nest, accesses);
  }
}

uint32_t PoolInPlace::carriedRow(const Tile& tile, int64_t row_class) const {
  const int64_t block = pool_.carries_all_blocks ? tile.out_block : 0;
  return plan_.sram.carry.base + u32((row_class * pool_.carry_blocks + block) * plan_.tiling.width);
}

// Windows that reach into padding of zeros.
void PoolInPlace::padWithZero(const TileJob& job) {
  const Tile& tile = job.tile;
  const Rect inside{within(pool_.rows.outputsInside(), tile.y, tile.height),
                    within(pool_.cols.outputsInside(), tile.x, tile.width)};
  forEachOutside(inside, tile.height, tile.width, [&](const Rect& rect) {
    emit_.aluImmediate(AluOpcode::kMax, 0, rectNest(tile, rect, job.acc), job.acc,
                       job.acc + u32(tile.elems()));
  });
}

}  // namespace vta::kernel
