// vta-tune: searches the fastest schedules of a model's layers and keeps them in a database.
#include <fmt/format.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>

#include "compiler/compile.h"
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

Result<std::vector<kernel::KernelDesc>> kernelsOf(const TuneToolOptions& options,
                                                  const HwConfig& hw) {
  VTA_ASSIGN_OR_RETURN(const auto model, loadModel(options));
  VTA_ASSIGN_OR_RETURN(compiler::CompileOptions compile_options,
                       compileOptions(options, model->signature(), options.partition));
  compile_options.hw = hw;
  ProgressLine progress;
  compile_options.progress = [&](const std::string& phase, int64_t done, int64_t total) {
    progress.update(phase, done, total);
  };
  return model->kernels(compile_options);
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

Result<std::vector<tune::Task>> tasksOf(const TuneToolOptions& options) {
  VTA_ASSIGN_OR_RETURN(const auto memories, memoriesOf(options));
  HwConfig hw = HwConfig::makeDefault();
  if (!options.hw_file.empty()) {
    VTA_ASSIGN_OR_RETURN(hw, loadHwConfig(options.hw_file));
  }
  VTA_ASSIGN_OR_RETURN(const auto kernels, kernelsOf(options, hw));
  if (kernels.empty()) {
    return invalidArgument(
        fmt::format("no layer of '{}' runs on the VTA: there is nothing to tune; vta-run --profile "
                    "says why",
                    options.model));
  }
  std::vector<tune::Task> tasks;
  for (const sim::MemoryConfig& memory : memories) {
    const std::vector<tune::Task> of_memory = tune::makeTasks(kernels, hw, memory);
    tasks.insert(tasks.end(), of_memory.begin(), of_memory.end());
  }
  return tasks;
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
  VTA_ASSIGN_OR_RETURN(const std::vector<tune::Task> tasks, tasksOf(options));
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
  return tune::CandidateServer(setup).serve(std::cin, std::cout).withContext("standard output");
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

void sayThatNothingIsLost(const char* what, const TuneToolOptions& options) {
  print("{}: {} holds every finished trial; 'vta-tune --resume --db {}' goes on from there\n", what,
        options.database, options.database);
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
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::current_path(error);
  if (error) return ioError("the working folder cannot be found: " + error.message());
  return database.beginRun(folder.string(), options.arguments);
}

Status endRun(const tune::RunRecord& run, const TuneToolOptions& options,
              tune::Database& database) {
  if (!stopFlag()) return database.endRun(run);
  // JSON has the trials of each task, and is one document.
  if (!options.json) sayThatNothingIsLost("stopped", options);
  return {};
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
  if (options.json) {
    printRaw(tunedConvJson(tasks, *results).dump(2) + "\n");
  } else {
    printText(tunedConvTable(tasks, *results));
  }
  return endRun(run, options, database);
}

Status tuneModel(const TuneToolOptions& options, tune::Database& database) {
  if (options.target == "cpu") return tuneForCpu(options, database);
  VTA_ASSIGN_OR_RETURN(const std::vector<tune::Task> tasks, tasksOf(options));
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
    if (!options.farm.isLocal()) {
      sayThatNothingIsLost("failed", options);
      flushOutput();
    }
    return results.status();
  }
  std::vector<double> agreements;
  if (!options.device.empty()) {
    VTA_ASSIGN_OR_RETURN(agreements, agreementsOf(tasks, database, measurer->source()));
  }
  if (options.json) {
    printRaw(tunedJson(tasks, *results, agreements).dump(2) + "\n");
  } else {
    printText(tunedTable(tasks, *results, agreements));
  }
  return endRun(run, options, database);
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

// The run of `given`'s database that was interrupted. Its folder becomes the working folder,
// because its files are named from there.
Result<tune::RunRecord> enterInterruptedRun(const TuneToolOptions& given) {
  VTA_ASSIGN_OR_RETURN(const tune::Database database,
                       tune::Database::open(given.database, tune::Database::Access::kRead));
  VTA_ASSIGN_OR_RETURN(auto run, database.openRun());
  if (!run) {
    return notFound(
        fmt::format("'{}' has no interrupted run: each one that it knows is finished. 'vta-tune "
                    "MODEL --db {}' begins one, --show lists the trials",
                    given.database, given.database));
  }
  std::error_code error;
  std::filesystem::current_path(run->folder, error);
  if (!error) return *std::move(run);
  return notFound(fmt::format("the interrupted run was begun in '{}', which cannot be entered: {}",
                              run->folder, error.message()));
}

/// As parseTuneOptions; --resume becomes the options of the interrupted run.
bool parseCommand(int argc, char** argv, TuneToolOptions& options, int& exit_code) {
  if (!parseTuneOptions(argc, argv, options, exit_code)) return false;
  if (!options.resume) return true;
  const TuneToolOptions given = options;
  std::error_code error;
  const std::filesystem::path database = std::filesystem::absolute(given.database, error);
  auto run = enterInterruptedRun(given);
  if (!run.ok()) {
    exit_code = exitCodeOf(kTuneTool, run.status());
    return false;
  }
  run->arguments.insert(run->arguments.begin(), kTuneTool);
  std::vector<char*> arguments;
  for (std::string& argument : run->arguments) arguments.push_back(argument.data());
  options = {};
  if (!parseTuneOptions(static_cast<int>(arguments.size()), arguments.data(), options, exit_code)) {
    return false;
  }
  options.database = database.string();
  options.json = given.json;
  if (given.workers > 0) options.workers = given.workers;
  return true;
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
  return runTool<TuneToolOptions>(kTuneTool, argc, argv, parseCommand, run);
}
