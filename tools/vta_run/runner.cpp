#include "tools/vta_run/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/clock.h"
#include "compiler/compile.h"
#include "driver/devices/registry.h"
#include "module/module_file.h"
#include "tools/inputs/calibration.h"
#include "tools/inputs/preprocess.h"

namespace vta::tools {
namespace {

using compiler::Partition;

bool isModuleFile(const std::string& path) {
  std::array<std::byte, 4> start{};
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(start.data()), start.size());
  return file.gcount() == static_cast<std::streamsize>(start.size()) && looksLikeModule(start);
}

Result<HwConfig> chooseHw(const RunOptions& options) {
  if (options.hw_file.empty()) return HwConfig::makeDefault();
  return loadHwConfig(options.hw_file);
}

std::vector<InputSpec> inputsOf(const ModuleInfo& info) {
  std::vector<InputSpec> inputs;
  for (const PortInfo& port : info.inputs) {
    const TensorInfo& tensor = info.tensors[port.tensor];
    inputs.push_back({port.name, tensor.dtype, tensor.shape});
  }
  return inputs;
}

/// A module cannot be compiled once more, so options that say how would be ignored.
Status refuseCompilerOptions(const RunOptions& options) {
  const std::pair<bool, const char*> given[] = {
      {!options.calibrate.empty(), "--calibrate"},
      {options.calibration_method != RunOptions().calibration_method, "--calibration-method"},
      {!options.float_layers.empty(), "--float-layers"},
      {options.partition != RunOptions().partition, "--partition"},
      {options.schedules.is_given, "--schedules"},
      {!options.dimensions.empty(), "--shape"},
      {!options.dump_dir.empty(), "--dump-ir"},
      {options.compare_float, "--compare-float"}};
  for (const auto& [is_given, name] : given) {
    if (!is_given) continue;
    return invalidArgument(fmt::format(
        "{}: '{}' is compiled already; leave the option out or give the ONNX model in its place",
        name, options.model));
  }
  return {};
}

}  // namespace

Status Runner::openSamples(const RunOptions& options, const std::vector<InputSpec>& inputs) {
  if (options.inputs.empty()) {
    samples_ = SampleSet::random(inputs, options.seed);
    return {};
  }
  VTA_ASSIGN_OR_RETURN(const Preprocess preprocess, choosePreprocess(options.preprocess, inputs));
  VTA_ASSIGN_OR_RETURN(samples_, SampleSet::open(options.inputs, inputs, preprocess));
  return {};
}

Result<std::shared_ptr<const driver::LoadedModule>> Runner::loadFile(const RunOptions& options) {
  VTA_RETURN_IF_ERROR(refuseCompilerOptions(options));
  VTA_ASSIGN_OR_RETURN(auto module, driver::LoadedModule::load(options.model));
  VTA_RETURN_IF_ERROR(openSamples(options, inputsOf(module->info())));
  if (!module->hw()) samples_->allowNonFinite();
  return module;
}

Result<std::shared_ptr<const driver::LoadedModule>> Runner::compile(
    const RunOptions& options, Partition partition, const HwConfig& hw, ProgressLine& progress,
    std::vector<std::string>& warnings) {
  if (!model_) {
    VTA_ASSIGN_OR_RETURN(model_, compiler::Model::load(options.model, options.dimensions));
  }
  VTA_RETURN_IF_ERROR(openSamples(options, inputsOf(model_->signature())));
  if (partition == Partition::kCpu) samples_->allowNonFinite();

  compiler::CompileOptions compile_options;
  compile_options.hw = hw;
  compile_options.partition = partition;
  VTA_RETURN_IF_ERROR(applySchedules(options.schedules, compile_options));
  compile_options.quantize.float_layers = options.float_layers;
  compile_options.quantize.method = options.calibration_method;
  compile_options.dump_directory = options.dump_dir;
  compile_options.progress = [&](const std::string& phase, int64_t done, int64_t total) {
    progress.update(phase, done, total);
  };
  if (partition != Partition::kCpu) {
    const CalibrationOptions calibration = {options.calibrate, options.preprocess};
    VTA_ASSIGN_OR_RETURN(compile_options.quantize.samples,
                         loadCalibration(calibration, model_->signature(), *samples_, warnings));
  }
  auto compiled = model_->compile(compile_options);
  progress.clear();
  if (!compiled.ok()) return compiled.status();
  seconds_.import = compiled->report.import_seconds;
  seconds_.quantise = compiled->report.quantize_seconds;
  seconds_.compile = compiled->report.compile_seconds;
  warnings.insert(warnings.end(), compiled->report.warnings.begin(),
                  compiled->report.warnings.end());
  return driver::LoadedModule::fromMemory(compiled->elf);
}

Status Runner::runSamples(const driver::Pipeline::Sink& sink) {
  const auto source = [&](int64_t index) -> Result<driver::Pipeline::Input> {
    VTA_ASSIGN_OR_RETURN(TensorMap tensors, samples_->load(index));
    const std::string name = samples_->size() == 1 ? "" : samples_->name(index);
    return driver::Pipeline::Input{name, std::move(tensors)};
  };
  return pipeline_->run(samples_->size(), source, sink);
}

Result<driver::RunResult> Runner::run(const TensorMap& inputs) {
  driver::RunResult result;
  VTA_RETURN_IF_ERROR(pipeline_->run(
      1,
      [&](int64_t) -> Result<driver::Pipeline::Input> {
        return driver::Pipeline::Input{"", inputs};
      },
      [&](int64_t, const driver::Pipeline::Input&, driver::RunResult run) -> Status {
        result = std::move(run);
        return {};
      }));
  return result;
}

Result<std::unique_ptr<Runner>> Runner::create(const RunOptions& options, Partition partition,
                                               ProgressLine& progress,
                                               std::vector<std::string>& warnings,
                                               const Runner* lender) {
  std::unique_ptr<Runner> runner(new Runner());
  if (lender) runner->model_ = lender->model_;
  VTA_ASSIGN_OR_RETURN(HwConfig hw, chooseHw(options));
  Clock::time_point start = Clock::now();
  std::shared_ptr<const driver::LoadedModule> module;
  if (isModuleFile(options.model)) {
    VTA_ASSIGN_OR_RETURN(module, runner->loadFile(options));
    // Without --hw, simulate what the module was built for.
    if (options.hw_file.empty() && module->hw()) hw = *module->hw();
  } else {
    VTA_ASSIGN_OR_RETURN(module, runner->compile(options, partition, hw, progress, warnings));
    start = Clock::now();
  }
  if (module->hw()) {
    const auto tell = [&](const std::string& what) { progress.update(what, 0, 0); };
    auto device = driver::createDevice(options.device, hw, tell);
    progress.clear();
    VTA_ASSIGN_OR_RETURN(runner->device_, std::move(device));
  }
  driver::SessionOptions session_options;
  session_options.verify = options.verify;
  session_options.per_layer = options.profile || options.json || !options.report_file.empty();
  session_options.trace = !options.trace_file.empty() || !options.report_file.empty();
  session_options.num_threads = options.threads;
  const int lanes =
      lender == nullptr && runner->samples_->size() > 1 ? driver::Pipeline::kMeasured : 1;
  VTA_ASSIGN_OR_RETURN(runner->pipeline_, driver::Pipeline::create(module, runner->device_.get(),
                                                                   session_options, lanes));
  runner->seconds_.load = secondsSince(start);
  return runner;
}

}  // namespace vta::tools
