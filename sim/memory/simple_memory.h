// Fixed latency and bandwidth of each port; ports, reads and writes independent of each other.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/memory/memory_model.h"

namespace vta::sim {

/// A read burst's first beat comes `latency` after its acceptance or with the next beat slot after
/// the burst before it; further beats follow at the rate. A write burst's data is taken at the rate
/// too; its response comes `latency` after that, or after its last beat if that is later.
class SimpleMemory final : public MemoryModel {
 public:
  /// `config` has passed checkMemoryConfig.
  explicit SimpleMemory(const MemoryConfig& config, int ports = 1);

 protected:
  void scheduleRead(uint64_t cycle, const PortBurst& burst, BeatSchedule& schedule) override;
  uint64_t scheduleWrite(uint64_t cycle, const PortBurst& burst) override;
  void resetTiming() override;

 private:
  SimpleMemoryParams params_;
  // In ticks of 1 / beats_numerator cycle, so that any rate is exact: the next free beat slots of a
  // port.
  struct Slots {
    uint64_t read_ticks = 0;
    uint64_t write_ticks = 0;
  };
  std::vector<Slots> slots_;
};

}  // namespace vta::sim
