#include "driver/runtime/action_plan.h"

#include <algorithm>
#include <span>

namespace vta::driver {
namespace {

bool isHost(const StepInfo& step) { return step.kind == StepInfo::Kind::kHost; }

/// Bytes of device memory.
struct Range {
  uint64_t begin_bytes;
  uint64_t end_bytes;
};

bool overlap(std::span<const Range> some, std::span<const Range> others) {
  return std::ranges::any_of(some, [&](const Range& a) {
    return std::ranges::any_of(others, [&](const Range& b) {
      return a.begin_bytes < b.end_bytes && b.begin_bytes < a.end_bytes;
    });
  });
}

/// What a step does with the activations in device memory.
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
    if (tensor.storage != Storage::kDevice) return;
    ranges.push_back({tensor.offset_bytes, tensor.offset_bytes + tensor.size_bytes});
  };
  if (step.symbol.empty()) {
    // A kernel without a reference: any of its tensors may be the one that it writes.
    for (const int32_t tensor : step.buffers) {
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

class Planner {
 public:
  explicit Planner(const ModuleInfo& info) : info_(info) {
    for (const StepInfo& step : info.steps) accesses_.push_back(accessesOf(info, step));
  }

  std::vector<PlannedAction> plan(PlanMode mode) {
    const auto count = static_cast<uint32_t>(info_.steps.size());
    for (uint32_t first = 0; first < count;) {
      uint32_t end = first + 1;
      const bool is_launch = !isHost(info_.steps[first]);
      if (is_launch && mode != PlanMode::kOneByOne) {
        while (end < count && !isHost(info_.steps[end])) ++end;
        if (mode == PlanMode::kOverlap) end = cutBehind(first, end);
      }
      actions_.push_back({first, end - first, is_launch});
      first = end;
    }
    if (mode == PlanMode::kOverlap) findBackground();
    return std::move(actions_);
  }

 private:
  /// Where to end the launch of steps [first, end), so that host steps behind it need not wait for
  /// all of them.
  uint32_t cutBehind(uint32_t first, uint32_t end) const {
    uint32_t needed = first;  // steps up to here are waited for
    for (uint32_t step = end; step < info_.steps.size() && isHost(info_.steps[step]); ++step) {
      for (uint32_t kernel = needed; kernel < end; ++kernel) {
        if (!accesses_[step].allows(accesses_[kernel])) needed = kernel + 1;
      }
      if (needed == end) return end;
      if (needed > first) return needed;
    }
    return end;
  }

  /// The host step `action` may run at the same time as `launch`.
  bool mayRunBeside(const PlannedAction& launch, const PlannedAction& action) const {
    for (uint32_t i = 0; i < launch.step_count; ++i) {
      if (!accesses_[action.first_step].allows(accesses_[launch.first_step + i])) return false;
    }
    return true;
  }

  void findBackground() {
    for (size_t i = 0; i < actions_.size(); ++i) {
      if (!actions_[i].is_launch) continue;
      const auto next_host =
          std::find_if(actions_.begin() + static_cast<int64_t>(i), actions_.end(),
                       [](const auto& a) { return !a.is_launch; });
      actions_[i].in_background =
          next_host != actions_.end() && mayRunBeside(actions_[i], *next_host);
    }
    for (size_t i = 0; i < actions_.size(); ++i) {
      PlannedAction& action = actions_[i];
      uint32_t background = 0;
      for (size_t before = 0; before < i; ++before) {
        if (!actions_[before].in_background) continue;
        ++background;
        const bool waits = action.is_launch || !mayRunBeside(actions_[before], action);
        if (waits && !action.in_background) action.waits_for = background;
      }
    }
  }

  const ModuleInfo& info_;
  std::vector<Accesses> accesses_;  // by step
  std::vector<PlannedAction> actions_;
};

}  // namespace

std::vector<PlannedAction> planActions(const ModuleInfo& info, PlanMode mode) {
  return Planner(info).plan(mode);
}

}  // namespace vta::driver
