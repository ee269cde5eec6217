#include "tools/vta_run/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "tools/common/cli.h"

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

constexpr uint64_t kMostInstructions = std::numeric_limits<uint32_t>::max();

/// What --sim, --dram and --timing-only say, as a device; an error text for what cannot be.
std::string simToDevice(const std::string& sim, const std::string& dram, bool timing_only,
                        std::string& device) {
  const bool is_cycle = sim == "cycle" || sim.empty();
  if (!is_cycle && timing_only) return "--timing-only needs --sim=cycle";
  if (!is_cycle && sim != "rtl" && !dram.empty()) return "--dram needs --sim=cycle or --sim=rtl";
  if (is_cycle) {
    device = "cycle";
    const char* separator = ":";
    if (timing_only) device += fmt::format("{}timing-only", std::exchange(separator, ","));
    if (!dram.empty()) device += fmt::format("{}dram={}", separator, dram);
    return "";
  }
  if (sim == "functional") {
    device = "functional";
    return "";
  }
  if (sim == "checked") {
    device = "functional:checked";
    return "";
  }
  if (sim == "rtl") {
    device = "rtl";
    if (!dram.empty()) device += fmt::format(":dram={}", dram);
    return "";
  }
  return fmt::format("--sim={}: no such simulator; it has: cycle, functional, checked, rtl", sim);
}

bool isSimulator(std::string_view name) {
  constexpr std::string_view kNames[] = {"cycle", "functional", "checked", "rtl"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

/// The arguments with a bare `--sim` spelt out: the next argument is its value only where that is a
/// simulator's name, so that a file may follow.
std::vector<char*> withSimValue(int argc, char** argv) {
  static char cycle[] = "--sim=cycle";
  std::vector<char*> arguments(argv, argv + argc);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool has_value = i + 1 < arguments.size() && isSimulator(arguments[i + 1]);
    if (std::string_view(arguments[i]) == "--sim" && !has_value) arguments[i] = cycle;
  }
  arguments.push_back(nullptr);
  return arguments;
}

/// Options as they are written, before they are checked against each other.
struct WrittenOptions {
  std::string sim, dram, device;
  std::string host = "cpu";
  std::string waves, waves_from, waves_to;
  std::string energy_table;
  std::vector<std::string> dimensions;
};

void addDeviceOptions(CLI::App& app, RunOptions& options, WrittenOptions& written) {
  app.add_option("--sim", written.sim,
                 "Simulator: cycle (the default, also without a value): values and exact cycle "
                 "counts; functional: values only; checked: values, and it looks for races and "
                 "uninitialised reads; rtl: the Verilated hardware")
      ->type_name("[=NAME]");
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
  app.add_option("--device", written.device, "Device to run on; this build has simulators only");
  addHardware(app, options.hw_file);
  app.add_option("--host", written.host, "Where other operators run; this build has cpu")
      ->check(CLI::IsMember({"cpu", "gpu"}));
  app.add_option("--threads", options.threads,
                 "Threads for host operators; default: all processors")
      ->check(wholeNumber(1, 1024));
}

void addModelOptions(CLI::App& app, RunOptions& options, WrittenOptions& written) {
  addRepeatable(app, "--input,-i", options.inputs,
                "Input: JPEG, PNG, .npy, .npz, .pb, or a folder; may be repeated. Without it: "
                "seeded random data")
      ->type_name("[NAME=]FILE");
  addPreprocess(app, options.preprocess);
  addCalibrate(app, options.calibrate);
  addCalibrationMethod(app, options.calibration_method);
  addFloatLayers(app, options.float_layers);
  addPartition(app, options.partition);
  addSchedules(app, options.schedules);
  addShapes(app, written.dimensions);
  app.add_option("--seed", options.seed, "Seed of random inputs")->check(seedRange());
  addDumpIr(app, options.dump_dir);
}

void addResultOptions(CLI::App& app, RunOptions& options, WrittenOptions& written) {
  app.add_option("--labels", options.labels_file, "Names of the classes, one per line")
      ->type_name("FILE");
  app.add_option("--labels-csv", options.labels_csv,
                 "Lines FILE,CLASS: score top-1 and top-5 over the inputs")
      ->type_name("FILE");
  app.add_flag("--compare-float", options.compare_float,
               "Also run the float model on the CPU and report how often the classes agree");
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
  app.add_option(
         "--report", options.report_file,
         "Write one HTML page about the first input: timeline of the units, roofline, layer "
         "table, memory map")
      ->type_name("FILE");
  app.add_option("--energy", written.energy_table,
                 "Figures for the energy that --profile, --report and --json estimate: 45nm (the "
                 "default), 7nm, or a YAML file")
      ->type_name("NAME|FILE");
  app.add_flag("--json", options.json, "Print one JSON object instead of text");
}

/// Adds --waves and its range to `device`; an error text for what cannot be.
std::string addWaves(const WrittenOptions& written, std::string& device) {
  if (written.waves.empty()) {
    const bool has_range = !written.waves_from.empty() || !written.waves_to.empty();
    return has_range ? "--waves-from and --waves-to need --waves" : "";
  }
  if (written.sim != "rtl") return "--waves needs --sim=rtl";
  if (written.waves.find(',') != std::string::npos) {
    return "--waves: the file's name must not have a comma";
  }
  device += fmt::format("{}waves={}", written.dram.empty() ? ':' : ',', written.waves);
  if (!written.waves_from.empty()) device += fmt::format(",waves-from={}", written.waves_from);
  if (!written.waves_to.empty()) device += fmt::format(",waves-to={}", written.waves_to);
  return "";
}

/// Completes `options` by what was written; an error text where that cannot be.
std::string completeOptions(const WrittenOptions& written, RunOptions& options) {
  if (!written.device.empty()) {
    return fmt::format("--device={}: this build drives no hardware; use --sim", written.device);
  }
  if (written.host == "gpu") return "--host=gpu: this build has no GPU backend; use --host=cpu";
  std::string problem = simToDevice(written.sim, written.dram, options.timing_only, options.device);
  if (problem.empty()) problem = addWaves(written, options.device);
  if (!problem.empty()) return problem;
  options.dram = written.dram;
  options.waves_file = written.waves;
  if (const Status status = parseDimensions(written.dimensions, options.dimensions); !status.ok()) {
    return status.message();
  }
  if (options.timing_only && (options.verify || !options.reference.empty())) {
    return fmt::format("--timing-only computes no values to {}",
                       options.verify ? "verify" : "compare with --reference");
  }
  const bool is_cycle = options.device.starts_with("cycle");
  if (!options.trace_file.empty() && !is_cycle) return "--trace needs --sim=cycle";
  if (!options.report_file.empty() && !is_cycle) return "--report needs --sim=cycle";
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

bool parseRunOptions(int argc, char** argv, RunOptions& options, int& exit_code) {
  CLI::App app(
      "Compiles a model if needed, runs it on a simulated VTA accelerator, shows the results.");
  app.footer(kExamples);
  app.add_option("model", options.model, "ONNX model, or a module from vta-compile")->required();
  WrittenOptions written;
  addDeviceOptions(app, options, written);
  addModelOptions(app, options, written);
  addResultOptions(app, options, written);
  std::vector<char*> arguments = withSimValue(argc, argv);
  if (!parseCommandLine(app, kTool, argc, arguments.data(), exit_code)) return false;
  const std::string problem = completeOptions(written, options);
  if (problem.empty()) return true;
  exit_code = reportUsage(kTool, problem);
  return false;
}

}  // namespace vta::tools
