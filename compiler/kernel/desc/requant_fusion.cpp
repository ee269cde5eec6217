#include "compiler/kernel/desc/requant_fusion.h"

#include <algorithm>
#include <span>

namespace vta::kernel {
namespace {

using Source = EpilogueStep::Source;

// The number of the QMUL; none where the epilogue has no such place.
std::optional<size_t> findQmul(const std::vector<EpilogueStep>& steps) {
  for (size_t i = 0; i + 1 < steps.size(); ++i) {
    if (steps[i].opcode == AluOpcode::kQmul && steps[i].source == Source::kParam &&
        steps[i + 1].opcode == AluOpcode::kClip) {
      return i;
    }
  }
  return std::nullopt;
}

// The number of the ADD of a bias among the ADDs right in front of `end`. Sums wrap, so their order
// does not matter; but a sum with itself doubles a bias in front of it.
std::optional<size_t> findBias(const std::vector<EpilogueStep>& steps, size_t end) {
  for (size_t i = end; i > 0 && steps[i - 1].opcode == AluOpcode::kAdd; --i) {
    if (steps[i - 1].source == Source::kSelf) break;
    if (steps[i - 1].hasConstant()) return i - 1;
  }
  return std::nullopt;
}

// Gives the vectors that steps still use their new numbers, in the order of their first use.
void renumber(std::vector<EpilogueStep>& steps, std::vector<int32_t>& kept) {
  for (EpilogueStep& step : steps) {
    if (step.source != Source::kParam || readsPair(step.opcode)) continue;
    auto found = std::ranges::find(kept, step.param);
    if (found == kept.end()) found = kept.insert(kept.end(), step.param);
    step.param = static_cast<int32_t>(2 + (found - kept.begin()));
  }
}

}  // namespace

std::optional<RequantFusion> findRequant(const KernelDesc& desc, const HwConfig& hw) {
  if (!hw.params().ext_requant || desc.hasPair()) return std::nullopt;
  const auto qmul = findQmul(desc.epilogue);
  if (!qmul) return std::nullopt;
  RequantFusion fusion;
  fusion.desc = desc;
  fusion.multiplier = desc.epilogue[*qmul].param;
  fusion.shift = desc.epilogue[*qmul].imm;
  std::vector<EpilogueStep>& steps = fusion.desc.epilogue;
  const auto at = steps.begin() + static_cast<int64_t>(*qmul);
  *at = {AluOpcode::kRequant, Source::kParam, (at + 1)->imm, 0};
  steps.erase(at + 1);
  if (const auto bias = findBias(steps, *qmul)) {
    const EpilogueStep& step = steps[*bias];
    if (step.source == Source::kParam) fusion.bias = step.param;
    if (step.source == Source::kImmediate) fusion.bias_immediate = step.imm;
    steps.erase(steps.begin() + static_cast<int64_t>(*bias));
  }
  renumber(steps, fusion.kept);
  if (fusion.desc.residual) renumber(fusion.desc.residual->steps, fusion.kept);
  fusion.desc.num_params = 2 + std::ssize(fusion.kept);
  // The bias is not added by itself any more.
  fusion.desc.bias_exceeds_results = false;
  fusion.desc.small_bias_blocks.clear();
  return fusion;
}

std::vector<int32_t> fuseParams(const RequantFusion& fusion, const std::vector<int32_t>& param,
                                const HwConfig& hw) {
  const auto lanes = static_cast<size_t>(hw.batch()) * static_cast<size_t>(hw.blockOut());
  const size_t vector = static_cast<size_t>(fusion.desc.geometry.out_channel_blocks) * lanes;
  const auto vectorAt = [&](int32_t index) {
    return std::span(param).subspan(static_cast<size_t>(index) * vector, vector);
  };
  const int shift_lsb = requantShiftLsb(hw.params());
  const uint32_t multiplier_mask = (uint32_t{1} << shift_lsb) - 1;
  const uint32_t shift = static_cast<uint32_t>(fusion.shift) << shift_lsb;
  std::vector<int32_t> out;
  out.reserve((2 + fusion.kept.size()) * vector);
  const std::span<const int32_t> multiplier = vectorAt(fusion.multiplier);
  for (size_t block = 0; block < vector; block += lanes) {
    for (const int32_t value : multiplier.subspan(block, lanes)) {
      out.push_back(static_cast<int32_t>((static_cast<uint32_t>(value) & multiplier_mask) | shift));
    }
    if (fusion.bias) {
      const auto bias = vectorAt(*fusion.bias).subspan(block, lanes);
      out.insert(out.end(), bias.begin(), bias.end());
    } else {
      out.insert(out.end(), lanes, fusion.bias_immediate);
    }
  }
  for (const int32_t index : fusion.kept) {
    const auto kept = vectorAt(index);
    out.insert(out.end(), kept.begin(), kept.end());
  }
  return out;
}

}  // namespace vta::kernel
