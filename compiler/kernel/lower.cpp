#include "compiler/kernel/lower.h"

#include <algorithm>

#include "compiler/kernel/plan/kernel_plan.h"
#include "compiler/kernel/tile/kernel_lowering.h"
#include "isa/spec/lookup_table.h"
#include "isa/spec/narrow_weights.h"

namespace vta::kernel {

Result<Program> lower(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
                      const Placement& placement) {
  VTA_RETURN_IF_ERROR(validateKernelDesc(desc, hw));
  VTA_ASSIGN_OR_RETURN(KernelPlan plan, planKernel(desc, schedule, hw));
  if (placement.from_top) placeFromTop(plan.sram, hw);
  return KernelLowering(desc, schedule, hw, plan).run();
}

std::vector<int8_t> identityWeights(const HwConfig& hw) {
  std::vector<int8_t> weights(static_cast<size_t>(hw.blockOut()) * hw.blockIn(), 0);
  for (int i = 0; i < std::min(hw.blockOut(), hw.blockIn()); ++i) {
    weights[static_cast<size_t>(i) * hw.blockIn() + i] = 1;
  }
  return packWeights(weights, hw.params().wgt_width_bits);
}

std::vector<int8_t> paddingElement(int64_t pad_value, const HwConfig& hw) {
  const auto lanes = static_cast<size_t>(hw.batch()) * static_cast<size_t>(hw.blockIn());
  return std::vector<int8_t>(lanes, static_cast<int8_t>(pad_value));
}

std::vector<int32_t> tableWords(std::span<const int8_t> table, const HwConfig& hw) {
  const auto lanes = static_cast<size_t>(hw.batch()) * static_cast<size_t>(hw.blockOut());
  std::vector<int32_t> words;
  words.reserve(kTableWords * lanes);
  for (uint32_t word = 0; word < kTableWords; ++word) {
    uint32_t bits = 0;
    for (uint32_t i = kTableEntriesPerWord; i-- > 0;) {
      const uint32_t entry = word * kTableEntriesPerWord + i;  // as the hardware counts, from 0 on
      bits = bits << 8 | static_cast<uint8_t>(table[(entry + kTableEntries / 2) % kTableEntries]);
    }
    words.insert(words.end(), lanes, static_cast<int32_t>(bits));
  }
  return words;
}

}  // namespace vta::kernel
