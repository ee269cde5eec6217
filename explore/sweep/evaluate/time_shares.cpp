#include "explore/sweep/evaluate/time_shares.h"

#include <algorithm>
#include <utility>

#include "isa/spec/memory_ports.h"

namespace vta::sweep {
namespace {

/// The part of a unit's transfers in which its beats follow each other without gaps.
double busyBus(const UnitCounters& unit, double bytes_per_cycle) {
  const auto active = static_cast<double>(unit.busy_cycles + unit.stall_memory_cycles);
  const auto bytes = static_cast<double>(std::max(unit.read_bytes, unit.write_bytes));
  return active == 0 ? 0 : std::min(1.0, bytes / bytes_per_cycle / active);
}

/// As busyBus for the loads of the compute unit, whose other work counts as busy.
double busyBusOfCompute(const UnitCounters& unit, double bytes_per_cycle) {
  const auto waited = static_cast<double>(unit.stall_memory_cycles);
  const auto bytes = static_cast<double>(unit.read_bytes);
  return waited == 0 ? 0 : std::min(1.0, bytes / bytes_per_cycle / waited);
}

const char* limitOf(const TimeShares& shares) {
  const std::pair<double, const char*> resources[] = {
      {shares.array + shares.lanes, shares.lanes > shares.array ? "lanes" : "array"},
      {shares.alu, "ALU"},
      {shares.bus, "memory bus"},
      {shares.latency, "memory latency"},
      {shares.control, "control"}};
  const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
  return std::max_element(std::begin(resources), std::end(resources), less)->second;
}

}  // namespace

TimeShares sharesOf(const LaunchCounters& counters, int64_t macs, const HwConfig& hw,
                    double cycles_per_beat) {
  TimeShares shares;
  if (counters.cycles == 0) return shares;
  const auto cycles = static_cast<double>(counters.cycles);
  const HwParams& p = hw.params();
  const double bytes_per_cycle = p.axi_data_width_bits / 8.0 / cycles_per_beat;
  const double multipliers = static_cast<double>(p.batch) * p.block_in * p.block_out;

  const double busy = static_cast<double>(counters.compute.busy_cycles) / cycles;
  const double gemm = std::min(busy, static_cast<double>(counters.gemm_uops) / cycles);
  // Products with padding count as the model's, but the compiler may leave them out.
  shares.array = std::min(gemm, static_cast<double>(macs) / multipliers / cycles);
  shares.lanes = gemm - shares.array;
  shares.alu = busy - gemm;

  const std::pair<uint64_t, double> waits[] = {
      {counters.compute_waits_for_load_cycles,
       busyBus(counters.load, bytes_per_cycle * memoryPorts(p).loadDmas())},
      {counters.compute_waits_for_store_cycles, busyBus(counters.store, bytes_per_cycle)},
      {counters.compute.stall_memory_cycles, busyBusOfCompute(counters.compute, bytes_per_cycle)}};
  for (const auto& [waited, on_bus] : waits) {
    const double share = static_cast<double>(waited) / cycles;
    shares.bus += share * on_bus;
    shares.latency += share * (1 - on_bus);
  }
  shares.control = std::max(0.0, 1 - busy - shares.bus - shares.latency);
  shares.limit = limitOf(shares);
  return shares;
}

}  // namespace vta::sweep
