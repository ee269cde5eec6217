// How rows of data become bursts (docs/timing.md, "Bursts").
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "isa/config/hw_config.h"
#include "isa/spec/timing.h"

namespace vta::sim::cycle {

/// One AXI burst of full beats.
struct Burst {
  uint64_t address = 0;  ///< of its first beat
  uint32_t beats = 0;    ///< of the bus's width
};

/// `rows` rows of `row_bytes` bytes, the first at `address`, each `stride_bytes` after the one
/// before.
struct Rows {
  uint64_t address = 0;       ///< of the first byte
  uint64_t row_bytes = 0;     ///< without what lies between rows
  uint64_t stride_bytes = 0;  ///< from row to row
  uint32_t rows = 0;          ///< none: there is nothing to transfer
};

/// Number of beats of `beat_bytes` bytes that the range touches.
inline uint64_t beatsOf(uint64_t address, uint64_t size_bytes, int log_beat_bytes) {
  return ((address + size_bytes - 1) >> log_beat_bytes) - (address >> log_beat_bytes) + 1;
}

/// Yields the bursts of a transfer in order.
class BurstWalker {
 public:
  /// Width and longest burst are those of `hw`.
  explicit BurstWalker(const HwConfig& hw)
      : log_beat_bytes_(
            std::countr_zero(static_cast<unsigned>(hw.params().axi_data_width_bits) / 8)),
        max_beats_(static_cast<uint64_t>(hw.params().axi_max_burst_beats)) {}

  /// Starts with the first burst of `rows`.
  void begin(const Rows& rows) {
    rows_ = rows;
    if (rows.row_bytes == 0) rows_.rows = 0;
    if (rows_.rows > 0) beginRow();
  }

  /// No burst is left.
  bool done() const { return rows_.rows == 0; }

  /// The next burst; only when not done.
  Burst next() {
    // "Bursts": from the lowest address up; MaxBurstBeats, beats left in the row, beats left to
    // the next multiple of BurstBoundaryBytes, whichever is least.
    const uint64_t to_boundary =
        (timing::kBurstBoundaryBytes - beat_address_ % timing::kBurstBoundaryBytes) >>
        log_beat_bytes_;
    const uint64_t beats = std::min(std::min(max_beats_, row_beats_left_), to_boundary);
    const Burst burst = {beat_address_, static_cast<uint32_t>(beats)};
    beat_address_ += beats << log_beat_bytes_;
    row_beats_left_ -= beats;
    if (row_beats_left_ == 0) {
      rows_.address += rows_.stride_bytes;
      if (--rows_.rows > 0) beginRow();
    }
    return burst;
  }

 private:
  void beginRow() {
    // "Bursts": the beats lie at multiples of B and touch the row.
    beat_address_ = rows_.address >> log_beat_bytes_ << log_beat_bytes_;
    row_beats_left_ = beatsOf(rows_.address, rows_.row_bytes, log_beat_bytes_);
  }

  int log_beat_bytes_;
  uint64_t max_beats_;
  Rows rows_;
  uint64_t beat_address_ = 0;
  uint64_t row_beats_left_ = 0;
};

}  // namespace vta::sim::cycle
