#include "explore/sweep/network/outline_work.h"

#include <iterator>

namespace vta::sweep {

OutlineWork workOf(const compiler::ModuleOutline& outline) {
  OutlineWork work;
  work.kernels = std::ssize(outline.kernels);
  work.activation_bytes = outline.info.deviceArenaBytes();
  for (const StepInfo& step : outline.info.steps) {
    const int64_t macs = outline.info.layers[step.layer].macs;
    if (outline.info.isOnCpu(step)) {
      ++work.host_steps;
      work.macs_on_cpu += macs;
    } else {
      work.macs_on_vta += macs;
    }
  }
  return work;
}

}  // namespace vta::sweep
