#include "tools/vta_tune/network/keep_schedules.h"

#include <algorithm>
#include <utility>

#include "explore/sweep/network/network_choice.h"
#include "explore/tune/task/task_text.h"

namespace vta::tools {
namespace {

// Each run costs some thousandths of what the search of the kernels has cost.
constexpr sweep::ChoiceEffort kEffort = {.most_runs = 400, .most_cycles = 2'000'000'000};

Result<sweep::NetworkKernel> kernelOf(const tune::Task& task, const tune::TunedTask& result) {
  sweep::NetworkKernel kernel;
  kernel.workload = tune::workloadText(task.desc);
  VTA_ASSIGN_OR_RETURN(kernel.untuned, tune::parseSchedule(result.default_schedule));
  if (result.best) {
    VTA_ASSIGN_OR_RETURN(kernel.tuned, tune::parseSchedule(result.best->schedule));
  }
  return kernel;
}

}  // namespace

Result<std::vector<TunedNetwork>> keepSchedules(
    const compiler::ModuleOutline& outline, std::span<const tune::Task> tasks,
    std::span<const tune::TunedTask> results, tune::Database& database,
    const std::function<void(int64_t runs, int64_t most_runs)>& progress) {
  const std::string network = sweep::networkFingerprint(sweep::kernelsOf(outline));
  std::vector<TunedNetwork> networks;
  size_t end = 0;
  for (size_t first = 0; first < tasks.size(); first = end) {
    // The tasks of one memory follow each other.
    const tune::TimingKey timing = tune::keyOf(tune::Timing{tasks[first].hw, tasks[first].memory});
    std::vector<sweep::NetworkKernel> kernels;
    for (end = first; end < tasks.size(); ++end) {
      if (tune::keyOf(tasks[end]).memory != timing.memory) break;
      VTA_ASSIGN_OR_RETURN(kernels.emplace_back(), kernelOf(tasks[end], results[end]));
    }
    const sweep::NetworkRunner runner(tasks[first].hw, tasks[first].memory);
    VTA_ASSIGN_OR_RETURN(tune::NetworkRecord record,
                         sweep::chooseForNetwork(outline, kernels, runner, kEffort, progress));
    VTA_RETURN_IF_ERROR(database.setNetwork({network, timing.configuration, timing.memory},
                                            tune::kSimulatorSource, record));
    networks.push_back({tasks[first].memory.name, std::move(record)});
  }
  return networks;
}

}  // namespace vta::tools
