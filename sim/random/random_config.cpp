#include "sim/random/random_config.h"

#include "isa/config/random_params.h"

namespace vta::sim {

HwConfig randomHwConfig(Rng& rng) {
  const UniformNumber uniform = [&](int64_t min, int64_t max) {
    return int64_t{rng.pick(static_cast<uint32_t>(min), static_cast<uint32_t>(max))};
  };
  for (;;) {
    const Result<HwConfig> hw = HwConfig::create(drawHwParams(uniform));
    if (hw.ok()) return *hw;
  }
}

}  // namespace vta::sim
