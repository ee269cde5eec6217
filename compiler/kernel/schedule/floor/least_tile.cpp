#include "compiler/kernel/schedule/floor/least_tile.h"

#include <algorithm>
#include <cstdint>

#include "compiler/kernel/primitives/transfer.h"

namespace vta::kernel {
namespace {

double toDouble(int64_t value) { return static_cast<double>(value); }

struct LeastSizes {
  int64_t pixels, groups, group_out_blocks;
  int64_t outputs() const { return pixels * groups * group_out_blocks; }
};

LeastSizes leastSizes(const KernelPlan& plan) {
  const Geometry& g = plan.outputs;
  const Tiling& t = plan.tiling;
  return {leastPiece(g.out_height, t.height) * leastPiece(g.out_width, t.width),
          leastPiece(g.groups, t.groups), leastPiece(g.outBlocksPerGroup(), t.group_out_blocks)};
}

// Steps of the epilogue that follow the last GEMM of a tile: all of them, or those from a residual
// on that goes through GEMMs. A tile may begin with its bias, and pieces of a residual may be
// combined with parts of the tile early.
int64_t stepsBehindGemm(const KernelDesc& desc, const Schedule& schedule, const KernelPlan& plan) {
  if (plan.sram.residual_in_pieces) return 0;
  int64_t steps = 0;
  for (const EpilogueStep& step : desc.epilogue) {
    const bool is_residual = step.source == EpilogueStep::Source::kResidual;
    if (is_residual && schedule.int8_through_gemm) {
      steps = plan.residual_by_gemm ? 0 : 1;
    } else {
      ++steps;
    }
  }
  const bool counts_bias = steps == static_cast<int64_t>(desc.epilogue.size());
  return steps - (plan.begins_with_bias && counts_bias ? 1 : 0);
}

// Whether GEMMs take every tap of every output: those in the padding, too.
bool takesAllTaps(const Schedule& schedule, const KernelPlan& plan) {
  const Geometry& g = plan.geometry;
  if (schedule.skip_padding || plan.identity_weights) return false;
  const int64_t padding = std::max({g.pad_top, g.pad_left, g.pad_bottom, g.pad_right});
  return g.pad_value != 0 || padding <= Transfer::kMaxPad;
}

}  // namespace

LeastTile leastStoredTile(const KernelPlan& plan, const HwConfig& hw) {
  LeastTile least;
  if (!plan.outputs.storesAll()) return least;
  const double bytes = toDouble(leastSizes(plan).outputs() * hw.elemBytes(MemoryType::kOut));
  least.stores = streamOfBytes(bytes, hw);
  return least;
}

LeastTile leastTile(const KernelDesc& desc, const Schedule& schedule, const KernelPlan& plan,
                    const HwConfig& hw, const StepSums& rows, const StepSums& cols) {
  const Geometry& g = plan.geometry;
  const Tiling& t = plan.tiling;
  LeastTile least = leastStoredTile(plan, hw);
  const LeastSizes sizes = leastSizes(plan);
  const int64_t in_blocks = leastPiece(g.inBlocksPerGroup(), t.group_in_blocks);
  const int64_t taps = leastPiece(g.kernel_height, t.kernel_height) *
                       (g.folds() ? t.weight_columns : leastPiece(g.kernel_width, t.kernel_width));
  const int64_t places = sizes.groups * in_blocks * rows.least * cols.least;
  least.operands.inputs = streamOfBytes(toDouble(places * hw.elemBytes(MemoryType::kInp)), hw);
  if (!plan.identity_weights) {
    const int64_t weights = sizes.groups * sizes.group_out_blocks * in_blocks * taps;
    least.operands.weights = streamOfBytes(toDouble(weights * hw.elemBytes(MemoryType::kWgt)), hw);
  }
  least.alu_cycles =
      toDouble(stepsBehindGemm(desc, schedule, plan) * sizes.outputs() * hw.params().alu_passes);
  if (places == 0 || !takesAllTaps(schedule, plan)) return least;
  least.step_products = toDouble(sizes.outputs() * in_blocks * taps);
  least.products = toDouble(sizes.outputs() * g.inBlocksPerGroup() * g.weightElems());
  return least;
}

}  // namespace vta::kernel
