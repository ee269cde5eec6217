// Ranges of an address space that are in use.
#pragma once

#include <cstdint>
#include <map>

#include "base/status.h"
#include "driver/device.h"

namespace vta::driver {

/// Hands out ranges of [begin, begin + size_bytes) that begin and end at multiples of a cache line,
/// so that no two share one.
class RangeAllocator {
 public:
  static constexpr uint64_t kLineBytes = 64;

  RangeAllocator(uint64_t begin, uint64_t size_bytes) : begin_(begin), end_(begin + size_bytes) {}

  /// As Device::allocate.
  Result<DeviceBuffer> allocate(uint64_t size_bytes, uint64_t alignment_bytes);

  /// As Device::free.
  Status free(const DeviceBuffer& buffer);

  /// Ok when the range lies in one buffer.
  Status checkRange(uint64_t address, uint64_t size_bytes) const;

  /// Bytes in buffers.
  uint64_t usedBytes() const;

 private:
  uint64_t begin_;
  uint64_t end_;
  std::map<uint64_t, uint64_t> sizes_;  // of buffers, by address
};

}  // namespace vta::driver
