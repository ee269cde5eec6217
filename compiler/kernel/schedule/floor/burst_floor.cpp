#include "compiler/kernel/schedule/floor/burst_floor.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "compiler/kernel/plan/read_cycles.h"
#include "isa/spec/memory_ports.h"
#include "isa/spec/timing.h"

namespace vta::kernel {
namespace {

// From the start of a launch until fetch offers its first burst, and from the arrival of an
// instruction to the head of its queue.
constexpr double kFetchPath = timing::kBurstLatency - 1 + timing::kQueueLatency;

double beatBytes(const HwConfig& hw) { return hw.params().axi_data_width_bits / 8.0; }

}  // namespace

Stream streamOfRows(double rows, double bytes, const HwConfig& hw) {
  const double beats = std::ceil(bytes / beatBytes(hw));
  return {rows * beats, rows * std::ceil(beats / hw.params().axi_max_burst_beats)};
}

Stream streamOfBytes(double bytes, const HwConfig& hw) {
  const double beats = bytes / beatBytes(hw);
  return {beats, beats / hw.params().axi_max_burst_beats};
}

BurstFloor::BurstFloor(const HwConfig& hw, const MemoryTraits& memory)
    : hw_(hw),
      memory_(memory),
      latency_(memory.least_latency_cycles),
      before_data_(kFetchPath + memory.least_latency_cycles),
      data_path_(timing::kBurstLatency) {}

// From the cycle of its grant, which is the cycle before the memory can accept it, through the
// latency and its beats, to the cycle in which its last beat is popped or its response arrives. The
// grant that takes its place comes later.
double BurstFloor::heldCycles(const Stream& stream) const {
  return stream.beats + stream.bursts * (latency_ + 2);
}

// Of reads: from acceptance to the last beat.
double BurstFloor::flightCycles(const Stream& stream) const {
  return stream.beats + stream.bursts * latency_;
}

double BurstFloor::rateCycles(const Streams& streams) const {
  ReadBytes bytes;
  bytes.inputs = streams.inputs.beats * beatBytes(hw_);
  bytes.weights = streams.weights.beats * beatBytes(hw_);
  bytes.rest = (streams.compute.beats + streams.fetch.beats) * beatBytes(hw_);
  return std::max(0.0, readCycles(bytes, hw_, memory_) - beatCycles());  // behind the first beat
}

double BurstFloor::beatCycles() const {
  return std::max(memory_.cycles_per_beat, memory_.shared_cycles_per_beat);
}

// Of the load unit's DMAs.
double BurstFloor::loadsInFlight(const Streams& streams) const {
  const double inputs = heldCycles(streams.inputs);
  const double weights = heldCycles(streams.weights);
  return loadUnitCycles(inputs, weights, hw_) / hw_.params().axi_outstanding_bursts;
}

double BurstFloor::computeInFlight(const Streams& streams) const {
  return heldCycles(streams.compute) / hw_.params().axi_outstanding_bursts;
}

double BurstFloor::portsInFlight(const Streams& streams) const {
  const MemoryPorts ports = memoryPorts(hw_.params());
  std::array<double, kMostMemoryPorts> cycles = {};
  cycles[static_cast<size_t>(ports.inp)] += flightCycles(streams.inputs);
  cycles[static_cast<size_t>(ports.wgt)] += flightCycles(streams.weights);
  cycles[0] += flightCycles(streams.compute) + flightCycles(streams.fetch);
  return *std::ranges::max_element(cycles) / memory_.outstanding_bursts;
}

double BurstFloor::beforeOperands(const Streams& operands) const {
  if (hw_.params().hls_timing) return beforeEngines();
  const double first_beat = before_data_ + data_path_ + latency_;
  return std::max(
      {beforeEngines(), first_beat + rateCycles(operands), before_data_ + loadsInFlight(operands)});
}

double BurstFloor::endOfReads(const Streams& streams, const Drain& drain) const {
  Streams data = streams;
  data.fetch = {};
  // Which data is the last to arrive is not known.
  const double behind = data.compute.beats > 0 ? std::min(drain.loads, drain.compute) : drain.loads;
  double end = beforeEngines() + rateCycles(data) + behind;
  // What is fetched last may be the end of the program, which nothing follows.
  end = std::max(end, latency_ + rateCycles(streams));
  // The published HLS core has other requesters.
  if (hw_.params().hls_timing) return end;
  const double first_grant = before_data_ + data_path_;
  return std::max({end, first_grant + loadsInFlight(data) + drain.loads,
                   first_grant + computeInFlight(data) + drain.compute,
                   first_grant + portsInFlight(data) + behind,
                   heldCycles(streams.fetch) / timing::kFetchBursts, portsInFlight(streams)});
}

// In the memory a burst is in flight from the acceptance of its address to its response. Its beats
// may have been sent before.
double BurstFloor::storeCycles(const Stream& stores) const {
  const double cycles = std::max(0.0, stores.beats - 1) * beatCycles() + latency_;
  if (hw_.params().hls_timing) return cycles;
  return std::max({cycles, heldCycles(stores) / hw_.params().axi_outstanding_bursts,
                   stores.bursts * (latency_ + 1) / memory_.outstanding_bursts});
}

// The result is written, and the store begins to read.
double BurstFloor::beforeStore() const {
  if (hw_.params().hls_timing) return 0;
  return static_cast<double>(timing::kAluDepth + timing::leastAccLatency(hw_.params()) +
                             timing::kDmaStartLatency);
}

}  // namespace vta::kernel
