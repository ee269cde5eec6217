#include "tools/common/compilation/network_schedules.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "compiler/kernel/plan/kernel_plan.h"
#include "explore/sweep/network/network_choice.h"
#include "explore/tune/task/task_text.h"

namespace vta::tools {
namespace {

using kernel::ChosenSchedule;

// A compilation is not to take much longer: vta-tune looks for better choices.
constexpr sweep::ChoiceEffort kEffort = {.most_runs = 16, .most_cycles = 40'000'000};

/// The schedules of a network's kernels, by workload.
using ScheduleTable = std::map<std::string, ChosenSchedule>;

kernel::FindSchedule findIn(ScheduleTable table) {
  const auto shared = std::make_shared<const ScheduleTable>(std::move(table));
  return [shared](const kernel::KernelDesc& desc) -> std::optional<ChosenSchedule> {
    const auto found = shared->find(tune::workloadText(desc));
    return found == shared->end() ? std::nullopt : std::optional(found->second);
  };
}

class NetworkFinder {
 public:
  NetworkFinder(const NetworkScheduleSetup& setup, const compiler::ModuleOutline& outline)
      : setup_(setup), outline_(outline), kernels_(sweep::kernelsOf(outline)) {
    for (const kernel::KernelDesc& desc : kernels_) {
      const std::string workload = tune::workloadText(desc);
      if (std::ranges::find(workloads_, workload) != workloads_.end()) continue;
      workloads_.push_back(workload);
      auto found = setup_.find(desc);
      // Somebody else may have made it, for another version of the compiler.
      if (!found || !kernel::checkSchedule(desc, found->schedule, setup_.hw).ok()) continue;
      tuned_.emplace(workload, *std::move(found));
    }
  }

  Result<compiler::NetworkSchedules> find() {
    if (tuned_.empty()) return compiler::NetworkSchedules{setup_.find, ""};
    VTA_ASSIGN_OR_RETURN(const auto known, findKnown());
    if (known) return compiler::NetworkSchedules{findIn(tableOf(*known)), ""};
    auto chosen = choose();
    if (chosen.ok()) return compiler::NetworkSchedules{findIn(tableOf(*chosen)), ""};
    return compiler::NetworkSchedules{
        setup_.find, fmt::format("whether tuned schedules make the whole network faster is not "
                                 "known, because it could not be simulated: {}",
                                 chosen.status().message())};
  }

 private:
  Result<std::optional<tune::NetworkRecord>> findKnown() const {
    const tune::TimingKey timing = tune::keyOf(tune::Timing{setup_.hw, setup_.memory});
    const tune::NetworkKey key{sweep::networkFingerprint(kernels_), timing.configuration,
                               timing.memory};
    for (const auto& database : setup_.databases) {
      VTA_ASSIGN_OR_RETURN(auto record, database->network(key, setup_.source));
      // Of a database that knows layers, its own schedules count, not what a later one has kept.
      if (record || hasLayers(*database)) return record;
    }
    return std::optional<tune::NetworkRecord>();
  }

  bool hasLayers(const tune::Database& database) const {
    return std::ranges::any_of(kernels_, [&](const kernel::KernelDesc& desc) {
      const auto best =
          database.best(tune::keyOf(tune::Task{desc, setup_.hw, setup_.memory, {}}), setup_.source);
      return best.ok() && best->has_value();
    });
  }

  /// Fills own_ with what the compiler chooses for each kernel.
  Status chooseOwn() {
    kernel::ScheduleChooser chooser(setup_.hw, setup_.hints);
    chooser.searchAhead(kernels_, [] {});
    for (const kernel::KernelDesc& desc : kernels_) {
      VTA_ASSIGN_OR_RETURN(ChosenSchedule own, chooser.choose(desc));
      own_.emplace(tune::workloadText(desc), std::move(own));
    }
    return {};
  }

  Result<tune::NetworkRecord> choose() {
    VTA_RETURN_IF_ERROR(chooseOwn());
    std::vector<sweep::NetworkKernel> kernels;
    for (const std::string& workload : workloads_) {
      const auto tuned = tuned_.find(workload);
      kernels.push_back(
          {workload, own_.at(workload).schedule,
           tuned == tuned_.end() ? std::nullopt : std::optional(tuned->second.schedule)});
    }
    const sweep::NetworkRunner runner(setup_.hw, setup_.memory);
    return sweep::chooseForNetwork(outline_, kernels, runner, kEffort);
  }

  /// With the origins that reports name.
  ScheduleTable tableOf(const tune::NetworkRecord& record) const {
    ScheduleTable table;
    for (const tune::KeptSchedule& kept : record.schedules) {
      const auto schedule = tune::parseSchedule(kept.schedule);
      if (!schedule.ok()) continue;
      const auto& source = kept.is_tuned ? tuned_ : own_;
      const auto known = source.find(kept.workload);
      const bool is_known = known != source.end() && known->second.schedule == *schedule;
      const char* origin = kept.is_tuned ? "tuned schedule" : "simulated schedule";
      table[kept.workload] = {*schedule, is_known ? known->second.origin : origin};
    }
    return table;
  }

  const NetworkScheduleSetup& setup_;
  const compiler::ModuleOutline& outline_;
  std::vector<kernel::KernelDesc> kernels_;
  std::vector<std::string> workloads_;  // each once, in the network's order
  ScheduleTable tuned_;
  ScheduleTable own_;
};

}  // namespace

compiler::FindForNetwork networkSchedules(NetworkScheduleSetup setup) {
  const auto shared = std::make_shared<const NetworkScheduleSetup>(std::move(setup));
  return [shared](const compiler::ModuleOutline& outline) {
    return NetworkFinder(*shared, outline).find();
  };
}

}  // namespace vta::tools
