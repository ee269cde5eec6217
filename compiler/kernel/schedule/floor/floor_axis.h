// What one spatial axis of a kernel takes at least: outputs, taps and places of the input, counted
// exactly over all tiles and steps. Floors are made of these counts.
#pragma once

#include <cstdint>
#include <map>

#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/kernel/schedule/work_axis.h"

namespace vta::kernel {

/// How many pieces there are of each size.
using PieceCounts = std::map<int64_t, int64_t>;

/// `extent` cut into pieces of `size`, the last one smaller where they do not fit.
PieceCounts cutInto(int64_t extent, int64_t size);
/// The smallest of these pieces.
int64_t leastPiece(int64_t extent, int64_t size);

/// Sums over the tiles of an axis and their steps of taps, but for those that find nothing but
/// padding.
struct StepSums {
  int64_t steps = 0;
  int64_t places = 0;    // inside the input: from a step's first to its last, or each `row_step`th
  int64_t products = 0;  // outputs times taps, padding included
  int64_t taps = 0;      // that some step uses
  int64_t least = 0;     // places of the smallest step; 0 where one finds nothing
  // How many steps have so many places: whole axes, with padding and without, and parts of one.
  int64_t whole = 0;
  int64_t whole_padded = 0;
  PieceCounts parts;
};
/// Of tiles of `tile` outputs, and steps of `step_taps` taps.
StepSums sumSteps(const WorkAxis& a, int64_t tile, int64_t step_taps, int64_t row_step);

struct FloorAxes {
  WorkAxis rows, cols;
};
/// The axes of `g`, as one tile.
FloorAxes axesOf(const Geometry& g);

/// How an axis's outputs are pooled: each by itself where nothing is.
struct Pooled {
  int64_t out, kernel, stride, pad;
};

/// What an axis computes and reads at least.
struct AxisUse {
  int64_t outputs = 0;     // of which some window of the pooling makes use
  int64_t valid_taps = 0;  // their taps inside the input
  int64_t places = 0;      // of the input that some of these taps reads
};
AxisUse useOf(const WorkAxis& a, const Pooled& pooled);

}  // namespace vta::kernel
