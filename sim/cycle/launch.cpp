#include "sim/cycle/launch.h"

#include <algorithm>

namespace vta::sim::cycle {
namespace {

constexpr int kReaders = 3;

}  // namespace

Launch::Launch(Context& context, MemoryModel& memory, std::vector<Uop>& uops, uint64_t address,
               uint64_t size_bytes)
    : context_(context),
      memory_(memory),
      fetch_(context, address, size_bytes),
      load_(context),
      compute_(context, uops),
      store_(context) {}

void Launch::run() {
  uint64_t last_cycle = kNever;
  while (!finished_) {
    const uint64_t cycle = nextEvent();
    if (checkOverflow(cycle)) break;
    // What caused the fault does not happen, so it is proposed again.
    if (cycle > context_.fault.cycle || (cycle == context_.fault.cycle && cycle == last_cycle)) {
      break;
    }
    last_cycle = cycle;
    if (cycle == kNever) {
      findDeadlock();
      break;
    }
    if (cycle > context_.give_up_cycle) {
      context_.counters.cycles = cycle;
      return;
    }
    step(cycle);
  }
  if (finished_) {
    checkOverflow(halt_cycle_ + 1);
    if (context_.fault.cycle == kNever && context_.tokens.holdsAny()) {
      const auto last = static_cast<uint32_t>(context_.stream.instructions.size() - 1);
      context_.report({halt_cycle_ + 1, FaultKind::kTokensLeftOver, last});
    }
  }
  if (!finished_ || context_.fault.cycle < halt_cycle_) halt_cycle_ = context_.fault.cycle;
  drain(halt_cycle_);
  finish(halt_cycle_);
}

uint64_t Launch::grantFrom(BusMaster master) const {
  switch (master) {
    case BusMaster::kFetch: {
      const uint64_t from = std::max(fetch_.requestFrom(), ar_free_from_);
      return from < fetch_.endedFrom() ? from : kNever;
    }
    case BusMaster::kLoad:
      return std::max(load_.dma().requestFrom(), ar_free_from_);
    default:
      return std::max(compute_.dma().requestFrom(), ar_free_from_);
  }
}

uint64_t Launch::nextGrant() const {
  return std::min(
      {grantFrom(BusMaster::kFetch), grantFrom(BusMaster::kLoad), grantFrom(BusMaster::kCompute)});
}

uint64_t Launch::othersIdleFrom() const {
  if (!context_.load_queue.isEmpty() || !context_.store_queue.isEmpty()) return kNever;
  return std::max(load_.idleFrom(), store_.idleFrom());
}

uint64_t Launch::nextEvent() {
  while (compute_.scan()) {
    if (fetch_.waitsFor(Unit::kCompute)) fetch_.resume();
  }
  uint64_t next = ar_.busy ? ar_.accept_cycle : kNever;
  next = std::min(next, nextGrant());
  if (aw_busy_) {
    const uint64_t accept = memory_.earliestWriteAccept();
    if (accept != MemoryModel::kUnknownCycle) {
      next = std::min(next, std::max(accept, aw_offered_from_));
    }
  } else {
    const uint64_t request = store_.requestFrom();
    if (request != kNever) next = std::min(next, std::max(request, aw_free_from_));
  }
  if (!completions_.empty()) next = std::min(next, completions_.front());
  next = std::min({next, load_.startFrom(), store_.startFrom()});
  return std::min(next, compute_.wakeFrom(othersIdleFrom()));
}

void Launch::step(uint64_t cycle) {
  if (ar_.busy && ar_.accept_cycle == cycle) acceptRead(cycle);
  if (aw_busy_ && cycle >= aw_offered_from_ && memory_.earliestWriteAccept() <= cycle) {
    acceptWrite(cycle);
  }
  if (!completions_.empty() && completions_.front() == cycle) completeWrite(cycle);
  if (nextGrant() == cycle) grantRead(cycle);
  if (!aw_busy_ && std::max(store_.requestFrom(), aw_free_from_) == cycle) grantWrite(cycle);
  if (load_.startFrom() == cycle) {
    load_.start(cycle);
    if (fetch_.waitsFor(Unit::kLoad)) fetch_.resume();
  }
  if (store_.startFrom() == cycle) {
    store_.start(cycle);
    if (fetch_.waitsFor(Unit::kStore)) fetch_.resume();
  }
  const uint64_t others_idle_from = othersIdleFrom();
  if (compute_.wakeFrom(others_idle_from) <= cycle) {
    finished_ = compute_.wake(cycle, others_idle_from);
    if (finished_) halt_cycle_ = cycle;
  }
}

void Launch::acceptRead(uint64_t cycle) {
  ar_.busy = false;
  memory_.acceptRead(cycle, ar_.burst.address, ar_.burst.beats, schedule_);
  bus_idle_from_ = std::max(bus_idle_from_, schedule_.lastCycle() + 1);
  if (context_.recording != nullptr) {
    context_.recording->bursts.push_back({schedule_.firstCycle(), schedule_.lastCycle(),
                                          ar_.burst.beats, ar_.owner, cycle,
                                          schedule_.lastCycle()});
  }
  const BusErrors& errors = context_.bus_errors;
  const uint32_t bad_beat = errors.read_burst == reads_accepted_++ ? errors.read_beat : kNoBeat;
  switch (ar_.owner) {
    case BusMaster::kFetch:
      return fetch_.accept(ar_.burst, schedule_, bad_beat);
    case BusMaster::kLoad:
      return load_.dma().accept(ar_.burst, schedule_, bad_beat);
    default:
      return compute_.dma().accept(ar_.burst, schedule_, bad_beat);
  }
}

void Launch::grantRead(uint64_t cycle) {
  int master = next_master_;
  while (grantFrom(static_cast<BusMaster>(master)) != cycle) master = (master + 1) % kReaders;
  next_master_ = (master + 1) % kReaders;
  ar_.busy = true;
  ar_.owner = static_cast<BusMaster>(master);
  switch (ar_.owner) {
    case BusMaster::kFetch:
      ar_.burst = fetch_.grant(cycle);
      break;
    case BusMaster::kLoad:
      ar_.burst = load_.dma().grant(cycle);
      break;
    default:
      ar_.burst = compute_.dma().grant(cycle);
      break;
  }
  ar_.accept_cycle = std::max(cycle + 1, memory_.earliestReadAccept());
  ar_free_from_ = ar_.accept_cycle;
}

void Launch::grantWrite(uint64_t cycle) {
  aw_burst_ = store_.grant(cycle);
  aw_busy_ = true;
  aw_offered_from_ = cycle + 1;
}

void Launch::acceptWrite(uint64_t cycle) {
  memory_.acceptWrite(cycle, aw_burst_.address, aw_burst_.beats);
  aw_busy_ = false;
  aw_free_from_ = cycle;
  const bool fails = context_.bus_errors.writeFails(writes_accepted_++);
  completions_.push_back(store_.acceptAddress(cycle, fails));
}

void Launch::completeWrite(uint64_t cycle) {
  completions_.pop_front();
  const uint64_t response = memory_.completeWrite(cycle);
  bus_idle_from_ = std::max(bus_idle_from_, response + 1);
  store_.respond(response);
}

// Looks at the pushes before `cycle` that may have found a full queue; true when one did.
bool Launch::checkOverflow(uint64_t before_cycle) {
  auto& suspects = context_.suspects;
  for (size_t i = 0; i < suspects.size();) {
    if (suspects[i].cycle >= before_cycle) {
      ++i;
      continue;
    }
    const uint8_t pushes = context_.stream.tokens[suspects[i].number].pushes;
    if (context_.tokens.overflowsAt(pushes, suspects[i].cycle)) {
      context_.report({suspects[i].cycle, FaultKind::kTokenOverflow, suspects[i].number});
    }
    suspects.erase(suspects.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return context_.fault.cycle < before_cycle;
}

// Nothing will ever happen again: the state in which the hardware sees that (docs/timing.md).
void Launch::findDeadlock() {
  uint64_t cycle = fetch_.endedFrom() != kNever ? fetch_.endedFrom() : fetch_.blockedFrom();
  cycle = std::max({cycle, load_.idleFrom(), store_.idleFrom(), compute_.idleFrom()});
  constexpr uint32_t kNobody = ~uint32_t{0};
  uint32_t waiting = kNobody;
  const auto head = [&](uint64_t from, uint32_t number) {
    cycle = std::max(cycle, from);
    const bool lacks_token =
        context_.tokens.availableFrom(context_.stream.tokens[number].pops) == kNever;
    if (lacks_token) waiting = std::min(waiting, number);
  };
  if (!context_.load_queue.isEmpty()) {
    head(context_.load_queue.headFrom(), context_.load_queue.headNumber());
  }
  if (!context_.store_queue.isEmpty()) {
    head(context_.store_queue.headFrom(), context_.store_queue.headNumber());
  }
  if (compute_.hasHead()) head(compute_.headFrom(), compute_.headNumber());
  ++cycle;  // seen in one cycle, reported in the next
  if (const std::optional<HardwareFault> stop = fetch_.endedWith()) {
    context_.report({cycle, stop->kind, stop->instruction});
  } else if (waiting != kNobody) {
    context_.report({cycle, FaultKind::kDeadlock, waiting});
  } else {
    const size_t count = context_.stream.instructions.size();
    const auto last = static_cast<uint32_t>(count == 0 ? 0 : count - 1);
    context_.report({cycle, FaultKind::kDeadlock, last});
  }
}

// Bursts granted before the core stopped go on until they are complete.
void Launch::drain(uint64_t halt_cycle) {
  while (ar_.busy || aw_busy_ || !completions_.empty()) {
    uint64_t cycle = ar_.busy ? ar_.accept_cycle : kNever;
    uint64_t address = memory_.earliestWriteAccept();
    if (aw_busy_ && address != MemoryModel::kUnknownCycle) {
      cycle = std::min(cycle, std::max(address, aw_offered_from_));
    }
    if (!completions_.empty()) cycle = std::min(cycle, completions_.front());
    if (ar_.busy && ar_.accept_cycle == cycle) acceptRead(cycle);
    address = memory_.earliestWriteAccept();
    if (aw_busy_ && cycle >= aw_offered_from_ && address <= cycle) acceptWrite(cycle);
    if (!completions_.empty() && completions_.front() == cycle) completeWrite(cycle);
  }
  context_.counters.cycles = std::max(halt_cycle + 1, bus_idle_from_) + 1;
}

void Launch::finish(uint64_t halt_cycle) {
  fetch_.finish(halt_cycle);
  load_.finish(halt_cycle);
  store_.finish(halt_cycle);
  compute_.finish(halt_cycle);
}

}  // namespace vta::sim::cycle
