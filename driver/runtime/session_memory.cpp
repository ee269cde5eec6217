#include "driver/runtime/session_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/integer_math.h"
#include "module/counted_output.h"
#include "module/gpu/gpu_ranges.h"

namespace vta::driver {
namespace {

/// Alignment of buffers: that of pages, which devices without memory of their own may map.
constexpr uint64_t kBufferAlignmentBytes = 4096;

/// Of tensors of `space` where `memory` has them.
uint64_t tensorAlignment(const MemoryDevice& memory, const SpaceInfo& space) {
  return std::max(space.alignment_bytes, memory.alignmentBytes());
}

uint64_t bufferAlignment(const MemoryDevice& memory, const SpaceInfo& space) {
  return std::max(kBufferAlignmentBytes, tensorAlignment(memory, space));
}

/// Tensors lie in memory of the host, so that their sizes fit into its addresses.
std::span<std::byte> bytesAt(std::byte* pointer, uint64_t size_bytes) {
  return {pointer, static_cast<size_t>(size_bytes)};
}

Status noMemory(const SpaceInfo& space, uint64_t size_bytes) {
  return {StatusCode::kResourceExhausted,
          fmt::format("there is not enough memory for the model's tensors: {} bytes in memory '{}'",
                      size_bytes, space.name)};
}

}  // namespace

SessionMemory::SessionMemory(const LoadedModule& module, Layout layout)
    : info_(module.info()),
      layout_(std::move(layout)),
      constants_(const_cast<std::byte*>(module.constants().data())),
      copies_(layout_.memories.size()),
      host_views_(info_.spaces.size(), kHostMemory),
      addresses_(layout_.memories.size(), std::vector<uint64_t>(info_.tensors.size(), 0)) {
  for (std::vector<Copy>& copies : copies_) copies.resize(info_.spaces.size());
}

Result<std::unique_ptr<SessionMemory>> SessionMemory::create(const LoadedModule& module,
                                                             Layout layout) {
  std::unique_ptr<SessionMemory> memory(new SessionMemory(module, std::move(layout)));
  const ModuleInfo& info = module.info();
  // Constants last, so that arenas lie where they do in a session that has none.
  for (uint32_t space = 0; space < info.spaces.size(); ++space) {
    if (info.spaces[space].contents == SpaceInfo::Contents::kConstants) continue;
    VTA_RETURN_IF_ERROR(memory->addSpace(space));
  }
  for (uint32_t space = 0; space < info.spaces.size(); ++space) {
    if (info.spaces[space].contents != SpaceInfo::Contents::kConstants) continue;
    for (uint32_t m = kHostMemory + 1; m < memory->layout_.memories.size(); ++m) {
      VTA_RETURN_IF_ERROR(memory->uploadConstants(module, m, space));
    }
  }
  return memory;
}

/// The bytes of `space` that tensors with a place in `memory` take.
SpaceRange SessionMemory::usedRange(uint32_t memory, uint32_t space) const {
  uint64_t begin_bytes = UINT64_MAX;
  uint64_t end_bytes = 0;
  for (uint32_t i = 0; i < info_.tensors.size(); ++i) {
    const TensorInfo& tensor = info_.tensors[i];
    if (tensor.space != space || !layout_.places[memory][i] || tensor.size_bytes == 0) continue;
    begin_bytes = std::min(begin_bytes, tensor.offset_bytes);
    end_bytes = std::max(end_bytes, tensor.offset_bytes + tensor.size_bytes);
  }
  if (begin_bytes >= end_bytes) return {space, 0, 0};
  // Tensors are as well aligned as in the whole space, and lie in ranges as there.
  const MemoryDevice& device = *layout_.memories[memory];
  const bool is_large = end_bytes - begin_bytes > device.largestBufferBytes();
  begin_bytes -=
      begin_bytes % (is_large ? kGpuRangeBytes : bufferAlignment(device, info_.spaces[space]));
  return {space, begin_bytes, end_bytes - begin_bytes};
}

/// The whole space for its executor; for other machines what they use.
Status SessionMemory::addSpace(uint32_t space) {
  const uint32_t home = homeOf(space);
  VTA_RETURN_IF_ERROR(allocate(home, {space, 0, info_.spaces[space].size_bytes}));
  const bool is_mapped = copies_[home][space].view != nullptr;
  if (is_mapped) host_views_[space] = home;
  for (uint32_t m = 0; m < layout_.memories.size(); ++m) {
    const bool has_copy = m == home || (m == kHostMemory && is_mapped);
    if (!has_copy) VTA_RETURN_IF_ERROR(allocate(m, usedRange(m, space)));
    findAddresses(m, space);
  }
  return {};
}

Status SessionMemory::allocate(uint32_t memory, const SpaceRange& range) {
  // Tensors without elements have an address on the host, too.
  if (range.size_bytes == 0 && memory != kHostMemory) return {};
  MemoryDevice& device = *layout_.memories[memory];
  const SpaceInfo& space = info_.spaces[range.space];
  auto buffer = device.allocate(range.size_bytes, bufferAlignment(device, space));
  if (!buffer.ok() && memory == kHostMemory) {
    return noMemory(space, range.size_bytes);
  }
  VTA_RETURN_IF_ERROR(buffer.status());
  Copy& copy = copies_[memory][range.space];
  copy.buffer = OwnedDeviceBuffer(&device, *buffer);
  copy.begin_bytes = range.offset_bytes;
  copy.view = device.map(*buffer);
  return {};
}

void SessionMemory::findAddresses(uint32_t memory, uint32_t space) {
  const Copy& copy = copies_[memory][space];
  if (!copy.exists()) return;
  const uint64_t end_bytes = copy.begin_bytes + copy.buffer.get().size_bytes;
  for (uint32_t i = 0; i < info_.tensors.size(); ++i) {
    const TensorInfo& tensor = info_.tensors[i];
    const bool has_place = tensor.space == space && tensor.offset_bytes >= copy.begin_bytes &&
                           tensor.offset_bytes + tensor.size_bytes <= end_bytes;
    if (has_place) {
      addresses_[memory][i] = copy.addressOf({space, tensor.offset_bytes, tensor.size_bytes});
    }
  }
}

/// A machine gets copies of its constants, and of others that it uses, in as few buffers as it can
/// have them in.
Status SessionMemory::uploadConstants(const LoadedModule& module, uint32_t memory, uint32_t space) {
  const MemoryDevice& device = *layout_.memories[memory];
  const uint64_t alignment_bytes = tensorAlignment(device, info_.spaces[space]);
  std::vector<uint32_t> tensors;  // of the next buffer
  uint64_t total_bytes = 0;
  for (uint32_t i = 0; i < info_.tensors.size(); ++i) {
    const bool is_used = homeOf(space) == memory || layout_.places[memory][i];
    if (info_.tensors[i].space != space || !is_used) continue;
    const uint64_t size_bytes = roundUp(info_.tensors[i].size_bytes, alignment_bytes);
    if (!tensors.empty() && total_bytes + size_bytes > device.largestBufferBytes()) {
      VTA_RETURN_IF_ERROR(uploadTensors(module, memory, space, tensors));
      tensors.clear();
      total_bytes = 0;
    }
    tensors.push_back(i);
    total_bytes += size_bytes;
  }
  return uploadTensors(module, memory, space, tensors);
}

/// One behind the other in a buffer of their own.
Status SessionMemory::uploadTensors(const LoadedModule& module, uint32_t memory, uint32_t space,
                                    std::span<const uint32_t> tensors) {
  MemoryDevice& device = *layout_.memories[memory];
  const uint64_t alignment_bytes = tensorAlignment(device, info_.spaces[space]);
  uint64_t total_bytes = 0;
  for (const uint32_t i : tensors) {
    addresses_[memory][i] = total_bytes;
    total_bytes += roundUp(info_.tensors[i].size_bytes, alignment_bytes);
  }
  if (total_bytes == 0) return {};
  VTA_ASSIGN_OR_RETURN(const DeviceBuffer buffer,
                       device.allocate(total_bytes, bufferAlignment(device, info_.spaces[space])));
  constant_copies_.emplace_back(&device, buffer);
  for (const uint32_t i : tensors) {
    const TensorInfo& tensor = info_.tensors[i];
    addresses_[memory][i] += buffer.address;
    VTA_RETURN_IF_ERROR(device.write(
        addresses_[memory][i], module.constants().subspan(tensor.offset_bytes, tensor.size_bytes)));
  }
  return {};
}

bool SessionMemory::isHostView(uint32_t memory, uint32_t space) const {
  return host_views_[space] == memory;
}

/// Null without a place.
std::byte* SessionMemory::hostBytes(const SpaceRange& range) const {
  if (info_.spaces[range.space].contents == SpaceInfo::Contents::kConstants) {
    return constants_ + range.offset_bytes;
  }
  const Copy& copy = copies_[host_views_[range.space]][range.space];
  return copy.view == nullptr ? nullptr : copy.view + (range.offset_bytes - copy.begin_bytes);
}

std::byte* SessionMemory::hostPointer(uint32_t index) const {
  const TensorInfo& tensor = info_.tensors[index];
  return hostBytes({tensor.space, tensor.offset_bytes, tensor.size_bytes});
}

Status SessionMemory::fromHost(uint32_t memory, const SpaceRange& range) {
  MemoryDevice& device = *layout_.memories[memory];
  const uint64_t address = copies_[memory][range.space].addressOf(range);
  if (isHostView(memory, range.space)) return device.flush(address, range.size_bytes);
  return device.write(address, bytesAt(hostBytes(range), range.size_bytes));
}

Status SessionMemory::toHost(uint32_t memory, const SpaceRange& range) {
  MemoryDevice& device = *layout_.memories[memory];
  const uint64_t address = copies_[memory][range.space].addressOf(range);
  if (isHostView(memory, range.space)) return device.invalidate(address, range.size_bytes);
  return device.read(address, bytesAt(hostBytes(range), range.size_bytes));
}

void SessionMemory::copyInputs(const ModuleInfo& network, const TensorMap& inputs) {
  for (const PortInfo& port : network.inputs) {
    const Tensor& tensor = inputs.at(port.name);
    std::ranges::copy(tensor.data, hostPointer(port.tensor));
  }
}

Result<TensorMap> SessionMemory::copyOutputs(const ModuleInfo& network) const {
  TensorMap outputs;
  for (const PortInfo& port : network.outputs) {
    const auto size_bytes = static_cast<size_t>(info_.tensors[port.tensor].size_bytes);
    int64_t count = 0;
    if (port.isCounted()) {
      std::memcpy(&count, hostPointer(static_cast<uint32_t>(port.count)), sizeof count);
    }
    VTA_ASSIGN_OR_RETURN(outputs[port.name],
                         outputOf(info_, port, {hostPointer(port.tensor), size_bytes}, count));
  }
  return outputs;
}

Result<std::vector<std::byte>> SessionMemory::saveState(std::span<const StatePlace> places) {
  std::vector<std::byte> state;
  for (const auto& [range, memory] : places) {
    const auto size_bytes = static_cast<size_t>(range.size_bytes);
    state.resize(state.size() + size_bytes);
    const std::span<std::byte> saved = std::span(state).last(size_bytes);
    const Copy& copy = copies_[memory][range.space];
    if (memory == kHostMemory || !copy.exists()) {
      const std::byte* bytes = hostBytes(range);
      if (bytes != nullptr) std::copy_n(bytes, size_bytes, saved.begin());
    } else {
      VTA_RETURN_IF_ERROR(layout_.memories[memory]->read(copy.addressOf(range), saved));
    }
  }
  return state;
}

Status SessionMemory::restoreState(std::span<const StatePlace> places,
                                   std::span<const std::byte> state) {
  for (const auto& [range, memory] : places) {
    const auto size_bytes = static_cast<size_t>(range.size_bytes);
    VTA_RETURN_IF_ERROR(writeState(range, state.first(size_bytes)));
    state = state.subspan(size_bytes);
  }
  return {};
}

Status SessionMemory::writeState(const SpaceRange& range, std::span<const std::byte> bytes) {
  for (uint32_t m = 0; m < layout_.memories.size(); ++m) {
    const Copy& copy = copies_[m][range.space];
    const uint64_t copy_end_bytes = copy.begin_bytes + copy.buffer.get().size_bytes;
    const uint64_t begin_bytes = std::max(range.offset_bytes, copy.begin_bytes);
    const uint64_t end_bytes = std::min(range.offset_bytes + range.size_bytes, copy_end_bytes);
    if (begin_bytes >= end_bytes) continue;
    const SpaceRange common = {range.space, begin_bytes, end_bytes - begin_bytes};
    VTA_RETURN_IF_ERROR(layout_.memories[m]->write(
        copy.addressOf(common), bytes.subspan(static_cast<size_t>(begin_bytes - range.offset_bytes),
                                              static_cast<size_t>(common.size_bytes))));
  }
  return {};
}

Status SessionMemory::clearState() {
  for (uint32_t i = 0; i < info_.tensors.size(); ++i) {
    const TensorInfo& tensor = info_.tensors[i];
    if (info_.spaceOf(tensor).contents != SpaceInfo::Contents::kState) continue;
    if (tensor.part_of >= 0) continue;
    const std::vector<std::byte> zeros(static_cast<size_t>(tensor.size_bytes));
    VTA_RETURN_IF_ERROR(writeState({tensor.space, tensor.offset_bytes, tensor.size_bytes}, zeros));
  }
  return {};
}

}  // namespace vta::driver
