// The fetch unit (docs/timing.md, "Fetch").
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/cycle/common/bursts.h"
#include "sim/cycle/common/context.h"
#include "sim/memory/memory_model.h"

namespace vta::sim::cycle {

/// Works out dispatches ahead of time, up to the first instruction whose queue has no room.
class Fetch {
 public:
  /// `address` and `size_bytes` are those of the stream in device memory.
  Fetch(Context& context, uint64_t address, uint64_t size_bytes);

  /// The earliest cycle in which it requests a burst of the arbiter.
  uint64_t requestFrom() const;
  Burst grant(uint64_t cycle);
  /// The memory has accepted the oldest burst that was granted and not accepted; it answers beat
  /// `bad_beat` with an error.
  void accept(const Burst& burst, const BeatSchedule& schedule, uint32_t bad_beat);

  /// True when the next instruction waits for room in `unit`'s queue.
  bool waitsFor(Unit unit) const { return blocked_ && blocked_unit_ == unit; }
  /// Goes on after an instruction of the unit it waits for has started.
  void resume();

  /// The first cycle in which fetch has ended, kNever before that is known.
  uint64_t endedFrom() const { return ended_from_; }
  /// The fault that fetch keeps to itself when it ended at an illegal instruction or a bus error;
  /// without a cycle.
  std::optional<HardwareFault> endedWith() const;
  /// With a group that waits for room: the first cycle in which it is ready to be dispatched.
  uint64_t blockedFrom() const { return blocked_ ? wanted_from_ : kNever; }

  /// Adds fetch's cycles up to `last_cycle`, in which the core stops, to the counters.
  void finish(uint64_t last_cycle);

 private:
  void takeBeats();
  bool fillGroup();
  void drainGroup();
  void decodeNext();
  bool dispatchDecoded();
  void end(uint64_t cycle);
  void takeError(uint64_t beat);

  struct PendingRun {
    BeatRun run;
    bool ends_burst = false;
  };

  Context& context_;
  int log_beat_bytes_;
  uint64_t insn_bytes_;
  uint64_t first_beat_offset_;  // bytes of the first beat in front of the stream
  BurstWalker walker_;
  uint64_t total_;          // instructions to dispatch: all legal ones up to FINISH or a bus error
  bool bus_error_ = false;  // at instruction total_

  uint64_t offer_from_ = timing::kBurstLatency - 1;  // started in the cycle before cycle 0
  uint64_t granted_ = 0;
  uint64_t popped_bursts_ = 0;
  std::vector<uint64_t> pop_ends_;  // by burst number, as a ring
  std::deque<PendingRun> arrived_;

  uint64_t beats_accepted_ = 0;
  uint64_t beats_popped_ = 0;
  uint64_t bytes_before_group_ = 0;
  uint32_t group_instructions_ = 0;  // left in the group register
  uint64_t group_ready_ = 0;
  uint64_t last_pop_ = 0;
  bool decoded_ = false;        // an instruction is, and not dispatched
  uint64_t decode_cycle_ = 0;   // of the instruction decoded last
  uint64_t next_dispatch_ = 0;  // the cycle after the last dispatch
  uint64_t dispatched_ = 0;
  bool blocked_ = false;
  Unit blocked_unit_ = Unit::kLoad;
  uint64_t wanted_from_ = 0;
  uint64_t ended_from_ = kNever;
};

}  // namespace vta::sim::cycle
