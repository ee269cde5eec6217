// What the functions of the shim share: open cards.
#pragma once

#include <xrt.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "sim/card/kernel_commands.h"
#include "sim/card/virtual_card.h"

namespace xrt_core {
class device;
}

namespace vta::sim {

/// A buffer object: a copy on the host, and one on the card.
struct ShimBuffer {
  uint64_t address = 0;     ///< on the card
  uint64_t size_bytes = 0;  ///< of both copies
  uint32_t flags = 0;       ///< as XRT passed them: the bank, and whether the host has a copy
  /// The host's copy, aligned to a page.
  std::unique_ptr<std::byte[], void (*)(std::byte*)> host;
};

/// What an xclDeviceHandle points to.
struct ShimDevice {
  std::shared_ptr<VirtualCard> card;              ///< of all devices with its number
  std::unique_ptr<KernelCommands> commands;       ///< of kernels that XRT starts; never null
  std::map<xclBufferHandle, ShimBuffer> buffers;  ///< that this device owns, by their handles
  xclBufferHandle next_buffer = 1;                ///< the handle of the next one
  std::shared_ptr<xrt_core::device> xrt_device;   ///< XRT's own object for this device
};

/// The object behind a handle that xclOpen gave.
inline ShimDevice& shimDevice(xclDeviceHandle handle) { return *static_cast<ShimDevice*>(handle); }

/// Held by each function: cards are shared by all devices of the process.
std::mutex& shimMutex();

}  // namespace vta::sim
