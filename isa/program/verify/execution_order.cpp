#include "isa/program/verify/execution_order.h"

#include <algorithm>
#include <string_view>

namespace vta::verify {
namespace {

enum Queue { kLoadToCompute, kComputeToLoad, kComputeToStore, kStoreToCompute, kQueueCount };

struct QueueInfo {
  std::string_view name;
  Unit producer;
  Unit consumer;
};
constexpr QueueInfo kQueues[kQueueCount] = {
    {"load->compute", Unit::kLoad, Unit::kCompute},
    {"compute->load", Unit::kCompute, Unit::kLoad},
    {"compute->store", Unit::kCompute, Unit::kStore},
    {"store->compute", Unit::kStore, Unit::kCompute},
};

// The queues an instruction pops or pushes.
struct QueueSet {
  std::array<Queue, 2> queues{};
  int count = 0;

  void add(bool condition, Queue queue) {
    if (condition) queues[count++] = queue;
  }
  const Queue* begin() const { return queues.data(); }
  const Queue* end() const { return queues.data() + count; }
};

QueueSet popsOf(Unit unit, const Tokens& tokens) {
  QueueSet set;
  set.add(tokens.pop_prev && unit == Unit::kCompute, kLoadToCompute);
  set.add(tokens.pop_prev && unit == Unit::kStore, kComputeToStore);
  set.add(tokens.pop_next && unit == Unit::kLoad, kComputeToLoad);
  set.add(tokens.pop_next && unit == Unit::kCompute, kStoreToCompute);
  return set;
}

QueueSet pushesOf(Unit unit, const Tokens& tokens) {
  QueueSet set;
  set.add(tokens.push_prev && unit == Unit::kCompute, kComputeToLoad);
  set.add(tokens.push_prev && unit == Unit::kStore, kStoreToCompute);
  set.add(tokens.push_next && unit == Unit::kLoad, kLoadToCompute);
  set.add(tokens.push_next && unit == Unit::kCompute, kComputeToStore);
  return set;
}

size_t indexOf(Unit unit) { return static_cast<size_t>(unit); }

void joinInto(Clock& clock, const Clock& other) {
  for (int i = 0; i < kUnitCount; ++i) clock[i] = std::max(clock[i], other[i]);
}

class QueueRun {
 public:
  QueueRun(const Program& program, const QueueDepths& depths, Findings& findings)
      : program_(program), depths_(depths), findings_(findings) {
    order_.before.resize(program.instructions.size());
    order_.sequence.reserve(program.instructions.size());
    units_.reserve(program.instructions.size());
    for (uint32_t i = 0; i < program.instructions.size(); ++i) {
      const Instruction& insn = program.instructions[i];
      const Unit unit = insn.unit();
      units_.push_back(unit);
      order_.streams[indexOf(unit)].push_back(i);
      for (Queue queue : popsOf(unit, insn.tokens)) {
        poppers_[queue].push_back(static_cast<uint32_t>(order_.streams[indexOf(unit)].size() - 1));
      }
    }
  }

  ExecutionOrder run() {
    bool progress = true;
    while (progress) {
      progress = fetch();
      for (size_t unit = 0; unit < kUnitCount; ++unit) {
        while (canExecute(unit)) {
          execute(unit);
          progress = true;
        }
      }
    }
    if (order_.sequence.size() < program_.instructions.size()) {
      reportDeadlock();
    } else {
      reportLeftovers();
      reportUnfinishedStores();
    }
    return std::move(order_);
  }

 private:
  struct UnitState {
    uint32_t fetched = 0;
    uint32_t retired = 0;
    Clock clock{};
  };
  struct TokenQueue {
    std::vector<Clock> tokens;
    size_t popped = 0;
    bool overflow_reported = false;
    size_t held() const { return tokens.size() - popped; }
  };

  // Moves instructions to their units' queues, in order, until one is full. A waiting instruction
  // keeps its place in the queue.
  bool fetch() {
    const uint32_t start = next_fetch_;
    while (next_fetch_ < units_.size()) {
      UnitState& unit = state_[indexOf(units_[next_fetch_])];
      if (unit.fetched - unit.retired >= depths_.commands) break;
      ++unit.fetched;
      ++next_fetch_;
    }
    return next_fetch_ != start;
  }

  bool canExecute(size_t unit) const {
    const UnitState& state = state_[unit];
    if (state.retired == state.fetched) return false;
    const uint32_t at = order_.streams[unit][state.retired];
    for (Queue queue : popsOf(units_[at], program_.instructions[at].tokens)) {
      if (queues_[queue].held() == 0) return false;
    }
    return true;
  }

  void execute(size_t unit) {
    UnitState& state = state_[unit];
    const uint32_t at = order_.streams[unit][state.retired];
    const Tokens& tokens = program_.instructions[at].tokens;
    for (Queue queue : popsOf(units_[at], tokens)) {
      joinInto(state.clock, queues_[queue].tokens[queues_[queue].popped++]);
    }
    order_.before[at] = state.clock;
    order_.sequence.push_back(at);
    state.clock[unit] = ++state.retired;
    for (Queue queue : pushesOf(units_[at], tokens)) {
      queues_[queue].tokens.push_back(state.clock);
      checkOverflow(queue, at);
    }
  }

  // The most tokens that the queue can hold after this push in any timing: all pushes so far less
  // the pops that have certainly happened.
  void checkOverflow(Queue queue, uint32_t at) {
    TokenQueue& q = queues_[queue];
    if (q.overflow_reported || q.tokens.size() <= depths_.tokens) return;
    const uint32_t consumer_done = order_.before[at][indexOf(kQueues[queue].consumer)];
    const auto& poppers = poppers_[queue];
    const auto certain =
        std::lower_bound(poppers.begin(), poppers.end(), consumer_done) - poppers.begin();
    const size_t most = q.tokens.size() - static_cast<size_t>(certain);
    if (most <= depths_.tokens) return;
    q.overflow_reported = true;
    findings_.add(at, fmt::format("token overflow: the {} queue may hold {} tokens here; it has "
                                  "room for {}",
                                  kQueues[queue].name, most, depths_.tokens));
  }

  std::string whyBlocked(size_t unit) const {
    const UnitState& state = state_[unit];
    const uint32_t at = order_.streams[unit][state.retired];
    std::string waits;
    for (Queue queue : popsOf(units_[at], program_.instructions[at].tokens)) {
      if (queues_[queue].held() != 0) continue;
      const UnitState& producer = state_[indexOf(kQueues[queue].producer)];
      const bool ended =
          producer.retired == order_.streams[indexOf(kQueues[queue].producer)].size();
      waits += fmt::format("{}{} token{}", waits.empty() ? "" : " and ", kQueues[queue].name,
                           ended ? " that nothing pushes" : "");
    }
    return fmt::format("{} waits at instruction {} for a {}", unitName(static_cast<Unit>(unit)), at,
                       waits);
  }

  void reportDeadlock() {
    std::string reasons;
    uint32_t first = static_cast<uint32_t>(program_.instructions.size()) - 1;
    for (size_t unit = 0; unit < kUnitCount; ++unit) {
      const UnitState& state = state_[unit];
      if (state.retired == state.fetched) continue;
      first = std::min(first, order_.streams[unit][state.retired]);
      reasons += fmt::format("{}{}", reasons.empty() ? "" : "; ", whyBlocked(unit));
    }
    if (next_fetch_ < units_.size()) {
      reasons += fmt::format("; fetch cannot pass instruction {}: the {} queue is full ({})",
                             next_fetch_, unitName(units_[next_fetch_]), depths_.commands);
    }
    findings_.add(first, fmt::format("deadlock: {}", reasons));
  }

  void reportLeftovers() {
    const auto last = static_cast<uint32_t>(program_.instructions.size()) - 1;
    for (int queue = 0; queue < kQueueCount; ++queue) {
      if (queues_[queue].held() == 0) continue;
      findings_.add(last, fmt::format("{} {} tokens are left over at the end",
                                      queues_[queue].held(), kQueues[queue].name));
    }
  }

  void reportUnfinishedStores() {
    const auto last = static_cast<uint32_t>(program_.instructions.size()) - 1;
    const auto& stores = order_.streams[indexOf(Unit::kStore)];
    const uint32_t done = order_.before[last][indexOf(Unit::kStore)];
    if (done >= stores.size()) return;
    findings_.add(
        stores[done],
        fmt::format("FINISH does not wait for this store; pop its token in instruction {}", last));
  }

  const Program& program_;
  QueueDepths depths_;
  Findings& findings_;
  ExecutionOrder order_;
  std::vector<Unit> units_;
  std::array<UnitState, kUnitCount> state_{};
  std::array<TokenQueue, kQueueCount> queues_{};
  // By queue: positions, in the consumer unit, of the instructions that pop it.
  std::array<std::vector<uint32_t>, kQueueCount> poppers_{};
  uint32_t next_fetch_ = 0;
};

}  // namespace

ExecutionOrder findExecutionOrder(const Program& program, const QueueDepths& depths,
                                  Findings& findings) {
  return QueueRun(program, depths, findings).run();
}

}  // namespace vta::verify
