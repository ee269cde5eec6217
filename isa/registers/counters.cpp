#include "isa/registers/counters.h"

#include "isa/registers/registers.h"

namespace vta {
namespace {

struct Entry {
  reg::UnitCounter counter;
  uint64_t UnitCounters::*value;
};
constexpr Entry kEntries[] = {
    {reg::UnitCounter::kInstructions, &UnitCounters::instructions},
    {reg::UnitCounter::kBusyCycles, &UnitCounters::busy_cycles},
    {reg::UnitCounter::kStallTokenCycles, &UnitCounters::stall_token_cycles},
    {reg::UnitCounter::kStallMemoryCycles, &UnitCounters::stall_memory_cycles},
    {reg::UnitCounter::kStallHazardCycles, &UnitCounters::stall_hazard_cycles},
    {reg::UnitCounter::kReadBytes, &UnitCounters::read_bytes},
    {reg::UnitCounter::kWriteBytes, &UnitCounters::write_bytes},
};

}  // namespace

std::array<uint64_t, 7> UnitCounters::values() const {
  std::array<uint64_t, 7> values{};
  for (const Entry& entry : kEntries)
    values[static_cast<size_t>(entry.counter)] = this->*entry.value;
  return values;
}

UnitCounters UnitCounters::fromValues(const std::array<uint64_t, 7>& values) {
  UnitCounters counters;
  for (const Entry& entry : kEntries) {
    counters.*entry.value = values[static_cast<size_t>(entry.counter)];
  }
  return counters;
}

UnitCounters& UnitCounters::operator+=(const UnitCounters& other) {
  for (const Entry& entry : kEntries) this->*entry.value += other.*entry.value;
  return *this;
}

LaunchCounters& LaunchCounters::operator+=(const LaunchCounters& other) {
  cycles += other.cycles;
  fetch += other.fetch;
  load += other.load;
  compute += other.compute;
  store += other.store;
  gemm_uops += other.gemm_uops;
  alu_uops += other.alu_uops;
  compute_waits_for_load_cycles += other.compute_waits_for_load_cycles;
  compute_waits_for_store_cycles += other.compute_waits_for_store_cycles;
  return *this;
}

}  // namespace vta
