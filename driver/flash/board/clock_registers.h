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

/// How far from the wanted frequency a clock may be, as a share of it: divisors and crystals hit
/// few frequencies exactly, and timing was closed for the wanted one.
inline constexpr double kHighestClockShare = 1.001;
inline constexpr double kLowestClockShare = 0.999;

/// Sets the divisors so that the clock has `mhz`, and switches it on. Error kUnsupported, with
/// nothing changed, where the PLL cannot make that: it names the nearest two. With `take_slower`
/// the lower one of them is set.
Status setClockRegister(const System& system, const ClockInfo& clock, double reference_mhz,
                        double mhz, bool take_slower);

}  // namespace vta::flash
