#include "tools/vta_tune/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/closest_name.h"
#include "driver/device_registry.h"
#include "explore/tune/search/registry.h"
#include "sim/memory/memory_config.h"
#include "tools/common/command_line.h"
#include "tools/common/compilation/model_options.h"
#include "tools/common/main/run_tool.h"
#include "tools/common/names/choices.h"
#include "tools/common/operators_option.h"
#include "tools/vta_tune/device_memory.h"
#include "tools/vta_tune/resume.h"
#include "tools/vta_tune/target.h"

namespace vta::tools {
namespace {

constexpr const char* kExamples = R"(
Examples:
  vta-tune resnet18.onnx --hw configs/hw/default.yaml --dram ddr3-1066 --calibrate images/
  vta-compile resnet18.onnx --dram ddr3-1066 --tuned vta-tuning.db
      the fastest schedules that were found
  vta-tune resnet18.onnx --searcher exhaustive
      the optimum of every layer, or a proven gap to it
  vta-tune resnet18.onnx --target cpu
      the code for this machine's CPU; vta-run --partition=cpu --tuned vta-tuning.db uses it
  vta-tune resnet18.onnx --target gpu --host gpu:0
      the kernels for this GPU; vta-run --partition=gpu --tuned vta-tuning.db uses them
  vta-tune resnet18.onnx --compare learned --compare random --html tuning.html
      how fast searchers get how far, as a page of pictures
  vta-tune resnet18.onnx --resume
      goes on with the search of this model that was interrupted
  vta-tune --show
      what is in the database
  vta-tune resnet18.onnx --device tcp://board:7420,ca=server.pem,token=ann.token
      measures on a board, and says how far the simulator ranks schedules like it
  vta-tune resnet18.onnx --serve-candidates
      the evaluator of another optimiser, such as examples/tuning/optuna_search.py

  vta-tune resnet18.onnx --launcher slurm --launcher-file cluster.yaml
      measures on the nodes of a cluster; docs/launchers.md describes the file

Ctrl-C ends a search after the trials that are running. --resume goes on from there.

Exit codes: 0 done, 1 the work failed, 2 wrong usage, 130 stopped by Ctrl-C, 143 stopped by SIGTERM.)";

std::string searcherHelp() {
  std::string text = "How to search:";
  const char* separator = " ";
  for (const tune::SearcherKind& kind : tune::searcherKinds()) {
    text += fmt::format("{}{}: {}", std::exchange(separator, "; "), kind.name, kind.description);
  }
  return text;
}

std::vector<std::string> searcherNames() {
  return namesOf(tune::searcherKinds(), &tune::SearcherKind::name);
}

void addRunOptions(CLI::App& app, TuneToolOptions& options) {
  app.add_option("--cost-model", options.cost_model,
                 "Where the searcher 'learned' begins for the VTA: a file of vta-dataset "
                 "--cost-model; none: at the analytic model; default: the model that comes with "
                 "the project")
      ->type_name("FILE");
  addRepeatable(app, "--compare", options.compared,
                "Run this searcher with several seeds on every task instead of tuning; repeat it "
                "for more. --trials are those of each search, 100 by default")
      ->type_name("NAME")
      ->check(Offered(searcherNames));
  app.add_option("--seeds", options.seeds, "Seeds of each searcher of --compare")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app.add_option("--html", options.html_file,
                 "Write a page with the convergence of the searches of --compare, the predictions "
                 "of the cost model, and the layers")
      ->type_name("FILE");
  app.add_flag("--serve-candidates", options.serve,
               "Measure what another optimiser asks for, in lines of JSON on standard input and "
               "output; docs/tuning.md describes them");
  app.add_option("--workers", options.workers, "Processes that measure; default: all processors")
      ->check(CLI::Range(1, 1024));
  addLauncherOptions(app, options.farm, kTuneTool);
  app.add_option("--device", options.device,
                 "Measure on this device instead of the cycle simulator: a board, or a remote "
                 "one; vta-info lists them");
  app.add_option("--host", options.host,
                 "With --target gpu: the GPU that measures, as vta-info lists it; default: the "
                 "first")
      ->type_name("gpu:N|gpu:NAME");
}

}  // namespace

void addSearchOptions(CLI::App& app, SearchOptions& options) {
  app.add_option("--searcher", options.searcher, searcherHelp())
      ->type_name("NAME")
      ->check(Offered(searcherNames));
  app.add_option("--trials", options.trials,
                 "Schedules to measure for each task, at most; default: 400, and for an exhaustive "
                 "search as many as it needs")
      ->check(CLI::Range(1, 10'000'000));
  app.add_option("--patience", options.patience,
                 "A task is done after so many trials without a faster schedule; 0: never")
      ->check(CLI::Range(0, 10'000'000))
      ->capture_default_str();
  app.add_option("--tolerance", options.tolerance,
                 "Leave out schedules that are proven to be faster by no more than this share; "
                 "0.01: one per cent")
      ->check(numberFrom(0.0, 1.0));
  app.add_option("--seed", options.seed, "Seed of the search")->check(CLI::NonNegativeNumber);
  app.add_option("--launches", options.launches,
                 "Launches of each schedule on the device, of which the median counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--timeout", options.timeout_seconds, "Seconds for one trial")
      ->check(numberFrom(0.1, 86400.0))
      ->capture_default_str();
}

namespace {

void addDatabaseOptions(CLI::App& app, TuneToolOptions& options) {
  app.add_option("--db", options.database, "Tuning database; made if it does not exist")
      ->type_name("FILE")
      ->capture_default_str();
  app.add_option("--db-wait", options.database_wait_seconds,
                 "Seconds that a search goes on while the database is locked or the disk is full. "
                 "Then it ends, and the trials that the database lacks are in a file of their own")
      ->check(numberFrom(0.0, 86400.0))
      ->capture_default_str();
  app.add_flag("--show", options.show, "Print what is in the database, and do not tune");
  app.add_flag(
      "--resume", options.resume,
      "Go on with the last search of the database that was interrupted, from its last trial. "
      "Searcher, seed and limits come from the database; give the model and all other options as "
      "before");
  app.add_option("--export", options.export_file, "Write the database as lines of JSON")
      ->type_name("FILE");
  app.add_flag("--best", options.exports_best,
               "--export writes the fastest schedule of each task alone, with its proof");
  app.add_option("--import", options.import_file, "Add the lines of such a file to the database")
      ->type_name("FILE");
  app.add_option("--watch", options.watch_file,
                 "Write a page that shows the search while it goes on: a browser loads it again by "
                 "itself")
      ->type_name("FILE");
  app.add_flag("--json", options.json, "Print one JSON object instead of text");
}

std::string checkOptions(TuneToolOptions& options, const std::vector<std::string>& dimensions) {
  if (const Status status = parseDimensions(dimensions, options.dimensions); !status.ok()) {
    return status.message();
  }
  if (std::string problem = checkQuantization(options.quantization); !problem.empty()) {
    return problem;
  }
  if (const auto found = tune::findSearcher(options.searcher); !found.ok()) {
    return "--searcher: " + found.status().message();
  }
  if (!options.farm.worker.empty()) {
    return options.model.empty() ? ""
                                 : "--worker goes with no model: its farm says what to measure";
  }
  if (std::string problem = checkLauncherOptions(options.farm, options.workers); !problem.empty()) {
    return problem;
  }
  const bool has_work =
      options.show || !options.export_file.empty() || !options.import_file.empty();
  if (options.serve && (options.model.empty() || has_work || options.json)) {
    return "--serve-candidates needs a model, and goes with none of --show, --export, --import "
           "and --json";
  }
  if (!options.device.empty() && options.memories.size() > 1) {
    return "--device measures with one memory, its own: give --dram at most once";
  }
  if (!options.device.empty()) {
    const auto spec = driver::parseDeviceSpec(options.device);
    // Whether it is there can be said only where it is.
    const bool is_here = options.farm.isLocal();
    const Status status = spec.ok() && is_here ? driver::checkDevice(*spec) : spec.status();
    if (!status.ok()) return "--device: " + status.message();
    if (std::string problem = agreeOnMemory(options); !problem.empty()) return problem;
  }
  for (const std::string& name : options.compared) {
    if (const auto found = tune::findSearcher(name); !found.ok()) {
      return "--compare: " + found.status().message();
    }
  }
  if (!options.host.empty() && options.target != "gpu") {
    return "--host chooses a GPU: it goes with --target gpu";
  }
  if (options.exports_best && options.export_file.empty()) {
    return "--best says what --export writes: give that, too";
  }
  if (!options.html_file.empty() && options.compared.empty()) {
    return "--html shows a comparison of searchers: name them with --compare";
  }
  if (!options.compared.empty() && (options.model.empty() || options.serve)) {
    return "--compare needs a model, and does not go with --serve-candidates";
  }
  if (const TuneTarget& target = tuneTarget(options.target); target.check != nullptr) {
    if (std::string problem = target.check(options); !problem.empty()) return problem;
  }
  if (options.model.empty() && !has_work) {
    return "a model is required, or one of --show, --export and --import";
  }
  return "";
}

/// "vta (default): kernels of the accelerator; cpu: ..."
std::string targetsText() {
  std::string text;
  for (const TuneTarget& target : tuneTargets()) {
    text += fmt::format("{}{}{}: {}", text.empty() ? "" : "; ", target.name,
                        text.empty() ? " (default)" : "", target.description);
  }
  return text;
}

}  // namespace

void addTuneOptions(CLI::App& app, TuneToolOptions& options, std::vector<std::string>& dimensions) {
  app.add_option("model", options.model, "ONNX model");
  options.target = tuneTargets().front().name;
  app.add_option("--target", options.target, targetsText())->check(OneOf(tuneTargetNames()));
  addHardware(app, options.hw_file);
  addRepeatable(app, "--dram", options.memories,
                "Memory: a name that vta-info lists, or a YAML file; may be repeated")
      ->type_name("NAME|FILE")
      ->check(Offered(sim::builtinMemoryNames));
  addSearchOptions(app, options);
  addRunOptions(app, options);
  addDatabaseOptions(app, options);
  addQuantization(app, options.quantization);
  addPreprocess(app, options.preprocess);
  addPartition(app, options.partition);
  addShapes(app, dimensions);
  addOperators(app, options.operators);
}

bool parseTuneOptions(int argc, char** argv, TuneToolOptions& options, int& exit_code) {
  CLI::App app("Searches the fastest schedules of a model's layers, and keeps them in a database.",
               kTuneTool);
  app.footer(kExamples);
  std::vector<std::string> dimensions;
  addTuneOptions(app, options, dimensions);
  options.arguments.assign(argv + 1, argv + argc);
  if (!parseCommandLine(app, kTuneTool, argc, argv, exit_code)) return false;
  const GivenOptions given = givenOptions(app);
  options.resume_command = resumeCommand(given);
  if (options.resume) {
    if (const std::string problem = checkResume(given); !problem.empty()) {
      exit_code = reportUsage(kTuneTool, problem);
      return false;
    }
    if (const Status status = resumeRun(given, options); !status.ok()) {
      exit_code = exitCodeOf(kTuneTool, status);
      return false;
    }
  }
  const std::string problem = checkOptions(options, dimensions);
  if (problem.empty()) return true;
  exit_code = reportUsage(kTuneTool, problem);
  return false;
}

}  // namespace vta::tools
