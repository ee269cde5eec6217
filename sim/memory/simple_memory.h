// Fixed latency, fixed bandwidth, reads and writes independent of each other.
#pragma once

#include <cstdint>

#include "sim/memory/memory_model.h"

namespace vta::sim {

/// A read burst's first beat comes `latency` after its acceptance or with the next beat slot after
/// the burst before it; further beats follow at the rate. A write burst's data is taken at the rate
/// too; its response comes `latency` after that, or after its last beat if that is later.
class SimpleMemory final : public MemoryModel {
 public:
  /// `config` has passed checkMemoryConfig.
  explicit SimpleMemory(const MemoryConfig& config);

 protected:
  void scheduleRead(uint64_t cycle, uint64_t address, uint32_t beats,
                    BeatSchedule& schedule) override;
  uint64_t scheduleWrite(uint64_t cycle, uint64_t address, uint32_t beats) override;
  void resetTiming() override;

 private:
  SimpleMemoryParams params_;
  // In ticks of 1 / beats_numerator cycle, so that any rate is exact: the next free beat slots.
  uint64_t read_slot_ticks_ = 0;
  uint64_t write_slot_ticks_ = 0;
};

}  // namespace vta::sim
