#include "compiler/launch/action_plan.h"

#include <algorithm>
#include <span>

namespace vta::compiler {
namespace {

/// It may run while later steps of other executors do.
bool mayRunAside(const ModuleInfo& info, uint32_t executor) {
  return info.executors[executor].traits.runs_in_background;
}

/// Bytes of one memory.
struct Range {
  uint32_t space;
  uint64_t begin_bytes;
  uint64_t end_bytes;
};

bool overlap(std::span<const Range> some, std::span<const Range> others) {
  return std::ranges::any_of(some, [&](const Range& a) {
    return std::ranges::any_of(others, [&](const Range& b) {
      return a.space == b.space && a.begin_bytes < b.end_bytes && b.begin_bytes < a.end_bytes;
    });
  });
}

/// What a step does with activations and state, wherever they are: a program may use tensors of any
/// memory.
struct Accesses {
  std::vector<Range> reads;
  std::vector<Range> writes;

  /// True when the two may run at the same time.
  bool allows(const Accesses& other) const {
    return !overlap(writes, other.reads) && !overlap(writes, other.writes) &&
           !overlap(reads, other.writes);
  }
};

Accesses accessesOf(const ModuleInfo& info, const StepInfo& step) {
  Accesses accesses;
  const auto add = [&](uint32_t index, std::vector<Range>& ranges) {
    const TensorInfo& tensor = info.tensors[index];
    if (info.isConstant(tensor)) return;
    ranges.push_back({tensor.space, tensor.offset_bytes, tensor.offset_bytes + tensor.size_bytes});
  };
  if (!info.callsFunction(step) && step.reference < 0) {
    // A program without a reference: any of its tensors may be the one that it writes.
    for (const int32_t tensor : info.programs[step.entry].buffers) {
      if (tensor >= 0) add(static_cast<uint32_t>(tensor), accesses.writes);
    }
    return accesses;
  }
  const size_t first_result = step.arguments.size() - step.num_results;
  for (size_t i = 0; i < step.arguments.size(); ++i) {
    add(step.arguments[i], i < first_result ? accesses.reads : accesses.writes);
  }
  return accesses;
}

class ActionPlanner {
 public:
  explicit ActionPlanner(const ModuleInfo& info) : info_(info) {
    for (const StepInfo& step : info.steps) accesses_.push_back(accessesOf(info, step));
  }

  std::vector<ActionInfo> plan() {
    const auto count = static_cast<uint32_t>(info_.steps.size());
    for (uint32_t first = 0; first < count;) {
      const StepInfo& step = info_.steps[first];
      uint32_t end = first + 1;
      if (info_.executorOf(step).traits.links_neighbours) {
        while (end < count && info_.steps[end].executor == step.executor) ++end;
        if (mayRunAside(info_, step.executor)) end = cutBehind(first, end);
      }
      actions_.push_back({step.executor, first, end - first, step.entry, false, {}});
      first = end;
    }
    findBackground();
    return std::move(actions_);
  }

 private:
  /// Where to end the launch of steps [first, end), so that steps behind it that hold up the
  /// session need not wait for all of them.
  uint32_t cutBehind(uint32_t first, uint32_t end) const {
    uint32_t needed = first;  // steps up to here are waited for
    for (uint32_t step = end; step < info_.steps.size(); ++step) {
      if (mayRunAside(info_, info_.steps[step].executor)) break;
      for (uint32_t kernel = needed; kernel < end; ++kernel) {
        if (!accesses_[step].allows(accesses_[kernel])) needed = kernel + 1;
      }
      if (needed == end) return end;
      if (needed > first) return needed;
    }
    return end;
  }

  /// All steps of the one may run at the same time as all of the other.
  bool mayRunBeside(const ActionInfo& some, const ActionInfo& other) const {
    for (uint32_t i = 0; i < some.step_count; ++i) {
      for (uint32_t k = 0; k < other.step_count; ++k) {
        if (!accesses_[other.first_step + k].allows(accesses_[some.first_step + i])) return false;
      }
    }
    return true;
  }

  /// Launches that the next action of another executor need not wait for, and who waits for them
  /// later.
  void findBackground() {
    for (size_t i = 0; i < actions_.size(); ++i) {
      if (!mayRunAside(info_, actions_[i].executor)) continue;
      const auto next =
          std::find_if(actions_.begin() + static_cast<int64_t>(i), actions_.end(),
                       [&](const ActionInfo& a) { return a.executor != actions_[i].executor; });
      actions_[i].in_background = next != actions_.end() && mayRunBeside(actions_[i], *next);
    }
    for (size_t i = 0; i < actions_.size(); ++i) findWaits(i);
  }

  void findWaits(size_t index) {
    ActionInfo& action = actions_[index];
    for (uint32_t executor = 0; executor < info_.executors.size(); ++executor) {
      uint32_t background = 0;
      uint32_t awaited = 0;
      for (size_t before = 0; before < index; ++before) {
        if (!actions_[before].in_background || actions_[before].executor != executor) continue;
        ++background;
        // Launches of one executor take turns; those in background do so by themselves.
        const bool waits = executor == action.executor ? !action.in_background
                                                       : !mayRunBeside(actions_[before], action);
        if (waits) awaited = background;
      }
      if (awaited > 0) action.waits.push_back({executor, awaited});
    }
  }

  const ModuleInfo& info_;
  std::vector<Accesses> accesses_;  // by step
  std::vector<ActionInfo> actions_;
};

}  // namespace

std::vector<ActionInfo> planActions(const ModuleInfo& info) { return ActionPlanner(info).plan(); }

}  // namespace vta::compiler
