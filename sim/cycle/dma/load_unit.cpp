#include "sim/cycle/dma/load_unit.h"

#include <algorithm>

#include "sim/cycle/common/retire.h"

namespace vta::sim::cycle {
namespace {

// Cycles that count in which both of two DMAs have operations.
uint64_t sharedCycles(const Context& context, const ReadDma& first, const ReadDma& second) {
  uint64_t shared = 0;
  auto other = second.runs().begin();
  for (const ReadDma::OperationRun& run : first.runs()) {
    const uint64_t end = run.cycle + run.count;
    for (; other != second.runs().end() && other->cycle < end; ++other) {
      const uint64_t from = std::max(run.cycle, other->cycle);
      const uint64_t until = std::min(end, other->cycle + other->count);
      if (until > from) shared += context.counted(from, until - from);
      if (other->cycle + other->count > end) break;  // it goes on beside the next run
    }
  }
  return shared;
}

}  // namespace

LoadUnit::LoadUnit(Context& context)
    : context_(context), timing_(context.counters.load), ports_(memoryPorts(context.hw.params())) {
  for (int i = 0; i < ports_.loadDmas(); ++i) dmas_.emplace_back(context, timing_, *this);
  if (dmas_.size() == 1) return;
  for (ReadDma& dma : dmas_) dma.keepRuns();
}

ReadDma* LoadUnit::dmaOfPort(int port) {
  if (port == ports_.inp) return &dmas_.front();
  return port == ports_.wgt ? &dmas_.back() : nullptr;
}

const ReadDma* LoadUnit::dmaOfPort(int port) const {
  if (port == ports_.inp) return &dmas_.front();
  return port == ports_.wgt ? &dmas_.back() : nullptr;
}

size_t LoadUnit::dmaOf(uint32_t number) const {
  const MemoryType type = context_.stream.instructions[number].mem().memory_type;
  return scratchpadOf(type) == MemoryType::kInp ? 0 : dmas_.size() - 1;
}

uint64_t LoadUnit::startFrom() const {
  const uint64_t head = context_.load_queue.headFrom();
  if (head == kNever) return kNever;
  const uint32_t number = context_.load_queue.headNumber();
  const uint8_t pops = context_.stream.tokens[number].pops;
  // "Load": at the head, with its tokens, and when its read DMA can start it.
  return std::max({head, context_.tokens.availableFrom(pops), dmas_[dmaOf(number)].startFrom()});
}

void LoadUnit::start(uint64_t cycle) {
  const uint32_t number = context_.load_queue.headNumber();
  const MemInsn& mem = context_.stream.instructions[number].mem();
  if (leavesScratchpad(context_.hw, Opcode::kLoad, mem)) {
    return context_.report({cycle, FaultKind::kSramBounds, number});
  }
  const uint8_t pops = context_.stream.tokens[number].pops;
  stalls_.start(context_, timing_, context_.load_queue.headFrom(),
                context_.tokens.availableFrom(pops));
  context_.tokens.pop(pops, cycle);
  context_.load_queue.start(cycle);
  context_.recordStart(number, cycle);
  in_flight_.push_back({.number = number, .start = cycle});
  dmas_[dmaOf(number)].start(number, mem, cycle);
}

void LoadUnit::transferDone(uint32_t number, uint64_t cycle) {
  std::ranges::find(in_flight_, number, &InFlight::number)->end = cycle;
  retireReady();
}

// In the order of their starts, one a cycle.
void LoadUnit::retireReady() {
  while (!in_flight_.empty() && in_flight_.front().end != kNever) {
    const InFlight oldest = in_flight_.front();
    in_flight_.pop_front();
    // "Load": r = max(end, r(before) + 1).
    const uint64_t cycle =
        retired_any_ ? std::max(oldest.end, stalls_.lastRetire() + 1) : oldest.end;
    dmas_[dmaOf(oldest.number)].retire(cycle);
    stalls_.retire(context_, oldest.start, cycle);
    retired_any_ = true;
    retireInstruction(context_, timing_, oldest.number, cycle);
  }
}

// In which anything is moved.
uint64_t LoadUnit::busyCycles() const {
  if (dmas_.size() == 1) return dmas_.front().operations();
  return dmas_.front().operations() + dmas_.back().operations() -
         sharedCycles(context_, dmas_.front(), dmas_.back());
}

void LoadUnit::finish(uint64_t last_cycle) {
  if (!in_flight_.empty()) stalls_.inFlightUntil(context_, in_flight_.front().start, last_cycle);
  timing_.busy_cycles = busyCycles();
  timing_.stall_memory_cycles = stalls_.inFlightCycles() - timing_.busy_cycles;
  const uint64_t head = context_.load_queue.headFrom();
  if (head == kNever || !in_flight_.empty()) return;
  const uint8_t pops = context_.stream.tokens[context_.load_queue.headNumber()].pops;
  stalls_.waitUntil(context_, timing_, head, context_.tokens.availableFrom(pops), last_cycle);
}

}  // namespace vta::sim::cycle
