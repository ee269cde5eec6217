// vta-tune: searches the fastest schedules of a model's layers and keeps them in a database.
#include <fmt/format.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>

#include "compiler/compile.h"
#include "sweep/network/network_choice.h"
#include "tools/common/files.h"
#include "tools/common/main/run_tool.h"
#include "tools/common/main/stop_flag.h"
#include "tools/common/output_paths.h"
#include "tools/common/print.h"
#include "tools/common/progress/progress_line.h"
#include "tools/common/terminal.h"
#include "tools/vta_tune/compare.h"
#include "tools/vta_tune/compile_options.h"
#include "tools/vta_tune/cpu_target.h"
#include "tools/vta_tune/measurer.h"
#include "tools/vta_tune/network/keep_schedules.h"
#include "tools/vta_tune/options.h"
#include "tools/vta_tune/prior.h"
#include "tools/vta_tune/report.h"
#include "tools/vta_tune/watch.h"
#include "tune/measure/rank_agreement.h"
#include "tune/measure/simulator.h"
#include "tune/target/vta_task.h"
#include "tune/tuner/candidate_server.h"
#include "tune/tuner/tuner.h"

namespace vta::tools {
namespace {

using Json = nlohmann::ordered_json;

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

std::string nothingIsLost(const TuneToolOptions& options) {
  return fmt::format("'{}' holds every finished trial; go on from there by\n  {}", options.database,
                     options.resume_command);
}

Status stopped(const std::string& what) {
  return {StatusCode::kDeadlineExceeded, fmt::format("stopped by {}: {}", stopSignalName(), what)};
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

/// `prior` may be null.
Result<tune::TuneOptions> searchOptions(const TuneToolOptions& options, const tune::RunRecord& run,
                                        const tune::CostModel* prior) {
  tune::TuneOptions tune_options;
  VTA_ASSIGN_OR_RETURN(tune_options.searcher, tune::findSearcher(options.searcher));
  const bool is_proof = options.searcher == "exhaustive";  // which is complete only at the end
  constexpr int64_t kTrials = 400;
  constexpr int64_t kNoLimit = 1'000'000'000;
  tune_options.trials = is_proof ? kNoLimit : kTrials;
  if (options.trials > 0) tune_options.trials = options.trials;
  tune_options.patience = is_proof ? 0 : options.patience;
  tune_options.tolerance = options.tolerance;
  tune_options.seed = options.seed;
  tune_options.prior = prior;
  tune_options.earlier_trials = run.earlier_trials;
  tune_options.stop = &stopFlag();
  tune_options.database_wait_seconds = options.database_wait_seconds;
  return tune_options;
}

/// How many layers each task stands for.
template <typename AnyTask>
std::vector<size_t> layerCounts(const std::vector<AnyTask>& tasks) {
  std::vector<size_t> counts;
  for (const AnyTask& task : tasks) counts.push_back(task.layers.size());
  return counts;
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

Result<tune::RunRecord> beginRun(const TuneToolOptions& options, tune::Database& database) {
  if (options.resumed) return *options.resumed;
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::current_path(error);
  if (error) return ioError("the working folder cannot be found: " + error.message());
  return database.beginRun(folder.string(), options.arguments);
}

/// Prints the text, or JSON of the whole run alone: half a search is no result for programs.
Status endRun(const tune::RunRecord& run, const TuneToolOptions& options, const Json& json,
              const std::string& text, tune::Database& database) {
  const bool was_stopped = stopFlag();
  if (!options.json) {
    printText(text);
  } else if (!was_stopped) {
    printRaw(json.dump(2) + "\n");
  }
  return was_stopped ? stopped(nothingIsLost(options)) : database.endRun(run);
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

Status tuneForCpu(const TuneToolOptions& options, tune::Database& database) {
  VTA_ASSIGN_OR_RETURN(const std::vector<tune::ConvTask> tasks, convTasksOf(options));
  stopOnSignals();
  const ConvTargets targets(tasks, options);
  if (!options.compared.empty()) {
    return compareOnTasks(targets.all(), layerCounts(tasks), options, nullptr, database);
  }
  VTA_ASSIGN_OR_RETURN(const tune::RunRecord run, beginRun(options, database));
  VTA_ASSIGN_OR_RETURN(const tune::TuneOptions tune_options, searchOptions(options, run, nullptr));
  WatchPage page;
  VTA_RETURN_IF_ERROR(beginWatching(options, page));
  ProgressLine line(&page);
  tune::Tuner tuner(&database, tune_options, [&](const tune::TuneProgress& progress) {
    showProgress(line, page, progress);
  });
  const auto results = tuner.run(targets.all());
  line.clear();
  endWatching(page, results.status());
  if (!results.ok()) return results.status();
  return endRun(run, options, tunedConvJson(tasks, *results), tunedConvTable(tasks, *results),
                database);
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

Status tuneModel(const TuneToolOptions& options, tune::Database& database) {
  if (options.target == "cpu") return tuneForCpu(options, database);
  VTA_ASSIGN_OR_RETURN(const Network network, networkOf(options));
  const std::vector<tune::Task>& tasks = network.tasks;
  stopOnSignals();
  VTA_ASSIGN_OR_RETURN(const auto measurer, measurerOf(options, tasks.front().hw, &stopFlag()));
  VTA_ASSIGN_OR_RETURN(const auto prior, priorOf(options));
  if (!options.compared.empty()) {
    return compareKernels(tasks, *measurer, options, pointerTo(prior), database);
  }
  VTA_ASSIGN_OR_RETURN(const tune::RunRecord run, beginRun(options, database));
  VTA_ASSIGN_OR_RETURN(const tune::TuneOptions tune_options,
                       searchOptions(options, run, pointerTo(prior)));
  WatchPage page;
  VTA_RETURN_IF_ERROR(beginWatching(options, page));
  ProgressLine line(&page);
  tune::Tuner tuner(&database, tune_options, [&](const tune::TuneProgress& progress) {
    showProgress(line, page, progress);
  });
  const auto results = tuner.run(tasks, *measurer);
  line.clear();
  endWatching(page, results.status());
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
  Json json = tunedJson(tasks, *results, agreements);
  json["networks"] = networksJson(networks);
  return endRun(run, options, json,
                tunedTable(tasks, *results, agreements) + networksText(networks), database);
}

Status importFile(const std::string& file, tune::Database& database) {
  VTA_RETURN_IF_ERROR(requireRegularFile(file));
  std::ifstream in(file);
  return database.importJsonLines(in).withContext(file);
}

Status exportFile(const TuneToolOptions& options, const tune::Database& database) {
  using Exported = tune::Database::Exported;
  std::ostringstream out;
  VTA_RETURN_IF_ERROR(
      database.exportJsonLines(out, options.exports_best ? Exported::kBest : Exported::kAll));
  const std::string text = out.str();
  return writeFile(options.export_file, std::as_bytes(std::span(text)));
}

Status show(const TuneToolOptions& options, const tune::Database& database) {
  VTA_ASSIGN_OR_RETURN(const auto summaries, database.summaries());
  if (options.json) {
    printRaw(databaseJson(summaries).dump(2) + "\n");
  } else {
    printText(databaseTable(summaries));
  }
  return {};
}

/// Before the first trial: a search may take hours.
Status checkFiles(const TuneToolOptions& options) {
  PathUse use;
  use.inputs = {{"model", options.model},
                {"--db", options.database},
                {"--hw", options.hw_file},
                {"--import", options.import_file},
                {"--cost-model", options.cost_model},
                {"--launcher-file", options.farm.launcher_file}};
  use.outputs = {{"--html", options.html_file},
                 {"--watch", options.watch_file},
                 {"--export", options.export_file}};
  return checkPaths(use);
}

Status run(const TuneToolOptions& options) {
  if (!options.farm.worker.empty()) {
    stopOnSignals();
    return beWorker(options.farm.worker, &stopFlag());
  }
  // What is wrong with it is said at once, not when the model is compiled.
  VTA_RETURN_IF_ERROR(launcherOf(options.farm).status());
  // First, so that a search that cannot begin leaves no database behind.
  if (!options.model.empty()) VTA_RETURN_IF_ERROR(requireRegularFile(options.model));
  VTA_RETURN_IF_ERROR(checkFiles(options));
  const bool writes = !options.model.empty() || !options.import_file.empty();
  VTA_ASSIGN_OR_RETURN(
      tune::Database database,
      tune::Database::open(options.database, writes ? tune::Database::Access::kWrite
                                                    : tune::Database::Access::kRead));
  VTA_ASSIGN_OR_RETURN(const auto impossible, database.impossibleRows());
  for (const std::string& remark : impossible) reportWarning(kTuneTool, remark);
  if (!options.import_file.empty()) VTA_RETURN_IF_ERROR(importFile(options.import_file, database));
  if (options.serve) return serveCandidates(options, database);
  if (!options.model.empty() && !options.show) VTA_RETURN_IF_ERROR(tuneModel(options, database));
  if (options.show) VTA_RETURN_IF_ERROR(show(options, database));
  if (!options.export_file.empty()) VTA_RETURN_IF_ERROR(exportFile(options, database));
  return {};
}

}  // namespace
}  // namespace vta::tools

int main(int argc, char** argv) {
  using namespace vta::tools;
  return runStoppableTool<TuneToolOptions>(kTuneTool, argc, argv, parseTuneOptions, run);
}
