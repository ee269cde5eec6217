#include "sim/memory/simple_memory.h"

#include <algorithm>

namespace vta::sim {
namespace {

uint64_t ceilDivide(uint64_t value, uint64_t divisor) { return (value + divisor - 1) / divisor; }

}  // namespace

SimpleMemory::SimpleMemory(const MemoryConfig& config, int ports)
    : MemoryModel(config.outstanding, ports), params_(config.simple) {
  SimpleMemory::resetTiming();
}

void SimpleMemory::resetTiming() { slots_.assign(static_cast<size_t>(numPorts()), Slots{}); }

void SimpleMemory::scheduleRead(uint64_t cycle, const PortBurst& burst, BeatSchedule& schedule) {
  const uint64_t ticks_per_cycle = params_.beats_numerator;
  const uint64_t ticks_per_beat = params_.beats_denominator;
  uint64_t& slot = slots_[static_cast<size_t>(burst.port)].read_ticks;
  const uint64_t ready = (cycle + static_cast<uint64_t>(params_.latency_cycles)) * ticks_per_cycle;
  const uint64_t start = std::max(ready, slot);
  slot = start + burst.beats * ticks_per_beat;
  if (ticks_per_cycle == 1) {  // a whole number of cycles a beat
    schedule.append(BeatRun{start, burst.beats, static_cast<uint32_t>(ticks_per_beat)});
    return;
  }
  for (uint32_t i = 0; i < burst.beats; ++i) {
    schedule.append(ceilDivide(start + i * ticks_per_beat, ticks_per_cycle));
  }
}

uint64_t SimpleMemory::scheduleWrite(uint64_t cycle, const PortBurst& burst) {
  const uint64_t ticks_per_cycle = params_.beats_numerator;
  const uint64_t ticks_per_beat = params_.beats_denominator;
  uint64_t& slot = slots_[static_cast<size_t>(burst.port)].write_ticks;
  // The master sends a beat a cycle at most, so this burst's first one came `beats` - 1 cycles ago.
  const uint64_t first_cycle = cycle - std::min<uint64_t>(cycle, burst.beats - 1);
  const uint64_t start = std::max(first_cycle * ticks_per_cycle, slot);
  slot = start + burst.beats * ticks_per_beat;
  return ceilDivide(slot - ticks_per_beat, ticks_per_cycle) +
         static_cast<uint64_t>(params_.latency_cycles);
}

}  // namespace vta::sim
