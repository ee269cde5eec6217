#include "compiler/kernel/desc/tiling.h"

#include <algorithm>

#include "base/integer_math.h"
#include "compiler/kernel/primitives/transfer.h"

namespace vta::kernel {
namespace {

struct AxisInput {
  int64_t in_size, out_begin, outputs, stride, dilation, pad, tap_begin, taps, step;
};

RegionAxis makeAxis(const AxisInput& a) {
  RegionAxis axis;
  axis.origin = a.out_begin * a.stride - a.pad + a.tap_begin * a.dilation;
  axis.step = a.step;
  // With a step, a region row is an output row: there is one tap.
  const bool sparse = a.step > 1;
  axis.out_stride = sparse ? 1 : a.stride;
  axis.tap_stride = sparse ? 0 : a.dilation;
  axis.size = (a.outputs - 1) * axis.out_stride + (a.taps - 1) * axis.tap_stride + 1;
  axis.valid_begin = std::clamp<int64_t>(ceilDiv(-axis.origin, a.step), 0, axis.size);
  axis.valid_end = std::clamp<int64_t>(floorDiv(a.in_size - 1 - axis.origin, a.step) + 1,
                                       axis.valid_begin, axis.size);
  return axis;
}

}  // namespace

int64_t Tiling::regionRows(const Geometry& g) const {
  if (row_step > 1) return area_height;
  return (area_height - 1) * g.stride_y + (kernel_height - 1) * g.dilation_y + 1;
}

int64_t Tiling::regionCols(const Geometry& g) const {
  return (area_width - 1) * g.stride_x + (kernel_width - 1) * g.dilation_x + 1;
}

bool isPointwise(const KernelDesc& desc) {
  const Geometry& g = desc.geometry;
  const bool whole = g.kernel_height == 1 && g.kernel_width == 1 && g.stride_y == 1 &&
                     g.stride_x == 1 && g.in_height == g.out_height && g.in_width == g.out_width &&
                     (g.pad_top | g.pad_left | g.pad_bottom | g.pad_right) == 0;
  const bool pools = desc.kind == KernelKind::kMaxPool || desc.kind == KernelKind::kSumPool;
  return whole && g.storesAll() && !pools && !desc.pool;
}

Geometry tiledGeometry(const KernelDesc& desc, const Schedule& schedule) {
  Geometry g = desc.geometry;
  if (schedule.tile_height != 1 || !isPointwise(desc)) return g;
  g.in_width = g.out_width = g.out_height * g.out_width;
  g.in_height = g.out_height = 1;
  return g;
}

Tiling makeTiling(const KernelDesc& desc, const Schedule& s) {
  return makeTiling(tiledGeometry(desc, s), s);
}

Tiling makeTiling(const Geometry& g, const Schedule& s) {
  const int64_t group_out = g.outBlocksPerGroup();
  Tiling t;
  t.height = s.tile_height;
  t.width = s.tile_width;
  t.area_height = t.height;
  t.area_width = t.width;
  t.groups = std::max<int64_t>(1, s.tile_out_blocks / group_out);
  t.group_out_blocks = std::min(s.tile_out_blocks, group_out);
  t.group_in_blocks = s.tile_in_blocks;
  t.kernel_height = s.tile_kernel_height == 0 ? g.kernel_height : s.tile_kernel_height;
  t.kernel_width = s.tile_kernel_width == 0 ? g.kernel_width : s.tile_kernel_width;
  t.weight_columns = g.folds() ? g.tapGroups() : t.kernel_width;
  t.row_step = t.kernel_height == 1 ? g.stride_y : 1;
  t.tiles_y = ceilDiv(g.out_height, t.height);
  t.tiles_x = ceilDiv(g.out_width, t.width);
  t.tiles_group = ceilDiv(g.groups, t.groups);
  t.tiles_out_per_group = ceilDiv(group_out, t.group_out_blocks);
  t.steps_in = ceilDiv(g.inBlocksPerGroup(), t.group_in_blocks);
  t.steps_ky = ceilDiv(g.kernel_height, t.kernel_height);
  t.steps_kx = ceilDiv(g.kernel_width, t.kernel_width);
  return t;
}

Tile makeTile(const Geometry& g, const Tiling& t, int64_t pixel, int64_t out) {
  Tile tile;
  tile.pixel_id = pixel;
  tile.out_id = out;
  tile.n = pixel / t.pixelTiles();
  tile.y = pixel % t.pixelTiles() / t.tiles_x * t.height;
  tile.x = pixel % t.tiles_x * t.width;
  tile.height = std::min(t.height, g.out_height - tile.y);
  tile.width = std::min(t.width, g.out_width - tile.x);
  tile.group = out / t.tiles_out_per_group * t.groups;
  tile.groups = std::min(t.groups, g.groups - tile.group);
  const int64_t in_group = out % t.tiles_out_per_group * t.group_out_blocks;
  tile.out_block = tile.group * g.outBlocksPerGroup() + in_group;
  tile.group_out_blocks = std::min(t.group_out_blocks, g.outBlocksPerGroup() - in_group);
  return tile;
}

Step makeStep(const Geometry& g, const Tiling& t, int64_t id) {
  Step step;
  step.id = id;
  step.kx = id % t.steps_kx * t.kernel_width;
  step.ky = id / t.steps_kx % t.steps_ky * t.kernel_height;
  step.in_block = id / (t.steps_kx * t.steps_ky) * t.group_in_blocks;
  step.kernel_width = std::min(t.kernel_width, g.kernel_width - step.kx);
  step.kernel_height = std::min(t.kernel_height, g.kernel_height - step.ky);
  step.weight_columns = g.folds() ? g.tapGroups() : step.kernel_width;
  step.in_blocks = std::min(t.group_in_blocks, g.inBlocksPerGroup() - step.in_block);
  return step;
}

RegionAxis::Range RegionAxis::outputsOfTap(int64_t tap, int64_t outputs) const {
  const int64_t first = valid_begin - tap * tap_stride;
  const int64_t last = valid_end - 1 - tap * tap_stride;
  Range range;
  range.begin = std::clamp<int64_t>(ceilDiv(first, out_stride), 0, outputs);
  range.end = std::clamp<int64_t>(floorDiv(last, out_stride) + 1, range.begin, outputs);
  return range;
}

bool Region::canPadByLoad() const {
  constexpr int64_t kMax = Transfer::kMaxPad;
  return !isEmpty() && rows.padBefore() <= kMax && rows.padAfter() <= kMax &&
         cols.padBefore() <= kMax && cols.padAfter() <= kMax;
}

Region makeRegion(const Geometry& g, const Tiling& t, const Tile& tile, const Step& step) {
  Region region;
  region.rows = makeAxis({g.in_height, tile.y, tile.height, g.stride_y, g.dilation_y, g.pad_top,
                          step.ky, step.kernel_height, t.row_step});
  region.cols = makeAxis({g.in_width, tile.x, tile.width, g.stride_x, g.dilation_x, g.pad_left,
                          step.kx, step.kernel_width, 1});
  return region;
}

TapRun tapRun(const RegionAxis& axis, int64_t tap, int64_t taps, int64_t outputs) {
  TapRun run{tap, tap + 1, axis.outputsOfTap(tap, outputs)};
  while (run.end < taps && axis.outputsOfTap(run.end, outputs) == run.outputs) ++run.end;
  return run;
}

}  // namespace vta::kernel
