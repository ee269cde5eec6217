// Tuning of kernels of the accelerator.
#include <fmt/format.h>

#include <csignal>
#include <iostream>
#include <memory>

#include "compiler/compile.h"
#include "explore/sweep/network/network_choice.h"
#include "explore/tune/measure/rank_agreement.h"
#include "explore/tune/measure/simulator.h"
#include "explore/tune/target/vta_task.h"
#include "explore/tune/tuner/candidate_server.h"
#include "tools/common/main/stop_flag.h"
#include "tools/common/print.h"
#include "tools/common/progress/progress_line.h"
#include "tools/common/terminal.h"
#include "tools/vta_tune/compile_options.h"
#include "tools/vta_tune/measurer.h"
#include "tools/vta_tune/network/keep_schedules.h"
#include "tools/vta_tune/prior.h"
#include "tools/vta_tune/report.h"
#include "tools/vta_tune/target.h"
#include "tools/vta_tune/targets/compare.h"
#include "tools/vta_tune/targets/search.h"

namespace vta::tools {
namespace {

/// The model as the compiler partitions it for `hw`.
Result<compiler::ModuleOutline> outlineOf(const TuneToolOptions& options, const HwConfig& hw) {
  VTA_ASSIGN_OR_RETURN(const auto model, loadModel(options));
  VTA_ASSIGN_OR_RETURN(compiler::CompileOptions compile_options,
                       compileOptions(options, model->signature(), options.partition));
  compile_options.hw = hw;
  ProgressLine progress;
  compile_options.progress = [&](const std::string& phase, int64_t done, int64_t total) {
    progress.update(phase, done, total);
  };
  VTA_ASSIGN_OR_RETURN(const auto integers, model->quantize(compile_options));
  VTA_ASSIGN_OR_RETURN(compiler::ModuleOutline outline, integers->outline(compile_options));
  if (!outline.kernels.empty()) return outline;
  return invalidArgument(
      fmt::format("no layer of '{}' runs on the VTA: there is nothing to tune; vta-run --profile "
                  "says why",
                  options.model));
}

Result<std::vector<sim::MemoryConfig>> memoriesOf(const TuneToolOptions& options) {
  std::vector<sim::MemoryConfig> memories;
  for (const std::string& spec : options.memories) {
    auto memory = sim::resolveMemoryConfig(spec);
    if (!memory.ok()) return memory.status().withContext("--dram");
    memories.push_back(*std::move(memory));
  }
  if (memories.empty()) memories.emplace_back();
  return memories;
}

/// A model with its distinct kernels.
struct Network {
  compiler::ModuleOutline outline;
  std::vector<tune::Task> tasks;  // of each memory, one after the other
};

Result<Network> networkOf(const TuneToolOptions& options) {
  VTA_ASSIGN_OR_RETURN(const auto memories, memoriesOf(options));
  HwConfig hw = HwConfig::makeDefault();
  if (!options.hw_file.empty()) {
    VTA_ASSIGN_OR_RETURN(hw, loadHwConfig(options.hw_file));
  }
  Network network;
  VTA_ASSIGN_OR_RETURN(network.outline, outlineOf(options, hw));
  const std::vector<kernel::KernelDesc> kernels = sweep::kernelsOf(network.outline);
  for (const sim::MemoryConfig& memory : memories) {
    const std::vector<tune::Task> of_memory = tune::makeTasks(kernels, hw, memory);
    network.tasks.insert(network.tasks.end(), of_memory.begin(), of_memory.end());
  }
  return network;
}

/// For each task, how far the cycle simulator orders the schedules like the device that measured
/// them.
Result<std::vector<double>> agreementsOf(std::span<const tune::Task> tasks,
                                         const tune::Database& database,
                                         const std::string& source) {
  std::vector<double> agreements;
  const auto simulator = tune::makeLocalMeasurer();
  for (const tune::Task& task : tasks) {
    VTA_ASSIGN_OR_RETURN(const auto trials, database.trials(tune::keyOf(task), source));
    std::vector<kernel::Schedule> schedules;
    std::vector<uint64_t> on_device;
    for (const tune::TrialRecord& trial : trials) {
      if (trial.outcome != tune::Outcome::kCycles) continue;
      VTA_ASSIGN_OR_RETURN(schedules.emplace_back(), tune::parseSchedule(trial.schedule));
      on_device.push_back(trial.cycles);
    }
    VTA_RETURN_IF_ERROR(simulator->begin(task));
    std::vector<uint64_t> on_simulator;
    for (const auto& measured : simulator->measure(schedules, tune::kAnyCycles)) {
      on_simulator.push_back(measured.cycles);
    }
    agreements.push_back(tune::rankAgreement(on_device, on_simulator));
  }
  return agreements;
}

const tune::CostModel* pointerTo(const std::optional<tune::CostModel>& model) {
  return model ? &*model : nullptr;
}

Status serveCandidates(const TuneToolOptions& options, tune::Database& database) {
  VTA_ASSIGN_OR_RETURN(const Network network, networkOf(options));
  const std::vector<tune::Task>& tasks = network.tasks;
  VTA_ASSIGN_OR_RETURN(const auto prior, priorOf(options));
  stopOnSignals();
  std::signal(SIGPIPE, SIG_IGN);  // a client that is gone is an error of a write
  VTA_ASSIGN_OR_RETURN(const auto measurer, measurerOf(options, tasks.front().hw, &stopFlag()));
  tune::ServerSetup setup = {.tasks = tasks,
                             .measurer = measurer.get(),
                             .database = &database,
                             .seed = options.seed,
                             .prior = pointerTo(prior),
                             .stop = &stopFlag(),
                             .database_wait_seconds = options.database_wait_seconds};
  VTA_ASSIGN_OR_RETURN(setup.searcher, tune::findSearcher(options.searcher));
  VTA_RETURN_IF_ERROR(tune::CandidateServer(setup).serve(std::cin, std::cout));
  return stopFlag() ? stopped(fmt::format("'{}' holds every measured trial", options.database))
                    : Status();
}

Status compareKernels(const std::vector<tune::Task>& tasks, tune::Measurer& measurer,
                      const TuneToolOptions& options, const tune::CostModel* prior,
                      tune::Database& database) {
  std::vector<std::unique_ptr<tune::VtaTask>> kept;
  std::vector<tune::TargetTask*> all;
  for (const tune::Task& task : tasks) {
    kept.push_back(std::make_unique<tune::VtaTask>(task, measurer));
    all.push_back(kept.back().get());
  }
  return compareOnTasks(all, layerCounts(tasks), options, prior, database);
}

void warnOfImpossible(std::span<const tune::TunedTask> results) {
  int64_t count = 0;
  for (const tune::TunedTask& result : results) count += result.impossible_trials;
  if (count == 0) return;
  reportWarning(kTuneTool,
                fmt::format("{} trials of the database have fewer cycles than are proven: they "
                            "cannot be true and were left aside",
                            count));
}

/// The network as a whole. What a device has measured is not for the simulator to judge, and a
/// search that was stopped goes on later.
Result<std::vector<TunedNetwork>> keptOf(const Network& network,
                                         std::span<const tune::TunedTask> results,
                                         const tune::Measurer& measurer, tune::Database& database) {
  if (stopFlag() || results.size() < network.tasks.size() ||
      measurer.source() != tune::kSimulatorSource) {
    return std::vector<TunedNetwork>();
  }
  ProgressLine line;
  auto kept = keepSchedules(
      network.outline, network.tasks, results, database,
      [&](int64_t runs, int64_t) { line.update("network", 0, 1, fmt::format("run {}", runs)); });
  line.clear();
  return kept;
}

Status tuneForVta(const TuneToolOptions& options, tune::Database& database) {
  VTA_ASSIGN_OR_RETURN(const Network network, networkOf(options));
  const std::vector<tune::Task>& tasks = network.tasks;
  stopOnSignals();
  VTA_ASSIGN_OR_RETURN(const auto measurer, measurerOf(options, tasks.front().hw, &stopFlag()));
  VTA_ASSIGN_OR_RETURN(const auto prior, priorOf(options));
  if (!options.compared.empty()) {
    return compareKernels(tasks, *measurer, options, pointerTo(prior), database);
  }
  VTA_ASSIGN_OR_RETURN(const tune::RunRecord run, beginRun(options, database));
  const auto results = runSearch(options, run, pointerTo(prior), database,
                                 [&](tune::Tuner& tuner) { return tuner.run(tasks, *measurer); });
  if (!results.ok()) {
    if (options.farm.isLocal() || !database.checkPlace().ok()) return results.status();
    return {results.status().code(), results.status().message() + "; " + nothingIsLost(options)};
  }
  warnOfImpossible(*results);
  std::vector<double> agreements;
  if (!options.device.empty()) {
    VTA_ASSIGN_OR_RETURN(agreements, agreementsOf(tasks, database, measurer->source()));
  }
  VTA_ASSIGN_OR_RETURN(const std::vector<TunedNetwork> networks,
                       keptOf(network, *results, *measurer, database));
  nlohmann::ordered_json json = tunedJson(tasks, *results, agreements);
  json["networks"] = networksJson(networks);
  return endRun(run, options, json,
                tunedTable(tasks, *results, agreements) + networksText(networks), database);
}

const bool kVtaIsRegistered = registerTuneTarget({.name = "vta",
                                                  .description = "kernels of the accelerator",
                                                  .unit = "cycles",
                                                  .order = 0,
                                                  .has_cost_model = true,
                                                  .tune = tuneForVta,
                                                  .serve = serveCandidates});

}  // namespace
}  // namespace vta::tools
