// The functional simulator as a Device.
#pragma once

#include <cstdint>
#include <memory>

#include "driver/devices/sim_device.h"
#include "sim/functional/functional_model.h"

namespace vta::driver {

struct FunctionalDeviceOptions {
  bool checked = false;  // see sim::FunctionalOptions
  uint64_t memory_bytes = uint64_t{1} << 30;
};

/// Counters have no cycles.
class FunctionalDevice final : public ImmediateDevice {
 public:
  /// Errors: those of sim::FunctionalModel::create and SimMemory::create.
  static Result<std::unique_ptr<Device>> create(const HwConfig& hw,
                                                const FunctionalDeviceOptions& options = {});

  uint32_t executedInstructions() const override { return model_->executedInstructions(); }

 private:
  FunctionalDevice(DeviceInfo info, std::unique_ptr<sim::FunctionalModel> model,
                   std::unique_ptr<SimMemory> memory);

  LaunchResult run(const Launch& launch, std::span<const std::byte> stream) override;
  void resetModel() override;

  std::unique_ptr<sim::FunctionalModel> model_;
};

}  // namespace vta::driver
