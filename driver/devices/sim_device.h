// What the simulators have in common as devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "driver/device.h"
#include "driver/devices/sim_memory.h"

namespace vta::driver {

/// A device whose memory is on this host.
class SimDevice : public Device {
 public:
  const DeviceInfo& info() const final { return info_; }
  Result<DeviceBuffer> allocate(uint64_t size_bytes, uint64_t alignment_bytes) final;
  Result<DeviceBuffer> allocateAt(uint64_t address, uint64_t size_bytes) final;
  Status free(const DeviceBuffer& buffer) final;
  Status write(uint64_t address, std::span<const std::byte> data) final;
  Status read(uint64_t address, std::span<std::byte> data) final;
  std::byte* map(const DeviceBuffer& buffer) final;
  Status flush(uint64_t address, uint64_t size_bytes) final;

 protected:
  SimDevice(DeviceInfo info, std::unique_ptr<SimMemory> memory);

  const HwConfig& hw() const { return info_.hw; }
  SimMemory& memory() { return *memory_; }
  const SimMemory& memory() const { return *memory_; }

 private:
  DeviceInfo info_;
  std::unique_ptr<SimMemory> memory_;
};

/// A device that runs a launch inside submit(), so that wait() never times out.
class ImmediateDevice : public SimDevice {
 public:
  Status submit(const Launch& launch) final;
  Result<LaunchResult> wait(std::chrono::milliseconds timeout) final;
  Status reset() final;

 protected:
  using SimDevice::SimDevice;

 private:
  /// Runs the instructions in `stream`, which are those of `launch`.
  virtual LaunchResult run(const Launch& launch, std::span<const std::byte> stream) = 0;
  virtual void resetModel() = 0;

  std::optional<LaunchResult> result_;  // of the submitted launch, until waited for
};

}  // namespace vta::driver
