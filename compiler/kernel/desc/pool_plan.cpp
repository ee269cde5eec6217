#include "compiler/kernel/desc/pool_plan.h"

#include <algorithm>

#include "base/integer_math.h"
#include "compiler/kernel/primitives/loop_nest.h"

namespace vta::kernel {
namespace {

// From the centre's first accumulator to that of a tap of class `q`, at the first output, apart
// from the two bases.
struct Distances {
  std::array<int64_t, 2> of{};
  int count = 0;
};

Distances distancesOf(const PoolAxis& axis, int64_t q, int64_t begin,
                      const RegionAxis::Range& cells, int64_t pitch) {
  Distances d;
  for (int64_t tap = q; tap < axis.kernel; tap += axis.stride) {
    d.of[d.count++] = (begin + tap / axis.stride - cells.begin) * pitch;
  }
  return d;
}

// The first place from `free` on where as few taps as possible are in their centre's bank: the ALU
// takes two cycles where both operands are. Banks are counted as if ACC had four, which places the
// same on all hardware; with two banks some of the taps that count as apart meet all the same.
uint32_t chooseBase(uint32_t free, uint32_t centre, const Distances& distances) {
  uint32_t best = free;
  int best_conflicts = distances.count + 1;
  for (uint32_t base = free; base < free + kBankTurn; ++base) {
    int conflicts = 0;
    for (int i = 0; i < distances.count; ++i) {
      const int64_t apart = int64_t{base} - centre + distances.of[i];
      conflicts += apart % kBankTurn == 0 ? 1 : 0;
    }
    if (conflicts < best_conflicts) {
      best = base;
      best_conflicts = conflicts;
    }
  }
  return best;
}

}  // namespace

RegionAxis::Range PoolAxis::cells(int64_t q, int64_t begin, int64_t size, bool carries) const {
  const int64_t shared = slides ? kernel - 1 : isShared(q) ? 1 : 0;
  const int64_t first = carries && !slides && begin > 0 ? begin + shared : begin;
  RegionAxis::Range range;
  range.begin = std::max(first, ceilDiv(pad - q, stride));
  range.end = std::min(begin + size + shared, floorDiv(in - 1 + pad - q, stride) + 1);
  range.end = std::max(range.begin, range.end);
  return range;
}

RegionAxis::Range PoolAxis::outputsInside() const {
  RegionAxis::Range range;
  range.begin = std::clamp<int64_t>(ceilDiv(pad, stride), 0, out);
  range.end = std::clamp<int64_t>(floorDiv(in + pad - kernel, stride) + 1, range.begin, out);
  return range;
}

std::optional<PoolAxis> makePoolAxis(int64_t in, int64_t out, int64_t kernel, int64_t stride,
                                     int64_t pad) {
  PoolAxis axis{in, out, kernel, stride, pad, 0};
  if (axis.classes() > PoolAxis::kMaxClasses) return std::nullopt;
  axis.centre = std::max(axis.sharedClasses(), pad);
  if (axis.centre >= axis.classes() || !axis.isInside(axis.centre, out - 1)) return std::nullopt;
  return axis;
}

std::optional<PoolAxis> makeSlidingAxis(int64_t in, int64_t out, int64_t kernel, int64_t pad) {
  if (pad >= kernel || out - 1 - pad >= in) return std::nullopt;
  PoolAxis axis{in, out, kernel, 1, pad, 0};
  axis.slides = true;
  return axis;
}

double PoolPlan::aluPerOutput() const {
  const auto along = static_cast<double>((cols.kernel - 1) * rows.classes());
  return along + static_cast<double>(rows.kernel - 1);
}

PoolTile makePoolTile(const PoolPlan& plan, const Tile& tile) {
  const PoolAxis& rows = plan.rows;
  const PoolAxis& cols = plan.cols;
  PoolTile p;
  p.area = tile;
  int64_t end_y = 0;
  int64_t end_x = 0;
  p.area.y = rows.in;
  p.area.x = cols.in;
  for (int64_t q = 0; q < rows.classes(); ++q) {
    p.rows[q] = rows.cells(q, tile.y, tile.height, true);
    if (p.rows[q].begin >= p.rows[q].end) continue;
    p.area.y = std::min(p.area.y, rows.place(q, p.rows[q].begin));
    end_y = std::max(end_y, rows.place(q, p.rows[q].end - 1) + 1);
  }
  for (int64_t q = 0; q < cols.classes(); ++q) {
    p.cols[q] = cols.cells(q, tile.x, tile.width, false);
    if (p.cols[q].begin >= p.cols[q].end) continue;
    p.area.x = std::min(p.area.x, cols.place(q, p.cols[q].begin));
    end_x = std::max(end_x, cols.place(q, p.cols[q].end - 1) + 1);
  }
  p.area.height = end_y - p.area.y;
  p.area.width = end_x - p.area.x;

  if (rows.slides) {
    p.height = tile.height + rows.kernel - 1;
    p.row_pitch = tile.width + cols.kernel - 1;
    // A row's neighbour below is in another bank.
    if (p.row_pitch % kBankTurn == 0) ++p.row_pitch;
    p.block_pitch = p.height * p.row_pitch;
    p.elems = static_cast<uint32_t>(tile.outBlocks() * p.block_pitch);
    return p;
  }
  const auto size = [](const RegionAxis::Range& range) { return range.end - range.begin; };
  const auto add = [&](int64_t qy, int64_t qx, uint32_t base) {
    p.base[qy][qx] = base;
    const int64_t elems = tile.outBlocks() * size(p.rows[qy]) * size(p.cols[qx]);
    p.elems = base + static_cast<uint32_t>(elems);
  };
  add(rows.centre, cols.centre, 0);
  for (int64_t qy = 0; qy < rows.classes(); ++qy) {
    if (qy == rows.centre) continue;
    const Distances down = distancesOf(rows, qy, tile.y, p.rows[qy], tile.width);
    add(qy, cols.centre, chooseBase(p.elems, 0, down));
  }
  for (int64_t qy = 0; qy < rows.classes(); ++qy) {
    for (int64_t qx = 0; qx < cols.classes(); ++qx) {
      if (qx == cols.centre) continue;
      const Distances along = distancesOf(cols, qx, tile.x, p.cols[qx], 1);
      add(qy, qx, chooseBase(p.elems, p.base[qy][cols.centre], along));
    }
  }
  return p;
}

PoolTileSize largestPoolTile(const PoolPlan& plan, const Geometry& outputs, const Tiling& tiling) {
  PoolTileSize largest;
  const auto visit = [&](int64_t y, int64_t x) {
    const PoolTile p = makePoolTile(plan, makeTile(outputs, tiling, y * tiling.tiles_x + x, 0));
    largest.elems = std::max<int64_t>(largest.elems, p.elems);
    largest.height = std::max(largest.height, p.area.height);
    largest.width = std::max(largest.width, p.area.width);
  };
  // Tiles differ at the borders only.
  const int64_t last_y = tiling.tiles_y - 1;
  const int64_t last_x = tiling.tiles_x - 1;
  for (const int64_t y : {int64_t{0}, std::min<int64_t>(1, last_y), last_y}) {
    for (const int64_t x : {int64_t{0}, std::min<int64_t>(1, last_x), last_x}) visit(y, x);
  }
  return largest;
}

}  // namespace vta::kernel
