#include "sim/cycle/hls/hls_launch.h"

#include <algorithm>
#include <optional>

namespace vta::sim::cycle::hls {

HlsLaunch::HlsLaunch(Context& context, MemoryModel& memory, uint64_t address, uint64_t size_bytes)
    : context_(context),
      memory_(memory),
      state_(context, context.stream),
      fetch_(state_, address, size_bytes),
      load_(state_),
      compute_(state_),
      store_(state_, memory),
      ports_{&fetch_, &load_.port(), &compute_.uopPort(), &compute_.accPort()} {}

void HlsLaunch::run() {
  while (true) {
    advanceAll();
    if (context_.fault.cycle != kNever || compute_.doneCycle() != kNever) break;
    const uint64_t read_cycle = readFrom();
    const uint64_t write_cycle = store_.nextEvent();
    const uint64_t cycle = std::min(read_cycle, write_cycle);
    if (cycle == kNever) {
      findDeadlock();
      break;
    }
    if (cycle > context_.give_up_cycle) {
      context_.counters.cycles = cycle;
      return;
    }
    if (read_cycle == cycle) {
      read(cycle);
    } else {
      store_.step(cycle);
    }
  }
  const bool is_done = context_.fault.cycle == kNever;
  const uint64_t last_cycle = is_done ? compute_.doneCycle() : context_.fault.cycle;
  if (is_done && context_.tokens.holdsAny()) {
    const auto last = static_cast<uint32_t>(context_.stream.instructions.size() - 1);
    context_.report({last_cycle, FaultKind::kTokensLeftOver, last});
  }
  finish(last_cycle);
}

void HlsLaunch::advanceAll() {
  for (bool any = true; any;) {
    any = fetch_.advance();
    any |= load_.advance();
    any |= compute_.advance();
    any |= store_.advance();
  }
}

// The interconnect takes the next burst when the bus will be free for it: so the bursts of ports
// that read at the same time take turns.
uint64_t HlsLaunch::readFrom() const {
  uint64_t from = kNever;
  for (const ReadPort* port : ports_) from = std::min(from, port->offerFrom());
  if (from == kNever) return kNever;
  const uint64_t turn = bus_free_from_ > lead_ ? bus_free_from_ - lead_ : 0;
  return std::max({from, turn, memory_.earliestReadAccept()});
}

void HlsLaunch::read(uint64_t cycle) {
  int port = next_port_;
  while (ports_[port]->offerFrom() > cycle) port = (port + 1) % kReaders;
  next_port_ = (port + 1) % kReaders;
  const Burst burst = ports_[port]->offered();
  memory_.acceptRead(cycle, burst.address, burst.beats, schedule_);
  if (schedule_.firstCycle() > bus_free_from_) lead_ = schedule_.firstCycle() - cycle;
  bus_free_from_ = schedule_.lastCycle() + 1;
  if (context_.recordsBursts()) {
    context_.recording->bursts.push_back({schedule_.firstCycle(), schedule_.lastCycle(),
                                          burst.beats, ports_[port]->master(), cycle,
                                          schedule_.lastCycle()});
  }
  ports_[port]->accept(cycle, schedule_);
}

// Nothing will ever happen again.
void HlsLaunch::findDeadlock() {
  const uint64_t cycle =
      std::max({load_.knownCycle(), compute_.knownCycle(), store_.knownCycle()}) + 1;
  const Stream& stream = context_.stream;
  const auto count = static_cast<uint32_t>(stream.instructions.size());
  if (stream.illegal && fetch_.illegalFrom() != kNever) {
    return context_.report(
        {std::max(cycle, fetch_.illegalFrom()), stream.illegal->kind, stream.illegal->instruction});
  }
  uint32_t waiting = count == 0 ? 0 : count - 1;
  for (const Block* block :
       {static_cast<const Block*>(&load_), static_cast<const Block*>(&compute_),
        static_cast<const Block*>(&store_)}) {
    if (const std::optional<uint32_t> number = block->waitingNumber()) {
      waiting = std::min(waiting, *number);
    }
  }
  context_.report({cycle, FaultKind::kDeadlock, waiting});
}

void HlsLaunch::finish(uint64_t last_cycle) {
  context_.counters.cycles = last_cycle + 1;
  fetch_.finish(last_cycle);
}

}  // namespace vta::sim::cycle::hls
