#include "sim/cycle/timed_launch.h"

#include <algorithm>

namespace vta::sim::cycle {
namespace {

constexpr int kReaders = 3;

}  // namespace

TimedLaunch::TimedLaunch(Context& context, MemoryModel& memory, std::vector<Uop>& uops,
                         uint64_t address, uint64_t size_bytes)
    : context_(context),
      memory_(memory),
      fetch_(context, address, size_bytes),
      load_(context),
      compute_(context, uops),
      store_(context),
      read_ports_(static_cast<size_t>(context.hw.params().axi_ports)),
      store_port_(memoryPorts(context.hw.params()).store) {}

void TimedLaunch::run() {
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

uint64_t TimedLaunch::grantFrom(int port, BusMaster master) const {
  const uint64_t free_from = readPort(port).free_from;
  if (master == BusMaster::kLoad) {
    const ReadDma* dma = load_.dmaOfPort(port);
    return dma == nullptr ? kNever : std::max(dma->requestFrom(), free_from);
  }
  if (port != 0) return kNever;
  if (master == BusMaster::kCompute) return std::max(compute_.dma().requestFrom(), free_from);
  const uint64_t from = std::max(fetch_.requestFrom(), free_from);
  return from < fetch_.endedFrom() ? from : kNever;
}

uint64_t TimedLaunch::nextGrant(int port) const {
  return std::min({grantFrom(port, BusMaster::kFetch), grantFrom(port, BusMaster::kLoad),
                   grantFrom(port, BusMaster::kCompute)});
}

uint64_t TimedLaunch::nextReadEvent() const {
  uint64_t next = kNever;
  for (int port = 0; port < numPorts(); ++port) {
    if (readPort(port).busy) next = std::min(next, readPort(port).accept_cycle);
    next = std::min(next, nextGrant(port));
  }
  return next;
}

uint64_t TimedLaunch::othersIdleFrom() const {
  if (!context_.load_queue.isEmpty() || !context_.store_queue.isEmpty()) return kNever;
  return std::max(load_.idleFrom(), store_.idleFrom());
}

uint64_t TimedLaunch::nextEvent() {
  while (compute_.scan()) {
    if (fetch_.waitsFor(Unit::kCompute)) fetch_.resume();
  }
  uint64_t next = nextReadEvent();
  if (aw_busy_) {
    const uint64_t accept = memory_.earliestWriteAccept(store_port_);
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

void TimedLaunch::step(uint64_t cycle) {
  takeHandshakes(cycle);
  for (int port = 0; port < numPorts(); ++port) {
    if (nextGrant(port) == cycle) grantRead(port, cycle);
  }
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

// What the memory takes in a cycle, in the order of the ports; of one port the read first.
void TimedLaunch::takeHandshakes(uint64_t cycle) {
  for (int port = 0; port < numPorts(); ++port) {
    if (readPort(port).busy && readPort(port).accept_cycle == cycle) acceptRead(port, cycle);
    if (port != store_port_) continue;
    if (aw_busy_ && cycle >= aw_offered_from_ &&
        memory_.earliestWriteAccept(store_port_) <= cycle) {
      acceptWrite(cycle);
    }
    if (!completions_.empty() && completions_.front() == cycle) completeWrite(cycle);
  }
}

void TimedLaunch::acceptRead(int port, uint64_t cycle) {
  ReadPort& ar = readPort(port);
  ar.busy = false;
  memory_.acceptRead(cycle, ar.burst.address, ar.burst.beats, schedule_, port);
  bus_idle_from_ = std::max(bus_idle_from_, schedule_.lastCycle() + 1);
  if (context_.recordsBursts()) {
    context_.recording->bursts.push_back({schedule_.firstCycle(), schedule_.lastCycle(),
                                          ar.burst.beats, ar.owner, cycle, schedule_.lastCycle(),
                                          port});
  }
  const BusErrors& errors = context_.bus_errors;
  const uint32_t bad_beat = errors.read_burst == reads_accepted_++ ? errors.read_beat : kNoBeat;
  switch (ar.owner) {
    case BusMaster::kFetch:
      return fetch_.accept(ar.burst, schedule_, bad_beat);
    case BusMaster::kLoad:
      return load_.dmaOfPort(port)->accept(ar.burst, schedule_, bad_beat);
    default:
      return compute_.dma().accept(ar.burst, schedule_, bad_beat);
  }
}

void TimedLaunch::grantRead(int port, uint64_t cycle) {
  ReadPort& ar = readPort(port);
  int master = ar.next_master;
  // "Read arbiter": the first request in the circular order behind the one granted last.
  while (grantFrom(port, static_cast<BusMaster>(master)) != cycle) master = (master + 1) % kReaders;
  ar.next_master = (master + 1) % kReaders;
  ar.busy = true;
  ar.owner = static_cast<BusMaster>(master);
  switch (ar.owner) {
    case BusMaster::kFetch:
      ar.burst = fetch_.grant(cycle);
      break;
    case BusMaster::kLoad:
      ar.burst = load_.dmaOfPort(port)->grant(cycle);
      break;
    default:
      ar.burst = compute_.dma().grant(cycle);
      break;
  }
  // "Read arbiter": the burst is offered from t + 1 on; AR is free when it is accepted.
  ar.accept_cycle = std::max(cycle + 1, memory_.earliestReadAccept(port));
  ar.free_from = ar.accept_cycle;
}

void TimedLaunch::grantWrite(uint64_t cycle) {
  aw_burst_ = store_.grant(cycle);
  aw_busy_ = true;
  // "Store", addresses: on the AW channel from g + 1 on.
  aw_offered_from_ = cycle + 1;
}

void TimedLaunch::acceptWrite(uint64_t cycle) {
  memory_.acceptWrite(cycle, aw_burst_.address, aw_burst_.beats, store_port_);
  aw_busy_ = false;
  aw_free_from_ = cycle;
  const bool fails = context_.bus_errors.writeFails(writes_accepted_++);
  completions_.push_back(store_.acceptAddress(cycle, fails));
}

void TimedLaunch::completeWrite(uint64_t cycle) {
  completions_.pop_front();
  const uint64_t response = memory_.completeWrite(cycle, store_port_);
  bus_idle_from_ = std::max(bus_idle_from_, response + 1);
  store_.respond(response);
}

// Looks at the pushes before `cycle` that may have found a full queue; true when one did.
bool TimedLaunch::checkOverflow(uint64_t before_cycle) {
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
void TimedLaunch::findDeadlock() {
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
  // "Faults": the first of the three reports of a deadlock that applies.
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
void TimedLaunch::drain(uint64_t halt_cycle) {
  const auto reads = [this] { return std::ranges::any_of(read_ports_, &ReadPort::busy); };
  while (reads() || aw_busy_ || !completions_.empty()) {
    uint64_t cycle = kNever;
    for (const ReadPort& ar : read_ports_) {
      if (ar.busy) cycle = std::min(cycle, ar.accept_cycle);
    }
    const uint64_t address = memory_.earliestWriteAccept(store_port_);
    if (aw_busy_ && address != MemoryModel::kUnknownCycle) {
      cycle = std::min(cycle, std::max(address, aw_offered_from_));
    }
    if (!completions_.empty()) cycle = std::min(cycle, completions_.front());
    takeHandshakes(cycle);
  }
  // "Launch and end": e, the first cycle from h + 1 on in which no granted burst is unfinished.
  context_.counters.cycles = std::max(halt_cycle + 1, bus_idle_from_) + 1;
}

void TimedLaunch::finish(uint64_t halt_cycle) {
  fetch_.finish(halt_cycle);
  load_.finish(halt_cycle);
  store_.finish(halt_cycle);
  compute_.finish(halt_cycle);
}

}  // namespace vta::sim::cycle
