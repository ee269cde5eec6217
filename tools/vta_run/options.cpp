#include "tools/vta_run/options.h"

#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string_view>
#include <utility>

#include "tools/common/command_line.h"
#include "tools/vta_run/features.h"

namespace vta::tools {
namespace {

constexpr const char* kTool = "vta-run";
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

Exit codes: 0 done, 1 the work failed, 2 wrong usage.)";

constexpr const char* kModuleExamples = R"(
Examples:
  vta-run model.vta.so --input x.npy --output out/
      every output as .npy
  vta-run model.vta.so --profile
      seeded random data; where each layer ran

Exit codes: 0 done, 1 the work failed, 2 wrong usage.)";

constexpr uint64_t kMostInstructions = std::numeric_limits<uint32_t>::max();

/// The simulator that --sim without a name means: nullptr if the program has none.
const driver::DeviceKind* preferredSimulator() {
  const driver::DeviceKind* best = nullptr;
  for (const driver::DeviceKind& kind : driver::deviceKinds()) {
    if (kind.is_simulator && (best == nullptr || kind.preference > best->preference)) best = &kind;
  }
  return best;
}

/// "--sim=cycle or --sim=rtl": the simulators that `has` is true for.
template <typename Has>
std::string simulatorsThat(Has has) {
  std::string text;
  for (const driver::DeviceKind& kind : driver::deviceKinds()) {
    if (!kind.is_simulator || !has(kind)) continue;
    text += fmt::format("{}--sim={}", text.empty() ? "" : " or ", kind.name);
  }
  return text.empty() ? "a simulator that this program does not have" : text;
}

std::string simulatorNames() {
  std::string names;
  for (const driver::DeviceKind& kind : driver::deviceKinds()) {
    if (!kind.is_simulator) continue;
    names += (names.empty() ? "" : ", ") + std::string(kind.name);
    for (const driver::DeviceAlias& alias : kind.aliases) names += ", " + std::string(alias.name);
  }
  return names;
}

/// What --sim takes, for --help.
std::string simulatorHelp() {
  std::string text = "Simulator, by name or name:option,option:";
  for (const driver::DeviceKind& kind : driver::deviceKinds()) {
    if (!kind.is_simulator) continue;
    const bool is_default = &kind == preferredSimulator();
    text += fmt::format("{} {}: {}{}", text.back() == ':' ? "" : ";", kind.name, kind.description,
                        is_default ? " (the default)" : "");
    for (const driver::DeviceAlias& alias : kind.aliases) {
      text += fmt::format("; {}: {}", alias.name, alias.description);
    }
  }
  return text;
}

bool namesSimulator(std::string_view text) {
  const driver::DeviceKind* kind = driver::findDeviceKind(text.substr(0, text.find(':')));
  return kind != nullptr && kind->is_simulator;
}

/// The arguments with every `--sim` and its value as one: a name may follow `--sim`, and so may the
/// model's file.
std::vector<std::string> withSimValue(int argc, char** argv) {
  std::vector<std::string> arguments(argv, argv + argc);
  for (size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i] != "--sim") continue;
    const bool has_name = i + 1 < arguments.size() && namesSimulator(arguments[i + 1]) &&
                          !std::filesystem::exists(arguments[i + 1]);
    const driver::DeviceKind* preferred = preferredSimulator();
    arguments[i] += "=" + (has_name ? arguments[i + 1]
                                    : std::string(preferred != nullptr ? preferred->name : ""));
    if (has_name) arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  return arguments;
}

/// Options as they are written, before they are checked against each other.
struct WrittenOptions {
  std::string sim, dram, device;
  std::string host = "cpu";
  std::string waves, waves_from, waves_to;
  std::string energy_table;
};

void addDeviceOptions(CLI::App& app, const RunFeatures& features, RunOptions& options,
                      WrittenOptions& written) {
  app.add_option("--sim", written.sim, simulatorHelp())->type_name("[=NAME]");
  app.add_option(
         "--dram", written.dram,
         "DRAM whose timing the cycle and rtl simulators have: simple (the default), a preset such "
         "as DDR3-1066, or a YAML file")
      ->type_name("NAME|FILE");
  app.add_flag("--timing-only", options.timing_only,
               "Count cycles but compute no values on the VTA: outputs mean nothing");
  app.add_option("--waves", written.waves,
                 "Write waveforms (FST) of the RTL to this file; --sim=rtl only")
      ->type_name("FILE");
  app.add_option("--waves-from", written.waves_from,
                 "First instruction of the waveforms, by its number")
      ->check(wholeNumber(0, kMostInstructions));
  app.add_option("--waves-to", written.waves_to, "Last instruction of the waveforms")
      ->check(wholeNumber(0, kMostInstructions));
  app.add_option("--device", written.device,
                 "Device to run on, by name or name:option,option; vta-info lists them");
  if (features.read_hw != nullptr) addHardware(app, options.hw_file);
  app.add_option("--host", written.host, "Where other operators run; this build has cpu")
      ->check(CLI::IsMember({"cpu", "gpu"}));
  app.add_option("--threads", options.threads,
                 "Threads for host operators; default: all processors")
      ->check(wholeNumber(1, 1024));
}

void addModelOptions(CLI::App& app, const RunFeatures& features, RunOptions& options) {
  addRepeatable(app, "--input,-i", options.inputs,
                "Input: JPEG, PNG, .npy, .npz, .pb, or a folder; may be repeated. Without it: "
                "seeded random data")
      ->type_name("[NAME=]FILE");
  addPreprocess(app, options.preprocess);
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
  app.add_option("--top", options.top, "How many classes to show")->check(wholeNumber(1, 1000));
  app.add_option("--output", options.output_dir, "Write every output as .npy to this folder")
      ->type_name("DIR");
  app.add_option("--reference", options.reference, "Compare the output with this array")
      ->type_name("[NAME=]FILE.npy");
  app.add_flag("--verify", options.verify,
               "Compute every offloaded layer on the host too and demand equal bits");
  app.add_flag("--profile", options.profile, "Print one row per layer");
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
                   "Figures for the energy that --profile, --report and --json estimate: 45nm "
                   "(the default), 7nm, or a YAML file")
        ->type_name("NAME|FILE");
  }
  app.add_flag("--json", options.json, "Print one JSON object instead of text");
}

/// An option of the command line that is one of the device.
struct ForwardedOption {
  const char* option;  // "--dram"
  const char* key;     // "dram"
  std::string value;   // empty: not given, or a flag
  bool is_given;
};

/// Adds what --dram, --timing-only and --waves say to the device's options; an error text for what
/// it does not have.
std::string forwardOptions(const WrittenOptions& written, const driver::DeviceKind& kind,
                           RunOptions& options) {
  const ForwardedOption forwarded[] = {
      {"--timing-only", "timing-only", "", options.timing_only},
      {"--dram", "dram", written.dram, !written.dram.empty()},
      {"--waves", "waves", written.waves, !written.waves.empty()},
      {"--waves-from", "waves-from", written.waves_from, !written.waves_from.empty()},
      {"--waves-to", "waves-to", written.waves_to, !written.waves_to.empty()}};
  if (written.waves.empty() && (!written.waves_from.empty() || !written.waves_to.empty())) {
    return "--waves-from and --waves-to need --waves";
  }
  for (const ForwardedOption& option : forwarded) {
    if (!option.is_given) continue;
    if (!kind.hasOption(option.key)) {
      return fmt::format("{} needs {}", option.option,
                         simulatorsThat([&](const driver::DeviceKind& other) {
                           return other.hasOption(option.key);
                         }));
    }
    options.device.options[option.key] = option.value;
  }
  options.timing_only = options.device.options.contains("timing-only");
  return "";
}

/// Sets the device that --sim or --device names; an error text for what cannot be.
std::string chooseDevice(const WrittenOptions& written, RunOptions& options) {
  if (!written.sim.empty() && !written.device.empty())
    return "--sim and --device exclude each other";
  const driver::DeviceKind* preferred = preferredSimulator();
  std::string text = written.sim.empty() ? written.device : written.sim;
  if (text.empty() && preferred != nullptr) text = preferred->name;
  const driver::DeviceKind* kind = driver::findDeviceKind(text.substr(0, text.find(':')));
  if (!written.device.empty() && kind == nullptr) {
    return fmt::format(
        "--device={}: this build drives no hardware of this name; vta-info lists "
        "the devices",
        text);
  }
  if (kind == nullptr || (written.device.empty() && !kind->is_simulator)) {
    return fmt::format("--sim={}: no such simulator; it has: {}", text, simulatorNames());
  }
  auto spec = driver::parseDeviceSpec(text);
  if (!spec.ok()) return spec.status().message();
  options.device = *std::move(spec);
  return forwardOptions(written, *kind, options);
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

/// Completes `options` by what was written; an error text where that cannot be.
std::string completeOptions(const WrittenOptions& written, const RunFeatures& features,
                            RunOptions& options) {
  if (written.host == "gpu") return "--host=gpu: this build has no GPU backend; use --host=cpu";
  std::string problem = chooseDevice(written, options);
  if (problem.empty()) problem = checkEvents(options);
  if (problem.empty() && features.compiler != nullptr) problem = features.compiler->checkOptions();
  if (!problem.empty()) return problem;
  if (options.timing_only && (options.verify || !options.reference.empty())) {
    return fmt::format("--timing-only computes no values to {}",
                       options.verify ? "verify" : "compare with --reference");
  }
  if (!written.energy_table.empty()) {
    if (!options.profile && !options.json && options.report_file.empty()) {
      return "--energy needs --profile, --report or --json";
    }
    options.energy_table = written.energy_table;
  }
  if (!options.labels_csv.empty() && options.inputs.empty()) return "--labels-csv needs --input";
  return "";
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
                 compiles ? "ONNX model, or a module from vta-compile" : "Module from vta-compile")
      ->required();
  WrittenOptions written;
  addDeviceOptions(app, features, options, written);
  addModelOptions(app, features, options);
  addResultOptions(app, features, options, written);
  std::vector<std::string> arguments = withSimValue(argc, argv);
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const int count = static_cast<int>(arguments.size());
  if (!parseCommandLine(app, kTool, count, pointers.data(), exit_code)) return false;
  const std::string problem = completeOptions(written, features, options);
  if (problem.empty()) return true;
  exit_code = reportUsage(kTool, problem);
  return false;
}

}  // namespace vta::tools
