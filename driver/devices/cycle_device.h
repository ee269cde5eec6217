// The cycle simulator as a Device.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "driver/device.h"
#include "driver/devices/sim_memory.h"
#include "sim/cycle/cycle_model.h"
#include "sim/functional/functional_model.h"
#include "sim/memory/memory_config.h"

namespace vta::driver {

struct CycleDeviceOptions {
  bool timing_only = false;  // move no values: memory keeps what the host wrote
  uint64_t memory_bytes = uint64_t{1} << 30;
  sim::MemoryConfig dram;  // whose timing is simulated
};

/// Exact cycle counts and counters, and with them the results of the functional simulator unless
/// `timing_only`. Runs a launch inside submit(), so wait() never times out.
class CycleDevice final : public Device {
 public:
  /// Errors: those of sim::FunctionalModel::create (with values only), sim::CycleModel::create and
  /// SimMemory::create.
  static Result<std::unique_ptr<Device>> create(const HwConfig& hw,
                                                const CycleDeviceOptions& options = {});

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
  Status setTracing(bool on) override;

 private:
  CycleDevice(DeviceInfo info, std::unique_ptr<sim::CycleModel> timing,
              std::unique_ptr<sim::FunctionalModel> values, std::unique_ptr<SimMemory> memory);

  DeviceInfo info_;
  std::unique_ptr<sim::CycleModel> timing_;
  std::unique_ptr<sim::FunctionalModel> values_;  // null: timing only
  std::unique_ptr<SimMemory> memory_;
  std::optional<LaunchResult> result_;  // of the submitted launch, until waited for
  bool tracing_ = false;
};

}  // namespace vta::driver
