// A DRAM with banks, rows and refresh behind a first-come first-served controller.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/memory/memory_model.h"

namespace vta::sim {

/// Serves reads and completed writes of all ports in the order in which they come. Rows stay open.
/// Consecutive rows of the address space lie in consecutive banks. A refresh closes all rows. Half
/// of the controller's latency lies before the DRAM, half behind it.
class DdrMemory final : public MemoryModel {
 public:
  /// `config` has passed checkMemoryConfig.
  DdrMemory(const MemoryConfig& config, int beat_bytes, double clock_mhz, int ports = 1);

 protected:
  void scheduleRead(uint64_t cycle, const PortBurst& burst, BeatSchedule& schedule) override;
  uint64_t scheduleWrite(uint64_t cycle, const PortBurst& burst) override;
  void resetTiming() override;

 private:
  static constexpr uint64_t kNoRow = ~uint64_t{0};
  struct Bank {
    uint64_t row = kNoRow;
    uint64_t activate_allowed = 0;   ///< earliest ACTIVATE
    uint64_t column_allowed = 0;     ///< earliest READ or WRITE of the open row
    uint64_t precharge_allowed = 0;  ///< earliest PRECHARGE of the open row
  };

  uint64_t toDram(uint64_t cycle) const;    // first DRAM clock at or after an accelerator cycle
  uint64_t fromDram(uint64_t clock) const;  // first accelerator cycle at or after a DRAM clock
  void refreshUpTo(uint64_t clock);
  uint64_t openRow(Bank& bank, uint64_t row, uint64_t arrival);
  /// DRAM clock in which the data of one column access has been moved.
  uint64_t access(uint64_t address, uint64_t arrival, bool is_write);

  DdrTiming timing_;
  uint64_t beat_bytes_;
  uint64_t clock_ratio_;  // of DRAM clocks to cycles of the accelerator: a fraction
  uint64_t cycle_ratio_;
  uint64_t column_bytes_;  // of one column access
  uint64_t data_clocks_;   // of one column access
  uint64_t latency_before_cycles_;
  uint64_t latency_behind_cycles_;

  std::vector<Bank> banks_;
  uint64_t next_refresh_ = 0;
  uint64_t next_read_column_ = 0;
  uint64_t next_write_column_ = 0;
  std::vector<uint64_t> next_beat_cycles_;  // of the ports
};

}  // namespace vta::sim
