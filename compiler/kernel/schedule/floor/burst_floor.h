// Cycles that reads and writes take at least: the memory's rate, the latency that passes before the
// first beat, and the few bursts that are in flight at once.
#pragma once

#include "compiler/kernel/desc/memory_traits.h"
#include "isa/config/hw_config.h"

namespace vta::kernel {

/// What one requester moves: beats, in at least so many bursts.
struct Stream {
  double beats = 0;
  double bursts = 0;

  void add(const Stream& other) {
    beats += other.beats;
    bursts += other.bursts;
  }
};

/// Rows of `bytes` bytes each, which share no burst.
Stream streamOfRows(double rows, double bytes, const HwConfig& hw);
/// Bytes in rows whose number is not known: in as few bursts as can be.
Stream streamOfBytes(double bytes, const HwConfig& hw);

/// What a program moves, by requester.
struct Streams {
  Stream inputs, weights;
  Stream compute;  // micro-ops and accumulators
  Stream fetch;
  Stream stores;
};

/// Cycles from the last beat of data to the end of a launch: data of the load unit, and of the
/// compute unit.
struct Drain {
  double loads = 0;
  double compute = 0;
};

/// Cycles from the start of a launch. A requester holds a limited number of bursts, each from its
/// grant to its last beat, and the memory has a limited number in flight for each port
/// (docs/timing.md, docs/memory.md). So bursts alone take some time, however high the rate is.
class BurstFloor {
 public:
  BurstFloor(const HwConfig& hw, const MemoryTraits& memory);

  /// Before the first operation of GEMM core or ALU: an instruction and then its micro-ops are
  /// read.
  double beforeEngines() const { return before_data_ + data_path_ + latency_; }
  /// Before a unit has its first instruction.
  double beforeData() const { return before_data_; }
  /// Before the first operation that needs all of `operands`, which the load unit reads.
  double beforeOperands(const Streams& operands) const;
  /// Behind the last operation of an engine: a store is answered.
  double afterEngines() const { return latency_; }
  /// From an operation of an engine to a store of its result.
  double beforeStore() const;
  /// The end of a program that reads all this, and does something behind the last data.
  double endOfReads(const Streams& streams, const Drain& drain) const;
  /// Cycles of a program's stores, from the first cycle in which there is anything to store.
  double storeCycles(const Stream& stores) const;

 private:
  double beatCycles() const;
  double rateCycles(const Streams& streams) const;
  double heldCycles(const Stream& stream) const;
  double flightCycles(const Stream& stream) const;
  double loadsInFlight(const Streams& streams) const;
  double computeInFlight(const Streams& streams) const;
  double portsInFlight(const Streams& streams) const;

  const HwConfig& hw_;
  MemoryTraits memory_;
  double latency_;
  double before_data_;
  double data_path_;
};

}  // namespace vta::kernel
