#include "driver/runtime/session_memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/integer_math.h"
#include "module/module_info_check.h"

namespace vta::driver {
namespace {

/// Alignment of device buffers: a page, which is a multiple of every element size there is.
constexpr uint64_t kDeviceAlignmentBytes = 4096;

/// Alignment of one constant on the device: that of the largest element it could hold.
uint64_t elementAlignment(const HwConfig& hw) {
  uint64_t alignment_bytes = kModuleAlignmentBytes;
  for (int type = 0; type < kMemoryTypeCount; ++type) {
    alignment_bytes =
        std::max<uint64_t>(alignment_bytes, hw.elemBytes(static_cast<MemoryType>(type)));
  }
  return alignment_bytes;
}

bool isConstant(const TensorInfo& tensor) {
  return tensor.storage == Storage::kConstant || tensor.storage == Storage::kDeviceConstant;
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
                                                             Device* device) {
  std::unique_ptr<SessionMemory> memory(new SessionMemory(module, device));
  VTA_RETURN_IF_ERROR(memory->allocateArenas(module));
  VTA_RETURN_IF_ERROR(memory->uploadConstants(module));
  return memory;
}

Status SessionMemory::allocateArenas(const LoadedModule& module) {
  const ModuleInfo& info = module.info();
  Status no_memory(StatusCode::kResourceExhausted, "not enough memory for activations");
  host_arena_ = AlignedBytes(info.host_arena_bytes, kDeviceAlignmentBytes);
  if (host_arena_.data() == nullptr) return no_memory;
  std::byte* device_view = nullptr;
  if (device_ != nullptr && info.device_arena_bytes > 0) {
    VTA_ASSIGN_OR_RETURN(const DeviceBuffer arena,
                         device_->allocate(info.device_arena_bytes, kDeviceAlignmentBytes));
    device_arena_ = OwnedDeviceBuffer(device_, arena);
    device_view = device_->map(arena);
    mapped_ = device_view != nullptr;
  }
  if (device_view == nullptr) {
    shadow_ = AlignedBytes(info.device_arena_bytes, kDeviceAlignmentBytes);
    device_view = shadow_.data();
    if (device_view == nullptr) return no_memory;
  }
  auto* constants = const_cast<std::byte*>(module.constants().data());
  for (const TensorInfo& tensor : info.tensors) {
    std::byte* base = isConstant(tensor) ? constants : host_arena_.data();
    uint64_t address = 0;
    if (tensor.storage == Storage::kDevice) {
      base = device_view;
      address = device_arena_.get().address + tensor.offset_bytes;
    }
    host_pointers_.push_back(base + tensor.offset_bytes);
    device_addresses_.push_back(address);
  }
  return {};
}

Status SessionMemory::uploadConstants(const LoadedModule& module) {
  if (device_ == nullptr) return {};
  const uint64_t alignment_bytes = elementAlignment(device_->info().hw);
  std::vector<uint64_t> offsets_bytes(tensors_.size(), 0);
  uint64_t total_bytes = 0;
  for (size_t i = 0; i < tensors_.size(); ++i) {
    if (tensors_[i].storage != Storage::kDeviceConstant) continue;
    offsets_bytes[i] = total_bytes;
    total_bytes += roundUp(tensors_[i].size_bytes, alignment_bytes);
  }
  if (total_bytes == 0) return {};
  VTA_ASSIGN_OR_RETURN(const DeviceBuffer buffer,
                       device_->allocate(total_bytes, kDeviceAlignmentBytes));
  device_constants_ = OwnedDeviceBuffer(device_, buffer);
  for (size_t i = 0; i < tensors_.size(); ++i) {
    const TensorInfo& tensor = tensors_[i];
    if (tensor.storage != Storage::kDeviceConstant) continue;
    device_addresses_[i] = buffer.address + offsets_bytes[i];
    VTA_RETURN_IF_ERROR(device_->write(
        device_addresses_[i], module.constants().subspan(tensor.offset_bytes, tensor.size_bytes)));
  }
  return {};
}

Status SessionMemory::toDevice(uint32_t index) {
  const uint64_t size_bytes = tensors_[index].size_bytes;
  if (mapped_) return device_->flush(device_addresses_[index], size_bytes);
  return device_->write(device_addresses_[index], {host_pointers_[index], size_bytes});
}

Status SessionMemory::toHost(uint32_t index) {
  const uint64_t size_bytes = tensors_[index].size_bytes;
  if (mapped_) return device_->invalidate(device_addresses_[index], size_bytes);
  return device_->read(device_addresses_[index], {host_pointers_[index], size_bytes});
}

}  // namespace vta::driver
