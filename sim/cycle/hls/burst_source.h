// How a row becomes bursts of a port of the HLS core.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "isa/config/hw_config.h"
#include "isa/spec/timing.h"
#include "sim/cycle/common/bursts.h"

namespace vta::sim::cycle::hls {

/// Bursts of at most `axi.max_burst_beats` beats of the port's own width, from the row's first byte
/// on, that do not cross 4 KiB.
class BurstSource {
 public:
  /// `port_bytes` is the width of the port's own bus.
  BurstSource(const HwConfig& hw, uint64_t port_bytes)
      : log_beat_bytes_(
            std::countr_zero(static_cast<unsigned>(hw.params().axi_data_width_bits) / 8)),
        max_burst_bytes_(port_bytes * static_cast<uint64_t>(hw.params().axi_max_burst_beats)) {}

  /// The next row: `bytes` bytes from byte `address` of DRAM on.
  void begin(uint64_t address, uint64_t bytes) {
    address_ = address;
    bytes_left_ = bytes;
  }
  /// No burst of the row is left.
  bool done() const { return bytes_left_ == 0; }

  /// Bytes of the next burst; only when not done.
  uint64_t burstBytes() const {
    const uint64_t to_boundary =
        timing::kBurstBoundaryBytes - address_ % timing::kBurstBoundaryBytes;
    return std::min({max_burst_bytes_, bytes_left_, to_boundary});
  }
  /// The same in beats of the memory's bus.
  Burst burst() const {
    const uint64_t first = address_ >> log_beat_bytes_ << log_beat_bytes_;
    return {first, static_cast<uint32_t>(beatsOf(address_, burstBytes(), log_beat_bytes_))};
  }
  /// The next burst is taken.
  void advance() {
    const uint64_t bytes = burstBytes();
    address_ += bytes;
    bytes_left_ -= bytes;
  }
  /// Of the memory's bus.
  uint64_t beatBytes() const { return uint64_t{1} << log_beat_bytes_; }

 private:
  int log_beat_bytes_;
  uint64_t max_burst_bytes_;
  uint64_t address_ = 0;
  uint64_t bytes_left_ = 0;
};

}  // namespace vta::sim::cycle::hls
