#include "tools/vta_dataset/options.h"

#include <CLI/CLI.hpp>

#include "tools/common/command_line.h"

namespace vta::tools {
namespace {

constexpr const char* kExamples = R"(
Examples:
  vta-dataset points/
      a million points; the same command goes on after Ctrl-C
  vta-dataset points/ --points 2000000
      a million more, behind those that are there
  vta-dataset --cost-model model.json --points 60000
      no folder: a cost model for vta-tune that has learned from so many points
  vta-dataset sample/ --points 500 --seed 7
  python3 -c 'import numpy; print(numpy.load("sample/points-00000.npz")["cycles"])'

Exit codes: 0 done, 1 the work failed, 2 wrong usage, 130 stopped by Ctrl-C, 143 stopped by SIGTERM.)";

}  // namespace

bool parseDatasetOptions(int argc, char** argv, DatasetOptions& options, int& exit_code) {
  CLI::App app(
      "Makes a data set for cost models: random kernels, schedules, accelerators and memories, "
      "with "
      "exact cycles and stalls of each.",
      kDatasetTool);
  app.footer(kExamples);
  CLI::Option* folder = app.add_option("folder", options.folder,
                                       "Folder for the data set; made if it does not exist");
  CLI::Option* model =
      app.add_option("--cost-model", options.cost_model,
                     "Make no folder, but a cost model for vta-tune that learns from the points")
          ->type_name("FILE");
  model->excludes(folder);
  app.add_option("--points", options.points, "Points of the whole data set")
      ->check(CLI::Range(int64_t{1}, int64_t{1'000'000'000}))
      ->capture_default_str();
  app.add_option("--seed", options.seed,
                 "Seed of the random numbers; another one gives other points")
      ->check(seedRange())
      ->capture_default_str();
  app.add_option("--workers", options.workers, "Threads; default: all processors")
      ->check(CLI::Range(1, 1024));
  if (!parseCommandLine(app, kDatasetTool, argc, argv, exit_code)) return false;
  if (!options.folder.empty() || !options.cost_model.empty()) return true;
  exit_code = reportUsage(kDatasetTool, "a folder is required, or --cost-model FILE");
  return false;
}

}  // namespace vta::tools
