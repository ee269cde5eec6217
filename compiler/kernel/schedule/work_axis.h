// WorkAxis: rows, columns and taps of one spatial axis of a kernel and its tiling, counted over all
// tiles.
#pragma once

#include <cstdint>

#include "compiler/kernel/desc/pool_plan.h"
#include "compiler/kernel/desc/tiling.h"

namespace vta::kernel {

/// What one spatial axis of a kernel and its tiling looks like.
struct WorkAxis {
  int64_t in, out, tile, kernel, step_taps, stride, dilation, pad, row_step;
  const PoolAxis* pool = nullptr;  // out and tile count what it makes of the axis's outputs
  bool carries = false;            // a tile does not compute again what the one before has

  /// The outputs of the reduction that a tile [begin, begin + size) needs.
  RegionAxis::Range area(int64_t begin, int64_t size) const;
  /// Outputs of the reduction that are computed, some twice where tiles pool.
  double computed() const;
};

/// Valid rows (or columns) that all tiles and steps of one axis load, and how many such pieces
/// there are.
struct AxisLoads {
  double rows = 0;
  double pieces = 0;
};
AxisLoads axisLoads(const WorkAxis& a);

/// (output, tap) pairs that lie inside the input.
double validTaps(const WorkAxis& a);

/// Runs of taps that reach the same outputs, over all tiles: each tap that a border cuts is its
/// own.
double tapRuns(const WorkAxis& a);

}  // namespace vta::kernel
