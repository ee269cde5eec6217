#include "tests/compiler/kernel/cycles/savings.h"

#include <algorithm>

#include "compiler/kernel/plan/kernel_plan.h"

namespace vta::kernel::testing {
namespace {

// The ReLU for itself, before the saturation.
void separateRelu(KernelDesc& desc) {
  const auto is_bound = [](const EpilogueStep& step) {
    return step.opcode == AluOpcode::kClip || step.opcode == AluOpcode::kMax;
  };
  const auto bound = std::ranges::find_if(desc.epilogue, is_bound);
  desc.epilogue.insert(bound, {AluOpcode::kMax, EpilogueStep::Source::kImmediate, 0, 0});
}

}  // namespace

HwConfig hwWithout(const std::string& name, const HwConfig& hw) {
  if (name != "extensions") return hw;
  HwParams params = hw.params();
  params.ext_qmul = params.ext_clip = false;
  return *HwConfig::create(params);
}

void removeFrom(std::vector<NetworkLayer>& layers, const std::string& name) {
  for (NetworkLayer& layer : layers) {
    if (name == "folded-bias") layer.desc.bias_exceeds_results = false;
    if (name == "merged-relu" && layer.relu) separateRelu(layer.desc);
  }
}

void removeFrom(std::vector<Schedule>& schedules, const std::string& name,
                std::span<const NetworkLayer> layers, const HwConfig& hw) {
  if (name != "skipped-padding") return;
  for (size_t i = 0; i < schedules.size(); ++i) {
    Schedule loading = schedules[i];
    loading.skip_padding = false;
    if (checkSchedule(layers[i].desc, loading, hw).ok()) schedules[i] = loading;
  }
}

}  // namespace vta::kernel::testing
