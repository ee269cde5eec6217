// The clocks that a bitstream needs: set before it is loaded, checked afterwards.
#pragma once

#include <vector>

#include "base/status.h"
#include "driver/flash/board/needs.h"
#include "driver/flash/board/system.h"
#include "driver/flash/format/description.h"

namespace vta::flash {

/// How clocks may be reached and what may become of them.
struct ClockRules {
  bool use_memory = false;   // /dev/mem, for clocks for which the kernel has no device
  bool take_slower = false;  // the nearest lower clock where a PLL cannot make the wanted one
};

/// Sets and reads back the clocks of `description`, before its bitstream is loaded: a PLL in the
/// logic that multiplies a clock may lose its lock for good when that clock changes under it.
/// Errors: a clock that stays faster than the design was timed for; kUnsupported for one that the
/// PLL cannot make, with the nearest two, and for one that the design multiplies and that nothing
/// here can read.
Result<std::vector<NeedReport>> meetClocks(const System& system,
                                           const BoardDescription& description,
                                           const ClockRules& rules);

/// The same after the loading, with what meetClocks() reported before it: a clock whose device came
/// with the overlay is set now. Error kDeviceFault for a clock that the design multiplies and that
/// is no longer what it was.
Result<std::vector<NeedReport>> confirmClocks(const System& system,
                                              const BoardDescription& description,
                                              const ClockRules& rules,
                                              const std::vector<NeedReport>& before);

}  // namespace vta::flash
