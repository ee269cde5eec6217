#include "tests/driver/skeleton/skeleton_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "base/integer_math.h"

namespace vta::driver::test {

Status SkeletonMemory::Use::status() const {
  if (!is_first_) return internalError(memory_.name_ + " is used by two threads at a time");
  if (memory_.delay.count() > 0) std::this_thread::sleep_for(memory_.delay);
  return {};
}

Result<DeviceBuffer> SkeletonMemory::allocate(uint64_t size_bytes, uint64_t alignment_bytes) {
  uint64_t used_bytes = 0;
  for (const auto& [address, bytes] : buffers_) used_bytes += bytes.size();
  if (size_bytes > capacity_bytes - used_bytes) {
    return Status(StatusCode::kResourceExhausted,
                  fmt::format("{}: {} bytes are wanted, {} are free", name_, size_bytes,
                              capacity_bytes - used_bytes));
  }
  const uint64_t address = roundUp(next_address_, alignment_bytes);
  next_address_ = address + size_bytes + 1;
  buffers_[address].resize(static_cast<size_t>(size_bytes));
  return DeviceBuffer{address, size_bytes};
}

Status SkeletonMemory::free(const DeviceBuffer& buffer) {
  if (buffers_.erase(buffer.address) > 0) return {};
  return invalidArgument(fmt::format("{}: no buffer at 0x{:x}", name_, buffer.address));
}

Result<std::span<std::byte>> SkeletonMemory::bytesAt(uint64_t address, uint64_t size_bytes) {
  auto behind = buffers_.upper_bound(address);
  if (behind != buffers_.begin()) {
    auto& [begin, bytes] = *--behind;
    const uint64_t offset = address - begin;
    if (offset <= bytes.size() && size_bytes <= bytes.size() - offset) {
      return std::span(bytes).subspan(static_cast<size_t>(offset), static_cast<size_t>(size_bytes));
    }
  }
  return invalidArgument(
      fmt::format("{}: {} bytes at 0x{:x} are in no buffer", name_, size_bytes, address));
}

Status SkeletonMemory::write(uint64_t address, std::span<const std::byte> data) {
  const Use use(*this);
  VTA_RETURN_IF_ERROR(use.status());
  if (loses_writes) return ioError(name_ + " takes no data");
  VTA_ASSIGN_OR_RETURN(const std::span<std::byte> place, bytesAt(address, data.size()));
  std::ranges::copy(data, place.begin());
  written_bytes += data.size();
  ++writes;
  return {};
}

Status SkeletonMemory::read(uint64_t address, std::span<std::byte> data) {
  const Use use(*this);
  VTA_RETURN_IF_ERROR(use.status());
  if (loses_reads) return ioError(name_ + " gives no data");
  VTA_ASSIGN_OR_RETURN(const std::span<std::byte> place, bytesAt(address, data.size()));
  std::ranges::copy(place, data.begin());
  if (flips_reads && !data.empty()) data.front() ^= std::byte{1};
  read_bytes += data.size();
  ++reads;
  return {};
}

}  // namespace vta::driver::test
