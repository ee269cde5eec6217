#include "sim/random/random_config.h"

#include "isa/config/large_elements.h"
#include "isa/config/random_params.h"
#include "isa/config/whole_operands.h"

namespace vta::sim {

HwConfig randomHwConfig(Rng& rng, ElementSizes sizes) {
  const UniformNumber uniform = [&](int64_t min, int64_t max) {
    return int64_t{rng.pick(static_cast<uint32_t>(min), static_cast<uint32_t>(max))};
  };
  const Reshape reshape = [&](HwParams& params, const UniformNumber& draw) {
    if (sizes == ElementSizes::kAll) enlargeSomeElements(params, draw);
    widenSomeOperands(params, draw);
  };
  for (;;) {
    const Result<HwConfig> hw = HwConfig::create(drawHwParams(uniform, reshape));
    if (hw.ok()) return *hw;
  }
}

}  // namespace vta::sim
