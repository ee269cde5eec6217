#include "driver/xrt/card_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "base/integer_math.h"
#include "driver/xrt/guard.h"

namespace vta::driver {
namespace {

/// XRT places buffer objects at pages.
constexpr uint64_t kPageBytes = 4096;

}  // namespace

uint64_t CardMemory::freeBytes() const {
  uint64_t used_bytes = 0;
  for (const auto& [address, buffer] : buffers_) used_bytes += buffer.size_bytes;
  return bank_.size_bytes - std::min(used_bytes, bank_.size_bytes);
}

Result<xrt::bo> CardMemory::makeObject(uint64_t size_bytes) {
  const auto fails = [&](const std::string& why) {
    return Status(
        StatusCode::kResourceExhausted,
        fmt::format("{} bytes requested, at most {} of {} are free in the card's memory '{}'{}; "
                    "end other processes, or choose another memory with memory=<name>",
                    size_bytes, freeBytes(), bank_.size_bytes, bank_.name, why));
  };
  if (size_bytes > bank_.size_bytes) return fails("");
  auto object = guarded(StatusCode::kResourceExhausted,
                        [&] { return xrt::bo(device_, size_bytes, bank_.group); });
  if (object.ok()) return object;
  return fails(" (" + object.status().message() + ")");
}

Result<DeviceBuffer> CardMemory::allocate(uint64_t size_bytes, uint64_t alignment_bytes) {
  if (size_bytes == 0 || !std::has_single_bit(alignment_bytes)) {
    return invalidArgument(
        fmt::format("cannot allocate {} bytes aligned to {}; legal: at least one byte, aligned to "
                    "a power of two",
                    size_bytes, alignment_bytes));
  }
  const uint64_t spare_bytes = alignment_bytes > kPageBytes ? alignment_bytes : 0;
  if (size_bytes > ~uint64_t{0} / 2 || spare_bytes > ~uint64_t{0} / 4) {
    return makeObject(~uint64_t{0}).status();
  }
  Buffer buffer;
  buffer.size_bytes = size_bytes;
  VTA_ASSIGN_OR_RETURN(buffer.object, makeObject(roundUp(size_bytes, kLineBytes) + spare_bytes));
  const uint64_t address = roundUp(buffer.object.address(), alignment_bytes);
  const uint64_t last = address + size_bytes - 1;
  if (address_bits_ < 64 && last >> address_bits_ != 0) {
    return invalidArgument(fmt::format(
        "the card's memory '{}' has a buffer at {:#x} to {:#x}, the core's addresses have {} bits; "
        "set axi.addr_width_bits: 64 and build the kernel again",
        bank_.name, address, last, address_bits_));
  }
  buffer.offset_bytes = address - buffer.object.address();
  VTA_ASSIGN_OR_RETURN(buffer.host, guarded(StatusCode::kIoError, [&] {
                         return buffer.object.map<std::byte*>() + buffer.offset_bytes;
                       }));
  buffers_.emplace(address, std::move(buffer));
  return DeviceBuffer{address, size_bytes};
}

Status CardMemory::free(const DeviceBuffer& buffer) {
  const auto it = buffers_.find(buffer.address);
  if (it == buffers_.end() || it->second.size_bytes != buffer.size_bytes) {
    return invalidArgument(fmt::format("no buffer of {} bytes was allocated at {:#x}",
                                       buffer.size_bytes, buffer.address));
  }
  buffers_.erase(it);
  return {};
}

CardMemory::Buffers::const_iterator CardMemory::find(uint64_t address, uint64_t size_bytes) const {
  const auto behind = buffers_.upper_bound(address);
  if (behind == buffers_.begin()) return buffers_.end();
  const auto it = std::prev(behind);
  const uint64_t offset = address - it->first;
  const uint64_t buffer_bytes = it->second.size_bytes;
  const bool is_inside = offset <= buffer_bytes && size_bytes <= buffer_bytes - offset;
  return is_inside ? it : buffers_.end();
}

Status CardMemory::checkRange(uint64_t address, uint64_t size_bytes) const {
  if (find(address, size_bytes) != buffers_.end()) return {};
  return invalidArgument(
      fmt::format("{} bytes at {:#x} do not lie in one allocated buffer", size_bytes, address));
}

std::byte* CardMemory::hostAddress(uint64_t address) const {
  const auto it = find(address, 0);
  return it == buffers_.end() ? nullptr : it->second.host + (address - it->first);
}

uint64_t CardMemory::bufferEnd(uint64_t address) const {
  const auto it = find(address, 0);
  return it->first + it->second.size_bytes;
}

Status CardMemory::copyToCard(uint64_t address, uint64_t size_bytes) {
  return copy(XCL_BO_SYNC_BO_TO_DEVICE, address, size_bytes);
}

Status CardMemory::copyFromCard(uint64_t address, uint64_t size_bytes) {
  return copy(XCL_BO_SYNC_BO_FROM_DEVICE, address, size_bytes);
}

Status CardMemory::copy(xclBOSyncDirection direction, uint64_t address, uint64_t size_bytes) {
  if (size_bytes == 0) return {};
  const auto it = find(address, size_bytes);
  const uint64_t begin = it->second.offset_bytes + (address - it->first);
  const uint64_t first = begin / kLineBytes * kLineBytes;
  const uint64_t behind = roundUp(begin + size_bytes, kLineBytes);
  xrt::bo object = it->second.object;  // another handle of it
  const Status status =
      guarded(StatusCode::kIoError, [&] { object.sync(direction, behind - first, first); });
  if (status.ok()) return {};
  return status.withContext(fmt::format("{} bytes at {:#x} cannot be copied {} the card",
                                        size_bytes, address,
                                        direction == XCL_BO_SYNC_BO_TO_DEVICE ? "to" : "from"));
}

}  // namespace vta::driver
