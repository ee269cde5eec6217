// A card that XRT knows, with the container that holds the core.
#pragma once

#include <experimental/xrt_xclbin.h>
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>

#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "driver/xrt/card_options.h"
#include "driver/xrt/card_registers.h"

namespace vta::driver {

/// Where buffers lie: a memory of the card that the core reaches.
struct CardBank {
  std::string name;  // "DDR[0]"
  xrt::memory_group group = 0;
  uint64_t size_bytes = 0;
};

/// An open card whose core this process alone uses.
struct Card {
  xrt::device device;
  std::string name;  // of the platform
  CardBank bank;
  std::string ip_name;
  std::unique_ptr<CardRegisters> registers;
};

/// Opens a card, loads the container into it, and opens the core in it. Errors: kNotFound, no XRT,
/// no card, no such card, container, core or memory; kInvalidArgument, a file that is no container,
/// or one for another card; kResourceExhausted, another process uses the core.
Result<Card> openCard(const CardOptions& options);

}  // namespace vta::driver
