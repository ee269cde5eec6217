// The configuration of hardware, from what its registers say.
#pragma once

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "isa/registers/identity.h"

namespace vta {

/// A configuration whose programs the hardware runs: of what programs see, it is the hardware's;
/// the rest has its default. The registers lack a few parameters of extensions; those are found by
/// the fingerprint. Errors: kUnsupported when it is no VTA, has another register map, or no
/// configuration has its fingerprint.
Result<HwConfig> configurationOf(const HardwareIdentity& found);

}  // namespace vta
