#include "compiler/kernel/desc/weight_layout.h"

#include <fmt/format.h>

namespace vta::kernel {

Status validateWeightLayout(const KernelDesc& desc, const HwConfig& hw) {
  if (desc.weight_layout == WeightLayout::kTiles) return {};
  const Geometry& g = desc.geometry;
  const bool has_pads = (g.pad_top | g.pad_left | g.pad_bottom | g.pad_right) != 0;
  const bool by_inputs = desc.weight_layout == WeightLayout::kInputRows;
  if (desc.kind != KernelKind::kContraction || g.kernel_height != 1 || g.folds() ||
      (g.kernel_width != 1 && !by_inputs) || g.phases != 1 || has_pads) {
    return invalidArgument("weights in rows need a contraction of 1x1 without padding or phases");
  }
  const HwParams& p = hw.params();
  if (p.wgt_width_bits != 8) {
    return unsupported(fmt::format("weights in rows need weights of 8 bits; '{}' has {}", hw.name(),
                                   p.wgt_width_bits));
  }
  if (by_inputs) {
    if (p.ext_transpose) return {};
    return unsupported(fmt::format(
        "weights whose rows are input channels need extension transpose, which '{}' lacks",
        hw.name()));
  }
  if (p.block_in == p.block_out) return {};
  return unsupported(fmt::format(
      "weights whose rows are output channels need equal blocks; '{}' has block_in {} and "
      "block_out {}",
      hw.name(), p.block_in, p.block_out));
}

Status validateWeightFactors(const KernelDesc& desc, const HwConfig& hw) {
  if (desc.factor_blocks == 0) return {};
  const int64_t blocks = desc.geometry.inBlocksPerGroup();
  if (desc.factor_blocks < 0 || desc.factor_blocks > blocks) {
    return invalidArgument(
        fmt::format("factor_blocks is {}; it must be 0 to {}", desc.factor_blocks, blocks));
  }
  if (desc.kind != KernelKind::kContraction || desc.weight_layout != WeightLayout::kTiles) {
    return invalidArgument("factors belong to a contraction with weights of its own");
  }
  const int64_t others = desc.num_params - desc.numFactors();
  const int64_t least = desc.hasPair() ? 2 : 0;
  if (others < least) {
    return invalidArgument(fmt::format("{} factors and {} other parameters need more than {}",
                                       desc.numFactors(), least, desc.num_params));
  }
  if (desc.bias_exceeds_results) {
    return invalidArgument("accumulators with factors cannot begin with the bias");
  }
  if (!hw.params().compat_0_0_2) return {};
  return unsupported("weights with factors need MUL, which 0.0.2 hardware lacks");
}

WeightStrides KernelDesc::weightStrides() const {
  const int64_t outs = geometry.outBlocksPerGroup();
  const int64_t ins = geometry.inBlocksPerGroup();
  if (weight_layout == WeightLayout::kOutputRows) return {ins * outs, 1, outs};
  const int64_t taps = geometry.weightElems();
  return {outs * ins * taps, ins * taps, taps};
}

}  // namespace vta::kernel
