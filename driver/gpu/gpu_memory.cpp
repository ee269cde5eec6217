#include "driver/gpu/gpu_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
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
  const uint64_t whole_bytes = roundUp(std::max<uint64_t>(size_bytes, 1), kGpuAlignmentBytes);
  auto block = createBlock(whole_bytes);
  if (block.status().code() == StatusCode::kResourceExhausted) {
    return Status(
        StatusCode::kResourceExhausted,
        fmt::format("{}: there is not enough memory for {} bytes: {} of {} bytes are in use by "
                    "this program; choose another GPU with --host gpu:N, or compile the model for "
                    "the CPU",
                    name_, size_bytes, used_bytes_, info().memory_bytes));
  }
  VTA_RETURN_IF_ERROR(block.status());
  const uint64_t address = roundUp(next_address_, std::max(alignment_bytes, kGpuAlignmentBytes));
  // A gap, so that a range that leaves a buffer lies in none.
  next_address_ = address + whole_bytes + kGpuAlignmentBytes;
  blocks_[address] = *std::move(block);
  used_bytes_ += whole_bytes;
  return DeviceBuffer{address, size_bytes};
}

/// What is too large for one buffer consists of as large ones as there can be, of a power of two,
/// so that ranges which lie across no multiple of a smaller one lie in one buffer.
Result<GpuMemory::Block> GpuMemory::createBlock(uint64_t whole_bytes) {
  const uint64_t most_bytes = info().limits.max_buffer_bytes;
  Block block = {.size_bytes = whole_bytes, .buffer_bytes = whole_bytes};
  if (whole_bytes > most_bytes) {
    block.buffer_bytes = std::bit_floor(most_bytes);
    if (whole_bytes > info().memory_bytes) return Status(StatusCode::kResourceExhausted, "");
  }
  if (block.buffer_bytes < kGpuAlignmentBytes) {
    return unsupported(fmt::format("{}: one buffer may have {} bytes only", name_, most_bytes));
  }
  for (uint64_t done_bytes = 0; done_bytes < whole_bytes; done_bytes += block.buffer_bytes) {
    VTA_ASSIGN_OR_RETURN(auto buffer,
                         createBuffer(std::min(whole_bytes - done_bytes, block.buffer_bytes)));
    block.buffers.push_back(std::move(buffer));
  }
  return block;
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

Result<GpuMemory::BlockPlace> GpuMemory::findBlock(uint64_t address, uint64_t size_bytes) const {
  auto behind = blocks_.upper_bound(address);
  if (behind != blocks_.begin()) {
    const auto& [begin, block] = *--behind;
    const uint64_t offset_bytes = address - begin;
    if (offset_bytes <= block.size_bytes && size_bytes <= block.size_bytes - offset_bytes) {
      return BlockPlace{&block, offset_bytes};
    }
  }
  return invalidArgument(
      fmt::format("{}: {} bytes at 0x{:x} are in no buffer", name_, size_bytes, address));
}

Result<GpuMemory::Place> GpuMemory::find(uint64_t address, uint64_t size_bytes) const {
  VTA_ASSIGN_OR_RETURN(const BlockPlace place, findBlock(address, size_bytes));
  const Block& block = *place.block;
  // An empty range at the end lies in the last buffer.
  const uint64_t number =
      std::min<uint64_t>(place.offset_bytes / block.buffer_bytes, block.buffers.size() - 1);
  const uint64_t begin_bytes = number * block.buffer_bytes;
  const uint64_t offset_bytes = place.offset_bytes - begin_bytes;
  const uint64_t rest_bytes =
      std::min(block.size_bytes - begin_bytes, block.buffer_bytes) - offset_bytes;
  if (size_bytes > rest_bytes) {
    return unsupported(fmt::format(
        "{}: {} bytes that are used at once lie in two buffers, because one has {} at most", name_,
        size_bytes, block.buffer_bytes));
  }
  return Place{block.buffers[number].get(), offset_bytes, rest_bytes};
}

template <typename Bytes, typename Use>
Status GpuMemory::forEachBuffer(uint64_t address, Bytes data, const Use& use) const {
  VTA_ASSIGN_OR_RETURN(BlockPlace place, findBlock(address, data.size()));
  while (!data.empty()) {
    const Block& block = *place.block;
    const uint64_t offset_bytes = place.offset_bytes % block.buffer_bytes;
    const auto part =
        data.first(std::min<uint64_t>(block.buffer_bytes - offset_bytes, data.size()));
    VTA_RETURN_IF_ERROR(
        use(*block.buffers[place.offset_bytes / block.buffer_bytes], offset_bytes, part));
    place.offset_bytes += part.size();
    data = data.subspan(part.size());
  }
  return {};
}

Status GpuMemory::write(uint64_t address, std::span<const std::byte> data) {
  VTA_RETURN_IF_ERROR(checkIdle());
  return forEachBuffer(address, data, [](GpuBuffer& buffer, uint64_t offset_bytes, auto part) {
    return buffer.write(offset_bytes, part);
  });
}

Status GpuMemory::read(uint64_t address, std::span<std::byte> data) {
  VTA_RETURN_IF_ERROR(checkIdle());
  return forEachBuffer(address, data, [](GpuBuffer& buffer, uint64_t offset_bytes, auto part) {
    return buffer.read(offset_bytes, part);
  });
}

std::byte* GpuMemory::map(const DeviceBuffer& buffer) {
  const auto found = blocks_.find(buffer.address);
  const bool is_one = found != blocks_.end() && found->second.buffers.size() == 1;
  return is_one ? found->second.buffers.front()->view() : nullptr;
}

}  // namespace vta::driver
