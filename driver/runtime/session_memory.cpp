#include "driver/runtime/session_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/integer_math.h"
#include "isa/config/dram_alignment.h"
#include "module/counted_output.h"
#include "module/module_info_check.h"

namespace vta::driver {
namespace {

/// Alignment of host buffers: that of pages, which devices without memory of their own may map.
constexpr uint64_t kHostAlignmentBytes = 4096;

/// Tensors lie in memory of the host, so that their sizes fit into its addresses.
std::span<std::byte> bytesAt(std::byte* pointer, uint64_t size_bytes) {
  return {pointer, static_cast<size_t>(size_bytes)};
}

Status noMemory(const SpaceInfo& space) {
  return {StatusCode::kResourceExhausted,
          fmt::format("there is not enough memory for the model's tensors: {} bytes in memory '{}'",
                      space.size_bytes, space.name)};
}

}  // namespace

OwnedDeviceBuffer& OwnedDeviceBuffer::operator=(OwnedDeviceBuffer&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(buffer_, other.buffer_);
  return *this;
}

OwnedDeviceBuffer::~OwnedDeviceBuffer() {
  // A device that refuses to free has lost the buffer already; there is nobody left to tell.
  if (device_ != nullptr) (void)device_->free(buffer_);
}

Result<std::unique_ptr<SessionMemory>> SessionMemory::create(const LoadedModule& module,
                                                             std::span<Device* const> devices) {
  std::unique_ptr<SessionMemory> memory(new SessionMemory(module));
  const ModuleInfo& info = module.info();
  for (const SpaceInfo& space : info.spaces) {
    VTA_RETURN_IF_ERROR(memory->addSpace(module, space, devices[space.executor]));
  }
  for (const TensorInfo& tensor : info.tensors) {
    const Space& space = memory->spaces_[tensor.space];
    memory->host_pointers_.push_back(space.view + tensor.offset_bytes);
    memory->device_addresses_.push_back(
        space.device == nullptr ? 0 : space.buffer.get().address + tensor.offset_bytes);
  }
  for (uint32_t i = 0; i < info.spaces.size(); ++i) {
    if (info.spaces[i].contents != SpaceInfo::Contents::kConstants) continue;
    VTA_RETURN_IF_ERROR(memory->uploadConstants(module, i));
  }
  return memory;
}

Status SessionMemory::addSpace(const LoadedModule& module, const SpaceInfo& info, Device* device) {
  Space& space = spaces_.emplace_back();
  space.device = device;
  if (info.contents == SpaceInfo::Contents::kConstants) {
    space.view = const_cast<std::byte*>(module.constants().data());
    return {};
  }
  if (device != nullptr && info.size_bytes > 0) {
    VTA_RETURN_IF_ERROR(allocateOnDevice(info.size_bytes, space));
  }
  if (space.is_mapped) return {};
  if (static_cast<size_t>(info.size_bytes) != info.size_bytes) return noMemory(info);  // 32 bits
  space.host = AlignedBytes(info.size_bytes, kHostAlignmentBytes);
  space.view = space.host.data();
  return space.view == nullptr ? noMemory(info) : Status();
}

Status SessionMemory::allocateOnDevice(uint64_t size_bytes, Space& space) {
  VTA_ASSIGN_OR_RETURN(
      const DeviceBuffer buffer,
      space.device->allocate(size_bytes, dramAlignmentBytes(space.device->info().hw)));
  space.buffer = OwnedDeviceBuffer(space.device, buffer);
  space.view = space.device->map(buffer);
  space.is_mapped = space.view != nullptr;
  return {};
}

/// A device gets copies of its constants, one behind the other.
Status SessionMemory::uploadConstants(const LoadedModule& module, uint32_t index) {
  Space& space = spaces_[index];
  if (space.device == nullptr) return {};
  const HwConfig& hw = space.device->info().hw;
  const uint64_t alignment_bytes = info_.spaces[index].alignment_bytes;
  std::vector<uint32_t> tensors;
  uint64_t total_bytes = 0;
  for (uint32_t i = 0; i < info_.tensors.size(); ++i) {
    if (info_.tensors[i].space != index) continue;
    tensors.push_back(i);
    device_addresses_[i] = total_bytes;
    total_bytes += roundUp(info_.tensors[i].size_bytes, alignment_bytes);
  }
  if (total_bytes == 0) return {};
  VTA_ASSIGN_OR_RETURN(const DeviceBuffer buffer,
                       space.device->allocate(total_bytes, dramAlignmentBytes(hw)));
  space.buffer = OwnedDeviceBuffer(space.device, buffer);
  for (const uint32_t i : tensors) {
    const TensorInfo& tensor = info_.tensors[i];
    device_addresses_[i] += buffer.address;
    VTA_RETURN_IF_ERROR(space.device->write(
        device_addresses_[i], module.constants().subspan(tensor.offset_bytes, tensor.size_bytes)));
  }
  return {};
}

Status SessionMemory::toDevice(uint32_t index) {
  const Space& space = spaceOf(index);
  const uint64_t size_bytes = info_.tensors[index].size_bytes;
  if (space.is_mapped) return space.device->flush(device_addresses_[index], size_bytes);
  return space.device->write(device_addresses_[index], bytesAt(host_pointers_[index], size_bytes));
}

Status SessionMemory::toHost(uint32_t index) {
  const Space& space = spaceOf(index);
  const uint64_t size_bytes = info_.tensors[index].size_bytes;
  if (space.is_mapped) return space.device->invalidate(device_addresses_[index], size_bytes);
  return space.device->read(device_addresses_[index], bytesAt(host_pointers_[index], size_bytes));
}

void SessionMemory::copyInputs(const TensorMap& inputs) {
  for (const PortInfo& port : info_.inputs) {
    const Tensor& tensor = inputs.at(port.name);
    std::ranges::copy(tensor.data, hostPointer(port.tensor));
  }
}

Result<TensorMap> SessionMemory::copyOutputs() const {
  TensorMap outputs;
  for (const PortInfo& port : info_.outputs) {
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

bool SessionMemory::isState(uint32_t tensor) const {
  return info_.spaceOf(info_.tensors[tensor]).contents == SpaceInfo::Contents::kState;
}

bool SessionMemory::hasTwoCopies(uint32_t tensor) const {
  const Space& space = spaceOf(tensor);
  return space.device != nullptr && !space.is_mapped;
}

Result<std::vector<std::byte>> SessionMemory::saveState() {
  std::vector<std::byte> state;
  for (uint32_t i = 0; i < info_.tensors.size(); ++i) {
    if (!isState(i)) continue;
    const auto size_bytes = static_cast<size_t>(info_.tensors[i].size_bytes);
    if (spaceOf(i).is_mapped) VTA_RETURN_IF_ERROR(toHost(i));
    state.insert(state.end(), host_pointers_[i], host_pointers_[i] + size_bytes);
    if (!hasTwoCopies(i)) continue;
    state.resize(state.size() + size_bytes);
    VTA_RETURN_IF_ERROR(
        spaceOf(i).device->read(device_addresses_[i], std::span(state).last(size_bytes)));
  }
  return state;
}

Status SessionMemory::restoreState(std::span<const std::byte> state) {
  for (uint32_t i = 0; i < info_.tensors.size(); ++i) {
    if (!isState(i)) continue;
    const auto size_bytes = static_cast<size_t>(info_.tensors[i].size_bytes);
    std::ranges::copy(state.first(size_bytes), host_pointers_[i]);
    state = state.subspan(size_bytes);
    if (spaceOf(i).is_mapped) VTA_RETURN_IF_ERROR(toDevice(i));
    if (!hasTwoCopies(i)) continue;
    VTA_RETURN_IF_ERROR(spaceOf(i).device->write(device_addresses_[i], state.first(size_bytes)));
    state = state.subspan(size_bytes);
  }
  return {};
}

Status SessionMemory::clearState() {
  for (uint32_t i = 0; i < info_.tensors.size(); ++i) {
    const TensorInfo& tensor = info_.tensors[i];
    if (!isState(i)) continue;
    std::memset(host_pointers_[i], 0, tensor.size_bytes);
    if (spaceOf(i).device != nullptr) VTA_RETURN_IF_ERROR(toDevice(i));
  }
  return {};
}

}  // namespace vta::driver
