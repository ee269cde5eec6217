#include "sim/memory/memory_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>

#include "sim/memory/ddr_memory.h"
#include "sim/memory/simple_memory.h"

namespace vta::sim {

uint64_t BeatSchedule::beatCycle(uint32_t beat) const {
  for (const BeatRun& run : runs_) {
    if (beat < run.beats) return run.first_cycle + uint64_t{beat} * run.interval_cycles;
    beat -= run.beats;
  }
  assert(false && "the burst has no such beat");
  return MemoryModel::kUnknownCycle;
}

void BeatSchedule::append(uint64_t cycle) {
  if (!runs_.empty()) {
    BeatRun& run = runs_.back();
    const auto interval = static_cast<uint32_t>(cycle - run.lastCycle());
    if (run.beats == 1) run.interval_cycles = interval;
    if (run.interval_cycles == interval) {
      ++run.beats;
      return;
    }
  }
  runs_.push_back({cycle, 1, 1});
}

Result<std::unique_ptr<MemoryModel>> MemoryModel::create(const MemoryConfig& config, int beat_bytes,
                                                         int clock_mhz) {
  VTA_RETURN_IF_ERROR(checkMemoryConfig(config));
  if (beat_bytes < 1 || !std::has_single_bit(static_cast<unsigned>(beat_bytes)) || clock_mhz < 1) {
    return invalidArgument(
        fmt::format("a bus of {} bytes at {} MHz; legal: a power of two, 1 MHz or more", beat_bytes,
                    clock_mhz));
  }
  if (config.kind == MemoryKind::kDdr) {
    return std::unique_ptr<MemoryModel>(std::make_unique<DdrMemory>(config, beat_bytes, clock_mhz));
  }
  return std::unique_ptr<MemoryModel>(std::make_unique<SimpleMemory>(config));
}

MemoryModel::MemoryModel(int outstanding)
    : read_ends_(static_cast<size_t>(outstanding)),
      write_ends_(static_cast<size_t>(outstanding)),
      pending_writes_(static_cast<size_t>(outstanding)) {}

void MemoryModel::reset() {
  reads_accepted_ = writes_accepted_ = writes_completed_ = 0;
  next_read_accept_ = next_write_accept_ = next_response_ = 0;
  resetTiming();
}

uint64_t MemoryModel::earliestReadAccept() const {
  if (reads_accepted_ < read_ends_.size()) return next_read_accept_;
  return std::max(next_read_accept_, read_ends_[reads_accepted_ % read_ends_.size()] + 1);
}

void MemoryModel::acceptRead(uint64_t cycle, uint64_t address, uint32_t beats,
                             BeatSchedule& schedule) {
  assert(cycle >= earliestReadAccept() && beats > 0);
  schedule.clear();
  scheduleRead(cycle, address, beats, schedule);
  read_ends_[reads_accepted_++ % read_ends_.size()] = schedule.lastCycle();
  next_read_accept_ = cycle + 1;
}

uint64_t MemoryModel::earliestWriteAccept() const {
  if (writes_accepted_ < write_ends_.size()) return next_write_accept_;
  if (writes_completed_ + write_ends_.size() <= writes_accepted_) return kUnknownCycle;
  return std::max(next_write_accept_, write_ends_[writes_accepted_ % write_ends_.size()] + 1);
}

void MemoryModel::acceptWrite(uint64_t cycle, uint64_t address, uint32_t beats) {
  assert(cycle >= earliestWriteAccept() && beats > 0);
  pending_writes_[writes_accepted_++ % pending_writes_.size()] = {address, beats};
  next_write_accept_ = cycle + 1;
}

uint64_t MemoryModel::completeWrite(uint64_t cycle) {
  assert(writes_completed_ < writes_accepted_);
  const PendingWrite write = pending_writes_[writes_completed_ % pending_writes_.size()];
  const uint64_t response =
      std::max(next_response_, scheduleWrite(cycle, write.address, write.beats));
  write_ends_[writes_completed_++ % write_ends_.size()] = response;
  next_response_ = response + 1;
  return response;
}

}  // namespace vta::sim
