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

WeightStrides KernelDesc::weightStrides() const {
  const int64_t outs = geometry.outBlocksPerGroup();
  const int64_t ins = geometry.inBlocksPerGroup();
  if (weight_layout == WeightLayout::kOutputRows) return {ins * outs, 1, outs};
  const int64_t taps = geometry.weightElems();
  return {outs * ins * taps, ins * taps, taps};
}

}  // namespace vta::kernel
