// The published 0.0.2 core in one block, as bitstreams for Intel's SoCs have it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "driver/board/core_map.h"
#include "driver/board/mapping.h"

namespace vta::driver {

/// Runs launches on cores of VTA 0.0.2 that Chisel made: control, cycles, number and address of the
/// instructions, and base addresses, which our own core has at the same offsets. They have no
/// identification, no interrupt and no faults: what goes wrong never ends. Starting a launch clears
/// `done`.
class SingleBlockCore final : public CoreMap {
 public:
  /// `bus_offset` is added to every address that the core gets: where it sees the processor's
  /// address 0.
  SingleBlockCore(std::unique_ptr<const Registers> registers, uint64_t bus_offset)
      : registers_(std::move(registers)), bus_offset_(bus_offset) {}

  /// The map has no identification, so this compares only the kind of hardware.
  Status identify(const HwConfig& hw) const override;
  /// Whether the registers are the core's: the base addresses hold what is written. Errors:
  /// kUnsupported.
  Status prepare(const HwConfig& hw, const Keep& keep) override;
  CoreStatus status() const override;
  void initialise() override {}
  bool hasInterrupt() const override { return false; }
  Status start(const Launch& launch) override;
  std::string progress() const override;
  LaunchCounters counters() const override;

 private:
  std::unique_ptr<const Registers> registers_;
  uint64_t bus_offset_;
};

}  // namespace vta::driver
