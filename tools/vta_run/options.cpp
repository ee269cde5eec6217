#include "tools/vta_run/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string_view>
#include <utility>

#include "isa/module/module_info.h"
#include "tools/common/cli.h"
#include "tools/common/terminal.h"

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

Exit codes: 0 done, 1 the work failed, 2 wrong usage.)";

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

/// The arguments with a bare `--sim` spelt out: its value is taken only with an equals sign, so
/// that a file may follow.
std::vector<char*> withSimValue(int argc, char** argv) {
  static char cycle[] = "--sim=cycle";
  std::vector<char*> arguments(argv, argv + argc);
  for (char*& argument : arguments) {
    if (std::string_view(argument) == "--sim") argument = cycle;
  }
  arguments.push_back(nullptr);
  return arguments;
}

}  // namespace

bool parseRunOptions(int argc, char** argv, RunOptions& options, int& exit_code) {
  CLI::App app(
      "Compiles a model if needed, runs it on a simulated VTA accelerator, shows the results.",
      "vta-run");
  app.footer(kExamples);
  app.set_version_flag("--version", fmt::format("vta-run {}", sdkVersion()));
  app.add_option("model", options.model, "ONNX model, or a module from vta-compile")->required();
  std::string sim;
  app.add_option("--sim", sim,
                 "Simulator: cycle (the default, also without a value): values and exact cycle "
                 "counts; functional: values only; checked: values, and it looks for races and "
                 "uninitialised reads; rtl: the Verilated hardware")
      ->type_name("[=NAME]");
  std::string dram;
  app.add_option(
         "--dram", dram,
         "DRAM whose timing the cycle and rtl simulators have: simple (the default), a preset such "
         "as DDR3-1066, or a YAML file")
      ->type_name("NAME|FILE");
  app.add_flag("--timing-only", options.timing_only,
               "Count cycles but compute no values on the VTA: outputs mean nothing");
  std::string waves;
  app.add_option("--waves", waves, "Write waveforms (FST) of the RTL to this file; --sim=rtl only")
      ->type_name("FILE");
  std::string waves_from;
  std::string waves_to;
  app.add_option("--waves-from", waves_from, "First instruction of the waveforms, by its number")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--waves-to", waves_to, "Last instruction of the waveforms")
      ->check(CLI::NonNegativeNumber);
  std::string device;
  app.add_option("--device", device, "Device to run on; this build has simulators only");
  app.add_option("--hw", options.hw_file, "Accelerator configuration (YAML); default: built in")
      ->type_name("FILE");
  std::string host = "cpu";
  app.add_option("--host", host, "Where other operators run; this build has cpu")
      ->check(CLI::IsMember({"cpu", "gpu"}));
  app.add_option("--input,-i", options.inputs,
                 "Input: JPEG, PNG, .npy, .npz, .pb, or a folder; may be repeated. Without it: "
                 "seeded random data")
      ->type_name("[NAME=]FILE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--preprocess", options.preprocess,
                 "How images become inputs: imagenet, none or a YAML file")
      ->type_name("imagenet|none|FILE");
  app.add_option("--calibrate", options.calibrate,
                 "Typical inputs for choosing integer ranges; same kinds of file as --input")
      ->type_name("[NAME=]FILE|DIR")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  addCalibrationMethod(app, options.calibration_method);
  addFloatLayers(app, options.float_layers);
  addPartition(app, options.partition);
  std::vector<std::string> dimensions;
  addShapes(app, dimensions);
  app.add_option("--labels", options.labels_file, "Names of the classes, one per line")
      ->type_name("FILE");
  app.add_option("--labels-csv", options.labels_csv,
                 "Lines FILE,CLASS: score top-1 and top-5 over the inputs")
      ->type_name("FILE");
  app.add_flag("--compare-float", options.compare_float,
               "Also run the float model on the CPU and report how often the classes agree");
  app.add_option("--top", options.top, "How many classes to show")->check(CLI::Range(1, 1000));
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
  const CLI::Option* energy =
      app.add_option("--energy", options.energy_table,
                     "Figures for the energy that --profile, --report and --json estimate: 45nm "
                     "(the default), 7nm, or a YAML file")
          ->type_name("NAME|FILE");
  app.add_flag("--json", options.json, "Print one JSON object instead of text");
  app.add_option("--threads", options.threads,
                 "Threads for host operators; default: all processors")
      ->check(CLI::Range(1, 1024));
  app.add_option("--seed", options.seed, "Seed of random inputs");
  app.add_option("--dump-ir", options.dump_dir, "Write the compiler's IR after every phase here")
      ->type_name("DIR");

  std::vector<char*> arguments = withSimValue(argc, argv);
  if (!parseCommandLine(app, "vta-run", argc, arguments.data(), exit_code)) return false;
  const auto wrongUsage = [&](const std::string& text) {
    fmt::print(stderr, "vta-run: error: {}\n", text);
    exit_code = kExitUsage;
    return false;
  };
  if (!device.empty()) {
    return wrongUsage(fmt::format("--device={}: this build drives no hardware; use --sim", device));
  }
  if (host == "gpu") return wrongUsage("--host=gpu: this build has no GPU backend; use --host=cpu");
  if (const std::string problem = simToDevice(sim, dram, options.timing_only, options.device);
      !problem.empty()) {
    return wrongUsage(problem);
  }
  if (!waves.empty()) {
    if (sim != "rtl") return wrongUsage("--waves needs --sim=rtl");
    if (waves.find(',') != std::string::npos) {
      return wrongUsage("--waves: the file's name must not have a comma");
    }
    options.device += fmt::format("{}waves={}", dram.empty() ? ':' : ',', waves);
    if (!waves_from.empty()) options.device += fmt::format(",waves-from={}", waves_from);
    if (!waves_to.empty()) options.device += fmt::format(",waves-to={}", waves_to);
  } else if (!waves_from.empty() || !waves_to.empty()) {
    return wrongUsage("--waves-from and --waves-to need --waves");
  }
  if (const Status status = parseDimensions(dimensions, options.dimensions); !status.ok()) {
    return wrongUsage(status.message());
  }
  if (options.timing_only && (options.verify || !options.reference.empty())) {
    return wrongUsage(fmt::format("--timing-only computes no values to {}",
                                  options.verify ? "verify" : "compare with --reference"));
  }
  if (!options.trace_file.empty() && !options.device.starts_with("cycle")) {
    return wrongUsage("--trace needs --sim=cycle");
  }
  if (!options.report_file.empty() && !options.device.starts_with("cycle")) {
    return wrongUsage("--report needs --sim=cycle");
  }
  if (energy->count() > 0 && !options.profile && !options.json && options.report_file.empty()) {
    return wrongUsage("--energy needs --profile, --report or --json");
  }
  if (!options.labels_csv.empty() && options.inputs.empty()) {
    return wrongUsage("--labels-csv needs --input");
  }
  return true;
}

}  // namespace vta::tools
