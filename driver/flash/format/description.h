// The file beside a bitstream of ours that says what the bitstream needs of the board.
// hw/boards/build writes it (docs/flashing.md, "Description").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "driver/flash/format/fpga_dies.h"
#include "isa/registers/identity.h"

namespace vta::flash {

struct ClockNeed {
  std::string name;         // "fclk0" on a Zynq-7000, "pl0" on a Zynq UltraScale+
  double mhz = 0;           // what the design was timed for: never more
  bool multiplied = false;  // by a PLL in the design, which may not see it change
};

struct PortNeed {
  std::string name;    // "S_AXI_HP0", "M_AXI_GP0"
  int width_bits = 0;  // of the side of the logic
  bool coherent = false;
};

struct BoardDescription {
  std::string board;  // "pynq-z1"
  FpgaFamily family = FpgaFamily::kZynq7000;
  std::string part;
  double reference_mhz = 0;  // of the processing system's crystal
  uint64_t registers_address = 0;
  uint64_t registers_bytes = 0;
  int interrupt_spi = 0;  // shared peripheral interrupt of the GIC, from 0
  std::vector<ClockNeed> clocks;
  std::vector<PortNeed> ports;
  HardwareIdentity identity;  // what the registers read
};

/// Errors: kInvalidArgument with `source`, the key and the legal values.
Result<BoardDescription> parseDescription(std::string_view json, std::string_view source);

}  // namespace vta::flash
