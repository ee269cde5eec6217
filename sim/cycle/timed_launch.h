// One launch: the units, the bus between them and the memory, and time.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "isa/spec/memory_ports.h"
#include "sim/cycle/common/context.h"
#include "sim/cycle/compute/compute_unit.h"
#include "sim/cycle/dma/load_unit.h"
#include "sim/cycle/dma/store_unit.h"
#include "sim/cycle/fetch.h"
#include "sim/memory/memory_model.h"

namespace vta::sim::cycle {

/// Goes from event to event: grants and acceptances of bursts, starts of instructions, whatever
/// compute has to do. All else follows from these and is worked out when its cause is known.
class TimedLaunch {
 public:
  /// `memory` has been reset. `address` and `size_bytes` are those of the stream.
  TimedLaunch(Context& context, MemoryModel& memory, std::vector<Uop>& uops, uint64_t address,
              uint64_t size_bytes);

  /// Runs to the end, successful or not, and fills in the counters. context.fault tells which.
  /// Gives up after context.give_up_cycle, with a cycle behind it as only counter.
  void run();

 private:
  /// The read side of a memory port: its arbiter and the AR register behind it.
  struct ReadPort {
    bool busy = false;
    BusMaster owner = BusMaster::kFetch;
    Burst burst;
    uint64_t accept_cycle = 0;
    uint64_t free_from = 0;
    int next_master = 0;  ///< who is asked first at the next grant
  };

  uint64_t nextEvent();
  uint64_t grantFrom(int port, BusMaster master) const;
  uint64_t nextGrant(int port) const;
  uint64_t nextReadEvent() const;
  uint64_t othersIdleFrom() const;
  int numPorts() const { return static_cast<int>(read_ports_.size()); }
  ReadPort& readPort(int port) { return read_ports_[static_cast<size_t>(port)]; }
  const ReadPort& readPort(int port) const { return read_ports_[static_cast<size_t>(port)]; }
  void takeHandshakes(uint64_t cycle);
  void acceptRead(int port, uint64_t cycle);
  void acceptWrite(uint64_t cycle);
  void completeWrite(uint64_t cycle);
  void grantRead(int port, uint64_t cycle);
  void grantWrite(uint64_t cycle);
  void step(uint64_t cycle);
  bool checkOverflow(uint64_t before_cycle);
  void findDeadlock();
  void drain(uint64_t halt_cycle);
  void finish(uint64_t halt_cycle);

  Context& context_;
  MemoryModel& memory_;
  Fetch fetch_;
  LoadUnit load_;
  ComputeUnit compute_;
  StoreUnit store_;
  BeatSchedule schedule_;

  std::vector<ReadPort> read_ports_;
  int store_port_;
  bool aw_busy_ = false;
  Burst aw_burst_;
  uint64_t aw_offered_from_ = 0;
  uint64_t aw_free_from_ = 0;
  uint64_t reads_accepted_ = 0;
  uint64_t writes_accepted_ = 0;
  std::deque<uint64_t> completions_;  // of write bursts, by cycle
  uint64_t bus_idle_from_ = 0;        // the cycle after the last beat or response

  bool finished_ = false;  // FINISH was issued
  uint64_t halt_cycle_ = 0;
};

}  // namespace vta::sim::cycle
