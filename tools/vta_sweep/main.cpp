// vta-sweep: which accelerator to build for some networks, and why.
#include <fmt/format.h>

#include <algorithm>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/folders/user_folder.h"
#include "base/temporary_folder.h"
#include "base/text/json_reason.h"
#include "explore/sweep/evaluate/network_work.h"
#include "explore/sweep/results/pareto.h"
#include "explore/sweep/results/results_json.h"
#include "explore/sweep/search/searcher.h"
#include "tools/common/commit.h"
#include "tools/common/files.h"
#include "tools/common/main/run_tool.h"
#include "tools/common/main/stop_flag.h"
#include "tools/common/output_paths.h"
#include "tools/common/print.h"
#include "tools/common/progress/progress_line.h"
#include "tools/common/terminal.h"
#include "tools/inputs/calibration.h"
#include "tools/vta_sweep/accuracy_meter.h"
#include "tools/vta_sweep/choose_best.h"
#include "tools/vta_sweep/confirm.h"
#include "tools/vta_sweep/dry_run.h"
#include "tools/vta_sweep/options.h"
#include "tools/vta_sweep/page.h"
#include "tools/vta_sweep/point_watch.h"
#include "tools/vta_sweep/summary.h"

namespace vta::tools {
namespace {

using Json = nlohmann::ordered_json;

/// As vta-run loads a model without --calibrate: schedules and cycles hardly depend on the data.
Result<sweep::LoadedModel> loadModel(const sweep::ModelEntry& entry, int64_t batch) {
  std::map<std::string, int64_t> dimensions = entry.dimensions;
  if (!entry.batch_dimension.empty()) dimensions[entry.batch_dimension] = batch;
  sweep::LoadedModel loaded;
  // Which integers there are is not to depend on how fast an accelerator is (quantizerText).
  loaded.quantize.curves = compiler::CurvePlace::kAlu;
  loaded.quantize.weight_group_channels = 0;
  loaded.quantize.has_typical_samples = false;
  VTA_ASSIGN_OR_RETURN(loaded.model, compiler::Model::load(entry.file, dimensions));
  const compiler::ModelSignature& signature = loaded.model->signature();
  std::vector<std::string> warnings;
  VTA_ASSIGN_OR_RETURN(
      loaded.quantize.samples,
      loadCalibration({}, signature, SampleSet::random(inputsOf(signature), 1), warnings));
  return loaded;
}

int processesOf(const SweepToolOptions& options) {
  if (options.processes > 0) return options.processes;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// The models of --model; the file's where there are none.
Status useModels(const std::vector<std::string>& files, sweep::SweepConfig& sweep) {
  if (files.empty()) return {};
  sweep.models.clear();
  for (const std::string& file : files) {
    auto model = sweep::modelEntry(file);
    if (!model.ok()) return model.status().withContext("--model");
    const auto same = std::ranges::find(sweep.models, model->name, &sweep::ModelEntry::name);
    if (same != sweep.models.end()) {
      return invalidArgument(fmt::format("--model: two models are called {}", model->name));
    }
    sweep.models.push_back(*std::move(model));
  }
  return {};
}

/// The file of --cache; else one in the folder that this user's caches are in.
Result<std::filesystem::path> cacheFile(const SweepToolOptions& options) {
  if (!options.cache.empty()) return std::filesystem::path(options.cache);
  const std::filesystem::path folder = userCacheFolder();
  if (folder.empty()) {
    return notFound(
        "no folder for the cache: set VTA_CACHE_DIR, XDG_CACHE_HOME or HOME, or name a file by "
        "--cache");
  }
  VTA_RETURN_IF_ERROR(makeOwnFolder(folder));
  return folder / "sweep.db";
}

class SweepRun {
 public:
  SweepRun(const SweepToolOptions& options, sweep::SweepConfig sweep)
      : options_(options), sweep_(std::move(sweep)), library_(loadModel) {
    if (!options.search.empty()) sweep_.search.method = options.search;
    if (options.seed >= 0) sweep_.search.seed = static_cast<uint64_t>(options.seed);
    if (options.evaluations > 0) sweep_.search.evaluations = static_cast<int>(options.evaluations);
  }

  Status dryRun() {
    VTA_ASSIGN_OR_RETURN(sweep::SweepSpace space, sweep::SweepSpace::create(sweep_));
    VTA_ASSIGN_OR_RETURN(const std::string text,
                         describeSweep(sweep_, space, processesOf(options_)));
    printText(text);
    return {};
  }

  /// Evaluates the points that the search asks for, or `choices` where there are some.
  Status evaluate(const std::vector<std::vector<uint32_t>>& choices,
                  const std::filesystem::path& cache) {
    cache_file_ = cache;
    VTA_RETURN_IF_ERROR(checkDevice(options_.confirm));
    VTA_ASSIGN_OR_RETURN(sweep::SweepSpace space, sweep::SweepSpace::create(sweep_));
    VTA_RETURN_IF_ERROR(checkChoice(sweep_, space.names(), options_.best, options_.where));
    for (const auto& chosen : choices) VTA_RETURN_IF_ERROR(space.checkChoices(chosen));
    sweep::EvaluatorOptions options;
    options.processes = processesOf(options_);
    options.cache_file = cache;
    NetworkMeter meter(library_);
    options.accuracy_meter = &meter;
    options.timeout =
        std::chrono::milliseconds(static_cast<int64_t>(options_.timeout_seconds * 1e3));
    options.stop = &stopFlag();
    VTA_RETURN_IF_ERROR(useFarm(options));
    PointWatch watch(sweep_);
    if (!options_.watch_file.empty()) VTA_RETURN_IF_ERROR(watch.begin(options_.watch_file));
    ProgressLine line(&watch.page());
    options.progress = [&line](const std::string& phase, int64_t done, int64_t total) {
      line.update(phase, done, total);
    };
    VTA_ASSIGN_OR_RETURN(sweep::Evaluator evaluator,
                         sweep::Evaluator::create(sweep_, library_, std::move(options)));
    sweep::PointStore store(space, [&](std::vector<sweep::Point> points) {
      auto results = evaluator.evaluate(std::move(points));
      if (results.ok()) watch.show(*results);
      return results;
    });
    stopOnSignals();
    VTA_RETURN_IF_ERROR(choices.empty() ? sweep::search(sweep_.search, store, &stopFlag(), &remark_)
                                        : store.ask(choices).status());
    results_.points = store.takeResults();
    results_.front = sweep::paretoFront(results_.points);
    names_ = space.names();
    VTA_RETURN_IF_ERROR(addLayers(evaluator));
    was_stopped_ = stopFlag();
    line.clear();
    watch.finish();
    counts_ = evaluator.counts();
    manifest_ = {fmt::format("{} {}", sdkVersion(), sdkCommit()), evaluator.modelHashes(),
                 evaluator.dataHashes()};
    return {};
  }

  Json json() const { return sweep::resultsJson(sweep_, results_, manifest_); }

  /// Error: it was stopped before all points were evaluated.
  Status checkComplete() const {
    if (!was_stopped_) return {};
    return {StatusCode::kDeadlineExceeded,
            fmt::format("stopped by {}: no file was written; '{}' has every finished point, and "
                        "the same command goes on from there",
                        stopSignalName(), cache_file_.string())};
  }

  /// Half a sweep is shown to people, but nobody finds it in a file later.
  Status report() {
    if (was_stopped_ && !options_.json) printText(summary());
    VTA_RETURN_IF_ERROR(checkComplete());
    const Json results = json();
    if (!options_.json_file.empty()) {
      VTA_RETURN_IF_ERROR(writeFile(options_.json_file, results.dump(1) + "\n"));
    }
    if (!options_.csv_file.empty()) {
      VTA_RETURN_IF_ERROR(writeFile(options_.csv_file, sweep::resultsCsv(sweep_, results_)));
    }
    if (!options_.report_file.empty()) {
      VTA_RETURN_IF_ERROR(writeFile(options_.report_file, sweepPage(results)));
    }
    warnOfClocks(sweep_, results_.points);
    if (options_.json) {
      printRaw(results.dump(2) + "\n");
    } else {
      printText(summary());
    }
    VTA_RETURN_IF_ERROR(confirmAndChoose());
    return checkResults();
  }

 private:
  std::string summary() const { return sweepSummary(sweep_, results_, counts_, remark_); }

  /// Networks are simulated by the workers of --launcher, where that names another than local ones.
  Status useFarm(sweep::EvaluatorOptions& options) const {
    VTA_ASSIGN_OR_RETURN(const launcher::LauncherConfig config, launcherOf(options_.farm));
    if (config.kind == launcher::LauncherKind::kLocal) {
      if (options_.processes == 0 && config.workers > 0) options.processes = config.workers;
      return {};
    }
    const launcher::Json setup =
        sweep::networkSetup(toolVersion(kSweepTool), config.processes, options.timeout);
    options.start_farm = [config, setup] { return startFarm(config, setup, &stopFlag()); };
    return {};
  }

  /// Error: no point is left that somebody could build.
  Status checkResults() const {
    if (results_.points.empty()) return notFound("the space is empty: no point was evaluated");
    const auto is_feasible = [](const sweep::PointResult& result) { return result.is_feasible; };
    if (std::ranges::any_of(results_.points, is_feasible)) return {};
    return notFound(fmt::format("no point of {} has a result: {}", results_.points.size(),
                                results_.points.front().error));
  }

  /// Points whose layers the report compares: some along the front, from one end to the other,
  /// those of --layers-of, and the best one.
  Result<std::vector<const sweep::PointResult*>> pointsWithLayers() const {
    std::vector<const sweep::PointResult*> points;
    if (options_.report_file.empty()) return points;
    const size_t count = std::min(static_cast<size_t>(options_.layers), results_.front.size());
    for (size_t i = 0; i < count; ++i) {
      const size_t place = count == 1 ? 0 : i * (results_.front.size() - 1) / (count - 1);
      points.push_back(&results_.points[results_.front[place]]);
    }
    for (const uint64_t number : options_.layers_of) {
      const auto found = std::ranges::find(results_.points, number, [](const auto& result) {
        return result.models.empty() ? UINT64_MAX : result.point.number;
      });
      if (found == results_.points.end()) {
        return notFound(
            fmt::format("--layers-of {}: no point with results has this number; the "
                        "first column of --csv has them",
                        number));
      }
      points.push_back(&*found);
    }
    if (options_.best.empty()) return points;
    // What is wrong with --best is said after the report is written.
    const auto best = chooseBest(sweep_, results_.points, names_, options_.best, options_.where);
    if (best.ok()) points.push_back(*best);
    return points;
  }

  Status addLayers(sweep::Evaluator& evaluator) {
    VTA_ASSIGN_OR_RETURN(const auto points, pointsWithLayers());
    for (const sweep::PointResult* result : points) {
      const uint64_t number = result->point.number;
      if (stopFlag()) break;
      if (results_.layers.contains(number)) continue;
      VTA_ASSIGN_OR_RETURN(results_.layers[number], evaluator.layers(result->point));
    }
    return {};
  }

  Status confirmAndChoose() {
    std::vector<const sweep::PointResult*> chosen;
    for (const size_t i : results_.front) chosen.push_back(&results_.points[i]);
    if (!options_.best.empty()) {
      VTA_ASSIGN_OR_RETURN(
          const sweep::PointResult* best,
          chooseBest(sweep_, results_.points, names_, options_.best, options_.where));
      chosen = {best};
      if (!options_.json) print("best: {}\n", describeAxes(sweep_, best->point));
      if (!options_.best_output.empty()) {
        VTA_RETURN_IF_ERROR(writeFile(options_.best_output, best->point.hw->toYaml()));
      }
    }
    if (options_.confirm.empty()) return {};
    size_t failed = 0;
    for (const sweep::PointResult* point : chosen) {
      const auto line = confirmPoint(*point, options_.confirm);
      // One that cannot be synthesised does not hide the others.
      print("{}: {}\n", describeAxes(sweep_, point->point),
            line.ok() ? *line : line.status().message());
      if (line.ok()) continue;
      if (line.status().code() == StatusCode::kNotFound) return line.status();
      ++failed;
    }
    if (failed == 0) return {};
    return {StatusCode::kInternal, fmt::format("{} of {} points could not be synthesised; their "
                                               "lines above say why",
                                               failed, chosen.size())};
  }

  const SweepToolOptions& options_;
  std::filesystem::path cache_file_;
  sweep::SweepConfig sweep_;
  sweep::ModelLibrary library_;
  sweep::SweepResults results_;
  sweep::Manifest manifest_;
  sweep::EvaluatorCounts counts_;
  std::vector<std::string> names_;
  std::string remark_;  // of the search on itself
  bool was_stopped_ = false;
};

/// Evaluates the points of results anew, with a cache that is empty, and compares.
Status reproduce(const SweepToolOptions& options) {
  VTA_RETURN_IF_ERROR(requireRegularFile(options.reproduce));
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, readFile(options.reproduce));
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  const Json before = Json::parse(text, text + bytes.size(), nullptr, false);
  if (!before.is_object() || !before.contains("manifest") || !before.contains("points")) {
    return invalidArgument(
        fmt::format("'{}' has no results of vta-sweep --output", options.reproduce));
  }
  try {
    const Json& manifest = before.at("manifest");
    VTA_ASSIGN_OR_RETURN(sweep::SweepConfig sweep,
                         sweep::parseSweepConfig(manifest.at("sweep").get<std::string>(),
                                                 manifest.at("source").get<std::string>()));
    std::vector<std::string> files;
    for (const Json& model : manifest.at("models")) files.push_back(model.at("file"));
    const bool has_other_models = !std::ranges::equal(
        files, sweep.models, {}, {}, [](const auto& model) { return model.file.string(); });
    if (has_other_models) VTA_RETURN_IF_ERROR(useModels(files, sweep));
    std::vector<std::vector<uint32_t>> choices;
    for (const Json& point : before.at("points")) choices.push_back(point.at("choices"));
    VTA_ASSIGN_OR_RETURN(const TemporaryFolder folder, TemporaryFolder::create(kSweepTool));
    SweepRun run(options, std::move(sweep));
    VTA_RETURN_IF_ERROR(
        run.evaluate(choices, folder.path() / "sweep.db").withContext(options.reproduce));
    if (stopFlag()) {
      return {StatusCode::kDeadlineExceeded,
              fmt::format("stopped by {}: the points were not compared", stopSignalName())};
    }
    const auto differences = sweep::compareResults(before, run.json());
    for (const std::string& difference : differences) print("{}\n", difference);
    if (!differences.empty()) {
      return {StatusCode::kInternal, fmt::format("{} differences", differences.size())};
    }
    print("{} points: all numbers are the same\n", choices.size());
    return {};
  } catch (const nlohmann::json::exception& error) {
    return invalidArgument(fmt::format("'{}': {}", options.reproduce, jsonReason(error.what())));
  }
}

/// Before the first point: a sweep may take hours.
Status checkFiles(const SweepToolOptions& options, const sweep::SweepConfig& sweep) {
  PathUse use;
  use.inputs = {{"the sweep's description", options.sweep_file}};
  for (const auto& model : sweep.models) use.inputs.push_back({"model", model.file.string()});
  use.outputs = {{"--output", options.json_file},        {"--csv", options.csv_file},
                 {"--report", options.report_file},      {"--watch", options.watch_file},
                 {"--best-output", options.best_output}, {"--cache", options.cache}};
  return checkPaths(use);
}

Status run(const SweepToolOptions& options) {
  if (options.schema) {
    printRaw(sweep::sweepSchema());
    return {};
  }
  if (!options.farm.worker.empty()) {
    stopOnSignals();
    sweep::NetworkWork work(toolVersion(kSweepTool));
    return launcher::serveWorker(options.farm.worker, work, {.stop = &stopFlag()});
  }
  if (!options.reproduce.empty()) return reproduce(options);
  VTA_RETURN_IF_ERROR(requireRegularFile(options.sweep_file));
  VTA_ASSIGN_OR_RETURN(sweep::SweepConfig sweep, sweep::loadSweepConfig(options.sweep_file));
  VTA_RETURN_IF_ERROR(useModels(options.models, sweep));
  VTA_RETURN_IF_ERROR(checkFiles(options, sweep));
  SweepRun run(options, std::move(sweep));
  if (options.dry_run) return run.dryRun();
  VTA_ASSIGN_OR_RETURN(const std::filesystem::path cache, cacheFile(options));
  VTA_RETURN_IF_ERROR(run.evaluate({}, cache));
  return run.report();
}

}  // namespace
}  // namespace vta::tools

int main(int argc, char** argv) {
  using namespace vta::tools;
  return runStoppableTool<SweepToolOptions>(kSweepTool, argc, argv, parseSweepOptions, run);
}
