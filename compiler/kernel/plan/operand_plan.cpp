// WGT and INP: slots of weights, of inputs, and of int8 operands on their way to ACC.
#include <algorithm>

#include "compiler/kernel/plan/planner.h"
#include "compiler/kernel/primitives/loop_nest.h"
#include "compiler/kernel/primitives/transfer.h"

namespace vta::kernel {
namespace {

// Slots that a tile finds filled that reads the same as the one before: `wanted`, of `slots`.
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

bool Planner::planWgt() {
  SramPlan& sram = plan_.sram;
  const Tiling& t = plan_.tiling;
  sram.has_identity = s_.int8_through_gemm && hasInt8Operands(desc_);
  const int64_t limit = depth(MemoryType::kWgt) - (sram.has_identity ? 1 : 0);
  const bool has_weights = plan_.method == Method::kGemm && !plan_.identity_weights;
  if (has_weights) {
    const int64_t elems = weightElems();
    const int64_t pixel_tiles = g_.batch_blocks * t.pixelTiles();
    const int64_t ahead = s_.virtual_threads - 1;
    int64_t count = streamSlots(elems, limit);
    const int64_t all = t.steps() * t.outTiles();
    if (pixel_tiles > 1 && all <= maxSlots() && all * elems <= limit) {
      count = all;
    } else if (pixel_tiles > 1 && s_.order == Schedule::Order::kWeightsOuter) {
      count = slotCount(t.steps(), ahead, elems, limit);
    }
    if (count * elems > limit) return fail("WGT buffer elements", count * elems, limit);
    sram.wgt = slots(0, elems, count);
  } else if (limit < 0) {
    return fail("WGT buffer elements", 1, 0);
  }
  sram.identity_base = sram.wgt.end();
  return true;
}

bool Planner::planInp() {
  SramPlan& sram = plan_.sram;
  const Tiling& t = plan_.tiling;
  sram.has_pad = mayNeedPadElement();
  const int64_t staged = stagedElems();
  const int64_t min_staging = staged > 0 ? s_.virtual_threads : 0;
  const int64_t depth_elems = depth(MemoryType::kInp);
  const int64_t limit = depth_elems - min_staging - (sram.has_pad ? kPadElems : 0);
  if (plan_.method == Method::kGemm) {
    const int64_t elems = regionElems();
    const bool reused = t.tiles_out_per_group > 1 && (s_.order == Schedule::Order::kWeightsInner ||
                                                      g_.batch_blocks * t.pixelTiles() == 1);
    // Leave the staging area room for whole tiles where inputs need not stay.
    const int64_t count = reused ? slotCount(t.steps(), s_.virtual_threads - 1, elems, limit)
                                 : streamSlots(elems, limit);
    if (count * elems > limit) {
      return fail("INP buffer elements", count * elems + depth_elems - limit, depth_elems);
    }
    sram.inp = slots(0, elems, count);
  } else if (limit < 0) {
    return fail("INP buffer elements", depth_elems - limit, depth_elems);
  }
  sram.pad_base = sram.inp.end();
  const int64_t staging_base = sram.pad_base + (sram.has_pad ? kPadElems : 0);
  if (staged > 0) {
    const int64_t fit = (depth_elems - staging_base) / s_.virtual_threads;
    const int64_t elems = std::min({staged, fit, static_cast<int64_t>(kMaxIterations)});
    sram.staging = slots(staging_base, elems, s_.virtual_threads);
  }
  return true;
}

// Weights of a step.
int64_t Planner::weightElems() const {
  const Tiling& t = plan_.tiling;
  return t.outBlocks() * t.group_in_blocks * t.kernel_height * t.kernel_width;
}

// Where a kernel's loads take as long as its arithmetic, passes go to and fro through all slots
// that there is room for, if that saves anything: what the last ones hold need not be loaded again.
bool Planner::planOperands() {
  if (!planWgt() || !planInp()) return false;
  const bool may_alternate = plan_.method == Method::kGemm && !plan_.identity_weights &&
                             !plan_.pool && g_.groups == 1 && s_.virtual_threads > 1;
  if (!may_alternate) return true;
  const Tiling& t = plan_.tiling;
  const int64_t tiles = g_.batch_blocks * t.pixelTiles() * t.outTiles();
  const int64_t reductions = t.steps() * t.group_in_blocks * t.kernel_height * t.kernel_width;
  const double loads = loadCycles();
  constexpr double kMargin = 0.9;
  if (loads < kMargin * static_cast<double>(tiles * tileElems() * reductions)) return true;
  plan_.alternates = true;
  if (!planWgt() || !planInp()) return false;
  if (loadCycles() < loads) return true;
  plan_.alternates = false;
  return planWgt() && planInp();
}

// Cycles of the bus for all inputs and weights.
double Planner::loadCycles() const {
  const Tiling& t = plan_.tiling;
  const OperandPasses passes = operandPasses(plan_, s_.order);
  const int64_t inputs = regionElems() * t.steps() * t.pixelTiles() * g_.batch_blocks;
  const int64_t weights = weightElems() * t.steps() * t.outTiles();
  const double bytes =
      static_cast<double>(inputs * hw_.elemBytes(MemoryType::kInp)) * passes.inputs +
      static_cast<double>(weights * hw_.elemBytes(MemoryType::kWgt)) * passes.weights;
  return bytes / (hw_.params().axi_data_width_bits / 8.0);
}

// Slots for contents that are used again `need` contents later; fewer when there is no room.
int64_t Planner::slotCount(int64_t need, int64_t ahead, int64_t elems, int64_t limit) const {
  if (plan_.alternates) {
    return std::clamp<int64_t>(limit / elems, s_.virtual_threads, maxSlots());
  }
  for (const int64_t count : {need + ahead, std::max<int64_t>(need, s_.virtual_threads)}) {
    if (count <= maxSlots() && count * elems <= limit) return count;
  }
  return s_.virtual_threads;
}

// Slots for contents that are used once. Slots come free in program order, behind the ALU steps
// of the tile before: short reduction steps need more than two to have the next load there in
// time. At most half a scratchpad, so that neighbouring layers have room.
int64_t Planner::streamSlots(int64_t elems, int64_t limit) const {
  const Tiling& t = plan_.tiling;
  const int64_t gemm = tileElems() * t.group_in_blocks * t.kernel_height * t.kernel_width;
  constexpr int64_t kShortStep = 1024;  // GEMM cycles
  constexpr int64_t kSlots = 4;
  if (plan_.alternates) return slotCount(0, 0, elems, limit);
  if (!plan_.pipelined || s_.virtual_threads != 2 || gemm > kShortStep) return s_.virtual_threads;
  return std::clamp<int64_t>(limit / 2 / elems, 2, std::min(kSlots, maxSlots()));
}

// Whether some step of some tile may need taps that a LOAD's padding cannot serve.
bool Planner::mayNeedPadElement() const {
  if (desc_.kind != KernelKind::kContraction || g_.pad_kind != PadKind::kMin) return false;
  const Tiling& t = plan_.tiling;
  const int64_t below = (g_.out_height - 1) * g_.stride_y + (g_.kernel_height - 1) * g_.dilation_y -
                        g_.pad_top - (g_.in_height - 1);
  const int64_t right = (g_.out_width - 1) * g_.stride_x + (g_.kernel_width - 1) * g_.dilation_x -
                        g_.pad_left - (g_.in_width - 1);
  if (g_.pad_top <= 0 && g_.pad_left <= 0 && below <= 0 && right <= 0) return false;
  if (t.steps_ky > 1 || t.steps_kx > 1) return true;
  const int64_t reach_y = (g_.kernel_height - 1) * g_.dilation_y;
  const int64_t reach_x = (g_.kernel_width - 1) * g_.dilation_x;
  constexpr int64_t kMax = Transfer::kMaxPad;
  return std::max(g_.pad_top, below) > std::min(kMax, reach_y) ||
         std::max(g_.pad_left, right) > std::min(kMax, reach_x);
}

// The largest int8 operand that goes through INP to ACC at once.
int64_t Planner::stagedElems() const {
  if (!s_.int8_through_gemm) return 0;
  const Tiling& t = plan_.tiling;
  const int64_t tile = t.outBlocks() * t.pixels();
  int64_t elems = desc_.residual ? tile : 0;
  if (plan_.sram.residual_in_pieces) elems = plan_.sram.residual.elems;
  if (plan_.method == Method::kAluPool) elems = std::max(elems, regionElems());
  if (plan_.method == Method::kElementwise) elems = tile;
  return elems;
}

}  // namespace vta::kernel
