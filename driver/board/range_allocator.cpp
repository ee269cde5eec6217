#include "driver/board/range_allocator.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>

#include "base/integer_math.h"

namespace vta::driver {
Result<DeviceBuffer> RangeAllocator::allocate(uint64_t size_bytes, uint64_t alignment_bytes) {
  if (size_bytes == 0 || !std::has_single_bit(alignment_bytes)) {
    return invalidArgument(
        fmt::format("cannot allocate {} bytes aligned to {}; legal: at least one byte, aligned to "
                    "a power of two",
                    size_bytes, alignment_bytes));
  }
  const uint64_t alignment = std::max(alignment_bytes, kLineBytes);
  uint64_t address = roundUp(begin_, alignment);  // first fit
  for (const auto& [begin, size] : sizes_) {
    if (address <= begin && size_bytes <= begin - address) break;
    address = std::max(address, roundUp(begin + size, alignment));
  }
  if (address > end_ || size_bytes > end_ - address) {
    return Status(StatusCode::kResourceExhausted,
                  fmt::format("{} bytes of contiguous memory requested, {} of {} free", size_bytes,
                              end_ - begin_ - usedBytes(), end_ - begin_));
  }
  sizes_.emplace(address, size_bytes);
  return DeviceBuffer{address, size_bytes};
}

Status RangeAllocator::free(const DeviceBuffer& buffer) {
  const auto it = sizes_.find(buffer.address);
  if (it == sizes_.end() || it->second != buffer.size_bytes) {
    return invalidArgument(fmt::format("no buffer of {} bytes was allocated at {:#x}",
                                       buffer.size_bytes, buffer.address));
  }
  sizes_.erase(it);
  return {};
}

Status RangeAllocator::checkRange(uint64_t address, uint64_t size_bytes) const {
  auto it = sizes_.upper_bound(address);
  if (it != sizes_.begin()) {
    --it;
    const uint64_t offset = address - it->first;
    if (offset <= it->second && size_bytes <= it->second - offset) return {};
  }
  return invalidArgument(
      fmt::format("{} bytes at {:#x} do not lie in one allocated buffer", size_bytes, address));
}

uint64_t RangeAllocator::usedBytes() const {
  uint64_t used_bytes = 0;
  for (const auto& [begin, size] : sizes_) used_bytes += roundUp(size, kLineBytes);
  return used_bytes;
}

}  // namespace vta::driver
