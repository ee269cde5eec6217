#include "compiler/placement/assignment.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <utility>

namespace vta::placement {
namespace {

constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

/// The memories that have each value that is still needed, and the machine that ran last.
struct State {
  uint32_t machine = kNone;
  std::vector<MachineSet> held;  // by values of Frontier::alive

  auto operator<=>(const State&) const = default;
};

MachineSet setOf(uint32_t memory) { return MachineSet{1} << memory; }

/// What it takes to have a value of so many bytes in `memory`, too.
int64_t costOfMove(const Assignment& assignment, MachineSet held, uint32_t memory, int64_t bytes) {
  if ((held & setOf(memory)) != 0) return 0;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (uint32_t from = 0; from < assignment.transfers.size(); ++from) {
    if ((held & setOf(from)) == 0) continue;
    least = std::min(least, assignment.transfers[from][memory].of(bytes));
  }
  assert(least != std::numeric_limits<int64_t>::max());  // some memory has it
  return least;
}

/// Runs one operation after the other.
class Runner {
 public:
  explicit Runner(const Assignment& assignment)
      : assignment_(assignment), last_use_(assignment.values.size(), -1) {
    for (size_t i = 0; i < assignment.ops.size(); ++i) {
      for (const uint32_t value : assignment.ops[i].operands) {
        last_use_[value] = static_cast<int64_t>(i);
      }
    }
    for (size_t value = 0; value < last_use_.size(); ++value) {
      if (assignment.values[value].wanted) last_use_[value] = std::ssize(assignment.ops);
      if (assignment.values[value].home && last_use_[value] >= 0) {
        alive_.push_back(static_cast<uint32_t>(value));
      }
    }
  }

  State begin() const {
    State state;
    for (const uint32_t value : alive_)
      state.held.push_back(setOf(*assignment_.values[value].home));
    return state;
  }

  /// Lets `machine` run operation `index`; what that takes. The places of its operands are as
  /// enter() has left them.
  int64_t run(size_t index, uint32_t machine, State& state) const {
    const Assignment::Op& op = assignment_.ops[index];
    const uint32_t memory = assignment_.machines[machine].memory;
    int64_t cost = *op.costs[machine];
    if (state.machine != machine) cost += assignment_.machines[machine].cost_per_run;
    for (const size_t place : operand_places_) {
      const int64_t bytes = assignment_.values[alive_[place]].bytes;
      cost += costOfMove(assignment_, state.held[place], memory, bytes);
      state.held[place] |= setOf(memory);
    }
    state.machine = machine;
    std::vector<MachineSet> held;
    for (const size_t place : kept_places_) held.push_back(state.held[place]);
    held.resize(held.size() + made_.size(), setOf(memory));
    state.held = std::move(held);
    return cost;
  }

  /// Prepares for operation `index`: which values it needs, ends and makes.
  void enter(size_t index) {
    const Assignment::Op& op = assignment_.ops[index];
    operand_places_.clear();
    kept_places_.clear();
    made_.clear();
    for (size_t place = 0; place < alive_.size(); ++place) {
      if (std::ranges::find(op.operands, alive_[place]) != op.operands.end()) {
        operand_places_.push_back(place);
      }
      if (last_use_[alive_[place]] > static_cast<int64_t>(index)) kept_places_.push_back(place);
    }
    for (const uint32_t value : op.results) {
      if (last_use_[value] > static_cast<int64_t>(index)) made_.push_back(value);
    }
  }
  void leave() {
    std::vector<uint32_t> alive;
    for (const size_t place : kept_places_) alive.push_back(alive_[place]);
    alive.insert(alive.end(), made_.begin(), made_.end());
    alive_ = std::move(alive);
  }

  /// What it takes to have the wanted values where they are wanted, after the last operation.
  int64_t end(const State& state) const {
    int64_t cost = 0;
    for (size_t place = 0; place < alive_.size(); ++place) {
      const Assignment::Value& value = assignment_.values[alive_[place]];
      cost += costOfMove(assignment_, state.held[place], *value.wanted, value.bytes);
    }
    return cost;
  }

 private:
  const Assignment& assignment_;
  std::vector<int64_t> last_use_;                     // by value: the operation, -1: none
  std::vector<uint32_t> alive_;                       // values that later operations need
  std::vector<size_t> operand_places_, kept_places_;  // in alive_
  std::vector<uint32_t> made_;
};

/// How a state was reached.
struct Reached {
  int64_t cost = 0;
  size_t from = 0;  // of the states before the operation
};
using States = std::vector<std::pair<State, Reached>>;

/// Those that cost least, the first ones of equals.
void keepCheapest(States& states) {
  if (states.size() <= kMaxStates) return;
  std::ranges::stable_sort(states, {}, [](const auto& state) { return state.second.cost; });
  states.resize(kMaxStates);
}

States step(const Assignment& assignment, const Runner& runner, size_t index,
            const States& before) {
  std::map<State, Reached> after;
  for (uint32_t machine = 0; machine < assignment.machines.size(); ++machine) {
    if (!assignment.ops[index].costs[machine]) continue;
    for (size_t from = 0; from < before.size(); ++from) {
      State state = before[from].first;
      const int64_t cost = before[from].second.cost + runner.run(index, machine, state);
      const auto [known, is_new] = after.try_emplace(std::move(state), Reached{cost, from});
      if (!is_new && cost < known->second.cost) known->second = {cost, from};
    }
  }
  States states(after.begin(), after.end());
  keepCheapest(states);
  return states;
}

}  // namespace

int64_t costOf(const Assignment& assignment, const std::vector<uint32_t>& machines) {
  Runner runner(assignment);
  State state = runner.begin();
  int64_t cost = 0;
  for (size_t i = 0; i < assignment.ops.size(); ++i) {
    runner.enter(i);
    cost += runner.run(i, machines[i], state);
    runner.leave();
  }
  return cost + runner.end(state);
}

std::vector<uint32_t> assignMachines(const Assignment& assignment) {
  assert(assignment.machines.size() <= kMaxMachines);
  Runner runner(assignment);
  std::vector<States> reached = {{{runner.begin(), {}}}};  // before each operation, and at the end
  for (size_t i = 0; i < assignment.ops.size(); ++i) {
    runner.enter(i);
    reached.push_back(step(assignment, runner, i, reached.back()));
    runner.leave();
  }
  const auto total = [&](const auto& state) { return state.second.cost + runner.end(state.first); };
  const auto best = std::ranges::min_element(reached.back(), {}, total);
  size_t at = static_cast<size_t>(best - reached.back().begin());
  std::vector<uint32_t> machines(assignment.ops.size());
  for (size_t i = machines.size(); i-- > 0;) {
    const auto& [state, how] = reached[i + 1][at];
    machines[i] = state.machine;
    at = how.from;
  }
  return machines;
}

}  // namespace vta::placement
