// Which machine runs which operation, so that operations and the moves of their values take least.
// Free of MLIR types.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/codegen/costs.h"

namespace vta::placement {

/// By machines. Those that work in one memory are one set.
using MachineSet = uint32_t;
inline constexpr uint32_t kMaxMachines = 32;

/// What there is to assign. Costs are in the unit of compiler/codegen/costs.h.
struct Assignment {
  struct Machine {
    /// A run of operations that follow each other on it takes that besides them.
    int64_t cost_per_run = 0;
    uint32_t memory = 0;  // where its values lie: a number below that of the machines
  };
  struct Value {
    int64_t bytes = 0;
    std::optional<uint32_t> home{};    // the memory that has it before the first operation
    std::optional<uint32_t> wanted{};  // the memory that has to have it after the last
  };
  struct Op {
    /// By machine; nothing: it cannot run there. One can run it at least.
    std::vector<std::optional<int64_t>> costs;
    std::vector<uint32_t> operands{};  // values that have a home, or that ops before this one make
    std::vector<uint32_t> results{};
  };
  std::vector<Machine> machines;
  /// [from][to]: memories.
  std::vector<std::vector<codegen::TransferCost>> transfers;
  std::vector<Value> values;
  std::vector<Op> ops;  // each behind those that it needs
};

/// What the operations take on these machines: they themselves, their runs, and each value's moves.
/// A value is moved once to each memory where it is needed, from the nearest that has it.
int64_t costOf(const Assignment& assignment, const std::vector<uint32_t>& machines);

/// The machines that take least, by operation. Exact as long as the values that are alive at one
/// time lie in few combinations of memories, as those of chains, branches and residuals do; beyond
/// kMaxStates combinations, those that cost most so far are given up. Of equals, the machine with
/// the lower number.
std::vector<uint32_t> assignMachines(const Assignment& assignment);

inline constexpr size_t kMaxStates = 2048;

}  // namespace vta::placement
