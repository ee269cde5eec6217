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
                                                         double clock_mhz, int ports) {
  VTA_RETURN_IF_ERROR(checkMemoryConfig(config));
  if (beat_bytes < 1 || !std::has_single_bit(static_cast<unsigned>(beat_bytes)) ||
      !(clock_mhz >= 1 && clock_mhz <= 1e6)) {
    return invalidArgument(
        fmt::format("a bus of {} bytes at {} MHz; legal: a power of two, 1 to 1000000 MHz",
                    beat_bytes, clock_mhz));
  }
  assert(ports >= 1);
  if (config.kind == MemoryKind::kDdr) {
    return std::unique_ptr<MemoryModel>(
        std::make_unique<DdrMemory>(config, beat_bytes, clock_mhz, ports));
  }
  return std::unique_ptr<MemoryModel>(std::make_unique<SimpleMemory>(config, ports));
}

MemoryModel::MemoryModel(int outstanding, int ports) : ports_(static_cast<size_t>(ports)) {
  for (Port& port : ports_) {
    port.read_ends.resize(static_cast<size_t>(outstanding));
    port.write_ends.resize(static_cast<size_t>(outstanding));
    port.pending_writes.resize(static_cast<size_t>(outstanding));
  }
}

void MemoryModel::reset() {
  for (Port& port : ports_) {
    port.reads_accepted = port.writes_accepted = port.writes_completed = 0;
    port.next_read_accept = port.next_write_accept = port.next_response = 0;
  }
  resetTiming();
}

uint64_t MemoryModel::earliestReadAccept(int port) const {
  const Port& p = portAt(port);
  if (p.reads_accepted < p.read_ends.size()) return p.next_read_accept;
  return std::max(p.next_read_accept, p.read_ends[p.reads_accepted % p.read_ends.size()] + 1);
}

void MemoryModel::acceptRead(uint64_t cycle, uint64_t address, uint32_t beats,
                             BeatSchedule& schedule, int port) {
  assert(cycle >= earliestReadAccept(port) && beats > 0);
  Port& p = portAt(port);
  schedule.clear();
  scheduleRead(cycle, {port, address, beats}, schedule);
  p.read_ends[p.reads_accepted++ % p.read_ends.size()] = schedule.lastCycle();
  p.next_read_accept = cycle + 1;
}

uint64_t MemoryModel::readsAccepted() const {
  uint64_t accepted = 0;
  for (const Port& port : ports_) accepted += port.reads_accepted;
  return accepted;
}

uint64_t MemoryModel::earliestWriteAccept(int port) const {
  const Port& p = portAt(port);
  if (p.writes_accepted < p.write_ends.size()) return p.next_write_accept;
  if (p.writes_completed + p.write_ends.size() <= p.writes_accepted) return kUnknownCycle;
  return std::max(p.next_write_accept, p.write_ends[p.writes_accepted % p.write_ends.size()] + 1);
}

void MemoryModel::acceptWrite(uint64_t cycle, uint64_t address, uint32_t beats, int port) {
  assert(cycle >= earliestWriteAccept(port) && beats > 0);
  Port& p = portAt(port);
  p.pending_writes[p.writes_accepted++ % p.pending_writes.size()] = {address, beats};
  p.next_write_accept = cycle + 1;
}

uint64_t MemoryModel::completeWrite(uint64_t cycle, int port) {
  Port& p = portAt(port);
  assert(p.writes_completed < p.writes_accepted);
  const PendingWrite write = p.pending_writes[p.writes_completed % p.pending_writes.size()];
  const uint64_t response =
      std::max(p.next_response, scheduleWrite(cycle, {port, write.address, write.beats}));
  p.write_ends[p.writes_completed++ % p.write_ends.size()] = response;
  p.next_response = response + 1;
  return response;
}

}  // namespace vta::sim
