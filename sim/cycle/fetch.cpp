#include "sim/cycle/fetch.h"

#include <algorithm>
#include <bit>

namespace vta::sim::cycle {

Fetch::Fetch(Context& context, uint64_t address, uint64_t size_bytes)
    : context_(context),
      log_beat_bytes_(
          std::countr_zero(static_cast<unsigned>(context.hw.params().axi_data_width_bits) / 8)),
      insn_bytes_(static_cast<uint64_t>(context.hw.instructionBytes())),
      first_beat_offset_(address & ((uint64_t{1} << log_beat_bytes_) - 1)),
      walker_(context.hw),
      total_(context.stream.instructions.size()),
      pop_ends_(timing::kFetchBursts) {
  walker_.begin({address, size_bytes, 0, 1});
  if (size_bytes == 0) ended_from_ = 0;
}

uint64_t Fetch::requestFrom() const {
  if (walker_.done()) return kNever;
  uint64_t from = offer_from_;
  // "Read arbiter": fewer than FetchBursts bursts are held.
  if (granted_ >= timing::kFetchBursts) {
    const uint64_t older = granted_ - timing::kFetchBursts;
    if (popped_bursts_ <= older) return kNever;
    from = std::max(from, pop_ends_[older % timing::kFetchBursts] + 1);
  }
  return from < ended_from_ ? from : kNever;
}

Burst Fetch::grant(uint64_t cycle) {
  ++granted_;
  // "Fetch": the next burst is offered in the cycle after the grant.
  offer_from_ = cycle + 1;
  return walker_.next();
}

void Fetch::accept(const Burst& burst, const BeatSchedule& schedule, uint32_t bad_beat) {
  if (bad_beat < burst.beats) takeError(beats_accepted_ + bad_beat);
  beats_accepted_ += burst.beats;
  for (const BeatRun& run : schedule.runs()) arrived_.push_back({run, false});
  arrived_.back().ends_burst = true;
  takeBeats();
}

// Instructions with bytes of beat `beat` of the stream are not to be trusted.
void Fetch::takeError(uint64_t beat) {
  const uint64_t begin_bytes = beat << log_beat_bytes_;
  const uint64_t number = beat == 0 ? 0 : (begin_bytes - first_beat_offset_) / insn_bytes_;
  if (number < total_ || (number == total_ && context_.stream.illegal)) {
    total_ = number;
    bus_error_ = true;
  }
}

std::optional<HardwareFault> Fetch::endedWith() const {
  if (ended_from_ == kNever) return std::nullopt;
  if (bus_error_)
    return HardwareFault{kNever, FaultKind::kDramBounds, static_cast<uint32_t>(total_)};
  if (!context_.stream.illegal) return std::nullopt;
  return HardwareFault{kNever, context_.stream.illegal->kind, context_.stream.illegal->instruction};
}

void Fetch::resume() { takeBeats(); }

void Fetch::takeBeats() {
  while (ended_from_ == kNever) {
    if (decoded_ && !dispatchDecoded()) {
      if (group_instructions_ == 0) fillGroup();  // while the decoded one waits for room
      return;
    }
    if (ended_from_ == kNever) {
      if (group_instructions_ == 0 && !fillGroup()) return;
      decodeNext();
    }
  }
  // What fills the group behind the end makes room for a burst that is granted just before it.
  if (group_instructions_ == 0) fillGroup();
}

// Pops beats until the group register is full; false when beats are missing.
bool Fetch::fillGroup() {
  const uint64_t beat_bytes = uint64_t{1} << log_beat_bytes_;
  const uint64_t group_beats = std::max<uint64_t>(1, insn_bytes_ >> log_beat_bytes_);
  while (!arrived_.empty()) {
    PendingRun& pending = arrived_.front();
    // "Read return": p(i).
    uint64_t pop = std::max(pending.run.first_cycle, last_pop_) + 1;
    // The last instruction of the group before has been decoded by then.
    if (beats_popped_ % group_beats == 0) pop = std::max(pop, decode_cycle_);
    last_pop_ = pop;
    pending.run.first_cycle += pending.run.interval_cycles;
    if (--pending.run.beats == 0) {
      if (pending.ends_burst) pop_ends_[popped_bursts_++ % timing::kFetchBursts] = pop;
      arrived_.pop_front();
    }
    const uint64_t offset = beats_popped_ == 0 ? first_beat_offset_ : 0;
    ++beats_popped_;
    if (beats_popped_ % group_beats != 0) continue;
    group_ready_ = pop + 1;
    group_instructions_ =
        static_cast<uint32_t>(insn_bytes_ >= beat_bytes ? 1 : (beat_bytes - offset) / insn_bytes_);
    return true;
  }
  return false;
}

// Decodes the next instruction of the group when the one before is dispatched.
void Fetch::decodeNext() {
  // "Fetch": m(i) = max(the group's ready cycle, d(i-1)).
  decode_cycle_ = std::max(group_ready_, next_dispatch_ == 0 ? 0 : next_dispatch_ - 1);
  wanted_from_ = decode_cycle_ + 1;
  --group_instructions_;
  decoded_ = true;
}

// Dispatches the decoded instruction; false when its queue has no room as far as known.
bool Fetch::dispatchDecoded() {
  if (dispatched_ == total_) {  // it cannot be executed, or there is none
    end(wanted_from_ + 1);
    return true;
  }
  const auto number = static_cast<uint32_t>(dispatched_);
  const Instruction& insn = context_.stream.instructions[number];
  const Unit unit = insn.unit();
  CommandQueue& queue = context_.queueOf(unit);
  const uint64_t room = queue.roomFrom();
  blocked_ = room == kNever;
  blocked_unit_ = unit;
  if (blocked_) return false;
  // "Fetch": d(i) >= m(i) + 1, with room in the queue.
  const uint64_t cycle = std::max(wanted_from_, room);
  queue.dispatch(cycle);
  UnitCounters& timing = context_.counters.fetch;
  timing.stall_hazard_cycles += context_.counted(wanted_from_, cycle - wanted_from_);
  timing.busy_cycles += context_.counted(cycle, 1);
  if (cycle <= context_.limit) {
    ++timing.instructions;
    timing.read_bytes += insn_bytes_;
  }
  context_.recordDispatch(number, cycle);
  ++dispatched_;
  decoded_ = false;
  next_dispatch_ = cycle + 1;
  if (dispatched_ == total_ && !context_.stream.illegal && !bus_error_) end(next_dispatch_);
  return true;
}

void Fetch::end(uint64_t cycle) { ended_from_ = cycle; }

void Fetch::finish(uint64_t last_cycle) {
  UnitCounters& timing = context_.counters.fetch;
  // "Counters": the states of fetch.
  if (blocked_ && wanted_from_ <= last_cycle) {
    timing.stall_hazard_cycles += last_cycle - wanted_from_ + 1;
  }
  const uint64_t active = std::min(ended_from_, last_cycle + 1);  // cycles from 0 on
  timing.stall_memory_cycles = active - timing.busy_cycles - timing.stall_hazard_cycles;
}

}  // namespace vta::sim::cycle
