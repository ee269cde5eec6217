// The Verilated RTL as a Device.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "driver/devices/sim_device.h"
#include "sim/functional/functional_model.h"
#include "sim/rtl/rtl_simulator.h"

namespace vta::driver {

struct RtlDeviceOptions {
  sim::RtlOptions rtl;
  uint64_t memory_bytes = uint64_t{1} << 30;
  /// Told when the configuration's model has to be built first.
  std::function<void(const std::string&)> progress;
};

/// Simulates in wait(), cycle by cycle. Kind and instruction of a fault are what the RTL's
/// registers say; the reason in words comes from the functional simulator, which runs every launch
/// too, on a copy of the memory. Buffers keep a distance, so that accesses past an end are bus
/// errors.
class RtlDevice final : public SimDevice {
 public:
  /// `name` is what info() tells. Errors: those of sim::RtlSimulator::create, sim::FunctionalModel
  /// and SimMemory::create.
  static Result<std::unique_ptr<Device>> create(std::string name, const HwConfig& hw,
                                                const RtlDeviceOptions& options = {});

  Status submit(const Launch& launch) override;
  Result<LaunchResult> wait(std::chrono::milliseconds timeout) override;
  Status reset() override;
  uint32_t executedInstructions() const override { return executed_; }

 private:
  RtlDevice(DeviceInfo info, RtlDeviceOptions options, std::unique_ptr<SimMemory> memory);

  Status createSimulator();
  std::optional<Fault> runShadow(const Launch& launch);
  LaunchResult resultOf(const sim::RtlOutcome& outcome) const;
  Fault faultOf(const sim::RtlOutcome& outcome) const;

  RtlDeviceOptions options_;
  std::unique_ptr<sim::RtlSimulator> simulator_;
  std::unique_ptr<sim::FunctionalModel> shadow_;
  std::optional<Launch> submitted_;
  std::optional<LaunchResult> refused_;  // of a launch that did not reach the core
  std::optional<Fault> shadow_fault_;    // of the submitted launch
  std::atomic<uint32_t> executed_ = 0;
};

}  // namespace vta::driver
