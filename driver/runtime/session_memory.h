// SessionMemory: where a session's tensors live, as host steps and as the device see them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/aligned_bytes.h"
#include "base/status.h"
#include "driver/device.h"
#include "driver/runtime/loaded_module.h"

namespace vta::driver {

/// A buffer of device memory, freed when it goes out of scope. The device must outlive it.
class OwnedDeviceBuffer {
 public:
  OwnedDeviceBuffer() = default;
  OwnedDeviceBuffer(Device* device, DeviceBuffer buffer) : device_(device), buffer_(buffer) {}
  OwnedDeviceBuffer(OwnedDeviceBuffer&& other) noexcept { *this = std::move(other); }
  OwnedDeviceBuffer& operator=(OwnedDeviceBuffer&& other) noexcept;
  ~OwnedDeviceBuffer();

  const DeviceBuffer& get() const { return buffer_; }

 private:
  Device* device_ = nullptr;
  DeviceBuffer buffer_;
};

/// Arenas for one session of `module`, and its device constants copied to the device. Device
/// tensors have one place in device memory and one host view of it: the mapping where the device
/// offers one, else a shadow copy. toDevice and toHost make one agree with the other.
class SessionMemory {
 public:
  /// `device` may be null when the module runs nothing on a VTA. Both must outlive the result.
  static Result<std::unique_ptr<SessionMemory>> create(const LoadedModule& module, Device* device);

  /// Host view of tensor `index`. Constants must not be written through it.
  std::byte* hostPointer(uint32_t index) const { return host_pointers_[index]; }

  /// Address of a kDevice or kDeviceConstant tensor as the accelerator sees it.
  uint64_t deviceAddress(uint32_t index) const { return device_addresses_[index]; }

  Status toDevice(uint32_t index);
  Status toHost(uint32_t index);

 private:
  SessionMemory(const LoadedModule& module, Device* device)
      : tensors_(module.info().tensors), device_(device) {}
  Status allocateArenas(const LoadedModule& module);
  Status uploadConstants(const LoadedModule& module);

  const std::vector<TensorInfo>& tensors_;
  Device* device_;
  AlignedBytes host_arena_;
  AlignedBytes shadow_;  // of the device arena, when it cannot be mapped
  OwnedDeviceBuffer device_arena_;
  OwnedDeviceBuffer device_constants_;
  bool mapped_ = false;
  std::vector<std::byte*> host_pointers_;
  std::vector<uint64_t> device_addresses_;
};

}  // namespace vta::driver
