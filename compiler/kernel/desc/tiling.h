// Tiles of a kernel's output, steps of its reduction, and the input region that a step reads.
#pragma once

#include <cstdint>

#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/kernel/desc/schedule.h"

namespace vta::kernel {

/// Nominal tile sizes and how many tiles there are; the last tile of an axis may be smaller.
struct Tiling {
  // Sizes of a tile, and of a reduction step of one tile.
  int64_t height = 1, width = 1;
  int64_t area_height = 1, area_width = 1;  // of its accumulators: more than outputs where it pools
  int64_t groups = 1;            // groups of a tile; more than one only if it covers them whole
  int64_t group_out_blocks = 1;  // output blocks of each of them
  int64_t group_in_blocks = 1;   // input blocks of each group and step
  int64_t kernel_height = 1, kernel_width = 1;  // taps of a step
  int64_t weight_columns = 1;  // GEMMs of a row of these taps, for each pair of channel blocks
  int64_t row_step = 1;        // input rows from one row of a step's region to the next

  // How many there are.
  int64_t tiles_y = 1, tiles_x = 1;
  int64_t tiles_group = 1;          // tiles along groups
  int64_t tiles_out_per_group = 1;  // tiles along one group's output blocks
  int64_t steps_in = 1, steps_ky = 1, steps_kx = 1;

  int64_t outBlocks() const { return groups * group_out_blocks; }
  int64_t inBlocks() const { return groups * group_in_blocks; }
  int64_t pixels() const { return height * width; }
  int64_t pixelTiles() const { return tiles_y * tiles_x; }
  int64_t outTiles() const { return tiles_group * tiles_out_per_group; }
  /// GEMMs of a step for each accumulator.
  int64_t stepGemms() const { return group_in_blocks * kernel_height * weight_columns; }
  int64_t steps() const { return steps_in * steps_ky * steps_kx; }
  int64_t regionRows(const Geometry& g) const;
  int64_t regionCols(const Geometry& g) const;
};

/// Whether each output reads the input pixel at its own place alone, and all are stored side by
/// side.
bool isPointwise(const KernelDesc& desc);

/// The geometry that `schedule` cuts into tiles: of a pointwise kernel with tiles one pixel high
/// the image as a single row, so that a tile may be any number of pixels.
Geometry tiledGeometry(const KernelDesc& desc, const Schedule& schedule);

/// Derives the tiling; geometry and schedule as for makeTiling(desc, schedule).
Tiling makeTiling(const Geometry& g, const Schedule& schedule);

/// Derives the tiling of a kernel without pooling; sizes of `schedule` must be in range for `desc`
/// (checkSchedule).
Tiling makeTiling(const KernelDesc& desc, const Schedule& schedule);

/// One tile of the output. Channel blocks of a tile are contiguous: groups x group_out_blocks.
struct Tile {
  int64_t n = 0;  // batch block
  int64_t y = 0, height = 1;
  int64_t x = 0, width = 1;
  int64_t group = 0, groups = 1;
  int64_t out_block = 0;  // first one, counted over all groups
  int64_t group_out_blocks = 1;
  int64_t pixel_id = 0;  // number of (n, y, x)
  int64_t out_id = 0;    // number of the channel tile

  int64_t outBlocks() const { return groups * group_out_blocks; }
  int64_t pixels() const { return height * width; }
  int64_t elems() const { return outBlocks() * pixels(); }
};

/// Tile number `pixel` of the batch and plane, and `out` of the channels.
Tile makeTile(const Geometry& g, const Tiling& tiling, int64_t pixel, int64_t out);

/// One step of a tile's reduction.
struct Step {
  int64_t id = 0;
  int64_t in_block = 0, in_blocks = 1;  // within each group
  int64_t ky = 0, kernel_height = 1;
  int64_t kx = 0, kernel_width = 1;
  int64_t weight_columns = 1;  // as Tiling's
};
Step makeStep(const Geometry& g, const Tiling& tiling, int64_t id);

/// One axis of a step's input region: `size` rows (or columns), of which [valid_begin, valid_end)
/// lie inside the input. Row r is input row `origin + r * step`.
struct RegionAxis {
  int64_t origin = 0;
  int64_t step = 1;
  int64_t size = 1;
  int64_t valid_begin = 0;
  int64_t valid_end = 1;
  int64_t out_stride = 1;  // region rows from one output row to the next
  int64_t tap_stride = 1;  // region rows from one tap to the next

  int64_t validSize() const { return valid_end > valid_begin ? valid_end - valid_begin : 0; }
  int64_t padBefore() const { return valid_begin; }
  int64_t padAfter() const { return size - valid_end; }

  /// Outputs [begin, end) of [0, outputs) whose tap number `tap` reads a valid row.
  struct Range {
    int64_t begin = 0;
    int64_t end = 0;
    bool operator==(const Range&) const = default;
  };
  Range outputsOfTap(int64_t tap, int64_t outputs) const;
};

struct Region {
  RegionAxis rows;
  RegionAxis cols;

  bool isEmpty() const { return rows.validSize() == 0 || cols.validSize() == 0; }
  bool isInside() const { return rows.validSize() == rows.size && cols.validSize() == cols.size; }
  /// Whether one LOAD can add the padding.
  bool canPadByLoad() const;
};
Region makeRegion(const Geometry& g, const Tiling& tiling, const Tile& tile, const Step& step);

/// A rectangle of a tile's output pixels.
struct Rect {
  RegionAxis::Range y;
  RegionAxis::Range x;
  bool isEmpty() const { return y.begin >= y.end || x.begin >= x.end; }
};

/// Taps [begin, end) of one axis that reach the same outputs.
struct TapRun {
  int64_t begin = 0;
  int64_t end = 0;
  RegionAxis::Range outputs;
  int64_t size() const { return end - begin; }
};

/// The run of taps that starts at `tap`, of `taps`.
TapRun tapRun(const RegionAxis& axis, int64_t tap, int64_t taps, int64_t outputs);

/// Calls `visit(rect)` for the at most four rectangles of a height x width tile outside `inner`.
template <typename Visit>
void forEachOutside(const Rect& inner, int64_t height, int64_t width, const Visit& visit) {
  if (inner.isEmpty()) {
    visit(Rect{{0, height}, {0, width}});
    return;
  }
  const auto visitIf = [&](const Rect& rect) {
    if (!rect.isEmpty()) visit(rect);
  };
  visitIf({{0, inner.y.begin}, {0, width}});
  visitIf({{inner.y.end, height}, {0, width}});
  visitIf({inner.y, {0, inner.x.begin}});
  visitIf({inner.y, {inner.x.end, width}});
}

}  // namespace vta::kernel
