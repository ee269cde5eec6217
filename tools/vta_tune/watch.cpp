#include "tools/vta_tune/watch.h"

#include <fmt/format.h>

#include <filesystem>

#include "tools/common/main/stop_flag.h"
#include "tools/common/terminal.h"

namespace vta::tools {

Status beginWatching(const TuneToolOptions& options, WatchPage& page) {
  if (options.watch_file.empty()) return {};
  const std::string model = std::filesystem::path(options.model).filename().string();
  return page.begin(options.watch_file, "Tuning " + model,
                    {"layer", "trials", "at most", "best so far", "seconds"});
}

void showProgress(ProgressLine& line, WatchPage& page, const tune::TuneProgress& progress) {
  const double rate =
      progress.seconds > 0 ? static_cast<double>(progress.trials) / progress.seconds : 0;
  const std::string best = progress.best_cycles == 0 ? "" : formatCount(progress.best_cycles);
  line.update("tune", static_cast<double>(progress.task) + progress.share,
              static_cast<int64_t>(progress.tasks),
              fmt::format("{}, trial {} of {}, best {}, {:.0f} trials a second", progress.name,
                          progress.trials, progress.wanted_trials, best, rate));
  // Layers of one name are tasks of their own.
  page.setRow(fmt::format("{}. {}", progress.task + 1, progress.name),
              {formatCount(static_cast<uint64_t>(progress.trials)),
               formatCount(static_cast<uint64_t>(progress.wanted_trials)), best,
               fmt::format("{:.0f}", progress.seconds)},
              static_cast<double>(progress.best_cycles));
}

void endWatching(WatchPage& page, const Status& status) {
  page.finish(!status.ok() ? "failed: " + status.message()
              : stopFlag() ? std::string("was stopped")
                           : std::string("is done"));
  if (!page.status().ok()) reportWarning(kTuneTool, page.status().message());
}

}  // namespace vta::tools
