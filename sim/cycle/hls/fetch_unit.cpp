#include "sim/cycle/hls/fetch_unit.h"

#include <algorithm>

#include "isa/spec/hls_timing.h"

namespace vta::sim::cycle::hls {
namespace {

using hls_timing::kFetchPush;
using hls_timing::kReturnLatency;

}  // namespace

FetchUnit::FetchUnit(State& state, uint64_t address, uint64_t size_bytes)
    : ReadPort(state.context.hw, static_cast<uint64_t>(state.context.hw.instructionBytes()),
               BusMaster::kFetch),
      state_(state),
      insn_bytes_(static_cast<uint64_t>(state.context.hw.instructionBytes())) {
  ask(hls_timing::kFetchRequest, address, size_bytes);
}

void FetchUnit::arrive(uint64_t bytes, const BeatSchedule& schedule) {
  const uint64_t beat_bytes = source().beatBytes();
  for (uint64_t end = insn_bytes_; end <= bytes; end += insn_bytes_) {
    const auto last_beat = static_cast<uint32_t>((end - 1) / beat_bytes);
    arrived_.push_back(schedule.beatCycle(last_beat) + kReturnLatency);
  }
  received_ += bytes / insn_bytes_;
  burst_ends_.push_back(received_);
}

bool FetchUnit::advance() {
  bool any = false;
  while (pushOldest()) any = true;
  return any;
}

bool FetchUnit::pushOldest() {
  const Context& context = state_.context;
  if (arrived_.empty() || pushed_ >= context.stream.instructions.size()) return false;
  const auto number = static_cast<uint32_t>(pushed_);
  InstructionQueue& queue = state_.queue(context.stream.instructions[number].unit());
  const uint64_t room = queue.roomFrom();
  if (room == kNever) return false;
  uint64_t cycle = arrived_.front() + kFetchPush;
  if (pushed_ > 0) cycle = std::max(cycle, last_push_ + 1);
  if (room > cycle) {
    blocked_cycles_ += room - cycle;
    cycle = room;
  }
  queue.push(cycle);
  state_.context.recordDispatch(number, cycle);
  arrived_.pop_front();
  last_push_ = cycle;
  ++pushed_;
  ++state_.context.counters.fetch.instructions;
  if (burst_ends_.front() == pushed_) {
    burst_ends_.pop_front();
    leaves(cycle);
  }
  return true;
}

uint64_t FetchUnit::illegalFrom() const {
  const bool is_next = pushed_ == state_.context.stream.instructions.size();
  return is_next && !arrived_.empty() ? arrived_.front() + kFetchPush : kNever;
}

void FetchUnit::finish(uint64_t last_cycle) {
  UnitCounters& counters = state_.context.counters.fetch;
  counters.read_bytes = counters.instructions * insn_bytes_;
  counters.busy_cycles = std::min(counters.instructions, last_cycle + 1);
  const uint64_t until = std::min(last_push_, last_cycle) + 1;
  counters.stall_hazard_cycles = std::min(blocked_cycles_, until - counters.busy_cycles);
  counters.stall_memory_cycles = until - counters.busy_cycles - counters.stall_hazard_cycles;
}

}  // namespace vta::sim::cycle::hls
