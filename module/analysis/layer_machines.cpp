#include "module/analysis/layer_machines.h"

namespace vta {

std::vector<uint32_t> executorsOfLayers(const ModuleInfo& info) {
  std::vector<uint32_t> executors(info.layers.size(), 0);
  for (size_t i = info.steps.size(); i-- > 0;) {
    executors[info.steps[i].layer] = info.steps[i].executor;
  }
  return executors;
}

}  // namespace vta
