#include "compiler/kernel/schedule/burst_floor.h"

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

// From the cycle after its grant, through the latency and its beats, to the cycle in which its last
// beat is popped.
double BurstFloor::heldCycles(const Stream& stream) const {
  return stream.beats + stream.bursts * (latency_ + 1);
}

// From acceptance to the last beat or to the response.
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

// Of the read DMAs.
double BurstFloor::dataInFlight(const Streams& streams) const {
  const double inputs = heldCycles(streams.inputs);
  const double weights = heldCycles(streams.weights);
  const bool side_by_side = memoryPorts(hw_.params()).loadDmas() > 1;
  const double load = side_by_side ? std::max(inputs, weights) : inputs + weights;
  return std::max(load, heldCycles(streams.compute)) / hw_.params().axi_outstanding_bursts;
}

double BurstFloor::portsInFlight(const Streams& streams) const {
  const MemoryPorts ports = memoryPorts(hw_.params());
  std::array<double, kMostMemoryPorts> cycles = {};
  cycles[static_cast<size_t>(ports.inp)] += flightCycles(streams.inputs);
  cycles[static_cast<size_t>(ports.wgt)] += flightCycles(streams.weights);
  cycles[0] += flightCycles(streams.compute) + flightCycles(streams.fetch);
  return *std::ranges::max_element(cycles) / memory_.outstanding_bursts;
}

double BurstFloor::endOfReads(const Streams& streams) const {
  Streams data = streams;
  data.fetch = {};
  double end_of_data = beforeEngines() + rateCycles(data);
  // What is fetched last may be the end of the program, which nothing follows.
  double end = latency_ + rateCycles(streams);
  // The published HLS core has other requesters.
  if (!hw_.params().hls_timing) {
    const double in_flight = std::max(dataInFlight(data), portsInFlight(data));
    end_of_data = std::max(end_of_data, beforeData() + in_flight);
    end = std::max({end, heldCycles(streams.fetch) / timing::kFetchBursts, portsInFlight(streams)});
  }
  return std::max(end_of_data + afterEngines(), end);
}

double BurstFloor::endOfStores(const Stream& stores) const {
  double cycles = std::max(0.0, stores.beats - 1) * beatCycles() + latency_;
  if (!hw_.params().hls_timing) {
    const double most =
        std::min<double>(hw_.params().axi_outstanding_bursts, memory_.outstanding_bursts);
    cycles = std::max(cycles, flightCycles(stores) / most);
  }
  return beforeEngines() + cycles;
}

}  // namespace vta::kernel
