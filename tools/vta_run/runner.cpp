#include "tools/vta_run/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "driver/device_registry.h"
#include "driver/gpu/gpu_registry.h"
#include "module/module_file.h"
#include "tools/common/files.h"
#include "tools/common/progress/progress_line.h"
#include "tools/inputs/preprocess.h"

#include "tools/vta_run/explain_layer.h"

namespace vta::tools {
namespace {

std::vector<InputSpec> inputsOf(const ModuleInfo& info) {
  std::vector<InputSpec> inputs;
  for (const PortInfo& port : info.inputs) {
    const TensorInfo& tensor = info.tensors[port.tensor];
    inputs.push_back({port.name, tensor.dtype, tensor.shape, port.index_extent});
  }
  return inputs;
}

/// A module cannot be compiled once more, so options that say how would be ignored.
Status refuseCompilerOptions(const RunOptions& options, const RunFeatures& features) {
  std::string given = features.compiler == nullptr ? "" : features.compiler->givenOption();
  if (options.compare_float) given = "--compare-float";
  if (given.empty()) return {};
  return invalidArgument(fmt::format(
      "{}: '{}' is compiled already; leave the option out or give the ONNX model in its place",
      given, options.model));
}

/// On hardware a launch takes milliseconds, and one that hangs is to be noticed soon. A remote
/// device may be busy with other clients.
std::chrono::milliseconds launchTimeout(const RunOptions& options, bool is_hardware) {
  constexpr double kHardwareSeconds = 60;
  constexpr double kOtherSeconds = 600;
  double seconds = options.timeout_seconds;
  if (seconds == 0) {
    const bool is_here = is_hardware && options.device.name != "remote";
    seconds = is_here ? kHardwareSeconds : kOtherSeconds;
  }
  return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1e3));
}

/// Whether the option is there to be chosen, and its cycles are found without long waiting.
bool hasChoice(const RunOptions& options, const RunFeatures& features, const Runner& runner) {
  return features.compiler != nullptr && features.compiler->rescalesExactly() &&
         options.device.name == "cycle" && runner.hw() != nullptr && runner.hw()->params().ext_qmul;
}

/// The same run, without what it leaves for the user.
RunOptions timingOnly(const RunOptions& options) {
  RunOptions timed = options;
  timed.device.options["timing-only"] = "";
  timed.timing_only = true;
  timed.verify = timed.json = timed.compare_float = false;
  timed.profile = ProfileDetail::kNone;
  for (std::string* file :
       {&timed.profile_csv, &timed.trace_file, &timed.report_file, &timed.dump_dir}) {
    file->clear();
  }
  return timed;
}

}  // namespace

bool isModuleFile(const std::string& path) {
  std::array<std::byte, 4> start{};
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(start.data()), start.size());
  return file.gcount() == static_cast<std::streamsize>(start.size()) && looksLikeModule(start);
}

Status Runner::openSamples(const RunOptions& options, const std::vector<InputSpec>& inputs) {
  if (options.inputs.empty()) {
    samples_ = SampleSet::random(inputs, options.seed);
    return {};
  }
  VTA_ASSIGN_OR_RETURN(const Preprocess preprocess,
                       choosePreprocess(options.preprocess, shapesOf(inputs)));
  VTA_ASSIGN_OR_RETURN(samples_, SampleSet::open(options.inputs, inputs, preprocess));
  return {};
}

Result<std::shared_ptr<const driver::LoadedModule>> Runner::loadFile(const RunOptions& options,
                                                                     const RunFeatures& features) {
  VTA_RETURN_IF_ERROR(refuseCompilerOptions(options, features));
  VTA_ASSIGN_OR_RETURN(auto module, driver::LoadedModule::load(options.model));
  VTA_RETURN_IF_ERROR(openSamples(options, inputsOf(module->info())));
  if (!module->hw()) samples_->allowNonFinite();
  return module;
}

Result<std::shared_ptr<const driver::LoadedModule>> Runner::compile(
    const RunOptions& options, const RunFeatures& features, const HwConfig& hw,
    CompileVariant variant, ProgressLine& progress, std::vector<std::string>& warnings) {
  if (features.compiler == nullptr) {
    return invalidArgument(fmt::format(
        "'{}' is no module, and this vta-run has no compiler; make one with vta-compile",
        options.model));
  }
  VTA_ASSIGN_OR_RETURN(const auto inputs, features.compiler->readModel(options));
  VTA_RETURN_IF_ERROR(openSamples(options, inputs));
  if (features.compiler->isFloat(variant)) samples_->allowNonFinite();
  return features.compiler->compile(options, hw, variant, *samples_,
                                    {progress, warnings, seconds_});
}

/// The module's file goes to the server as it is: it may be one for another processor.
Status Runner::openRemote(const RunOptions& options, const RunFeatures& features) {
  if (!isModuleFile(options.model)) {
    return invalidArgument(fmt::format(
        "--remote-module: '{}' is no module; make one for the server's processor with vta-compile "
        "--target",
        options.model));
  }
  VTA_RETURN_IF_ERROR(refuseCompilerOptions(options, features));
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> file, readFile(options.model));
  VTA_ASSIGN_OR_RETURN(remote_, features.open_remote(file, options.device));
  return openSamples(options, inputsOf(remote_->info()));
}

Status Runner::createDevice(const RunOptions& options, const HwConfig& hw, ProgressLine& progress) {
  const auto tell = [&](const std::string& what) { progress.update(what, 0, 0); };
  // Who verifies wants to know which layer differs and why.
  const driver::DeviceSpec spec =
      options.verify ? driver::withoutSelfTest(options.device) : options.device;
  auto device = driver::createDevice(spec, hw, tell);
  progress.clear();
  VTA_ASSIGN_OR_RETURN(device_, std::move(device));
  return {};
}

Result<driver::DeviceMap> Runner::createDevices(const RunOptions& options, const ModuleInfo& info,
                                                const std::optional<HwConfig>& hw,
                                                ProgressLine& progress) {
  driver::DeviceMap devices;
  for (const ExecutorInfo& executor : info.executors) {
    if (executor.kind == kVtaKind) {
      // Without --hw, the device is what the module was built for.
      if (!device_) VTA_RETURN_IF_ERROR(createDevice(options, hw ? *hw : *info.hw(), progress));
      devices[executor.name] = device_.get();
    } else if (executor.kind == kGpuKind) {
      if (!gpu_) {
        VTA_ASSIGN_OR_RETURN(gpu_, driver::openGpu(options.gpu));
      }
      devices[executor.name] = gpu_.get();
    }
  }
  return devices;
}

Result<driver::Pipeline::Input> Runner::sample(int64_t index) {
  VTA_ASSIGN_OR_RETURN(TensorMap tensors, samples_->load(index));
  const std::string name = samples_->size() == 1 ? "" : samples_->name(index);
  return driver::Pipeline::Input{name, std::move(tensors)};
}

Status Runner::runSamples(const driver::Pipeline::Sink& sink) {
  if (pipeline_) {
    return pipeline_->run(
        samples_->size(), [&](int64_t index) { return sample(index); }, sink);
  }
  for (int64_t index = 0; index < samples_->size(); ++index) {
    VTA_ASSIGN_OR_RETURN(const driver::Pipeline::Input input, sample(index));
    auto result = remote_->run(input.tensors);
    if (!result.ok() && !input.name.empty()) return result.status().withContext(input.name);
    VTA_RETURN_IF_ERROR(result.status());
    VTA_RETURN_IF_ERROR(sink(index, input, *std::move(result)));
  }
  return {};
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

Status Runner::dumpTensors(const RunOptions& options, const ModuleInfo& info,
                           driver::SessionOptions& session) {
  if (options.dump_dir.empty()) return {};
  if (samples_->size() > 1) {
    return invalidArgument(fmt::format(
        "--dump-tensors is about one input, and there are {}; give one of them", samples_->size()));
  }
  VTA_ASSIGN_OR_RETURN(dump_, TensorDump::create(options.dump_dir, info));
  session.observe = [this](const driver::StepResult& result) { return dump_->add(result); };
  return {};
}

Result<std::unique_ptr<Runner>> Runner::create(const RunOptions& options,
                                               const RunFeatures& features, CompileVariant variant,
                                               ProgressLine& progress,
                                               std::vector<std::string>& warnings,
                                               const Runner* beside) {
  std::unique_ptr<Runner> runner(new Runner());
  if (beside != nullptr) {
    runner->device_ = beside->device_;
    runner->gpu_ = beside->gpu_;
  }
  if (options.remote_module) {
    const Clock::time_point start = Clock::now();
    VTA_RETURN_IF_ERROR(runner->openRemote(options, features));
    runner->seconds_.load = secondsSince(start);
    return runner;
  }
  std::optional<HwConfig> hw;
  if (!options.hw_file.empty() || !options.extensions.empty()) {
    VTA_ASSIGN_OR_RETURN(hw, features.read_hw(options.hw_file, options.extensions));
  }
  Clock::time_point start = Clock::now();
  std::shared_ptr<const driver::LoadedModule> module;
  if (isModuleFile(options.model)) {
    VTA_ASSIGN_OR_RETURN(module, runner->loadFile(options, features));
  } else {
    VTA_ASSIGN_OR_RETURN(
        module, runner->compile(options, features, hw ? *hw : HwConfig::makeDefault(), variant,
                                progress, warnings));
    start = Clock::now();
  }
  VTA_ASSIGN_OR_RETURN(const driver::DeviceMap devices,
                       runner->createDevices(options, module->info(), hw, progress));
  driver::SessionOptions session_options;
  session_options.verify = options.verify;
  const bool is_hardware = !driver::findDeviceKind(options.device.name)->is_simulator;
  if (options.verify && is_hardware) session_options.explain = explainLayers(options.reproduce);
  session_options.check_program = features.check_program;
  session_options.per_layer = options.needsSteps();
  session_options.trace = !options.trace_file.empty() || !options.report_file.empty();
  session_options.num_threads = options.threads;
  session_options.timeout = launchTimeout(options, is_hardware);
  VTA_RETURN_IF_ERROR(runner->dumpTensors(options, module->info(), session_options));
  const int lanes = variant == CompileVariant::kAsAsked && runner->samples_->size() > 1
                        ? driver::Pipeline::kMeasured
                        : 1;
  if (runner->gpu_) {
    progress.update("kernels for GPU '" + runner->gpu_->info().name + "'", 0, 0);
  }
  auto pipeline = driver::Pipeline::create(module, devices, session_options, lanes);
  progress.clear();
  VTA_ASSIGN_OR_RETURN(runner->pipeline_, std::move(pipeline));
  if (runner->gpu_) {
    for (std::string& note : runner->gpu_->takeNotes()) warnings.push_back(std::move(note));
  }
  runner->seconds_.load = secondsSince(start);
  return runner;
}

Result<std::optional<uint64_t>> cyclesWithFastRescaling(const RunOptions& options,
                                                        const RunFeatures& features,
                                                        const Runner& runner,
                                                        const TensorMap& inputs,
                                                        ProgressLine& progress) {
  if (!hasChoice(options, features, runner)) return std::optional<uint64_t>();
  std::vector<std::string> warnings;  // those of the first compilation
  VTA_ASSIGN_OR_RETURN(const std::unique_ptr<Runner> fast,
                       Runner::create(timingOnly(options), features, CompileVariant::kFastRescaling,
                                      progress, warnings));
  VTA_ASSIGN_OR_RETURN(const driver::RunResult result, fast->run(inputs));
  LaunchCounters total;
  for (const driver::StepProfile& launch : result.profile) total += launch.counters;
  return std::optional(total.cycles);
}

}  // namespace vta::tools
