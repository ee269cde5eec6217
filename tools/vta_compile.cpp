// vta-compile: an ONNX model becomes a module file that vta-run and the runtime library load.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "compiler/kernel/schedule/schedule_file.h"
#include "explore/sweep/network/outline_text.h"
#include "host_gpu/backend/options.h"
#include "isa/config/extension_folder.h"
#include "module/executor_kinds.h"
#include "module/module_file.h"
#include "sim/memory/memory_config.h"
#include "tools/common/command_line.h"
#include "tools/common/compilation/model_options.h"
#include "tools/common/compilation/quantization_options.h"
#include "tools/common/compilation/schedule_options.h"
#include "tools/common/files.h"
#include "tools/common/main/run_tool.h"
#include "tools/common/names/choices.h"
#include "tools/common/operators_option.h"
#include "tools/common/output_paths.h"
#include "tools/common/print.h"
#include "tools/common/progress/progress_line.h"
#include "tools/common/terminal.h"
#include "tools/inputs/calibration.h"
#include "tools/inputs/input_files.h"

namespace vta::tools {
namespace {

constexpr const char* kTool = "vta-compile";
constexpr const char* kExamples = R"(
Examples:
  vta-compile resnet18.onnx --calibrate images/ -o resnet18.vta.so
  vta-compile model.onnx --hw configs/hw/vta-0.0.2.yaml --target armv7 --calibrate x.npy
      for a board: ARMv7 host code, programs for published bitstreams
  vta-compile model.onnx --cpu x86-64-v3 -o model.vta.so
      for every machine with AVX2, whatever this one has
  vta-compile resnet18.onnx --write-schedules s.yaml; edit s.yaml;
  vta-compile resnet18.onnx --schedules s.yaml
      how each layer runs, in a file that can be changed

Exit codes: 0 done, 1 the work failed, 2 wrong usage.)";

struct CompileToolOptions {
  std::string model;
  std::string hw_file;
  std::vector<std::string> extensions;
  std::string output;  // empty: the model's name with .vta.so
  std::string target;
  std::string cpu;
  std::string preprocess;
  std::string dump_dir;
  std::string schedules_output;
  std::string outline_output;
  QuantizationOptions quantization;
  std::map<std::string, int64_t> dimensions;
  std::vector<std::string> kernels;
  std::vector<std::string> operators;  // libraries, loaded already
  int64_t context_length = 0;
  std::vector<int64_t> prompt_chunks;
  bool last_scores = false;
  std::vector<std::string> gpu_codes;
  compiler::Partition partition = compiler::Partition::kAuto;
  PlacementChoice placement;
  codegen::GpuPrecision gpu_precision = codegen::GpuPrecision::kFloat32;
  ScheduleOptions schedules;
  uint64_t seed = 1;
  bool verify_programs = false;
  bool lists_refused = false;
  bool quantise_report = false;
  bool has_no_cache = false;
  bool json = false;
};

/// Short names of targets; anything else is taken as an LLVM triple.
std::string tripleOf(const std::string& target) {
  if (target == "armv7") return "armv7-unknown-linux-gnueabihf";
  if (target == "aarch64") return "aarch64-unknown-linux-gnu";
  if (target == "x86_64") return "x86_64-unknown-linux-gnu";
  return target;
}

/// What is about a module, which --outline does not write; an error text.
std::string checkBesideOutline(const CLI::App& app) {
  if (app.get_option("--outline")->empty()) return "";
  for (const char* option :
       {"--output", "--write-schedules", "--quantise-report", "--json", "--verify-programs",
        "--target", "--cpu", "--list-refused", "--gpu-code"}) {
    if (!app.get_option(option)->empty()) {
      return fmt::format("--outline writes no module: leave {} out", option);
    }
  }
  return "";
}

bool parseOptions(int argc, char** argv, CompileToolOptions& options, int& exit_code) {
  CLI::App app(
      "Compiles an ONNX model to a module: host code, VTA programs and weights in one file.",
      kTool);
  app.footer(kExamples);
  app.add_option("model", options.model, "ONNX model, or a language model (GGUF, llama2.c)")
      ->required();
  addHardware(app, options.hw_file);
  addExtensions(app, options.extensions);
  app.add_option("-o,--output", options.output, "Module file; default: MODEL.vta.so")
      ->type_name("FILE");
  app.add_option(
         "--target", options.target,
         "Machine of the host code: x86_64, aarch64, armv7 or an LLVM triple; default: this "
         "one")
      ->type_name("NAME")
      ->check(Offered({"x86_64", "aarch64", "armv7"}));
  app.add_option("--cpu", options.cpu,
                 "CPU of the host code, as LLVM calls it: x86-64-v3, cortex-a9, ...; default: this "
                 "one, or what every machine of --target has")
      ->type_name("NAME");
  addRepeatable(app, "--gpu-code", options.gpu_codes,
                "Give kernels for GPUs code in this form, too: wgsl, or an architecture of AMD's "
                "GPUs (gfx90a, gfx1100, ...); may be repeated")
      ->type_name("NAME");
  groupOptions(app, "What it is for");
  addQuantization(app, options.quantization);
  addPreprocess(app, options.preprocess);
  app.add_option("--seed", options.seed, "Seed of random calibration data without --calibrate")
      ->check(seedRange());
  groupOptions(app, "Quantisation");
  addPartition(app, options.partition);
  addPlacement(app, options.placement);
  addGpuPrecision(app, options.gpu_precision);
  addSchedules(app, options.schedules);
  app.add_option("--dram", options.schedules.memory,
                 "Choose schedules for this memory: a name that vta-info lists, or a YAML file; "
                 "default: the simple memory")
      ->type_name("NAME|FILE")
      ->check(Offered(sim::builtinMemoryNames));
  app.add_option("--write-schedules", options.schedules_output,
                 "Write the schedule of every layer on the VTA, to be edited and read again by "
                 "--schedules")
      ->type_name("FILE");
  app.add_option("--outline", options.outline_output,
                 "Write the network's outline instead of a module: all that its cycles depend on "
                 "but schedules, for the page of scripts/web")
      ->type_name("FILE")
      ->check([](const std::string& name) { return name.empty() ? "it has no name" : ""; });
  app.add_flag(
      "--list-refused", options.lists_refused,
      "Write the nodes that cannot be compiled, each with the reason, as JSON to --output, "
      "or print them, instead of a module");
  std::vector<std::string> dimensions;
  addShapes(app, dimensions);
  addContextLength(app, options.context_length);
  addPromptChunk(app, options.prompt_chunks);
  addLastScores(app, options.last_scores);
  addKernels(app, options.kernels);
  addOperators(app, options.operators);
  groupOptions(app, "Compilation");
  app.add_flag("--quantise-report", options.quantise_report,
               "Print the range, scale and error of every quantised tensor, and which weights of a "
               "quantised model had to change");
  app.add_flag("--json", options.json, "Print one JSON object instead of text");
  app.add_flag("--verify-programs", options.verify_programs,
               "Prove every program free of races, deadlocks and bad accesses");
  addDumpIr(app, options.dump_dir);
  addNoCache(app, options.has_no_cache);
  groupOptions(app, "Reports and checks");
  if (!parseCommandLine(app, kTool, argc, argv, exit_code)) return false;
  if (const Status status = parseDimensions(dimensions, options.dimensions); !status.ok()) {
    exit_code = reportUsage(kTool, status.message());
    return false;
  }
  const std::string problem = checkQuantization(options.quantization);
  if (!problem.empty()) {
    exit_code = reportUsage(kTool, problem);
    return false;
  }
  if (options.last_scores && chunksOf(options.prompt_chunks).front() == 1) {
    exit_code = reportUsage(kTool, "--last-scores needs --prompt-chunk: one word is the last one");
    return false;
  }
  if (!options.schedules_output.empty() && options.schedules_output == options.output) {
    exit_code = reportUsage(kTool, "--write-schedules and --output name the same file");
    return false;
  }
  if (const std::string beside = checkBesideOutline(app); !beside.empty()) {
    exit_code = reportUsage(kTool, beside);
    return false;
  }
  if (options.output.empty() && !options.lists_refused) {
    options.output = std::filesystem::path(options.model).replace_extension(".vta.so").string();
  }
  return true;
}

Status checkFiles(const CompileToolOptions& options) {
  PathUse use;
  use.inputs = {{"the model", options.model},
                {"--hw", options.hw_file},
                {"--preprocess", options.preprocess},
                {"--schedules", options.schedules.file},
                {"--tuned", options.schedules.tuned_file}};
  for (const std::string& input : options.quantization.calibrate) {
    use.inputs.push_back({"--calibrate", pathOf(input)});
  }
  for (const std::string& file : options.kernels) use.inputs.push_back({"--kernels", file});
  for (const std::string& file : options.operators) use.inputs.push_back({"--operators", file});
  use.outputs = {{"--output", options.output}, {"--write-schedules", options.schedules_output}};
  if (!options.outline_output.empty()) use.outputs = {{"--outline", options.outline_output}};
  use.output_folders = {{"--dump-ir", options.dump_dir}};
  VTA_RETURN_IF_ERROR(requireRegularFile(options.model));
  VTA_RETURN_IF_ERROR(checkPaths(use));
  return checkPreprocess(options.preprocess, options.quantization.isCalibrated());
}

Result<HwConfig> chooseHw(const CompileToolOptions& options) {
  HwConfig hw = HwConfig::makeDefault();
  if (!options.hw_file.empty()) {
    VTA_ASSIGN_OR_RETURN(hw, loadHwConfig(options.hw_file));
  }
  return withExtensions(hw, options.extensions);
}

/// The model with everything that the options say about its compilation.
struct PreparedModel {
  std::shared_ptr<const compiler::Model> model;
  compiler::CompileOptions options;
};

Result<PreparedModel> prepareModel(const CompileToolOptions& options, const HwConfig& hw,
                                   std::vector<std::string>& warnings) {
  PreparedModel prepared;
  compiler::CompileOptions& compile_options = prepared.options;
  compile_options.hw = hw;
  VTA_ASSIGN_OR_RETURN(
      prepared.model,
      compiler::Model::loadChunks(options.model, options.dimensions,
                                  sampleShapes(options.quantization.calibrate),
                                  options.quantization.static_ranges, options.context_length,
                                  chunksOf(options.prompt_chunks), options.last_scores));
  compile_options.partition = options.partition;
  VTA_ASSIGN_OR_RETURN(compile_options.kernels, readKernelFiles(options.kernels));
  VTA_RETURN_IF_ERROR(applyPlacement(options.placement, compile_options));
  applyGpuPrecision(options.gpu_precision, compile_options);
  VTA_RETURN_IF_ERROR(applyQuantization(options.quantization, compile_options.quantize));
  compile_options.quantize.measure_errors = options.quantise_report;
  compile_options.build.code.target.triple = tripleOf(options.target);
  compile_options.build.code.target.cpu = options.cpu;
  VTA_RETURN_IF_ERROR(applySchedules(options.schedules, compile_options, warnings));
  codegen::GpuOptions of_gpu = codegen::gpuOptionsOf(compile_options.build.code);
  of_gpu.codes = options.gpu_codes;
  codegen::setGpuOptions(compile_options.build.code, std::move(of_gpu));
  compile_options.build.verify_programs = options.verify_programs;
  compile_options.dump_directory = options.dump_dir;
  if (!options.has_no_cache) compiler::keepCode(compile_options);
  if (compiler::quantizes(options.partition)) {
    const compiler::ModelSignature& signature = prepared.model->signature();
    VTA_ASSIGN_OR_RETURN(
        compile_options.quantize.samples,
        loadCalibration({options.quantization.calibrate, options.preprocess}, signature,
                        SampleSet::random(inputsOf(signature), options.seed), warnings));
    compile_options.quantize.has_random_samples = !options.quantization.isCalibrated();
  }
  return prepared;
}

Result<compiler::CompiledModule> compileModel(const CompileToolOptions& options, const HwConfig& hw,
                                              std::vector<std::string>& warnings) {
  VTA_ASSIGN_OR_RETURN(PreparedModel prepared, prepareModel(options, hw, warnings));
  ProgressLine progress;
  hearProgress(prepared.options, [&](const std::string& phase, int64_t done, int64_t total) {
    progress.update(phase, static_cast<double>(done), total);
  });
  return prepared.model->compile(prepared.options);
}

Status writeOutline(const CompileToolOptions& options, const HwConfig& hw,
                    std::vector<std::string>& warnings) {
  VTA_ASSIGN_OR_RETURN(const PreparedModel prepared, prepareModel(options, hw, warnings));
  VTA_ASSIGN_OR_RETURN(const auto quantized, prepared.model->quantize(prepared.options));
  VTA_ASSIGN_OR_RETURN(const compiler::ModuleOutline outline, quantized->outline(prepared.options));
  VTA_RETURN_IF_ERROR(writeFile(options.outline_output, sweep::encodeOutline(outline)));
  print("{}: {} programs for the VTA in {} steps\n", options.outline_output, outline.kernels.size(),
        outline.info.steps.size());
  return {};
}

Status listRefused(const CompileToolOptions& options) {
  VTA_ASSIGN_OR_RETURN(const std::vector<compiler::RefusedNode> nodes,
                       compiler::refusedNodes(options.model));
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const compiler::RefusedNode& node : nodes) {
    json.push_back({{"index", node.index},
                    {"name", node.name},
                    {"operator", node.operator_name},
                    {"reason", node.reason}});
  }
  const std::string text =
      json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  if (!options.output.empty()) return writeFile(options.output, text);
  printRaw(text);
  return {};
}

/// Layers by what rounding their results does to the outputs.
std::string damageTable(const compiler::CompileReport& report) {
  Table table({{"layer"}, {"damage dB", Table::Align::kRight}});
  for (const compiler::LayerDamage& layer : report.quantized.damage) {
    const std::string decibels =
        layer.damage > 0 ? fmt::format("{:.1f}", 10 * std::log10(layer.damage)) : "none";
    table.addRow({layer.layer, decibels});
  }
  return table.toString() +
         "Damage: noise over signal of the outputs when this layer's result alone is rounded.\n";
}

std::string quantiseTable(const compiler::CompileReport& report) {
  using Align = Table::Align;
  Table table({{"tensor"},
               {"scale", Align::kRight},
               {"zero point", Align::kRight},
               {"min", Align::kRight},
               {"max", Align::kRight},
               {"SNR dB", Align::kRight},
               {"mean error", Align::kRight},
               {"largest", Align::kRight}});
  for (const compiler::QuantizedActivation& tensor : report.quantized.activations) {
    const auto& error = tensor.error;
    table.addRow({tensor.name, fmt::format("{:.6g}", tensor.scale),
                  fmt::format("{}", tensor.zero_point), fmt::format("{:.6g}", tensor.min),
                  fmt::format("{:.6g}", tensor.max),
                  error ? fmt::format("{:.1f}", error->signal_to_noise_db) : "",
                  error ? fmt::format("{:.2f}", error->mean_steps) : "",
                  error ? fmt::format("{:.1f}", error->max_steps) : ""});
  }
  std::string text = table.toString() + "Errors are in steps of the tensor's scale.\n";
  if (!report.quantized.damage.empty()) text += damageTable(report);
  if (report.quantized.constant_channels > 0) {
    text += fmt::format("{} channels that are constant are left out\n",
                        report.quantized.constant_channels);
  }
  for (const std::string& layer : report.quantized.wide_activations) {
    text += fmt::format("the result of {} keeps more than 8 bits\n", layer);
  }
  for (const compiler::RescaledWeights& weights : report.quantized.rescaled_weights) {
    text += fmt::format("weights of {} rescaled: {} of {} channels\n", weights.layer,
                        weights.changed, weights.channels);
  }
  return text;
}

nlohmann::ordered_json tensorsAsJson(const compiler::CompileReport& report) {
  nlohmann::ordered_json tensors = nlohmann::ordered_json::array();
  for (const compiler::QuantizedActivation& tensor : report.quantized.activations) {
    tensors.push_back({{"name", tensor.name},
                       {"scale", tensor.scale},
                       {"zero_point", tensor.zero_point},
                       {"min", tensor.min},
                       {"max", tensor.max}});
    if (!tensor.error) continue;
    // JSON has no infinity: null where nothing differs.
    tensors.back()["signal_to_noise_db"] = tensor.error->signal_to_noise_db;
    tensors.back()["mean_error_steps"] = tensor.error->mean_steps;
    tensors.back()["max_error_steps"] = tensor.error->max_steps;
  }
  return tensors;
}

nlohmann::ordered_json rescaledAsJson(const compiler::CompileReport& report) {
  nlohmann::ordered_json layers = nlohmann::ordered_json::array();
  for (const compiler::RescaledWeights& weights : report.quantized.rescaled_weights) {
    layers.push_back({{"layer", weights.layer},
                      {"channels_changed", weights.changed},
                      {"channels", weights.channels}});
  }
  return layers;
}

nlohmann::ordered_json damageAsJson(const compiler::CompileReport& report) {
  nlohmann::ordered_json layers = nlohmann::ordered_json::array();
  for (const compiler::LayerDamage& layer : report.quantized.damage) {
    layers.push_back({{"layer", layer.layer}, {"damage", layer.damage}});
  }
  return layers;
}

std::string jsonSummary(const CompileToolOptions& options, const compiler::CompiledModule& module,
                        const ModuleInfo& info) {
  const compiler::QuantizeReport& quantized = module.report.quantized;
  const nlohmann::ordered_json json = {
      {"model", info.model},
      {"file", options.output},
      {"bytes", module.elf.size()},
      {"target", info.target_triple},
      {"hw", info.hw() != nullptr ? nlohmann::ordered_json(info.hw()->name())
                                  : nlohmann::ordered_json(nullptr)},
      {"programs", info.kernelCount()},
      {"host_arena_bytes", info.hostArenaBytes()},
      {"device_arena_bytes", info.deviceArenaBytes()},
      {"quantised", tensorsAsJson(module.report)},
      {"rescaled_weights", rescaledAsJson(module.report)},
      {"damage", damageAsJson(module.report)},
      {"float_layers", quantized.float_layers},
      {"wide_activations", quantized.wide_activations},
      {"constant_channels", quantized.constant_channels},
      {"seconds",
       {{"import", module.report.import_seconds},
        {"quantise", module.report.quantize_seconds},
        {"compile", module.report.compile_seconds}}},
      {"peak_memory_bytes", peakMemoryBytes()}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Status compileToFile(const CompileToolOptions& options) {
  std::vector<std::string> warnings;
  VTA_RETURN_IF_ERROR(checkFiles(options));
  if (options.lists_refused) return listRefused(options);
  VTA_ASSIGN_OR_RETURN(const HwConfig hw, chooseHw(options));
  if (!options.outline_output.empty()) {
    const Status status = writeOutline(options, hw, warnings);
    for (const std::string& warning : warnings) reportWarning(kTool, warning);
    return status;
  }
  VTA_ASSIGN_OR_RETURN(const compiler::CompiledModule module, compileModel(options, hw, warnings));
  for (const std::string& warning : warnings) reportWarning(kTool, warning);
  for (const std::string& warning : module.report.warnings) reportWarning(kTool, warning);
  VTA_ASSIGN_OR_RETURN(const ModuleView view, viewModule(module.elf));
  const bool uses_gpu = std::ranges::any_of(
      view.info.executors, [](const ExecutorInfo& executor) { return executor.kind == kGpuKind; });
  if (!options.gpu_codes.empty() && !uses_gpu) {
    reportWarning(kTool, "no layer runs on a GPU, so that --gpu-code changes nothing");
  }
  if (!options.schedules_output.empty()) {
    VTA_RETURN_IF_ERROR(
        writeFile(options.schedules_output, kernel::schedulesToYaml(module.report.schedules, hw)));
  }
  VTA_RETURN_IF_ERROR(writeFile(options.output, module.elf));
  if (options.json) {
    printRaw(jsonSummary(options, module, view.info));
    return {};
  }
  if (options.quantise_report) printText(quantiseTable(module.report));
  print("{}: {}, {} programs for the VTA, activations {} on the device and {} on the host\n",
        options.output, formatBytes(module.elf.size()), view.info.kernelCount(),
        formatBytes(view.info.deviceArenaBytes()), formatBytes(view.info.hostArenaBytes()));
  print("import {}, quantise {}, compile {}; peak memory {}\n",
        formatSeconds(module.report.import_seconds), formatSeconds(module.report.quantize_seconds),
        formatSeconds(module.report.compile_seconds), formatBytes(peakMemoryBytes()));
  return {};
}

}  // namespace
}  // namespace vta::tools

int main(int argc, char** argv) {
  using namespace vta::tools;
  return runTool<CompileToolOptions>(kTool, argc, argv, parseOptions, compileToFile);
}
