#include "explore/sweep/network/network_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/hash.h"
#include "explore/tune/task/task_text.h"

namespace vta::sweep {
namespace {

using compiler::ModuleOutline;
using compiler::OutlinedKernel;
using Choice = std::vector<bool>;

class KernelChooser {
 public:
  KernelChooser(const Choice& are_equal,
                const std::function<Result<uint64_t>(const Choice&)>& measure,
                const ChoiceEffort& effort, const ChoiceProgress& progress)
      : measure_(measure), effort_(effort), progress_(progress) {
    for (size_t i = 0; i < are_equal.size(); ++i) {
      if (!are_equal[i]) open_.push_back(i);
    }
    best_.is_tuned.assign(are_equal.size(), false);
  }

  Result<KernelChoice> run() {
    VTA_ASSIGN_OR_RETURN(best_.untuned_cycles, cyclesOf(best_.is_tuned));
    best_.cycles = best_.tuned_cycles = best_.untuned_cycles;
    if (open_.empty()) return std::move(best_);
    Choice all = best_.is_tuned;
    for (const size_t i : open_) all[i] = true;
    VTA_ASSIGN_OR_RETURN(best_.tuned_cycles, cyclesOf(all));
    if (best_.tuned_cycles <= best_.untuned_cycles) {
      best_.is_tuned = std::move(all);
      best_.cycles = best_.tuned_cycles;
    }
    bool has_changed = true;
    while (has_changed && !isOver()) {
      VTA_ASSIGN_OR_RETURN(const bool one, changeEach(1));
      VTA_ASSIGN_OR_RETURN(const bool two, changeEach(2));
      has_changed = one || two;
    }
    return std::move(best_);
  }

 private:
  bool isOver() const { return best_.runs >= effort_.most_runs || cycles_ >= effort_.most_cycles; }

  Result<uint64_t> cyclesOf(const Choice& choice) {
    if (const auto known = known_.find(choice); known != known_.end()) return known->second;
    VTA_ASSIGN_OR_RETURN(const uint64_t cycles, measure_(choice));
    known_.emplace(choice, cycles);
    ++best_.runs;
    cycles_ += cycles;
    if (progress_) progress_(best_.runs, effort_.most_runs);
    return cycles;
  }

  /// Changes `count` neighbours at a time where that makes the network faster. True if it did.
  Result<bool> changeEach(size_t count) {
    bool has_changed = false;
    for (size_t first = 0; first + count <= open_.size() && !isOver(); ++first) {
      Choice changed = best_.is_tuned;
      for (size_t k = 0; k < count; ++k) changed[open_[first + k]].flip();
      VTA_ASSIGN_OR_RETURN(const uint64_t cycles, cyclesOf(changed));
      if (cycles >= best_.cycles) continue;
      best_.is_tuned = std::move(changed);
      best_.cycles = cycles;
      has_changed = true;
    }
    return has_changed;
  }

  const std::function<Result<uint64_t>(const Choice&)>& measure_;
  const ChoiceEffort& effort_;
  const ChoiceProgress& progress_;
  std::vector<size_t> open_;  // kernels that have a choice
  std::map<Choice, uint64_t> known_;
  uint64_t cycles_ = 0;
  KernelChoice best_;
};

}  // namespace

Result<KernelChoice> chooseKernels(
    const Choice& are_equal, const std::function<Result<uint64_t>(const Choice& is_tuned)>& measure,
    const ChoiceEffort& effort, const ChoiceProgress& progress) {
  return KernelChooser(are_equal, measure, effort, progress).run();
}

std::string networkFingerprint(std::span<const kernel::KernelDesc> kernels) {
  std::string text;
  for (const kernel::KernelDesc& desc : kernels) text += tune::workloadText(desc) + '\n';
  return fmt::format("{:016x}", hashText(text));
}

std::vector<kernel::KernelDesc> kernelsOf(const ModuleOutline& outline) {
  std::vector<kernel::KernelDesc> kernels;
  for (const OutlinedKernel& kernel : outline.kernels) kernels.push_back(kernel.desc);
  return kernels;
}

Result<tune::NetworkRecord> chooseForNetwork(const ModuleOutline& outline,
                                             std::span<const NetworkKernel> kernels,
                                             const NetworkRunner& runner,
                                             const ChoiceEffort& effort,
                                             const ChoiceProgress& progress) {
  std::vector<size_t> numbers;  // in `kernels`, of each kernel of the outline
  for (const OutlinedKernel& kernel : outline.kernels) {
    const auto found =
        std::ranges::find(kernels, tune::workloadText(kernel.desc), &NetworkKernel::workload);
    if (found == kernels.end()) return internalError("a kernel of the network has no schedule");
    numbers.push_back(static_cast<size_t>(found - kernels.begin()));
  }
  const auto scheduleOf = [&](size_t i, const Choice& is_tuned) {
    return is_tuned[i] ? *kernels[i].tuned : kernels[i].untuned;
  };
  const auto measure = [&](const Choice& is_tuned) -> Result<uint64_t> {
    std::vector<kernel::Schedule> schedules;
    for (const size_t i : numbers) schedules.push_back(scheduleOf(i, is_tuned));
    VTA_ASSIGN_OR_RETURN(const NetworkRun run, runner.run(outline, schedules));
    return run.counters.cycles;
  };
  Choice are_equal;
  for (const NetworkKernel& kernel : kernels) {
    are_equal.push_back(!kernel.tuned || *kernel.tuned == kernel.untuned);
  }
  VTA_ASSIGN_OR_RETURN(const KernelChoice choice,
                       chooseKernels(are_equal, measure, effort, progress));
  tune::NetworkRecord record{
      outline.info.model, choice.untuned_cycles, choice.tuned_cycles, choice.cycles, {},
      choice.runs};
  for (size_t i = 0; i < kernels.size(); ++i) {
    const bool is_same = are_equal[i] && kernels[i].tuned;
    record.schedules.push_back({kernels[i].workload,
                                tune::scheduleText(scheduleOf(i, choice.is_tuned)),
                                choice.is_tuned[i] || is_same});
  }
  return record;
}

}  // namespace vta::sweep
