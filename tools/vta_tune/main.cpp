// vta-tune: searches the fastest schedules of a model's layers and keeps them in a database.
#include <fstream>
#include <sstream>

#include "tools/common/files.h"
#include "tools/common/main/run_tool.h"
#include "tools/common/main/stop_flag.h"
#include "tools/common/output_paths.h"
#include "tools/common/print.h"
#include "tools/common/terminal.h"
#include "tools/vta_tune/measurer.h"
#include "tools/vta_tune/options.h"
#include "tools/vta_tune/report.h"
#include "tools/vta_tune/target.h"

namespace vta::tools {
namespace {

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
  for (const std::string& file : options.operators) use.inputs.push_back({"--operators", file});
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
  const TuneTarget& target = tuneTarget(options.target);
  if (options.serve) return target.serve(options, database);
  if (!options.model.empty() && !options.show) VTA_RETURN_IF_ERROR(target.tune(options, database));
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
