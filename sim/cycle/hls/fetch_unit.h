// The fetch block of the HLS core: instructions from memory into the queues of the units.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "sim/cycle/hls/read_port.h"
#include "sim/cycle/hls/state.h"

namespace vta::sim::cycle::hls {

/// Takes an instruction a cycle, unless the queue of one has no room: then everything waits.
class FetchUnit final : public ReadPort {
 public:
  /// `address` and `size_bytes` are those of the stream in device memory.
  FetchUnit(State& state, uint64_t address, uint64_t size_bytes);

  /// Pushes what can be pushed; true when that was something.
  bool advance();

  /// The first cycle in which the instruction behind the stream's legal ones is there; kNever when
  /// it is not known yet.
  uint64_t illegalFrom() const;

  /// Adds fetch's cycles up to `last_cycle` to the counters.
  void finish(uint64_t last_cycle);

 private:
  void arrive(uint64_t bytes, const BeatSchedule& schedule) override;
  bool pushOldest();

  State& state_;
  uint64_t insn_bytes_;
  std::deque<uint64_t> arrived_;     // when instructions that were not taken can be
  std::deque<uint64_t> burst_ends_;  // numbers of the last instructions of bursts in the buffer
  uint64_t received_ = 0;
  uint64_t pushed_ = 0;
  uint64_t last_push_ = 0;
  uint64_t blocked_cycles_ = 0;
};

}  // namespace vta::sim::cycle::hls
