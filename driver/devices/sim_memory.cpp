#include "driver/devices/sim_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <limits>

#include "base/integer_math.h"

namespace vta::driver {
namespace {

// allocate() leaves the first page out.
constexpr uint64_t kFirstAddress = 4096;

}  // namespace

Result<std::unique_ptr<SimMemory>> SimMemory::create(uint64_t size_bytes, bool track_writes,
                                                     uint64_t guard_bytes) {
  if (size_bytes <= kFirstAddress) {
    return invalidArgument(
        fmt::format("device memory is {} bytes; legal: more than {}", size_bytes, kFirstAddress));
  }
  void* data = MAP_FAILED;
  if (size_bytes <= std::numeric_limits<size_t>::max()) {
    data = mmap(nullptr, static_cast<size_t>(size_bytes), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  if (data == MAP_FAILED) {
    return Status(
        StatusCode::kResourceExhausted,
        fmt::format("the host has no address space for {} bytes of device memory", size_bytes));
  }
  return std::unique_ptr<SimMemory>(
      new SimMemory(static_cast<std::byte*>(data), size_bytes, track_writes, guard_bytes));
}

SimMemory::~SimMemory() { munmap(data_, static_cast<size_t>(size_bytes_)); }

uint64_t SimMemory::freeBytes() const {
  uint64_t used_bytes = 0;
  for (const auto& [begin, end] : buffers_) used_bytes += end - begin;
  return size_bytes_ - used_bytes;
}

Result<DeviceBuffer> SimMemory::allocate(uint64_t size_bytes, uint64_t alignment_bytes) {
  if (size_bytes == 0 || !std::has_single_bit(alignment_bytes)) {
    return invalidArgument(
        fmt::format("cannot allocate {} bytes aligned to {}; legal: at least one byte, aligned to "
                    "a power of two",
                    size_bytes, alignment_bytes));
  }
  uint64_t address = roundUp(kFirstAddress, alignment_bytes);  // first fit
  for (const auto& [begin, end] : buffers_) {
    if (address <= begin && size_bytes + guard_bytes_ <= begin - address) break;
    address = std::max(address, roundUp(end + guard_bytes_, alignment_bytes));
  }
  if (address > size_bytes_ || size_bytes > size_bytes_ - address) {
    return Status(StatusCode::kResourceExhausted,
                  fmt::format("device memory: {} bytes requested, {} of {} free; more is given by "
                              "memory=SIZE, as in functional:memory=2G",
                              size_bytes, freeBytes(), size_bytes_));
  }
  insert(address, size_bytes);
  return DeviceBuffer{address, size_bytes};
}

Result<DeviceBuffer> SimMemory::allocateAt(uint64_t address, uint64_t size_bytes) {
  if (size_bytes == 0) return invalidArgument("cannot allocate 0 bytes");
  if (address > size_bytes_ || size_bytes > size_bytes_ - address) {
    return Status(StatusCode::kResourceExhausted,
                  fmt::format("device memory: {} bytes at {:#x} requested, addresses end at {:#x}",
                              size_bytes, address, size_bytes_));
  }
  const auto next = buffers_.lower_bound(address);
  const bool hits_next = next != buffers_.end() && next->first < address + size_bytes;
  const bool hits_previous = next != buffers_.begin() && std::prev(next)->second > address;
  if (hits_next || hits_previous) {
    return Status(StatusCode::kResourceExhausted,
                  fmt::format("device memory: {} bytes at {:#x} requested, which overlap another "
                              "buffer",
                              size_bytes, address));
  }
  insert(address, size_bytes);
  return DeviceBuffer{address, size_bytes};
}

void SimMemory::insert(uint64_t address, uint64_t size_bytes) {
  buffers_.emplace(address, address + size_bytes);
}

Status SimMemory::free(const DeviceBuffer& buffer) {
  const auto it = buffers_.find(buffer.address);
  if (it == buffers_.end() || it->second - it->first != buffer.size_bytes) {
    return invalidArgument(fmt::format("no buffer of {} bytes was allocated at {:#x}",
                                       buffer.size_bytes, buffer.address));
  }
  buffers_.erase(it);
  last_found_ = {};
  clear(buffer.address, buffer.size_bytes);
  if (track_writes_) markUnwritten(buffer.address, buffer.size_bytes);
  return {};
}

void SimMemory::clear(uint64_t address, uint64_t size_bytes) {
  const auto page_bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t end = address + size_bytes;
  const uint64_t first_page = roundUp(address, page_bytes);
  const uint64_t last_page = end & ~(page_bytes - 1);
  const bool has_pages = first_page < last_page;
  // Whole pages go back to the host, which gives zeroed ones on the next touch.
  const bool returned =
      has_pages && madvise(data_ + first_page, last_page - first_page, MADV_DONTNEED) == 0;
  if (!returned) {
    std::memset(data_ + address, 0, size_bytes);
    return;
  }
  std::memset(data_ + address, 0, first_page - address);
  std::memset(data_ + last_page, 0, end - last_page);
}

std::vector<sim::DramRange> SimMemory::buffers() const {
  std::vector<sim::DramRange> ranges;
  for (const auto& [begin, end] : buffers_) ranges.push_back({begin, end, data_ + begin});
  return ranges;
}

Status SimMemory::checkRange(uint64_t address, uint64_t size_bytes) const {
  const auto range = findRange(address);
  if (range && range->contains(address, size_bytes)) return {};
  return invalidArgument(
      fmt::format("{} bytes at {:#x} do not lie in one allocated buffer", size_bytes, address));
}

Status SimMemory::write(uint64_t address, std::span<const std::byte> data) {
  VTA_RETURN_IF_ERROR(checkRange(address, data.size()));
  std::memcpy(data_ + address, data.data(), data.size());
  markWritten(address, data.size());
  return {};
}

Status SimMemory::read(uint64_t address, std::span<std::byte> data) const {
  VTA_RETURN_IF_ERROR(checkRange(address, data.size()));
  std::memcpy(data.data(), data_ + address, data.size());
  return {};
}

std::byte* SimMemory::map(const DeviceBuffer& buffer) {
  return checkRange(buffer.address, buffer.size_bytes).ok() ? data_ + buffer.address : nullptr;
}

std::optional<sim::DramRange> SimMemory::findRange(uint64_t address) const {
  if (address >= last_found_.begin && address < last_found_.end) return last_found_;
  auto it = buffers_.upper_bound(address);
  if (it == buffers_.begin()) return std::nullopt;
  --it;
  if (address >= it->second) return std::nullopt;
  last_found_ = {it->first, it->second, data_ + it->first};
  return last_found_;
}

uint64_t SimMemory::writtenPrefix(uint64_t address, uint64_t size_bytes) const {
  if (!track_writes_) return size_bytes;
  auto it = written_.upper_bound(address);
  if (it == written_.begin()) return 0;
  --it;
  return address < it->second ? std::min(size_bytes, it->second - address) : 0;
}

void SimMemory::markWritten(uint64_t address, uint64_t size_bytes) {
  if (!track_writes_ || size_bytes == 0) return;
  uint64_t end = address + size_bytes;
  auto it = written_.upper_bound(address);
  if (it != written_.begin() && std::prev(it)->second >= address) --it;
  while (it != written_.end() && it->first <= end) {  // absorb what overlaps or touches
    address = std::min(address, it->first);
    end = std::max(end, it->second);
    it = written_.erase(it);
  }
  written_.emplace(address, end);
}

void SimMemory::markUnwritten(uint64_t address, uint64_t size_bytes) {
  const uint64_t end = address + size_bytes;
  auto it = written_.upper_bound(address);
  if (it != written_.begin()) --it;
  while (it != written_.end() && it->first < end) {
    const auto [begin, interval_end] = *it;
    if (interval_end <= address) {
      ++it;
      continue;
    }
    it = written_.erase(it);
    if (begin < address) written_.emplace(begin, address);
    if (interval_end > end) written_.emplace(end, interval_end);
  }
}

}  // namespace vta::driver
