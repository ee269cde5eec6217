// AccPlanner: where output tiles lie in ACC, and beside them what the ALU combines with them.
#pragma once

#include <cstdint>

#include "compiler/kernel/plan/plan_context.h"
#include "compiler/kernel/plan/sram_plan.h"

namespace vta::kernel {

/// Lays out ACC. Needs KernelPlan::tiling, method, pool, tile_elems, pipelined and reset_by_alu;
/// may take back the last two where ACC has no room for a second tile.
class AccPlanner {
 public:
  /// `context` must outlive the planner.
  explicit AccPlanner(const PlanContext& context);

  /// Fills in the ranges of ACC and the mode of the parameters. False, with the failure noted,
  /// where a tile and what it needs do not fit.
  bool run();

 private:
  // Elements around the residual between two tiles that put it into other banks than theirs.
  struct BankPadding {
    int64_t before = 0;
    int64_t behind = 0;
  };

  int64_t aligned(int64_t elems) const;
  int64_t carriedElems() const;
  int64_t poolSlots() const;
  int64_t accSlots(int64_t free) const;
  void chooseParams(int64_t free);
  bool storeDelaysGemm() const;
  int64_t bankGap(int64_t base, int64_t acc_slots) const;
  BankPadding bankPadding() const;

  bool placeResidualInPieces();
  bool tryThreeTiles();
  bool placeThreeTiles();
  void placeBetweenTiles();
  void placeInARow(int64_t acc_slots, int64_t pool_slots);

  const PlanContext& context_;
  KernelPlan& plan_;
  SramPlan& sram_;
  int64_t unit_;             // of places in ACC: 2 where parameters are pairs
  int64_t limit_;            // elements that ACC has
  int64_t tile_;             // elements of the largest tile
  int64_t pool_;             // input region of ALU pooling
  int64_t residual_;         // residual tile; 0 where there is none
  int64_t carry_;            // rows that a tile leaves to the one below
  int64_t params_per_step_;  // one parameter vector of a tile
};

}  // namespace vta::kernel
