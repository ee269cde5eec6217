#include "sim/cycle/dma/read_dma.h"

#include <algorithm>
#include <bit>

#include "sim/cycle/common/transfer_rows.h"

namespace vta::sim::cycle {
namespace {

int log2Of(uint64_t value) { return std::countr_zero(value); }

}  // namespace

ReadDma::ReadDma(Context& context, UnitCounters& timing, ReadDmaListener& listener)
    : context_(context),
      timing_(timing),
      listener_(listener),
      log_beat_bytes_(log2Of(static_cast<uint64_t>(context.hw.params().axi_data_width_bits) / 8)),
      limit_bursts_(static_cast<uint32_t>(context.hw.params().axi_outstanding_bursts)),
      walker_(context.hw),
      pop_ends_(limit_bursts_) {}

uint64_t ReadDma::startFrom() const {
  // "Read DMA", start: the address phase before is over, fewer than DmaInFlight are in flight.
  if (started_ < timing::kDmaInFlight) return start_from_;
  const uint64_t older = started_ - timing::kDmaInFlight;
  if (retired_ <= older) return kNever;
  return std::max(start_from_, retire_cycles_[older % timing::kDmaInFlight] + 1);
}

void ReadDma::start(uint32_t number, const MemInsn& mem, uint64_t cycle) {
  const Rows rows = rowsOf(mem, context_.bases, context_.hw);
  Transfer& transfer = transfers_.emplace_back();
  transfer.number = number;
  transfer.mem = mem;
  transfer.start = cycle;
  transfer.rows = rows;
  transfer.leaves_buffers = leavesBuffers(rows, context_.dram);
  transfer.on_chip = isOnChip(mem.memory_type);
  if (transfer.on_chip && mem.x_size > 0) transfer.rows.rows = mem.y_size;
  ++started_;
  walker_.begin(rows);
  // "Bursts": the first one is offered in s + BurstLatency; without data there is none.
  offer_from_ = cycle + timing::kBurstLatency;
  start_from_ = walker_.done() ? cycle + 1 : kNever;
  advance();
}

uint64_t ReadDma::requestFrom() const {
  if (walker_.done()) return kNever;
  // "Read arbiter": fewer than OutstandingBursts bursts are held.
  if (granted_ < limit_bursts_) return offer_from_;
  const uint64_t older = granted_ - limit_bursts_;
  if (accepted_ <= older) return kNever;
  return std::max(offer_from_, pop_ends_[older % limit_bursts_] + 1);
}

Burst ReadDma::grant(uint64_t cycle) {
  ++granted_;
  // "Bursts": the next one is offered in g + 1, and the address phase ends with the last grant.
  offer_from_ = cycle + 1;
  const Burst burst = walker_.next();
  if (walker_.done()) start_from_ = cycle + 1;
  return burst;
}

void ReadDma::accept(const Burst& burst, const BeatSchedule& schedule, uint32_t bad_beat) {
  uint64_t address = burst.address;
  uint32_t beats_before = 0;
  for (const BeatRun& run : schedule.runs()) {
    const bool is_bad = bad_beat >= beats_before && bad_beat < beats_before + run.beats;
    takeBeats(run, address, is_bad ? bad_beat - beats_before : kNoBeat);
    beats_before += run.beats;
    address += uint64_t{run.beats} << log_beat_bytes_;
  }
  pop_ends_[accepted_++ % limit_bursts_] = last_pop_;
  advance();
}

// Does what needs no further data: leading pads, transfers without data or on the chip, retirement.
void ReadDma::advance() {
  while (!transfers_.empty()) {
    if (!data_begun_) beginData();
    if (transfers_.front().on_chip) takeFromOut();
    if (transfers_.front().rows.rows > 0) return;
    endTransfer();
  }
}

void ReadDma::beginData() {
  const Transfer& transfer = transfers_.front();
  const MemInsn& mem = transfer.mem;
  data_begun_ = true;
  // "Read DMA", writes: w(first).
  next_operation_ = std::max(next_operation_, transfer.start + timing::kDmaStartLatency);
  elem_bytes_ = context_.hw.elemBytes(mem.memory_type);
  group_beats_ = static_cast<uint32_t>(std::max<uint64_t>(1, elem_bytes_ >> log_beat_bytes_));
  group_beats_left_ = group_beats_;
  element_ = mem.sram_base;
  writes_acc_ = mem.memory_type == MemoryType::kAcc || mem.memory_type == MemoryType::kAcc8;
  row_elems_left_ = mem.x_size;
  // "Read DMA", writes: a transfer without any operation has one that writes nothing.
  if (sramElems(Opcode::kLoad, mem) == 0) {
    countOperations(next_operation_++, 1);
    return;
  }
  const uint64_t row = loadRowElems(mem);
  pads(mem.y_size > 0 ? mem.y_pad_0 * row + mem.x_pad_0
                      : (uint64_t{mem.y_pad_0} + mem.y_pad_1) * row);
}

void ReadDma::pads(uint64_t count) {
  if (count == 0) return;
  countOperations(next_operation_, count);
  context_.recordWork(transfers_.front().number, next_operation_, next_operation_ + count - 1);
  listener_.writes({next_operation_, element_, static_cast<uint32_t>(count)}, writes_acc_);
  next_operation_ += count;
  element_ += static_cast<uint32_t>(count);
}

// One operation on `elems` data elements whose group is ready from `ready` on; returns its cycle.
uint64_t ReadDma::writeData(uint64_t ready, uint32_t elems) {
  // "Read DMA", writes: w(k) >= w(k-1) + 1, and not before the group is ready.
  const uint64_t cycle = std::max(next_operation_, ready);
  next_operation_ = cycle + 1;
  countOperations(cycle, 1);
  context_.recordWork(transfers_.front().number, cycle, cycle);
  const bool reads_memory = !transfers_.front().on_chip;
  if (reads_memory && cycle <= context_.limit) timing_.read_bytes += elems * elem_bytes_;
  listener_.writes({cycle, element_, 1}, writes_acc_);
  element_ += elems;
  row_elems_left_ -= elems;
  if (row_elems_left_ == 0) finishRow();
  return cycle;
}

void ReadDma::finishRow() {
  Transfer& transfer = transfers_.front();
  const MemInsn& mem = transfer.mem;
  row_elems_left_ = mem.x_size;
  transfer.rows.address += transfer.rows.stride_bytes;
  const bool more = --transfer.rows.rows > 0;
  pads(mem.x_pad_1 + (more ? mem.x_pad_0 : mem.y_pad_1 * loadRowElems(mem)));
}

void ReadDma::endTransfer() {
  const uint32_t number = transfers_.front().number;
  transfers_.pop_front();
  data_begun_ = false;
  listener_.transferDone(number, next_operation_ - 1);
}

void ReadDma::countOperations(uint64_t cycle, uint64_t count) {
  operations_ += context_.counted(cycle, count);
  if (!keeps_runs_) return;
  if (!runs_.empty() && runs_.back().cycle + runs_.back().count == cycle) {
    runs_.back().count += count;
  } else {
    runs_.push_back({cycle, count});
  }
}

void ReadDma::takeBeats(const BeatRun& run, uint64_t address, uint32_t bad_beat) {
  const bool wide = elem_bytes_ >> log_beat_bytes_ > 0;
  const bool leaves_buffers = transfers_.front().leaves_buffers;
  if (!leaves_buffers && bad_beat == kNoBeat) return wide ? takeWide(run) : takeNarrow(run);
  for (uint32_t i = 0; i < run.beats; ++i) {
    const BeatRun beat = {run.first_cycle + uint64_t{i} * run.interval_cycles, 1, 1};
    wide ? takeWide(beat) : takeNarrow(beat);
    const uint64_t beat_address = address + (uint64_t{i} << log_beat_bytes_);
    if (i == bad_beat ||
        (leaves_buffers && beatIsOutside(beat_address, log_beat_bytes_, context_.dram))) {
      context_.report({last_pop_, FaultKind::kDramBounds, transfers_.front().number});
    }
  }
}

// An element of OUT is read when the one before it is written, and written from the next cycle on.
void ReadDma::takeFromOut() {
  const Transfer& transfer = transfers_.front();
  const uint64_t first = transfer.start + timing::kDmaStartLatency;
  while (transfer.rows.rows > 0) {
    // "Read DMA", hand-overs: r(k); the group is ready from r(k) + 1 on.
    last_out_read_ = std::max({first, last_out_read_ + 1, last_out_written_});
    last_out_written_ = writeData(last_out_read_ + 1, 1);
  }
}

void ReadDma::takeWide(const BeatRun& run) {
  const uint64_t interval = run.interval_cycles;
  uint64_t arrival = run.first_cycle;
  for (uint32_t left = run.beats; left > 0;) {
    // "Read return": p(i) = max(a(i) + 1, p(i-1) + 1); the first beat of a group waits
    // until the group before is consumed.
    uint64_t pop = std::max(arrival, last_pop_) + 1;
    if (group_beats_left_ == group_beats_) pop = std::max(pop, last_consumed_);
    const uint32_t beats = std::min(left, group_beats_left_);
    // Of beats that come at least `interval` apart, either the first or the last one decides.
    last_pop_ = std::max(pop + beats - 1, arrival + (beats - 1) * interval + 1);
    arrival += beats * interval;
    left -= beats;
    group_beats_left_ -= beats;
    if (group_beats_left_ > 0) return;
    group_beats_left_ = group_beats_;
    last_consumed_ = writeData(last_pop_ + 1, 1);
  }
}

void ReadDma::takeNarrow(const BeatRun& run) {
  const uint64_t beat_bytes = uint64_t{1} << log_beat_bytes_;
  for (uint32_t i = 0; i < run.beats; ++i) {
    const Rows& rows = transfers_.front().rows;
    const uint64_t arrival = run.first_cycle + uint64_t{i} * run.interval_cycles;
    // "Read return": p(i); every beat is a group.
    last_pop_ = std::max({arrival + 1, last_pop_ + 1, last_consumed_});
    // Elements of the row up to the end of this beat.
    const uint64_t row_end = rows.address + rows.row_bytes;
    const uint64_t begin = row_end - row_elems_left_ * elem_bytes_;
    const uint64_t beat_end = (begin & ~(beat_bytes - 1)) + beat_bytes;
    const auto count = static_cast<uint32_t>((std::min(row_end, beat_end) - begin) / elem_bytes_);
    if (!writes_acc_) {
      last_consumed_ = writeData(last_pop_ + 1, count);
      continue;
    }
    for (uint32_t k = 0; k < count; ++k) last_consumed_ = writeData(last_pop_ + 1, 1);
  }
}

}  // namespace vta::sim::cycle
