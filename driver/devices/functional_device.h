// The functional simulator as a Device.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "driver/device.h"
#include "driver/devices/sim_memory.h"
#include "sim/functional/functional_model.h"

namespace vta::driver {

struct FunctionalDeviceOptions {
  bool checked = false;  // see sim::FunctionalOptions
  uint64_t memory_bytes = uint64_t{1} << 30;
};

/// Runs a launch inside submit(), so wait() never times out. Counters have no cycles.
class FunctionalDevice final : public Device {
 public:
  /// Errors: those of sim::FunctionalModel::create and SimMemory::create.
  static Result<std::unique_ptr<Device>> create(const HwConfig& hw,
                                                const FunctionalDeviceOptions& options = {});

  const DeviceInfo& info() const override { return info_; }
  Result<DeviceBuffer> allocate(uint64_t size_bytes, uint64_t alignment_bytes) override;
  Result<DeviceBuffer> allocateAt(uint64_t address, uint64_t size_bytes) override;
  Status free(const DeviceBuffer& buffer) override;
  Status write(uint64_t address, std::span<const std::byte> data) override;
  Status read(uint64_t address, std::span<std::byte> data) override;
  std::byte* map(const DeviceBuffer& buffer) override;
  Status flush(uint64_t address, uint64_t size_bytes) override;
  Status submit(const Launch& launch) override;
  Result<LaunchResult> wait(std::chrono::milliseconds timeout) override;
  Status reset() override;

 private:
  FunctionalDevice(DeviceInfo info, std::unique_ptr<sim::FunctionalModel> model,
                   std::unique_ptr<SimMemory> memory);

  DeviceInfo info_;
  std::unique_ptr<sim::FunctionalModel> model_;
  std::unique_ptr<SimMemory> memory_;
  std::optional<LaunchResult> result_;  // of the submitted launch, until waited for
};

}  // namespace vta::driver
