// One launch of the published HLS core: its four blocks, and the memory that they share.
#pragma once

#include <cstdint>

#include "sim/cycle/common/context.h"
#include "sim/cycle/hls/fetch_unit.h"
#include "sim/cycle/hls/state.h"
#include "sim/cycle/hls/units.h"
#include "sim/memory/memory_model.h"

namespace vta::sim::cycle::hls {

/// Goes from burst to burst: what blocks do between two bursts is worked out at once.
class HlsLaunch {
 public:
  /// `memory` has been reset. `address` and `size_bytes` are those of the stream.
  HlsLaunch(Context& context, MemoryModel& memory, uint64_t address, uint64_t size_bytes);

  /// Runs to the end, successful or not, and fills in the counters. context.fault tells which.
  /// Gives up after context.give_up_cycle, with a cycle behind it as only counter.
  void run();

 private:
  static constexpr int kReaders = 4;

  uint64_t readFrom() const;
  void read(uint64_t cycle);
  void advanceAll();
  void findDeadlock();
  void finish(uint64_t last_cycle);

  Context& context_;
  MemoryModel& memory_;
  State state_;
  FetchUnit fetch_;
  LoadBlock load_;
  ComputeBlock compute_;
  StoreBlock store_;
  ReadPort* ports_[kReaders];
  BeatSchedule schedule_;
  int next_port_ = 0;  // who is asked first at the next burst
  uint64_t bus_free_from_ = 0;
  uint64_t lead_ = 0;  // cycles from the acceptance of a burst to its first beat, on a free bus
};

}  // namespace vta::sim::cycle::hls
