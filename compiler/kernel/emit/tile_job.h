// TileJob: one tile on its way through the program. TileOrder: which tile comes when.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "compiler/kernel/desc/pool_plan.h"
#include "compiler/kernel/desc/schedule.h"
#include "compiler/kernel/desc/tiling.h"
#include "compiler/kernel/plan/kernel_plan.h"
#include "compiler/kernel/primitives/loop_nest.h"

namespace vta::kernel {

inline constexpr int32_t kMinInt8 = -128;

/// Indexes and sizes are int64_t while tiles are planned; in instructions they are unsigned.
constexpr uint32_t u32(int64_t value) { return static_cast<uint32_t>(value); }

/// Where a tile's accumulators are, and how far its instructions have been emitted.
struct TileJob {
  Tile tile;
  uint32_t slot = 0;  // of the output tiles in ACC
  uint32_t acc = 0;
  uint32_t elems = 0;  // accumulators from `acc` on
  uint32_t pool_input = 0;
  bool backwards = false;      // the steps of its reduction go from the last to the first
  bool reads_padding = false;  // some reduction step multiplied its padding, too
  bool has_bias = false;       // the tile began with what the first epilogue step adds
  size_t next_action = 0;      // the first action of its epilogue that is still to come

  uint32_t end() const { return acc + elems; }
};

/// The order in which a kernel's tiles and their reduction steps are made. Keeps references to its
/// arguments.
class TileOrder {
 public:
  TileOrder(const Schedule& schedule, const KernelPlan& plan) : schedule_(schedule), plan_(plan) {}

  /// How many tiles there are.
  int64_t count() const;
  /// Tile `number`, of which nothing was emitted yet.
  TileJob job(int64_t number) const;
  /// Step `number` of a tile's reduction.
  Step step(const TileJob& job, int64_t number) const;

 private:
  const Schedule& schedule_;
  const KernelPlan& plan_;
};

/// Accumulators that the GEMMs of a tile write: every row_step-th row and col_step-th column of its
/// area from (row, col) on.
struct AccGrid {
  uint32_t acc = 0;
  int64_t row = 0, row_step = 1, rows = 1;
  int64_t col = 0, col_step = 1, cols = 1;
  int64_t row_pitch = 1, block_pitch = 1;
};

/// What the reduction of a tile computes: one grid, or where the tile pools in place one for each
/// pair of classes (pool_plan.h).
struct TileArea {
  Tile tile;  // the rectangle of its accumulators, in place of the outputs
  std::array<AccGrid, PoolAxis::kMaxClasses * PoolAxis::kMaxClasses> grids;
  size_t num_grids = 0;
};
TileArea areaOf(const KernelPlan& plan, const TileJob& job);

/// The nest of an element-wise operation on the pixels `rect` of all blocks of a tile in ACC.
Nest rectNest(const Tile& tile, const Rect& rect, uint32_t acc);

}  // namespace vta::kernel
