// The store unit (docs/timing.md, "Store").
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "isa/spec/timing.h"
#include "sim/cycle/common/bursts.h"
#include "sim/cycle/common/context.h"

namespace vta::sim::cycle {

/// Works out a burst's data when its address is granted: from then on nothing delays it.
class StoreUnit {
 public:
  /// The unit keeps the reference.
  explicit StoreUnit(Context& context);

  /// The earliest cycle in which the instruction at the head starts.
  uint64_t startFrom() const;
  /// Takes it from the queue in `cycle`, not before startFrom().
  void start(uint64_t cycle);

  /// The earliest cycle in which a burst is granted, the AW register aside.
  uint64_t requestFrom() const;
  /// Grants it in `cycle`: its address is on the AW channel from the next cycle on.
  Burst grant(uint64_t cycle);
  /// The memory accepts the address of the burst granted last; returns the cycle in which address
  /// and last beat have been accepted. `fails`: its response will be an error.
  uint64_t acceptAddress(uint64_t cycle, bool fails);
  /// The response to the oldest burst without one arrives in `cycle`.
  void respond(uint64_t cycle);

  /// The first cycle in which nothing is in flight any more, as far as known.
  uint64_t idleFrom() const {
    return transfers_.empty() ? stalls_.lastRetire() + (retired_ > 0 ? 1 : 0) : kNever;
  }

  /// Adds what is left of the unit's cycles up to `last_cycle`, in which the core stops.
  void finish(uint64_t last_cycle);

 private:
  struct Transfer {
    uint32_t number = 0;
    uint64_t start = 0;
    Rows rows;  ///< data that is not sent yet
    uint64_t bursts_unanswered = 0;
    bool has_data = false;
    bool leaves_buffers = false;
  };
  struct OpenBurst {
    uint64_t first_beat_cycle = 0;  ///< accepted on the W channel
    uint64_t last_beat_cycle = 0;
    uint32_t beats = 0;
    uint64_t complete = 0;  ///< address and last beat are accepted
    bool fails = false;
  };

  bool wide() const { return elem_bytes_ >> log_beat_bytes_ > 0; }
  void sendWide(uint32_t beats, uint64_t granted);
  void sendNarrow(uint32_t beats, uint64_t granted);
  uint64_t readElement();
  uint64_t elemsOfBeat() const;
  void readAhead();
  void finishElement(uint64_t consumed);
  uint64_t loadBeat(uint64_t earliest);
  void retireReady();

  Context& context_;
  UnitCounters& timing_;
  TransferStalls stalls_;
  int log_beat_bytes_;
  uint64_t elem_bytes_;
  uint32_t limit_bursts_;

  // Addresses: of the transfer started last.
  BurstWalker walker_;
  uint64_t offer_from_ = 0;
  uint64_t start_from_ = 0;
  uint64_t granted_ = 0;
  uint64_t answered_ = 0;
  std::vector<uint64_t> response_cycles_;  // by burst number, as a ring
  std::deque<OpenBurst> open_bursts_;      // granted and not answered
  std::deque<Transfer> transfers_;         // started and not retired

  // Data: of the transfer started last.
  uint64_t row_elems_left_ = 0;
  uint32_t elem_beats_left_ = 0;  // of the element that is being sent
  uint64_t read_cycle_ = 0;       // of that element
  uint64_t next_operation_ = 0;   // the cycle after the last read
  uint64_t last_consumed_ = 0;
  uint64_t next_beat_ = 0;  // the cycle after the last beat was loaded

  uint64_t beats_counted_ = 0;
  uint64_t started_ = 0;
  uint64_t retired_ = 0;
  std::array<uint64_t, timing::kDmaInFlight> retire_cycles_{};  // by store number, as a ring
};

}  // namespace vta::sim::cycle
