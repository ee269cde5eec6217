#include "sim/cycle/hls/read_port.h"

#include <algorithm>

#include "isa/spec/hls_timing.h"
#include "sim/cycle/common/queues.h"

namespace vta::sim::cycle::hls {
namespace {

// Items between the port's buffer and the unit: a register behind the buffer, and two in the slice
// behind that.
constexpr uint64_t kItemsBehindBuffer = 3;
// From a beat at the port to the first cycle in which it can leave the buffer.
constexpr uint64_t kBufferLatency = 2;
// From the last beat of a burst leaving the buffer to the offer of a burst in its place.
constexpr uint64_t kReplaceLatency = 2;

}  // namespace

void ReadPort::ask(uint64_t cycle, uint64_t address, uint64_t bytes) {
  source_.begin(address, bytes);
  offer_from_ = cycle + hls_timing::kRequestLatency;
}

uint64_t ReadPort::offerFrom() const {
  if (source_.done()) return kNever;
  if (in_buffer_ < outstanding_) return offer_from_;
  return left_.empty() ? kNever : std::max(offer_from_, left_.front() + kReplaceLatency);
}

void ReadPort::accept(uint64_t cycle, const BeatSchedule& schedule) {
  if (in_buffer_ < outstanding_) {
    ++in_buffer_;
  } else {
    left_.pop_front();
  }
  const uint64_t bytes = source_.burstBytes();
  source_.advance();
  offer_from_ = cycle + 1;
  arrive(bytes, schedule);
}

void RowPort::request(uint64_t cycle, uint64_t address, uint64_t bytes, uint64_t item_bytes,
                      uint64_t interval) {
  item_bytes_ = item_bytes;
  interval_ = interval;
  any_item_ = false;
  ask(cycle, address, bytes);
}

// Items are no wider than a beat.
void RowPort::arrive(uint64_t bytes, const BeatSchedule& schedule) {
  uint64_t items = bytes / item_bytes_;
  const uint64_t of_beat = std::max<uint64_t>(1, source().beatBytes() / item_bytes_);
  for (const BeatRun& run : schedule.runs()) {
    const uint64_t beats = std::min<uint64_t>(run.beats, (items + of_beat - 1) / of_beat);
    if (beats == 0) break;
    BeatRun taken = run;
    taken.beats = static_cast<uint32_t>(beats);
    take(taken, std::min(items, of_beat));
    items -= std::min(items, beats * of_beat);
  }
  const uint64_t behind = kItemsBehindBuffer * interval_;
  const uint64_t by_unit = last_item_ + 1 > behind ? last_item_ + 1 - behind : 0;
  leaves(std::max(schedule.lastCycle() + kBufferLatency, by_unit));
}

// The max-plus recurrence "an item when it is there, and an interval after the one before" over a
// run of beats: only its ends can decide.
void RowPort::take(const BeatRun& run, uint64_t items_of_beat) {
  const uint64_t count = uint64_t{run.beats} * items_of_beat;
  const uint64_t first = run.first_cycle + hls_timing::kReturnLatency;
  const uint64_t last = run.lastCycle() + hls_timing::kReturnLatency;
  const uint64_t by_first = first + (count - 1) * interval_;
  const uint64_t by_last = last + (items_of_beat - 1) * interval_;
  const uint64_t by_order = any_item_ ? last_item_ + count * interval_ : 0;
  last_item_ = std::max({by_first, by_last, by_order});
  any_item_ = true;
}

}  // namespace vta::sim::cycle::hls
