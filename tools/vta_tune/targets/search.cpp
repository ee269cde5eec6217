#include "tools/vta_tune/targets/search.h"

#include <fmt/format.h>

#include <filesystem>

#include "tools/common/main/stop_flag.h"
#include "tools/common/print.h"
#include "tools/common/progress/progress_line.h"
#include "tools/common/terminal.h"
#include "tools/vta_tune/watch.h"

namespace vta::tools {
namespace {

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

}  // namespace

std::string nothingIsLost(const TuneToolOptions& options) {
  return fmt::format("'{}' holds every finished trial; go on from there by\n  {}", options.database,
                     options.resume_command);
}

Status stopped(const std::string& what) {
  return {StatusCode::kDeadlineExceeded, fmt::format("stopped by {}: {}", stopSignalName(), what)};
}

Result<tune::RunRecord> beginRun(const TuneToolOptions& options, tune::Database& database) {
  if (options.resumed) return *options.resumed;
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::current_path(error);
  if (error) return ioError("the working folder cannot be found: " + error.message());
  return database.beginRun(folder.string(), options.arguments);
}

Result<std::vector<tune::TunedTask>> runSearch(
    const TuneToolOptions& options, const tune::RunRecord& run, const tune::CostModel* prior,
    tune::Database& database,
    const std::function<Result<std::vector<tune::TunedTask>>(tune::Tuner&)>& search) {
  VTA_ASSIGN_OR_RETURN(const tune::TuneOptions tune_options, searchOptions(options, run, prior));
  WatchPage page;
  VTA_RETURN_IF_ERROR(beginWatching(options, page));
  ProgressLine line(&page);
  tune::Tuner tuner(&database, tune_options, [&](const tune::TuneProgress& progress) {
    showProgress(line, page, progress);
  });
  auto results = search(tuner);
  line.clear();
  endWatching(page, results.status());
  return results;
}

Status endRun(const tune::RunRecord& run, const TuneToolOptions& options,
              const nlohmann::ordered_json& json, const std::string& text,
              tune::Database& database) {
  const bool was_stopped = stopFlag();
  if (!options.json) {
    printText(text);
  } else if (!was_stopped) {
    printRaw(json.dump(2) + "\n");
  }
  return was_stopped ? stopped(nothingIsLost(options)) : database.endRun(run);
}

}  // namespace vta::tools
