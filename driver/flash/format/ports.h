// Where the two families keep the widths of their AXI ports and the clocks of the logic: one table
// for the checks, for /dev/mem and for device-tree overlays.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/status.h"
#include "driver/flash/format/fpga_dies.h"

namespace vta::flash {

/// A field of a register of the processing system that holds a port's width.
struct WidthField {
  uint64_t address = 0;  // 0: there is none
  int lsb = 0;
  int bits = 0;
  int afi_register = -1;  // its number in the overlay's "config-afi"; -1: not there
};

/// An AXI port between the processing system and the logic.
struct PortInfo {
  FpgaFamily family = FpgaFamily::kZynq7000;
  std::string_view name;                // "S_AXI_HP0"
  std::array<int, 3> widths_bits = {};  // by the field's value; 0: no such value
  WidthField read;                      // a port without fields has one width
  WidthField write;
};

std::span<const PortInfo> ports();
/// nullptr if that family has no such port.
const PortInfo* findPort(FpgaFamily family, std::string_view name);
/// The field's value for a width; nothing if the port cannot have it.
std::optional<uint32_t> widthCode(const PortInfo& port, int width_bits);

/// Errors: kInvalidArgument with the ports of the family, or with the port's widths.
Status checkPort(FpgaFamily family, std::string_view name, int width_bits);

/// A clock from the processing system to the logic.
struct ClockInfo {
  FpgaFamily family = FpgaFamily::kZynq7000;
  std::string_view name;              // "fclk0"
  uint64_t control_address = 0;       // its register with divisors
  std::string_view device_tree_node;  // "<&clkc 15>"
};
const ClockInfo* findClock(FpgaFamily family, std::string_view name);
/// Error: kInvalidArgument with the clocks of the family.
Status checkClock(FpgaFamily family, std::string_view name);

}  // namespace vta::flash
