// Which FPGA this machine has.
#pragma once

#include <string>

#include "base/status.h"
#include "driver/flash/board/system.h"
#include "driver/flash/format/fpga_dies.h"

namespace vta::flash {

struct FoundDevice {
  FpgaDie die;
  std::string source;  // who says so: "/sys/devices/soc0", "--die"
};

/// A die by its name, a part's name or the IDCODE that its bitstreams write ("0x04a42093").
/// Error: kInvalidArgument with the known names.
Result<FpgaDie> dieFromText(const std::string& text);

/// Asks the kernel for the die, and the device tree for the board when the kernel is too old.
/// Error: kNotFound when nothing tells.
Result<FoundDevice> findDevice(const System& system);

/// The die at the end of a JTAG cable, from what 'openFPGALoader --detect' printed. Error:
/// kNotFound.
Result<FoundDevice> deviceFromJtag(const std::string& output);

}  // namespace vta::flash
