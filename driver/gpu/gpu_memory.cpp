#include "driver/gpu/gpu_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/integer_math.h"

namespace vta::driver {

GpuMemory::GpuMemory(const GpuDeviceInfo& info)
    : name_(fmt::format("GPU '{}'", info.name)), info_(info) {}

void GpuMemory::dropFeatures(GpuFeatures features) {
  info_.features = info_.features.without(features);
  notes_.push_back(fmt::format(
      "the GPU '{}' ({}) claims {}, but computes wrong results with it; it is used without",
      info_.name, info_.interface, features.names()));
}

std::vector<std::string> GpuMemory::takeNotes() {
  std::vector<std::string> notes = std::exchange(notes_, {});
  for (std::string& note : takeKernelNotes()) notes.push_back(std::move(note));
  return notes;
}

Result<DeviceBuffer> GpuMemory::allocate(uint64_t size_bytes, uint64_t alignment_bytes) {
  VTA_RETURN_IF_ERROR(checkIdle());
  // Kernels may use a whole vector at the end.
  const uint64_t limit_bytes = info().limits.max_buffer_bytes;
  const auto no_memory = [&](const std::string& why) {
    return Status(
        StatusCode::kResourceExhausted,
        fmt::format("{}: there is not enough memory for {} bytes: {}", name_, size_bytes, why));
  };
  if (size_bytes > limit_bytes) {
    return no_memory(fmt::format("one buffer may have {} bytes", limit_bytes));
  }
  const uint64_t whole_bytes = roundUp(std::max<uint64_t>(size_bytes, 1), kGpuAlignmentBytes);
  auto buffer = createBuffer(whole_bytes);
  if (buffer.status().code() == StatusCode::kResourceExhausted) {
    return no_memory(
        fmt::format("{} of {} bytes are in use by this program", used_bytes_, info().memory_bytes));
  }
  VTA_RETURN_IF_ERROR(buffer.status());
  const uint64_t address = roundUp(next_address_, std::max(alignment_bytes, kGpuAlignmentBytes));
  // A gap, so that a range that leaves a buffer lies in none.
  next_address_ = address + whole_bytes + kGpuAlignmentBytes;
  blocks_[address] = {whole_bytes, *std::move(buffer)};
  used_bytes_ += whole_bytes;
  return DeviceBuffer{address, size_bytes};
}

Status GpuMemory::free(const DeviceBuffer& buffer) {
  const auto found = blocks_.find(buffer.address);
  if (found == blocks_.end()) {
    return invalidArgument(fmt::format("{}: no buffer at 0x{:x}", name_, buffer.address));
  }
  used_bytes_ -= found->second.size_bytes;
  blocks_.erase(found);
  return {};
}

Result<GpuMemory::Place> GpuMemory::find(uint64_t address, uint64_t size_bytes) const {
  auto behind = blocks_.upper_bound(address);
  if (behind != blocks_.begin()) {
    const auto& [begin, block] = *--behind;
    const uint64_t offset_bytes = address - begin;
    if (offset_bytes <= block.size_bytes && size_bytes <= block.size_bytes - offset_bytes) {
      return Place{block.buffer.get(), offset_bytes, block.size_bytes - offset_bytes};
    }
  }
  return invalidArgument(
      fmt::format("{}: {} bytes at 0x{:x} are in no buffer", name_, size_bytes, address));
}

Status GpuMemory::write(uint64_t address, std::span<const std::byte> data) {
  VTA_ASSIGN_OR_RETURN(const Place place, find(address, data.size()));
  VTA_RETURN_IF_ERROR(checkIdle());
  return data.empty() ? Status() : place.buffer->write(place.offset_bytes, data);
}

Status GpuMemory::read(uint64_t address, std::span<std::byte> data) {
  VTA_ASSIGN_OR_RETURN(const Place place, find(address, data.size()));
  VTA_RETURN_IF_ERROR(checkIdle());
  return data.empty() ? Status() : place.buffer->read(place.offset_bytes, data);
}

std::byte* GpuMemory::map(const DeviceBuffer& buffer) {
  const auto found = blocks_.find(buffer.address);
  return found == blocks_.end() ? nullptr : found->second.buffer->view();
}

}  // namespace vta::driver
