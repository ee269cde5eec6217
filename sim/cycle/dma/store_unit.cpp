#include "sim/cycle/dma/store_unit.h"

#include <algorithm>
#include <bit>

#include "isa/spec/memory_ports.h"
#include "sim/cycle/common/retire.h"
#include "sim/cycle/common/transfer_rows.h"

namespace vta::sim::cycle {

StoreUnit::StoreUnit(Context& context)
    : context_(context),
      timing_(context.counters.store),
      log_beat_bytes_(
          std::countr_zero(static_cast<unsigned>(context.hw.params().axi_data_width_bits) / 8)),
      elem_bytes_(context.hw.elemBytes(MemoryType::kOut)),
      limit_bursts_(static_cast<uint32_t>(context.hw.params().axi_outstanding_bursts)),
      walker_(context.hw),
      response_cycles_(limit_bursts_) {}

uint64_t StoreUnit::startFrom() const {
  const uint64_t head = context_.store_queue.headFrom();
  if (head == kNever || start_from_ == kNever) return kNever;
  // "Store", start.
  uint64_t from = std::max(head, start_from_);
  if (started_ >= timing::kDmaInFlight) {
    const uint64_t older = started_ - timing::kDmaInFlight;
    if (retired_ <= older) return kNever;
    from = std::max(from, retire_cycles_[older % timing::kDmaInFlight] + 1);
  }
  const uint8_t pops = context_.stream.tokens[context_.store_queue.headNumber()].pops;
  return std::max(from, context_.tokens.availableFrom(pops));
}

void StoreUnit::start(uint64_t cycle) {
  const uint32_t number = context_.store_queue.headNumber();
  const MemInsn& mem = context_.stream.instructions[number].mem();
  if (leavesScratchpad(context_.hw, Opcode::kStore, mem)) {
    return context_.report({cycle, FaultKind::kSramBounds, number});
  }
  const uint8_t pops = context_.stream.tokens[number].pops;
  stalls_.start(context_, timing_, context_.store_queue.headFrom(),
                context_.tokens.availableFrom(pops));
  context_.tokens.pop(pops, cycle);
  context_.store_queue.start(cycle);
  context_.recordStart(number, cycle);

  Transfer& transfer = transfers_.emplace_back();
  transfer.number = number;
  transfer.start = cycle;
  transfer.rows = rowsOf(mem, context_.bases, context_.hw);
  transfer.has_data = transfer.rows.rows > 0;
  transfer.leaves_buffers = leavesBuffers(transfer.rows, context_.dram);
  ++started_;
  walker_.begin(transfer.rows);
  // "Bursts": the first one is offered in s + BurstLatency; without data there is none.
  offer_from_ = cycle + timing::kBurstLatency;
  start_from_ = transfer.has_data ? kNever : cycle + 1;
  // "Store", data: r(first); a store without data has one operation in the place of reads.
  next_operation_ = std::max(next_operation_, cycle + timing::kDmaStartLatency);
  if (!transfer.has_data) ++next_operation_;
  row_elems_left_ = mem.x_size;
  retireReady();
}

uint64_t StoreUnit::requestFrom() const {
  if (walker_.done()) return kNever;
  // "Store", addresses: fewer than OutstandingBursts bursts are held.
  if (granted_ < limit_bursts_) return offer_from_;
  const uint64_t older = granted_ - limit_bursts_;
  if (answered_ <= older) return kNever;
  return std::max(offer_from_, response_cycles_[older % limit_bursts_] + 1);
}

Burst StoreUnit::grant(uint64_t cycle) {
  const Burst burst = walker_.next();
  Transfer& transfer = transfers_.back();
  ++granted_;
  ++transfer.bursts_unanswered;
  offer_from_ = cycle + 1;
  if (walker_.done()) start_from_ = cycle + 1;
  OpenBurst& open = open_bursts_.emplace_back();
  open.beats = burst.beats;
  open.fails = transfer.leaves_buffers &&
               writeLeavesBuffers(burst, transfer.rows.address, transfer.rows.row_bytes,
                                  log_beat_bytes_, context_.dram);
  const uint64_t beats_before = next_beat_;
  wide() ? sendWide(burst.beats, cycle) : sendNarrow(burst.beats, cycle);
  open.last_beat_cycle = next_beat_;  // accepted in the cycle after it was loaded
  open.first_beat_cycle = std::max(beats_before, next_beat_ + 1 - burst.beats);
  return burst;
}

uint64_t StoreUnit::readElement() {
  // "Store", data: r(k) >= c(k-1) and r(k) >= r(k-1) + 1.
  const uint64_t cycle = std::max(next_operation_, last_consumed_);
  next_operation_ = cycle + 1;
  if (cycle <= context_.limit) timing_.write_bytes += elem_bytes_;
  context_.recordWork(transfers_.back().number, cycle, cycle);
  return cycle;
}

uint64_t StoreUnit::loadBeat(uint64_t earliest) {
  const uint64_t cycle = std::max(next_beat_, earliest);
  next_beat_ = cycle + 1;
  beats_counted_ += context_.counted(cycle + 1, 1);
  return cycle;
}

void StoreUnit::finishElement(uint64_t consumed) {
  last_consumed_ = consumed;
  if (--row_elems_left_ > 0) return;
  Rows& rows = transfers_.back().rows;
  rows.address += rows.stride_bytes;
  --rows.rows;
  row_elems_left_ = rows.row_bytes / elem_bytes_;
}

void StoreUnit::sendWide(uint32_t beats, uint64_t granted) {
  for (uint32_t i = 0; i < beats; ++i) {
    if (elem_beats_left_ == 0) {
      elem_beats_left_ = static_cast<uint32_t>(elem_bytes_ >> log_beat_bytes_);
      read_cycle_ = readElement();
    }
    // "Store", data, wide: b >= r(k) + 1, behind the grant of the burst; c(k) is the last b.
    const uint64_t loaded = loadBeat(std::max(read_cycle_, granted) + 1);
    if (--elem_beats_left_ == 0) finishElement(loaded);
  }
}

void StoreUnit::sendNarrow(uint32_t beats, uint64_t granted) {
  for (uint32_t i = 0; i < beats; ++i) {
    const uint64_t count = elemsOfBeat();
    // "Store", data, narrow: c(k) >= r(k) + 1; the last element of a beat is consumed in b.
    for (uint64_t k = 1; k < count; ++k) finishElement(readElement() + 1);
    finishElement(loadBeat(std::max(readElement(), granted) + 1));
  }
}

uint64_t StoreUnit::acceptAddress(uint64_t cycle, bool fails) {
  OpenBurst& burst = open_bursts_.back();
  burst.fails = burst.fails || fails;
  burst.complete = std::max(cycle, burst.last_beat_cycle);
  return burst.complete;
}

void StoreUnit::respond(uint64_t cycle) {
  const OpenBurst burst = open_bursts_.front();
  open_bursts_.pop_front();
  response_cycles_[answered_++ % limit_bursts_] = cycle;
  if (context_.recordsBursts()) {
    context_.recording->bursts.push_back({burst.first_beat_cycle, burst.last_beat_cycle,
                                          burst.beats, BusMaster::kStore, burst.complete, cycle,
                                          memoryPorts(context_.hw.params()).store});
  }
  Transfer& transfer = transfers_.front();
  if (burst.fails) context_.report({cycle + 1, FaultKind::kDramBounds, transfer.number});
  --transfer.bursts_unanswered;
  if (transfer.bursts_unanswered == 0 && transfer.rows.rows == 0) retireReady();
}

// Retires the transfers at the front that have all their responses; the last one came just now.
void StoreUnit::retireReady() {
  while (!transfers_.empty()) {
    const Transfer& transfer = transfers_.front();
    if (transfer.rows.rows > 0 || transfer.bursts_unanswered > 0) return;
    const uint64_t done =
        transfer.has_data ? response_cycles_[(answered_ - 1) % limit_bursts_] : transfer.start;
    // "Store", retirement.
    uint64_t cycle = done + 1;
    if (retired_ > 0) cycle = std::max(cycle, stalls_.lastRetire() + 1);
    retire_cycles_[retired_++ % timing::kDmaInFlight] = cycle;
    stalls_.retire(context_, transfer.start, cycle);
    retireInstruction(context_, timing_, transfer.number, cycle);
    transfers_.pop_front();
  }
}

uint64_t StoreUnit::elemsOfBeat() const {
  const uint64_t beat_bytes = uint64_t{1} << log_beat_bytes_;
  const Rows& rows = transfers_.back().rows;
  const uint64_t row_end = rows.address + rows.row_bytes;
  const uint64_t begin = row_end - row_elems_left_ * elem_bytes_;
  const uint64_t beat_end = (begin & ~(beat_bytes - 1)) + beat_bytes;
  return (std::min(row_end, beat_end) - begin) / elem_bytes_;
}

// Elements are read before the burst of their beat is granted, up to the one that ends the beat.
void StoreUnit::readAhead() {
  if (transfers_.empty() || transfers_.back().rows.rows == 0) return;
  if (wide()) {
    if (elem_beats_left_ == 0) readElement();
    return;
  }
  const uint64_t count = elemsOfBeat();
  for (uint64_t k = 1; k < count; ++k) last_consumed_ = readElement() + 1;
  readElement();
}

void StoreUnit::finish(uint64_t last_cycle) {
  readAhead();
  if (!transfers_.empty()) stalls_.inFlightUntil(context_, transfers_.front().start, last_cycle);
  timing_.busy_cycles = beats_counted_;
  timing_.stall_memory_cycles = stalls_.inFlightCycles() - timing_.busy_cycles;
  const uint64_t head = context_.store_queue.headFrom();
  if (head == kNever || !transfers_.empty()) return;
  const uint8_t pops = context_.stream.tokens[context_.store_queue.headNumber()].pops;
  stalls_.waitUntil(context_, timing_, head, context_.tokens.availableFrom(pops), last_cycle);
}

}  // namespace vta::sim::cycle
