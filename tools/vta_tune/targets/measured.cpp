#include "tools/vta_tune/targets/measured.h"

#include "tools/vta_tune/report.h"
#include "tools/vta_tune/targets/compare.h"
#include "tools/vta_tune/targets/search.h"

namespace vta::tools {

Status searchMeasured(const MeasuredTasks& measured, const TuneToolOptions& options,
                      tune::Database& database) {
  if (!options.compared.empty()) {
    std::vector<size_t> counts;
    for (const std::vector<std::string>& layers : measured.layers) counts.push_back(layers.size());
    return compareOnTasks(measured.tasks, counts, options, nullptr, database);
  }
  VTA_ASSIGN_OR_RETURN(const tune::RunRecord run, beginRun(options, database));
  const auto results = runSearch(options, run, nullptr, database,
                                 [&](tune::Tuner& tuner) { return tuner.run(measured.tasks); });
  if (!results.ok()) return results.status();
  return endRun(run, options, tunedTimesJson(measured.layers, measured.machine, *results),
                tunedTimesTable(measured.layers, *results, measured.where), database);
}

}  // namespace vta::tools
