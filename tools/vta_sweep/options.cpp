#include "tools/vta_sweep/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/closest_name.h"
#include "explore/sweep/area/area_model.h"
#include "explore/sweep/space/sweep_config.h"
#include "tools/common/command_line.h"
#include "tools/common/names/choices.h"

namespace vta::tools {
namespace {

constexpr const char* kExamples = R"(
Examples:
  vta-sweep configs/sweeps/blocks.yaml --dry-run
      how many points there are, how many are illegal and by which rule
  vta-sweep configs/sweeps/blocks.yaml --report blocks.html --csv blocks.csv --output blocks.json
      evaluates the points that are not in the cache; the same command goes on after Ctrl-C
  vta-sweep configs/sweeps/blocks.yaml --best latency_ms --where 'fits(xc7z020)' --best-output best.yaml
      the fastest accelerator for the device, as a configuration that every tool takes
  vta-sweep --reproduce blocks.json
      evaluates the same points again, without the cache's results, and compares
  vta-sweep configs/sweeps/blocks.yaml --launcher slurm --launcher-file cluster.yaml
      simulates on the nodes of a cluster; docs/launchers.md describes the file

Exit codes: 0 done, 1 the work failed or no point has a result, 2 wrong usage, 130 stopped by
Ctrl-C, 143 stopped by SIGTERM.)";

void addResultOptions(CLI::App& app, SweepToolOptions& options) {
  app.add_option("-o,--output", options.json_file, "Write results and manifest as JSON")
      ->type_name("FILE");
  app.add_option("--csv", options.csv_file, "Write one row for each point")->type_name("FILE");
  app.add_option("--report", options.report_file, "Write one HTML page")->type_name("FILE");
  app.add_option("--watch", options.watch_file,
                 "Write a page that shows the run while it goes on: a browser loads it again by "
                 "itself")
      ->type_name("FILE");
  app.add_option("--layers", options.layers,
                 "Points of the Pareto front whose layers the report compares")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  makeRepeatable(*app.add_option("--layers-of", options.layers_of,
                                 "Also the layers of the point with this number; may be repeated")
                      ->type_name("NUMBER"));
  app.add_option("--best", options.best,
                 "Name the point with the least value of this expression (with - in front: the "
                 "largest)")
      ->type_name("EXPR");
  app.add_option("--where", options.where, "Only points for which this expression holds")
      ->type_name("EXPR");
  app.add_option("--best-output", options.best_output, "Write the winner's configuration")
      ->type_name("FILE");
  app.add_option(
         "--confirm", options.confirm,
         "Synthesise the Pareto front (with --best: the winner) with Yosys for this device; "
         "minutes for each point")
      ->type_name("DEVICE")
      ->check(
          Offered([] { return namesOf(sweep::knownDevices(), &sweep::DeviceResources::name); }));
  app.add_option("--reproduce", options.reproduce,
                 "Evaluate the points of such a JSON file again and say what differs")
      ->type_name("FILE");
  app.add_flag("--json", options.json, "Print the results as JSON instead of a table");
}

std::string checkOptions(const SweepToolOptions& options) {
  if (!options.farm.worker.empty()) {
    return options.sweep_file.empty() ? ""
                                      : "--worker goes with no sweep: its farm says what to do";
  }
  const int inputs =
      int{!options.sweep_file.empty()} + int{!options.reproduce.empty()} + int{options.schema};
  if (inputs != 1) return "one of a sweep, --reproduce and --schema is required";
  if (options.report_file.empty() && !options.layers_of.empty()) {
    return "--layers-of goes with --report";
  }
  if (options.best.empty() && (!options.where.empty() || !options.best_output.empty())) {
    return "--where and --best-output go with --best";
  }
  return checkLauncherOptions(options.farm, options.processes);
}

}  // namespace

bool parseSweepOptions(int argc, char** argv, SweepToolOptions& options, int& exit_code) {
  CLI::App app("Evaluates many accelerators for networks: cycles, area and energy.", kSweepTool);
  app.footer(kExamples);
  app.add_option("sweep", options.sweep_file, "Description of the sweep (YAML)");
  addRepeatable(app, "--model", options.models,
                "Network in place of the file's models; may be repeated")
      ->type_name("FILE");
  app.add_flag("--dry-run", options.dry_run,
               "Count points and estimate the time; evaluate nothing");
  app.add_flag("--schema", options.schema, "Print the JSON Schema of sweeps");
  app.add_option("--cache", options.cache,
                 "What was computed before; made if it does not exist, shared by any number of "
                 "sweeps; default: sweep.db in $VTA_CACHE_DIR, $XDG_CACHE_HOME/vta or ~/.cache/vta")
      ->type_name("FILE");
  app.add_option("--search", options.search, "Search method in place of the file's")
      ->check(OneOf(namesOf(sweep::searchMethods())));
  app.add_option("--evaluations", options.evaluations, "Points to evaluate in place of the file's")
      ->check(CLI::Range(1, 10'000'000));
  app.add_option("--seed", options.seed, "Seed of the search in place of the file's")
      ->check(CLI::Range(0, 1'000'000'000));
  app.add_option("--workers", options.processes, "Processes that evaluate; default: all processors")
      ->check(CLI::Range(1, 1024));
  addLauncherOptions(app, options.farm, kSweepTool);
  app.add_option("--timeout", options.timeout_seconds, "Seconds for one network of one point")
      ->check(numberFrom(0.01, 86400.0))
      ->capture_default_str();
  addResultOptions(app, options);
  if (!parseCommandLine(app, kSweepTool, argc, argv, exit_code)) return false;
  const std::string problem = checkOptions(options);
  if (problem.empty()) return true;
  exit_code = reportUsage(kSweepTool, problem);
  return false;
}

}  // namespace vta::tools
