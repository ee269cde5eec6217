// Memory of a card.
#pragma once

#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>

#include <cstddef>
#include <cstdint>
#include <map>

#include "base/status.h"
#include "driver/device.h"
#include "driver/xrt/card.h"

namespace vta::driver {

/// Buffers of a card. Each is a buffer object of XRT, with a copy on the host and one on the card.
class CardMemory {
 public:
  /// Whole lines are copied, so that embedded platforms, where copying is cache maintenance, lose
  /// nothing.
  static constexpr uint64_t kLineBytes = 64;

  /// `address_bits` are those of the core's memory port.
  CardMemory(xrt::device device, CardBank bank, int address_bits)
      : device_(std::move(device)), bank_(std::move(bank)), address_bits_(address_bits) {}

  /// As Device::allocate; the contents are anything, on both sides.
  Result<DeviceBuffer> allocate(uint64_t size_bytes, uint64_t alignment_bytes);

  /// As Device::free.
  Status free(const DeviceBuffer& buffer);

  /// Ok when the range lies in one buffer.
  Status checkRange(uint64_t address, uint64_t size_bytes) const;

  /// Where the host's copy of `address` lies, nullptr when it is in no buffer.
  std::byte* hostAddress(uint64_t address) const;

  /// The end of the buffer that holds `address`, which has to be in one.
  uint64_t bufferEnd(uint64_t address) const;

  /// Copies the lines of a range, which has to lie in one buffer. Errors: kIoError.
  Status copyToCard(uint64_t address, uint64_t size_bytes);
  Status copyFromCard(uint64_t address, uint64_t size_bytes);

 private:
  struct Buffer {
    xrt::bo object;
    uint64_t offset_bytes = 0;  // of the buffer in the object
    uint64_t size_bytes = 0;
    std::byte* host = nullptr;  // of the buffer
  };
  using Buffers = std::map<uint64_t, Buffer>;  // by address

  Buffers::const_iterator find(uint64_t address, uint64_t size_bytes) const;
  uint64_t freeBytes() const;  // of the bank, if nobody else uses it
  Result<xrt::bo> makeObject(uint64_t size_bytes);
  Status copy(xclBOSyncDirection direction, uint64_t address, uint64_t size_bytes);

  xrt::device device_;
  CardBank bank_;
  int address_bits_;
  Buffers buffers_;
};

}  // namespace vta::driver
