// What a bitstream needs of the processing system beside its clocks: port widths, and what its
// registers have to read.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "driver/flash/board/system.h"
#include "driver/flash/format/description.h"

namespace vta::flash {

/// One thing that was looked at.
struct NeedReport {
  std::string what;   // "clock fclk0"
  std::string found;  // "100 MHz"
  double mhz = 0;     // of a clock; 0: not read
  bool was_set = false;
  std::string warning;  // why it could not be looked at; empty if it could
};

/// Sets the widths of ports, which only /dev/mem reaches; an overlay that was loaded has
/// set them already (`by_overlay`).
Result<std::vector<NeedReport>> meetPorts(const System& system, const BoardDescription& description,
                                          bool use_memory, bool by_overlay);

/// Reads the registers id to extensions: through UIO, or through /dev/mem when `use_memory`.
/// `source` becomes the file's name.
Result<HardwareIdentity> readIdentity(const System& system, const BoardDescription& description,
                                      bool use_memory, std::string& source);

/// Ok when the hardware reads as the description says. Error kDeviceFault with both.
Status checkReadBack(const HardwareIdentity& found, const BoardDescription& description);

}  // namespace vta::flash
