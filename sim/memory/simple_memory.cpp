#include "sim/memory/simple_memory.h"

#include <algorithm>

namespace vta::sim {
namespace {

uint64_t ceilDivide(uint64_t value, uint64_t divisor) { return (value + divisor - 1) / divisor; }

}  // namespace

SimpleMemory::SimpleMemory(const MemoryConfig& config)
    : MemoryModel(config.outstanding), params_(config.simple) {}

void SimpleMemory::resetTiming() { read_slot_ticks_ = write_slot_ticks_ = 0; }

void SimpleMemory::scheduleRead(uint64_t cycle, uint64_t /*address*/, uint32_t beats,
                                BeatSchedule& schedule) {
  const uint64_t ticks_per_cycle = params_.beats_numerator;
  const uint64_t ticks_per_beat = params_.beats_denominator;
  const uint64_t ready = (cycle + static_cast<uint64_t>(params_.latency_cycles)) * ticks_per_cycle;
  const uint64_t start = std::max(ready, read_slot_ticks_);
  read_slot_ticks_ = start + beats * ticks_per_beat;
  if (ticks_per_cycle == 1) {  // a whole number of cycles a beat
    schedule.append(BeatRun{start, beats, static_cast<uint32_t>(ticks_per_beat)});
    return;
  }
  for (uint32_t i = 0; i < beats; ++i) {
    schedule.append(ceilDivide(start + i * ticks_per_beat, ticks_per_cycle));
  }
}

uint64_t SimpleMemory::scheduleWrite(uint64_t cycle, uint64_t /*address*/, uint32_t beats) {
  const uint64_t ticks_per_cycle = params_.beats_numerator;
  const uint64_t ticks_per_beat = params_.beats_denominator;
  // The master sends a beat a cycle at most, so this burst's first one came `beats` - 1 cycles ago.
  const uint64_t first_cycle = cycle - std::min<uint64_t>(cycle, beats - 1);
  const uint64_t start = std::max(first_cycle * ticks_per_cycle, write_slot_ticks_);
  write_slot_ticks_ = start + beats * ticks_per_beat;
  return ceilDivide(write_slot_ticks_ - ticks_per_beat, ticks_per_cycle) +
         static_cast<uint64_t>(params_.latency_cycles);
}

}  // namespace vta::sim
