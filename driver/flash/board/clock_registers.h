// The clocks of the logic by the processing system's registers, for kernels without devices for
// them.
#pragma once

#include "base/status.h"
#include "driver/flash/board/system.h"
#include "driver/flash/format/description.h"
#include "driver/flash/format/ports.h"

namespace vta::flash {

/// Frequency of `clock` in MHz. Errors: /dev/mem cannot be mapped; kUnsupported when the clock
/// comes from a source whose frequency these registers do not tell.
Result<double> readClockRegister(const System& system, const ClockInfo& clock,
                                 double reference_mhz);

/// Sets the divisors so that the clock has at most `mhz`, and switches it on.
Status setClockRegister(const System& system, const ClockInfo& clock, double reference_mhz,
                        double mhz);

}  // namespace vta::flash
