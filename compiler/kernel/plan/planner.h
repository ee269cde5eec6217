// Planner: makePlan's steps. Each file has one idea: kernel_plan.cpp what computes a kernel and in
// which tiles, acc_plan.cpp where tiles and what the ALU combines with them lie in ACC,
// operand_plan.cpp the slots of weights and inputs.
#pragma once

#include <cstdint>

#include "compiler/kernel/plan/kernel_plan.h"
#include "isa/spec/timing.h"

namespace vta::kernel {

inline constexpr uint32_t kPadElems = 2;  // one that holds the padding value, one beside it
inline constexpr int64_t kAccBanks =
    timing::kAccBanks;  // by low address bits, with concurrent compute

/// Elements of a scratchpad that a plan may use: sram_base has 16 bits.
int64_t usableDepth(const HwConfig& hw, MemoryType type);

class Planner {
 public:
  /// Writes to `plan` and `failure`; all arguments must outlive it.
  Planner(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw, KernelPlan& plan,
          PlanFailure& failure)
      : desc_(desc), g_(plan.geometry), s_(schedule), hw_(hw), plan_(plan), failure_(failure) {}

  bool run();

 private:
  // kernel_plan.cpp: what computes the kernel, in which tiles.
  bool fail(const char* resource, int64_t need, int64_t limit);
  bool checkSizes();
  void choosePooling();
  bool sizePooling();
  void chooseMethod();
  void chooseReset();
  bool checkTokens();
  int64_t tileElems() const;
  int64_t regionElems() const;
  int64_t depth(MemoryType type) const;
  int64_t maxSlots() const;

  // acc_plan.cpp: the layout of ACC.
  // Elements around the residual between two tiles that put it into other banks than theirs.
  struct BankPadding {
    int64_t before = 0;
    int64_t behind = 0;
  };
  bool planAcc();
  int64_t carriedElems() const;
  int64_t bankGap(int64_t base, int64_t tile, int64_t acc_slots) const;
  int64_t poolSlots(int64_t tile, int64_t pool, int64_t limit);
  int64_t accSlots(int64_t tile, int64_t free) const;
  void planParams(int64_t free, int64_t per_step);
  bool storeDelaysGemm() const;
  BankPadding bankPadding(int64_t tile, int64_t residual) const;
  bool placeResidualInPieces(int64_t tile, int64_t limit);
  bool planThreeTiles(int64_t tile, int64_t residual, int64_t limit);
  bool placeThreeTiles(int64_t tile, int64_t residual, int64_t limit);
  void placeBetweenTiles(int64_t tile, int64_t residual, int64_t carry, int64_t limit);

  // operand_plan.cpp: slots of WGT and INP.
  bool planOperands();
  bool planWgt();
  bool planInp();
  double loadCycles() const;
  int64_t weightElems() const;
  int64_t slotCount(int64_t need, int64_t ahead, int64_t elems, int64_t limit) const;
  int64_t streamSlots(int64_t elems, int64_t limit) const;
  bool mayNeedPadElement() const;
  int64_t stagedElems() const;

  static SlotRange slots(int64_t base, int64_t elems, int64_t count) {
    return {static_cast<uint32_t>(base), static_cast<uint32_t>(elems),
            static_cast<uint32_t>(count)};
  }

  const KernelDesc& desc_;
  const Geometry& g_;
  const Schedule& s_;
  const HwConfig& hw_;
  KernelPlan& plan_;
  PlanFailure& failure_;
  int64_t tile_elems_ = 0;  // accumulators of the largest tile that pools
};

}  // namespace vta::kernel
