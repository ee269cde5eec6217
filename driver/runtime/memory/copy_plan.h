// CopyPlan: which bytes go from one machine's memory to another's, and when.
//
// A tensor has a place in every memory whose machine uses it. The plan knows for each action which
// memories hold what was written last, and copies before and after it what is missing. Each machine
// only copies between its own memory and the host's, and only during an action of its own, so that
// no two threads use one machine. What goes from one machine to another goes through the host.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "module/module_info.h"

namespace vta::driver {

/// Bytes of one of a module's spaces.
struct SpaceRange {
  uint32_t space = 0;
  uint64_t offset_bytes = 0;
  uint64_t size_bytes = 0;

  bool operator==(const SpaceRange&) const = default;
};

/// The tensors that an action reads before it writes them, and those that it writes.
struct ActionTensors {
  std::vector<uint32_t> reads;
  std::vector<uint32_t> writes;
};

/// That of `action`, as the arguments of its steps tell.
ActionTensors tensorsOfSteps(const ModuleInfo& info, const ActionInfo& action);

/// The number of the host's memory.
inline constexpr uint32_t kHostMemory = 0;

/// What the plan has to know of an action.
struct PlannedAction {
  const ActionInfo* info = nullptr;
  uint32_t memory = kHostMemory;  // its machine's
  ActionTensors tensors;
  /// What the host reads as soon as it has ended.
  std::vector<uint32_t> host_reads;
};

/// What goes between the host and the memory of an action's machine.
struct ActionCopies {
  std::vector<SpaceRange> from_host;  // before the action
  std::vector<SpaceRange> to_host;    // behind it
};

/// A part of what lives from run to run, and a memory that holds its newest value between runs.
struct StatePlace {
  SpaceRange range;
  uint32_t memory = kHostMemory;
};

struct CopyPlan {
  std::vector<ActionCopies> actions;
  std::vector<StatePlace> state;
  /// By memory and tensor: whether it needs a place there.
  std::vector<std::vector<bool>> places;
};

/// The copies of a session that runs `actions` in their order, over and over. Before each run,
/// inputs are in the host's memory; behind it, outputs are. Constants are everywhere, and before
/// the first run so is state. An action in the background counts on what another one has copied
/// only if the waits of the actions say that it has ended.
CopyPlan planCopies(const ModuleInfo& info, std::span<const PlannedAction> actions,
                    uint32_t memory_count);

}  // namespace vta::driver
