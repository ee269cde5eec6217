#include "compiler/kernel/plan/operand_planner.h"

#include <algorithm>

#include "compiler/kernel/plan/cost_constants.h"
#include "compiler/kernel/plan/read_cycles.h"
#include "compiler/kernel/primitives/loop_nest.h"
#include "compiler/kernel/primitives/transfer.h"

namespace vta::kernel {
namespace {

// How many of `wanted` contents a tile finds in `slots` slots, if the tile before it has read the
// same contents.
double slotsKept(const KernelPlan& plan, int64_t slots, int64_t wanted) {
  if (plan.alternates) return static_cast<double>(std::min(slots, wanted));
  return slots >= wanted ? static_cast<double>(wanted) : 0;
}

double inputPasses(const KernelPlan& plan, Schedule::Order order) {
  const Tiling& t = plan.tiling;
  const int64_t steps = t.steps();
  const int64_t pixels = plan.geometry.batch_blocks * t.pixelTiles();
  const int64_t outs = t.tiles_out_per_group;
  const int64_t slots = plan.sram.inp.count;
  double kept = 0;
  if (order == Schedule::Order::kWeightsInner || pixels == 1) {
    const int64_t again = pixels * t.tiles_group * (outs - 1);
    kept = static_cast<double>(again) * slotsKept(plan, slots, steps);
  } else if (plan.alternates && t.tiles_group == 1) {
    const int64_t turns = outs - 1 - (outs % 2 == 0 ? 1 : 0);
    kept = static_cast<double>(turns) * slotsKept(plan, slots, steps * pixels);
  }
  return static_cast<double>(outs) - kept / static_cast<double>(steps * pixels * t.tiles_group);
}

double weightPasses(const KernelPlan& plan, Schedule::Order order) {
  const Tiling& t = plan.tiling;
  const int64_t steps = t.steps();
  const int64_t pixels = plan.geometry.batch_blocks * t.pixelTiles();
  const int64_t outs = t.outTiles();
  const int64_t slots = plan.sram.wgt.count;
  if (slots >= steps * outs) return 1;
  double kept = 0;
  if (order == Schedule::Order::kWeightsOuter || outs == 1) {
    kept = static_cast<double>(outs * (pixels - 1)) * slotsKept(plan, slots, steps);
  } else if (plan.alternates) {
    kept = static_cast<double>(pixels - 1) * slotsKept(plan, slots, steps * outs);
  }
  return static_cast<double>(pixels) - kept / static_cast<double>(steps * outs);
}

}  // namespace

OperandPasses operandPasses(const KernelPlan& plan, Schedule::Order order) {
  return {inputPasses(plan, order), weightPasses(plan, order)};
}

OperandPlanner::OperandPlanner(const PlanContext& context)
    : context_(context),
      g_(context.plan.geometry),
      plan_(context.plan),
      sram_(context.plan.sram),
      threads_(context.schedule.virtual_threads),
      pixel_tiles_(context.plan.geometry.batch_blocks * context.plan.tiling.pixelTiles()) {}

// Where the loads of a kernel take as long as its arithmetic, passes go to and fro through all
// slots that there is room for, if that saves anything. What the last slots hold is not loaded
// again.
bool OperandPlanner::run() {
  if (!planBoth()) return false;
  if (!mayAlternate()) return true;
  const double loads = loadCycles();
  if (!loadsTakeAsLongAsGemm(loads)) return true;
  plan_.alternates = true;
  if (!planBoth()) return false;
  if (loadCycles() < loads) return true;
  plan_.alternates = false;
  return planBoth();
}

// Factors of weights belong to one order of the reduction.
bool OperandPlanner::mayAlternate() const {
  return plan_.method == Method::kGemm && !plan_.identity_weights && !plan_.pool &&
         g_.groups == 1 && threads_ > 1 && context_.desc.factor_blocks == 0;
}

bool OperandPlanner::loadsTakeAsLongAsGemm(double load_cycles) const {
  const Tiling& t = plan_.tiling;
  const int64_t tiles = pixel_tiles_ * t.outTiles();
  const int64_t reductions = t.steps() * t.stepGemms();
  return load_cycles >=
         kAlternationMargin * static_cast<double>(tiles * plan_.tile_elems * reductions);
}

// Cycles of the memory ports for all inputs and weights.
double OperandPlanner::loadCycles() const {
  const Tiling& t = plan_.tiling;
  const OperandPasses passes = operandPasses(plan_, context_.schedule.order);
  const int64_t inputs = context_.regionElems() * t.steps() * t.pixelTiles() * g_.batch_blocks;
  const int64_t weights = weightElems() * t.steps() * t.outTiles();
  const HwConfig& hw = context_.hw;
  const double input_bytes =
      static_cast<double>(inputs * hw.elemBytes(MemoryType::kInp)) * passes.inputs;
  const double weight_bytes =
      static_cast<double>(weights * hw.elemBytes(MemoryType::kWgt)) * passes.weights;
  return loadUnitCycles(input_bytes, weight_bytes, hw) / context_.busBytesPerCycle();
}

bool OperandPlanner::planWgt() {
  sram_.has_identity = context_.schedule.int8_through_gemm && hasInt8Operands(context_.desc);
  const int64_t limit = context_.room.wgt - (sram_.has_identity ? 1 : 0);
  const bool has_weights = plan_.method == Method::kGemm && !plan_.identity_weights;
  if (has_weights) {
    const int64_t elems = weightElems();
    const int64_t count = wgtSlots(elems, limit);
    if (count * elems > limit) return context_.fail("WGT buffer elements", count * elems, limit);
    sram_.wgt = makeSlots(0, elems, count);
  } else if (limit < 0) {
    return context_.fail("WGT buffer elements", 1, 0);
  }
  sram_.identity_base = sram_.wgt.end();
  return true;
}

// Weights stay where several pixel tiles use them: all of them if they fit, else those of one
// channel tile while it walks its pixels.
int64_t OperandPlanner::wgtSlots(int64_t elems, int64_t limit) const {
  const Tiling& t = plan_.tiling;
  const int64_t all = t.steps() * t.outTiles();
  if (pixel_tiles_ > 1 && all <= maxSlots() && all * elems <= limit) return all;
  const bool outer = context_.schedule.order == Schedule::Order::kWeightsOuter;
  if (pixel_tiles_ > 1 && outer) return reuseSlots(t.steps(), elems, limit);
  return streamSlots(elems, limit);
}

// Inputs come first, then the padding element, then the staging slots.
bool OperandPlanner::planInp() {
  sram_.has_pad = mayNeedPadElement();
  const int64_t staged = stagedElems();
  const int64_t pad = sram_.has_pad ? kPadElems : 0;
  const int64_t depth = context_.room.inp;
  const int64_t limit = depth - (staged > 0 ? threads_ : 0) - pad;
  if (plan_.method == Method::kGemm) {
    const int64_t elems = context_.regionElems();
    const int64_t count = inpSlots(elems, limit);
    if (count * elems > limit) {
      return context_.fail("INP buffer elements", count * elems + depth - limit, depth);
    }
    sram_.inp = makeSlots(0, elems, count);
  } else if (limit < 0) {
    return context_.fail("INP buffer elements", depth - limit, depth);
  }
  sram_.pad_base = sram_.inp.end();
  if (staged == 0) return true;
  const int64_t staging_base = sram_.pad_base + pad;
  const int64_t fit = (depth - staging_base) / threads_;
  const int64_t elems = std::min({staged, fit, static_cast<int64_t>(kMaxIterations)});
  sram_.staging = makeSlots(staging_base, elems, threads_);
  return true;
}

// Inputs stay where several channel tiles use them. Otherwise the staging area has room for whole
// tiles.
int64_t OperandPlanner::inpSlots(int64_t elems, int64_t limit) const {
  const Tiling& t = plan_.tiling;
  const bool inner = context_.schedule.order == Schedule::Order::kWeightsInner;
  const bool reused = t.tiles_out_per_group > 1 && (inner || pixel_tiles_ == 1);
  return reused ? reuseSlots(t.steps(), elems, limit) : streamSlots(elems, limit);
}

// Weights of a step.
int64_t OperandPlanner::weightElems() const {
  const Tiling& t = plan_.tiling;
  return t.outBlocks() * t.stepGemms();
}

// Slots for contents that are used again `need` contents later, and for one more that is loaded
// ahead; fewer when there is no room.
int64_t OperandPlanner::reuseSlots(int64_t need, int64_t elems, int64_t limit) const {
  if (plan_.alternates) return std::clamp<int64_t>(limit / elems, threads_, maxSlots());
  for (const int64_t count : {need + threads_ - 1, std::max<int64_t>(need, threads_)}) {
    if (count <= maxSlots() && count * elems <= limit) return count;
  }
  return threads_;
}

// Slots for contents that are used once. Slots come free in program order, behind the ALU steps of
// the tile before. So short reduction steps need more than two to have the next load there in time.
// They take at most half a scratchpad, so that neighbouring layers have room.
int64_t OperandPlanner::streamSlots(int64_t elems, int64_t limit) const {
  const Tiling& t = plan_.tiling;
  if (plan_.alternates) return reuseSlots(0, elems, limit);
  const int64_t gemm = plan_.tile_elems * t.stepGemms();
  if (!plan_.pipelined || threads_ != 2 || gemm > kShortStepCycles) return threads_;
  return std::clamp<int64_t>(limit / 2 / elems, 2, std::min(kShortStepSlots, maxSlots()));
}

// Slots of one scratchpad, so that their tokens fit the queues: those of the other one and of the
// staging area take tokens, too.
int64_t OperandPlanner::maxSlots() const {
  const int64_t half = (context_.hw.params().token_queue_depth - threads_) / 2;
  return std::max<int64_t>(threads_, std::min(kMaxSlots, half));
}

// Whether some step of some tile may need taps that the padding of a LOAD cannot serve.
bool OperandPlanner::mayNeedPadElement() const {
  const bool contraction = context_.desc.kind == KernelKind::kContraction;
  if (!contraction || g_.pad_value == 0) return false;
  const Tiling& t = plan_.tiling;
  const int64_t reach_y = (g_.kernel_height - 1) * g_.dilation_y;
  const int64_t reach_x = (g_.kernel_width - 1) * g_.dilation_x;
  const int64_t below =
      (g_.out_height - 1) * g_.stride_y + reach_y - g_.pad_top - (g_.in_height - 1);
  const int64_t right =
      (g_.out_width - 1) * g_.stride_x + reach_x - g_.pad_left - (g_.in_width - 1);
  if (g_.pad_top <= 0 && g_.pad_left <= 0 && below <= 0 && right <= 0) return false;
  if (t.steps_ky > 1 || t.steps_kx > 1 || !loadedPadding(g_.pad_value, context_.hw)) return true;
  constexpr int64_t kMax = Transfer::kMaxPad;
  return std::max(g_.pad_top, below) > std::min(kMax, reach_y) ||
         std::max(g_.pad_left, right) > std::min(kMax, reach_x);
}

// The largest int8 operand that goes through INP to ACC at once.
int64_t OperandPlanner::stagedElems() const {
  if (!context_.schedule.int8_through_gemm) return 0;
  const Tiling& t = plan_.tiling;
  if (plan_.method == Method::kElementwise) return t.outBlocks() * t.pixels();
  int64_t elems = context_.residualElems();
  if (sram_.residual_in_pieces) elems = sram_.residual.elems;
  if (plan_.method == Method::kAluPool) elems = std::max(elems, context_.regionElems());
  return elems;
}

}  // namespace vta::kernel
