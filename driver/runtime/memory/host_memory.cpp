#include "driver/runtime/memory/host_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace vta::driver {
namespace {

Status outside(uint64_t address, uint64_t size_bytes) {
  return invalidArgument(
      fmt::format("host memory: {} bytes at 0x{:x} are in no buffer", size_bytes, address));
}

}  // namespace

Result<DeviceBuffer> HostMemory::allocate(uint64_t size_bytes, uint64_t alignment_bytes) {
  Block block{size_bytes, {}};
  // On machines of 32 bits a size may be more than there are addresses.
  const bool has_addresses = static_cast<size_t>(size_bytes) == size_bytes;
  if (has_addresses) {
    block.bytes = AlignedBytes(size_bytes, std::max(alignment_bytes, alignmentBytes()));
  }
  if (block.bytes.data() == nullptr) {
    return Status(StatusCode::kResourceExhausted,
                  fmt::format("there is not enough memory: {} bytes", size_bytes));
  }
  const auto address = reinterpret_cast<uintptr_t>(block.bytes.data());
  blocks_[address] = std::move(block);
  return DeviceBuffer{address, size_bytes};
}

Status HostMemory::free(const DeviceBuffer& buffer) {
  if (blocks_.erase(buffer.address) > 0) return {};
  return invalidArgument(fmt::format("host memory: no buffer at 0x{:x}", buffer.address));
}

std::byte* HostMemory::find(uint64_t address, uint64_t size_bytes) const {
  auto behind = blocks_.upper_bound(address);
  if (behind == blocks_.begin()) return nullptr;
  const auto& [begin, block] = *--behind;
  const uint64_t offset = address - begin;
  const bool lies_inside = offset <= block.size_bytes && size_bytes <= block.size_bytes - offset;
  return lies_inside ? block.bytes.data() + offset : nullptr;
}

Status HostMemory::write(uint64_t address, std::span<const std::byte> data) {
  std::byte* place = find(address, data.size());
  if (place == nullptr) return outside(address, data.size());
  std::ranges::copy(data, place);
  return {};
}

Status HostMemory::read(uint64_t address, std::span<std::byte> data) {
  const std::byte* place = find(address, data.size());
  if (place == nullptr) return outside(address, data.size());
  std::copy_n(place, data.size(), data.begin());
  return {};
}

std::byte* HostMemory::map(const DeviceBuffer& buffer) {
  return find(buffer.address, buffer.size_bytes);
}

}  // namespace vta::driver
