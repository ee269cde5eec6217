// Hardware for tests of chains.
#pragma once

#include "isa/config/hw_config.h"

namespace vta::kernel::testing {

/// The default configuration with extension `handover`.
inline HwConfig defaultWithHandover() {
  HwParams params;
  params.ext_handover = true;
  return *HwConfig::create(params);
}

}  // namespace vta::kernel::testing
