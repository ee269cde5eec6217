// The cycle simulator as a Device.
#pragma once

#include <cstdint>
#include <memory>

#include "driver/devices/sim_device.h"
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
/// `timing_only`.
class CycleDevice final : public ImmediateDevice {
 public:
  /// Errors: those of sim::FunctionalModel::create (with values only), sim::CycleModel::create and
  /// SimMemory::create.
  static Result<std::unique_ptr<Device>> create(const HwConfig& hw,
                                                const CycleDeviceOptions& options = {});

  Status setTracing(Tracing tracing) override;
  /// With values, which take most of the time.
  uint32_t executedInstructions() const override {
    return values_ ? values_->executedInstructions() : 0;
  }

 private:
  CycleDevice(DeviceInfo info, std::unique_ptr<sim::CycleModel> timing,
              std::unique_ptr<sim::FunctionalModel> values, std::unique_ptr<SimMemory> memory);

  LaunchResult run(const Launch& launch, std::span<const std::byte> stream) override;
  void resetModel() override;

  std::unique_ptr<sim::CycleModel> timing_;
  std::unique_ptr<sim::FunctionalModel> values_;  // null: timing only
  Tracing tracing_ = Tracing::kOff;
};

}  // namespace vta::driver
