// When a DRAM delivers and accepts the bursts of AXI ports.
//
// A model is told of each burst when a port accepts it and answers with cycles; it moves no data.
// The Verilated RTL's AXI slave and the cycle simulator ask the same models, so both see identical
// memory timing. Cycles are those of the accelerator's clock, counted from the launch.
//
// A port: reads and writes have channels of their own, responses come in the order of acceptance.
// ARREADY and AWREADY are 1 while fewer than `outstanding` bursts of their kind are in flight; a
// read burst is in flight up to its last beat, a write burst up to its response. WREADY is
// always 1. The master takes beats and responses at once.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "base/status.h"
#include "sim/memory/memory_config.h"

namespace vta::sim {

/// `beats` beats, one every `interval_cycles` from `first_cycle` on.
struct BeatRun {
  uint64_t first_cycle = 0;      ///< of the launch, in which the first beat is on the bus
  uint32_t beats = 0;            ///< at least 1
  uint32_t interval_cycles = 1;  ///< from beat to beat; 1: back to back

  /// The cycle of the run's last beat.
  uint64_t lastCycle() const { return first_cycle + uint64_t{beats - 1} * interval_cycles; }
  bool operator==(const BeatRun&) const = default;
};

/// The cycles in which the beats of one read burst are on the bus, as few runs. Reusable.
class BeatSchedule {
 public:
  /// In the order of time, without overlap.
  const std::vector<BeatRun>& runs() const { return runs_; }
  /// Of a schedule that is not empty.
  uint64_t firstCycle() const { return runs_.front().first_cycle; }
  /// Of a schedule that is not empty.
  uint64_t lastCycle() const { return runs_.back().lastCycle(); }
  /// Cycle of beat `beat`, counted from 0.
  uint64_t beatCycle(uint32_t beat) const;

  /// Makes it empty, and keeps its memory for the next burst.
  void clear() { runs_.clear(); }
  /// Appends a beat at `cycle`, later than all others.
  void append(uint64_t cycle);
  /// Appends beats that all come after the others.
  void append(const BeatRun& run) { runs_.push_back(run); }

 private:
  std::vector<BeatRun> runs_;
};

/// A memory with its ports. Used by one thread at a time.
class MemoryModel {
 public:
  /// No cycle is known yet.
  static constexpr uint64_t kUnknownCycle = std::numeric_limits<uint64_t>::max();

  /// A model of `config` behind `ports` ports of `beat_bytes` bytes each, clocked with `clock_mhz`.
  /// Errors: those of checkMemoryConfig.
  static Result<std::unique_ptr<MemoryModel>> create(const MemoryConfig& config, int beat_bytes,
                                                     double clock_mhz, int ports = 1);
  virtual ~MemoryModel() = default;

  /// As many as `create` was told.
  int numPorts() const { return static_cast<int>(ports_.size()); }

  /// Forgets everything: cycle 0 is a new launch.
  void reset();

  /// The earliest cycle in which `port` can accept its next read burst.
  uint64_t earliestReadAccept(int port = 0) const;

  /// Accepts a read burst in `cycle`, not before earliestReadAccept(); `schedule` becomes its
  /// beats. Reads and completed writes of all ports are reported in the order of their cycles; in
  /// one cycle in the order of the ports, and of one port the read first.
  void acceptRead(uint64_t cycle, uint64_t address, uint32_t beats, BeatSchedule& schedule,
                  int port = 0);
  /// Read bursts that all ports have accepted.
  uint64_t readsAccepted() const;

  /// The earliest cycle in which the next write burst can be accepted; kUnknownCycle while that
  /// depends on a burst whose data has not come.
  uint64_t earliestWriteAccept(int port = 0) const;

  /// Accepts the address of a write burst in `cycle`, not before earliestWriteAccept().
  void acceptWrite(uint64_t cycle, uint64_t address, uint32_t beats, int port = 0);

  /// The oldest write burst without its data has got its address and its last beat, the later of
  /// the two in `cycle`. Returns the cycle of its response.
  uint64_t completeWrite(uint64_t cycle, int port = 0);

 protected:
  MemoryModel(int outstanding, int ports);

  /// A burst of one port.
  struct PortBurst {
    int port = 0;
    uint64_t address = 0;
    uint32_t beats = 0;
  };

  /// Cycles of the beats of a burst accepted in `cycle`: increasing, all after the beats of earlier
  /// bursts of the port.
  virtual void scheduleRead(uint64_t cycle, const PortBurst& burst, BeatSchedule& schedule) = 0;
  /// Cycle of the response to a write burst that is complete in `cycle`.
  virtual uint64_t scheduleWrite(uint64_t cycle, const PortBurst& burst) = 0;
  virtual void resetTiming() = 0;

 private:
  struct PendingWrite {
    uint64_t address = 0;
    uint32_t beats = 0;
  };

  struct Port {
    /// Ends of the last `outstanding` bursts, as rings: burst n overwrites burst n - outstanding.
    std::vector<uint64_t> read_ends;
    std::vector<uint64_t> write_ends;
    std::vector<PendingWrite> pending_writes;
    uint64_t reads_accepted = 0;
    uint64_t writes_accepted = 0;
    uint64_t writes_completed = 0;
    uint64_t next_read_accept = 0;
    uint64_t next_write_accept = 0;
    uint64_t next_response = 0;
  };
  Port& portAt(int port) { return ports_[static_cast<size_t>(port)]; }
  const Port& portAt(int port) const { return ports_[static_cast<size_t>(port)]; }

  std::vector<Port> ports_;
};

}  // namespace vta::sim
