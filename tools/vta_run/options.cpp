#include "tools/vta_run/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "driver/runtime/executor.h"
#include "module/module_info.h"
#include "tools/common/command_line.h"
#include "tools/common/names/choices.h"
#include "tools/common/operators_option.h"
#include "tools/common/print.h"
#include "tools/vta_run/device_options.h"
#include "tools/vta_run/features.h"
#include "tools/vta_run/report.h"
#include "tools/vta_run/runner.h"
#include "tools/vta_run/text/text_options.h"

namespace vta::tools {
namespace {

constexpr const char* kExamples = R"(
Examples:
  vta-run --sim resnet18.onnx --profile --trace resnet18.json
      seeded random data; where each layer ran, how many cycles it took and why; a timeline
  vta-run --sim resnet18.onnx --report resnet18.html
      the same as one page for a browser
  vta-run --sim=functional model.onnx --input image=cat.jpg --calibrate images/ --labels labels.txt
      the five likeliest classes of one image
  vta-run --sim=functional model.onnx --input images/ --labels-csv labels.csv --compare-float
      a batch over one compiled module: throughput, top-1 and top-5, agreement with float
  vta-run model.vta.so --input x.npy --output out/ --json
      a module from vta-compile; every output as .npy
  vta-run --image memory.img ...
      instructions in a memory image, without a model; vta-run --image --help has the options

Exit codes: 0 done, 1 the work failed, 2 wrong usage.)";

constexpr const char* kModuleExamples = R"(
Examples:
  vta-run model.vta.so --input x.npy --output out/
      every output as .npy
  vta-run model.vta.so --profile
      seeded random data; where each layer ran
  vta-run --image memory.img ...
      instructions in a memory image; vta-run --image --help has the options

Exit codes: 0 done, 1 the work failed, 2 wrong usage.)";

/// Options as they are written, before they are checked against each other.
struct WrittenOptions {
  DeviceChoice device;
  std::string host;
  std::string energy_table;
  std::optional<int> top;
};

void addDeviceOptions(CLI::App& app, const RunFeatures& features, RunOptions& options,
                      WrittenOptions& written) {
  addDeviceChoice(app, written.device);
  if (features.read_hw != nullptr) {
    addHardware(app, options.hw_file);
    addExtensions(app, options.extensions);
  }
  if (features.open_remote != nullptr) {
    app.add_flag("--remote-module", options.remote_module,
                 "The server of --device tcp://host:port runs the whole module, host operators "
                 "included; it has to be started with --modules");
  }
  app.add_option("--host", written.host,
                 fmt::format("Where other operators run; this build has {}; gpu:N and gpu:NAME "
                             "choose one of the GPUs that vta-info lists",
                             fmt::join(driver::hostKinds(), ", ")))
      ->type_name("KIND[:WHICH]")
      ->check(Offered(driver::hostKinds));
  app.add_option("--threads", options.threads,
                 "Threads for host operators; default: all processors")
      ->check(wholeNumber(1, 1024));
  app.add_option(
         "--timeout", options.timeout_seconds,
         "Seconds that one launch may take; default: 60 on hardware of this machine, 600 on "
         "simulators and remote devices")
      ->check(numberFrom(0.01, 86400.0));
}

void addModelOptions(CLI::App& app, const RunFeatures& features, RunOptions& options) {
  addRepeatable(app, "--input,-i", options.inputs,
                "Input: JPEG, PNG, .npy, .npz, .pb, or a folder; may be repeated. Without it: "
                "seeded random data")
      ->type_name("[NAME=]FILE");
  addPreprocess(app, options.preprocess);
  addOperators(app, options.operators);
  if (features.compiler != nullptr) features.compiler->addOptions(app);
  app.add_option("--seed", options.seed, "Seed of random inputs")->check(seedRange());
}

void addResultOptions(CLI::App& app, const RunFeatures& features, RunOptions& options,
                      WrittenOptions& written) {
  app.add_option("--labels", options.labels_file, "Names of the classes, one per line")
      ->type_name("FILE");
  app.add_option("--labels-csv", options.labels_csv,
                 "Lines FILE,CLASS: score top-1 and top-5 over the inputs")
      ->type_name("FILE");
  if (features.compiler != nullptr) {
    app.add_flag("--compare-float", options.compare_float,
                 "Also run the float model on the CPU and report how often the classes agree");
  }
  app.add_option("--top", written.top, "How many classes to show; default: 5")
      ->check(wholeNumber(1, 1000));
  app.add_option("--output", options.output_dir, "Write every output as .npy to this folder")
      ->type_name("DIR");
  app.add_option("--dump-tensors", options.dump_dir,
                 "Write what each step computes as .npy to this folder, with --verify also what it "
                 "should be, and with --compare-float the float model's to its folder float")
      ->type_name("DIR");
  app.add_option("--reference", options.reference, "Compare the output with this array")
      ->type_name("[NAME=]FILE.npy");
  app.add_flag("--verify", options.verify,
               "Compute every offloaded layer on the host too and demand equal bits");
  app.add_option("--reproduce", options.reproduce,
                 "With --verify on hardware: write the first layer that differs to PREFIX.json, "
                 "PREFIX.pre.img.gz and PREFIX.post.img.gz, for --image")
      ->type_name("PREFIX");
  const std::map<std::string, ProfileDetail> details = {{"brief", ProfileDetail::kBrief},
                                                        {"full", ProfileDetail::kFull}};
  app.add_flag("--profile{brief}", options.profile,
               "Print a row for each layer: cycles, milliseconds, what limits it; --profile=full: "
               "more tables, one for each question")
      ->transform(CLI::CheckedTransformer(details).description(""))
      ->check(Offered({"brief", "full"}));
  app.add_option("--profile-csv", options.profile_csv,
                 "Write every figure of every layer as comma-separated values")
      ->type_name("FILE");
  app.add_option("--trace", options.trace_file,
                 "Write what every unit did when, for ui.perfetto.dev or chrome://tracing")
      ->type_name("FILE");
  if (features.html_report != nullptr) {
    app.add_option("--report", options.report_file,
                   "Write one HTML page about the first input: timeline of the units, roofline, "
                   "layer table, memory map")
        ->type_name("FILE");
  }
  if (features.energy_model != nullptr) {
    app.add_option("--energy", written.energy_table,
                   "Figures for the energy that --profile, --profile-csv, --report and --json "
                   "estimate: 45nm "
                   "(the default), 7nm, or a YAML file")
        ->type_name("NAME|FILE")
        ->check(Offered(features.energy_tables));
  }
  app.add_flag("--json", options.json, "Print one JSON object instead of text, errors too");
  app.add_flag_callback(
      "--json-schema",
      [] {
        printRaw(jsonReportSchema());
        throw CLI::Success();
      },
      "Print the JSON Schema of that object, and exit");
}

/// What the device has to be able to do for options of the results.
std::string checkEvents(const RunOptions& options) {
  if (driver::findDeviceKind(options.device.name)->records_events) return "";
  const std::pair<const std::string&, const char*> wanted[] = {{options.trace_file, "--trace"},
                                                               {options.report_file, "--report"}};
  for (const auto& [file, option] : wanted) {
    if (file.empty()) continue;
    return fmt::format("{} needs {}", option, simulatorsThat([](const driver::DeviceKind& kind) {
                         return kind.records_events;
                       }));
  }
  return "";
}

/// What a module that runs elsewhere has no figures for.
std::string checkRemoteModule(const RunOptions& options) {
  if (!options.remote_module) return "";
  if (options.device.name != "remote") {
    return "--remote-module needs --device tcp://host:port, the address of a vta-server";
  }
  const std::pair<bool, const char*> here[] = {
      {options.verify, "--verify"},
      {options.profile != ProfileDetail::kNone, "--profile"},
      {!options.profile_csv.empty(), "--profile-csv"},
      {!options.trace_file.empty(), "--trace"},
      {!options.report_file.empty(), "--report"},
      {!options.dump_dir.empty(), "--dump-tensors"},
      {options.compare_float, "--compare-float"},
      {!options.hw_file.empty(), "--hw"},
      {!options.extensions.empty(), "--extension"},
      {options.timeout_seconds != 0, "--timeout"},
      {options.threads != 0, "--threads"}};
  for (const auto& [is_given, option] : here) {
    if (!is_given) continue;
    return fmt::format("{} needs the host's part here; leave out --remote-module", option);
  }
  return "";
}

/// What a text has no use for.
std::string checkBesideText(const WrittenOptions& written, const RunOptions& options) {
  if (!options.text.isText()) return "";
  if (options.timing_only) return "--timing-only computes no values to choose tokens by";
  const std::pair<bool, const char*> of_others[] = {
      {!options.inputs.empty(), "--input"},
      {!options.preprocess.empty(), "--preprocess"},
      {written.top.has_value(), "--top"},
      {!options.labels_file.empty(), "--labels"},
      {!options.labels_csv.empty(), "--labels-csv"},
      {options.compare_float, "--compare-float"},
      {options.remote_module, "--remote-module"},
      {!options.output_dir.empty(), "--output"},
      {!options.dump_dir.empty(), "--dump-tensors"},
      {!options.reference.empty(), "--reference"},
      {options.needsSteps(), "--profile, --profile-csv and --report"},
      {!options.trace_file.empty(), "--trace"}};
  for (const auto& [is_given, option] : of_others) {
    if (is_given)
      return fmt::format("--generate and --perplexity are about a text; leave out {}", option);
  }
  return "";
}

/// Sets the machine for other operators; an error text where there is none.
std::string chooseHost(const std::string& written, RunOptions& options) {
  const size_t colon = written.find(':');
  const std::vector<std::string> hosts = driver::hostKinds();
  options.host = written.empty() ? hosts.front() : written.substr(0, colon);
  if (std::ranges::find(hosts, options.host) == hosts.end()) {
    return fmt::format("--host={}: this build has no such machine; it has {}", written,
                       fmt::join(hosts, ", "));
  }
  if (colon == std::string::npos) return "";
  options.gpu = written.substr(colon + 1);
  if (options.host == kGpuKind && !options.gpu.empty()) return "";
  return fmt::format("--host={}: write {}", written,
                     options.host == kGpuKind ? "gpu, gpu:N or gpu:NAME" : options.host);
}

/// What would run on a GPU although the user wants no operator there.
std::string checkOnlyCpu(const RunOptions& options, const RunFeatures& features) {
  if (features.compiler != nullptr && features.compiler->needsGpu()) {
    return "--host=cpu: --partition says that operators run on a GPU; leave one of both out";
  }
  if (options.remote_module || !isModuleFile(options.model)) return "";
  const auto module = driver::LoadedModule::load(options.model);
  if (!module.ok()) return "";  // which is said when it is to run
  for (const ExecutorInfo& executor : (*module)->info().executors) {
    if (executor.kind != kGpuKind) continue;
    return fmt::format(
        "--host=cpu: '{}' has been compiled with steps for a GPU; compile the model with another "
        "--partition",
        options.model);
  }
  return "";
}

/// Completes `options` by what was written; an error text where that cannot be.
std::string completeOptions(const WrittenOptions& written, const RunFeatures& features,
                            RunOptions& options) {
  std::string problem = chooseHost(written.host, options);
  if (problem.empty()) problem = chooseDevice(written.device, options.device);
  options.timing_only = options.device.options.contains("timing-only");
  options.top = written.top.value_or(options.top);
  if (problem.empty()) problem = checkRemoteModule(options);
  if (problem.empty()) problem = checkEvents(options);
  if (problem.empty() && features.compiler != nullptr) problem = features.compiler->checkOptions();
  if (problem.empty() && written.host == kCpuKind) problem = checkOnlyCpu(options, features);
  if (!problem.empty()) return problem;
  if (!options.reproduce.empty() && !options.verify) return "--reproduce needs --verify";
  if (options.timing_only && (options.verify || !options.reference.empty())) {
    return fmt::format("--timing-only computes no values to {}",
                       options.verify ? "verify" : "compare with --reference");
  }
  if (options.timing_only && !options.dump_dir.empty()) {
    return "--timing-only computes no values for --dump-tensors";
  }
  if (!written.energy_table.empty()) {
    if (!options.needsSteps()) {
      return "--energy needs --profile, --profile-csv, --report or --json";
    }
    options.energy_table = written.energy_table;
  }
  if (!options.labels_csv.empty() && options.inputs.empty()) return "--labels-csv needs --input";
  useTokenizerOf(options.model, options.text);
  problem = checkTextOptions(options.text);
  return problem.empty() ? checkBesideText(written, options) : problem;
}

}  // namespace

bool parseRunOptions(int argc, char** argv, const RunFeatures& features, RunOptions& options,
                     int& exit_code) {
  const bool compiles = features.compiler != nullptr;
  CLI::App app(compiles
                   ? "Compiles a model if needed, runs it on a VTA accelerator, shows the results."
                   : "Runs a module from vta-compile on a VTA accelerator, shows the results.");
  app.footer(compiles ? kExamples : kModuleExamples);
  app.add_option("model", options.model,
                 compiles
                     ? "ONNX model, language model (GGUF, llama2.c), or a module from vta-compile"
                     : "Module from vta-compile")
      ->required();
  WrittenOptions written;
  addDeviceOptions(app, features, options, written);
  groupOptions(app, "Where it runs");
  addModelOptions(app, features, options);
  groupOptions(app, compiles ? "Inputs and compilation" : "Inputs");
  addResultOptions(app, features, options, written);
  groupOptions(app, "Results");
  addTextOptions(app, options.text);
  groupOptions(app, "Texts of language models");
  if (!parseWithDevice(app, kRunTool, argc, argv, exit_code)) return false;
  const std::string problem = completeOptions(written, features, options);
  if (problem.empty()) return true;
  exit_code = reportUsage(kRunTool, problem);
  return false;
}

}  // namespace vta::tools
