// OperandPlanner: slots of weights and inputs, and of int8 operands on their way to ACC.
#pragma once

#include <cstdint>

#include "compiler/kernel/plan/plan_context.h"
#include "compiler/kernel/plan/sram_plan.h"

namespace vta::kernel {

/// Lays out WGT and INP. Needs the layout of ACC and everything that it needs. Decides
/// KernelPlan::alternates.
class OperandPlanner {
 public:
  /// `context` must outlive the planner.
  explicit OperandPlanner(const PlanContext& context);

  /// Fills in the ranges of WGT and INP. False, with the failure noted, where they do not fit.
  bool run();

 private:
  bool planBoth() { return planWgt() && planInp(); }
  bool planWgt();
  bool planInp();
  bool mayAlternate() const;
  bool loadsTakeAsLongAsGemm(double load_cycles) const;
  double loadCycles() const;
  int64_t weightElems() const;
  int64_t stagedElems() const;
  bool mayNeedPadElement() const;
  int64_t wgtSlots(int64_t elems, int64_t limit) const;
  int64_t inpSlots(int64_t elems, int64_t limit) const;
  int64_t reuseSlots(int64_t need, int64_t elems, int64_t limit) const;
  int64_t streamSlots(int64_t elems, int64_t limit) const;
  int64_t maxSlots() const;

  const PlanContext& context_;
  const Geometry& g_;
  KernelPlan& plan_;
  SramPlan& sram_;
  int64_t threads_;      // virtual threads
  int64_t pixel_tiles_;  // of all batch blocks
};

}  // namespace vta::kernel
