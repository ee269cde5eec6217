#include "explore/sweep/network/network_timer.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "compiler/kernel/schedule/schedule_chooser.h"
#include "explore/sweep/network/compilers_chooser.h"
#include "explore/sweep/network/network_choice.h"
#include "explore/sweep/network/outline_work.h"
#include "explore/sweep/network/schedule_search.h"
#include "explore/tune/task/task_text.h"

namespace vta::sweep {
namespace {

using compiler::ModuleOutline;
using compiler::OutlinedKernel;

Status inLayer(const OutlinedKernel& kernel, const Status& status) {
  return status.withContext(fmt::format("layer '{}'", kernel.desc.name));
}

Result<kernel::Schedule> chosenBy(kernel::ScheduleChooser& chooser,
                                  const kernel::KernelDesc& desc) {
  VTA_ASSIGN_OR_RETURN(const auto chosen, chooser.choose(desc));
  return chosen.schedule;
}

}  // namespace

std::string effortName(const Effort& effort) {
  if (effort.kind == Effort::kEstimated) return "estimated";
  if (effort.kind == Effort::kSimulated) return "simulated";
  return fmt::format("searched {} {}", effort.searcher, effort.trials);
}

Result<Effort> parseEffort(const std::string& name) {
  if (name == "estimated") return Effort(Effort::kEstimated);
  if (name == "simulated") return Effort(Effort::kSimulated);
  std::istringstream words(name);
  std::string searched;
  Effort effort(Effort::kSearched);
  if (words >> searched >> effort.searcher >> effort.trials && searched == "searched") {
    return effort;
  }
  return invalidArgument(fmt::format("there is no effort '{}'", name));
}

/// Kernels that are there twice are searched once: also where nobody else remembers schedules.
Result<kernel::Schedule> NetworkTimer::searched(const kernel::KernelDesc& desc) {
  const std::string workload = tune::workloadText(desc);
  if (const auto found = searched_.find(workload); found != searched_.end()) return found->second;
  VTA_ASSIGN_OR_RETURN(const kernel::Schedule schedule,
                       searchSchedule({desc, hw_, memory_, {}}, effort_.searcher, effort_.trials));
  return searched_.emplace(workload, schedule).first->second;
}

/// Kernels are searched one by one, but overlap in the network: of the schedules that were found
/// for its kernels, those that do not make it slower than the compiler's own.
Result<std::vector<kernel::Schedule>> NetworkTimer::keepFaster(
    const ModuleOutline& outline, std::vector<kernel::Schedule> found) const {
  constexpr ChoiceEffort kChoice = {.most_runs = 8, .most_cycles = 40'000'000};
  VTA_ASSIGN_OR_RETURN(kernel::ScheduleChooser chooser,
                       compilersChooser(hw_, memory_, effort_.kind != Effort::kEstimated));
  std::vector<NetworkKernel> kernels;
  for (size_t i = 0; i < found.size(); ++i) {
    const kernel::KernelDesc& desc = outline.kernels[i].desc;
    const std::string workload = tune::workloadText(desc);
    if (std::ranges::find(kernels, workload, &NetworkKernel::workload) != kernels.end()) {
      continue;
    }
    const auto own = chosenBy(chooser, desc);
    if (!own.ok()) return inLayer(outline.kernels[i], own.status());
    kernels.push_back({workload, *own, found[i]});
  }
  VTA_ASSIGN_OR_RETURN(const tune::NetworkRecord kept,
                       chooseForNetwork(outline, kernels, runner_, kChoice));
  for (size_t i = 0; i < found.size(); ++i) {
    const std::string workload = tune::workloadText(outline.kernels[i].desc);
    const auto own = std::ranges::find(kept.schedules, workload, &tune::KeptSchedule::workload);
    VTA_ASSIGN_OR_RETURN(found[i], tune::parseSchedule(own->schedule));
  }
  return found;
}

Result<std::vector<kernel::Schedule>> NetworkTimer::chooseSchedules(const ModuleOutline& outline,
                                                                    const ScheduleMemory& known) {
  VTA_ASSIGN_OR_RETURN(kernel::ScheduleChooser chooser,
                       compilersChooser(hw_, memory_, effort_.kind != Effort::kEstimated));
  std::vector<kernel::Schedule> schedules;
  for (const OutlinedKernel& kernel : outline.kernels) {
    if (const auto found = known.find ? known.find(kernel.desc) : std::nullopt) {
      schedules.push_back(*found);
      continue;
    }
    const auto chosen =
        effort_.kind == Effort::kSearched ? searched(kernel.desc) : chosenBy(chooser, kernel.desc);
    if (!chosen.ok()) return inLayer(kernel, chosen.status());
    if (known.keep) known.keep(kernel.desc, *chosen);
    schedules.push_back(*chosen);
  }
  if (effort_.kind != Effort::kSearched) return schedules;
  return keepFaster(outline, std::move(schedules));
}

Result<NetworkTime> NetworkTimer::run(const ModuleOutline& outline, const ScheduleMemory& known) {
  VTA_ASSIGN_OR_RETURN(const std::vector<kernel::Schedule> schedules,
                       chooseSchedules(outline, known));
  VTA_ASSIGN_OR_RETURN(const NetworkRun run, runner_.run(outline, schedules));
  NetworkTime time;
  time.counters = run.counters;
  time.events = run.events;
  time.launches = std::ssize(run.launches);
  time.program_bytes = run.program_bytes;
  const OutlineWork work = workOf(outline);
  time.kernels = work.kernels;
  time.host_steps = work.host_steps;
  time.macs_on_vta = work.macs_on_vta;
  time.macs_on_cpu = work.macs_on_cpu;
  time.activation_bytes = work.activation_bytes;
  return time;
}

Result<std::vector<LayerTime>> NetworkTimer::runLayers(const ModuleOutline& outline,
                                                       const ScheduleMemory& known) {
  VTA_ASSIGN_OR_RETURN(const std::vector<kernel::Schedule> schedules,
                       chooseSchedules(outline, known));
  VTA_ASSIGN_OR_RETURN(const NetworkRun run, runner_.runAlone(outline, schedules));
  std::vector<LayerTime> layers;
  for (size_t i = 0; i < outline.kernels.size(); ++i) {
    const LayerInfo& layer = outline.info.layers[outline.info.steps[outline.kernels[i].step].layer];
    layers.push_back({layer.name, layer.macs, run.launches[i]});
  }
  return layers;
}

}  // namespace vta::sweep
