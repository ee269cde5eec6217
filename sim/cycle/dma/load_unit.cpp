#include "sim/cycle/dma/load_unit.h"

#include <algorithm>

#include "sim/cycle/common/retire.h"

namespace vta::sim::cycle {

LoadUnit::LoadUnit(Context& context)
    : context_(context), timing_(context.counters.load), dma_(context, timing_, *this) {}

uint64_t LoadUnit::startFrom() const {
  const uint64_t head = context_.load_queue.headFrom();
  if (head == kNever) return kNever;
  const uint8_t pops = context_.stream.tokens[context_.load_queue.headNumber()].pops;
  return std::max({head, context_.tokens.availableFrom(pops), dma_.startFrom()});
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
  dma_.start(number, mem, cycle);
}

void LoadUnit::transferDone(uint32_t number, uint64_t start, uint64_t cycle) {
  stalls_.retire(context_, start, cycle);
  retired_any_ = true;
  retireInstruction(context_, timing_, number, cycle);
}

void LoadUnit::finish(uint64_t last_cycle) {
  if (dma_.hasUnfinished())
    stalls_.inFlightUntil(context_, dma_.oldestUnfinishedStart(), last_cycle);
  timing_.busy_cycles = dma_.operations();
  timing_.stall_memory_cycles = stalls_.inFlightCycles() - timing_.busy_cycles;
  const uint64_t head = context_.load_queue.headFrom();
  if (head == kNever || dma_.hasUnfinished()) return;
  const uint8_t pops = context_.stream.tokens[context_.load_queue.headNumber()].pops;
  stalls_.waitUntil(context_, timing_, head, context_.tokens.availableFrom(pops), last_cycle);
}

}  // namespace vta::sim::cycle
