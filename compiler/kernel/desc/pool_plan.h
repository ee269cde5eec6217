// Maximum pooling of a tile's accumulators, in place: which of them a tile computes, where they
// lie, and what one tile leaves to the next.
//
// Along an axis, accumulator j * stride + q - pad is number j of class q. Tap q of output j reads
// it. If the kernel is longer than the stride, tap q + stride of output j - 1 may read it, too:
// then the class is "shared". Accumulators lie in ACC class by class. The centre is a class that is
// not shared. Its accumulators become the outputs: the others are combined with them, first along
// rows, then down columns. So outputs end up side by side, as a STORE wants them, and nothing is
// written twice. Tiles go down the image. A row that the next tile shares is kept ("carried"),
// after the maxima along it.
//
// Windows one place apart (stride 1) share every accumulator: they "slide". There the accumulators
// of the tile lie as a rectangle, with those outside the image. Each becomes the maximum of itself
// and its neighbour to the right, then of itself and the one below, once for each further tap. The
// output whose window begins at an accumulator ends up in its place.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "compiler/kernel/desc/tiling.h"

namespace vta::kernel {

struct PoolAxis {
  static constexpr int64_t kMaxClasses = 4;

  int64_t in = 1, out = 1;
  int64_t kernel = 1, stride = 1, pad = 0;
  int64_t centre = 0;
  bool slides = false;  // stride 1: there is one class, and a tile computes all that it reads

  int64_t classes() const { return kernel < stride ? kernel : stride; }
  int64_t sharedClasses() const { return slides || kernel < stride ? 0 : kernel - stride; }
  bool isShared(int64_t q) const { return !slides && q + stride < kernel; }
  /// Accumulator along the axis that is number `j` of class `q`; it may lie outside.
  int64_t place(int64_t q, int64_t j) const { return j * stride + q - pad; }
  bool isInside(int64_t q, int64_t j) const { return place(q, j) >= 0 && place(q, j) < in; }
  /// Accumulators of class `q`, by number, that the outputs [begin, begin + size) read; `carries`:
  /// without those that earlier outputs have read.
  RegionAxis::Range cells(int64_t q, int64_t begin, int64_t size, bool carries) const;
  /// Outputs whose windows lie inside.
  RegionAxis::Range outputsInside() const;
};

/// The axis with its centre; nothing where pooling in place is impossible: a kernel of twice the
/// stride or more, many classes, or no class that lies inside for all outputs.
std::optional<PoolAxis> makePoolAxis(int64_t in, int64_t out, int64_t kernel, int64_t stride,
                                     int64_t pad);

/// The axis of windows one place apart; nothing where one lies outside as a whole.
std::optional<PoolAxis> makeSlidingAxis(int64_t in, int64_t out, int64_t kernel, int64_t pad);

struct PoolPlan {
  PoolAxis rows, cols;          // both slide or neither
  bool pads_with_zero = false;  // padding takes part, as 0
  // Blocks that the carried rows have room for: all of the kernel, or of one tile.
  int64_t carry_blocks = 0;
  bool carries_all_blocks = false;

  /// ALU operations for each output, and accumulators.
  double aluPerOutput() const;
  int64_t cellsPerOutput() const { return rows.classes() * cols.classes(); }
};

/// Accumulators of one tile.
struct PoolTile {
  using Ranges = std::array<RegionAxis::Range, PoolAxis::kMaxClasses>;
  Ranges rows, cols;  // by class
  // First accumulator of each pair of classes, from the tile's first on; there [block][row][col].
  std::array<std::array<uint32_t, PoolAxis::kMaxClasses>, PoolAxis::kMaxClasses> base{};
  uint32_t elems = 0;
  Tile area;  // the accumulators' rectangle, in place of the outputs'
  // Of windows that slide: rows of the rectangle, from one to the next, from one block to the next.
  int64_t height = 0, row_pitch = 0, block_pitch = 0;
};
PoolTile makePoolTile(const PoolPlan& plan, const Tile& tile);

/// The most that any tile takes: accumulators, and rows and columns of their rectangle.
struct PoolTileSize {
  int64_t elems = 0, height = 0, width = 0;
};
PoolTileSize largestPoolTile(const PoolPlan& plan, const Geometry& outputs, const Tiling& tiling);

}  // namespace vta::kernel
