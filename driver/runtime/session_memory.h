// SessionMemory: where a session's tensors live, as host steps and as devices see them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes/aligned_bytes.h"
#include "base/status.h"
#include "base/tensor.h"
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

/// The memories of one session of `module`, and its device constants copied to their devices. A
/// tensor of a device has one place in device memory and one host view of it: the mapping where the
/// device offers one, else a shadow copy. toDevice and toHost make one agree with the other.
class SessionMemory {
 public:
  /// `devices[i]` is the device of executor i; null for the CPU. All must outlive the result.
  static Result<std::unique_ptr<SessionMemory>> create(const LoadedModule& module,
                                                       std::span<Device* const> devices);

  /// Host view of tensor `index`. Constants must not be written through it.
  std::byte* hostPointer(uint32_t index) const { return host_pointers_[index]; }

  /// Address of a device's tensor as the accelerator sees it.
  uint64_t deviceAddress(uint32_t index) const { return device_addresses_[index]; }

  Status toDevice(uint32_t index);
  Status toHost(uint32_t index);

  void copyInputs(const TensorMap& inputs);
  /// Errors: a counted output with more than there is room for.
  Result<TensorMap> copyOutputs() const;

  /// Makes everything that lives from run to run zeros again.
  Status clearState();
  /// What lives from run to run, and its return to that. Of memory that the host cannot reach, both
  /// copies: the newest one is the host's or the device's, as the next launch will read it.
  Result<std::vector<std::byte>> saveState();
  Status restoreState(std::span<const std::byte> state);

 private:
  /// One of the module's memories.
  struct Space {
    Device* device = nullptr;  // null: the host's
    bool is_mapped = false;    // the host's view is the device's memory
    AlignedBytes host;         // the arena, or the shadow of a device's
    OwnedDeviceBuffer buffer;
    std::byte* view = nullptr;  // of offset 0, for the host
  };

  explicit SessionMemory(const LoadedModule& module) : info_(module.info()) {}
  bool isState(uint32_t tensor) const;
  /// The device's, and one of the host's.
  bool hasTwoCopies(uint32_t tensor) const;
  Status addSpace(const LoadedModule& module, const SpaceInfo& info, Device* device);
  Status allocateOnDevice(uint64_t size_bytes, Space& space);
  Status uploadConstants(const LoadedModule& module, uint32_t space);
  const Space& spaceOf(uint32_t tensor) const { return spaces_[info_.tensors[tensor].space]; }

  const ModuleInfo& info_;
  std::vector<Space> spaces_;
  std::vector<std::byte*> host_pointers_;
  std::vector<uint64_t> device_addresses_;
};

}  // namespace vta::driver
