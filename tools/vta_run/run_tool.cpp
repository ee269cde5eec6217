// The work of vta-run, with a compiler or without.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/numpy/npy.h"
#include "driver/gpu/gpu_registry.h"
#include "module/executor_kinds.h"
#include "tools/common/file_names.h"
#include "tools/common/files.h"
#include "tools/common/main/run_tool.h"
#include "tools/common/print.h"
#include "tools/common/progress/progress_line.h"
#include "tools/common/progress/progress_ticker.h"
#include "tools/common/terminal.h"
#include "tools/trace/chrome_trace.h"
#include "tools/vta_run/check_files.h"
#include "tools/vta_run/features.h"
#include "tools/vta_run/options.h"
#include "tools/vta_run/profile.h"
#include "tools/vta_run/report.h"
#include "tools/vta_run/runner.h"

namespace vta::tools {
namespace {

void addEnergy(const sim::EnergyEstimate& more, std::optional<sim::EnergyEstimate>& sum) {
  if (!sum) sum.emplace();
  sum->dram_pj += more.dram_pj;
  sum->sram_pj += more.sram_pj;
  sum->arithmetic_pj += more.arithmetic_pj;
  sum->static_pj += more.static_pj;
}

class RunTool {
 public:
  RunTool(const RunOptions& options, const RunFeatures& features)
      : options_(options), features_(features) {}

  Status run();

 private:
  Status attempt();
  bool mayGoOnWithoutGpu(const Status& status) const;
  bool hasToHaveGpu() const;
  Status checkHost();
  Result<std::unique_ptr<Runner>> openDraft();
  Status runText(const driver::Tokenizer& tokenizer);
  Status readReference();
  Status runSamples(int64_t count);
  Status takeSample(int64_t index, const TensorMap& inputs, const driver::RunResult& result);
  Status compareWithFloat(const std::string& name, const TensorMap& inputs,
                          const std::vector<ClassScore>& top);
  Status writeOutputs(int64_t sample, const driver::RunResult& result);
  Status reportOutputs(const driver::RunResult& result);
  void reportLayers(const driver::RunResult& result);
  void reportParts(const LayerInfo& whole, const ExecutorInfo& machine,
                   const std::vector<double>& seconds);
  Status writeTrace(const driver::RunResult& result);
  Status writeReport(const driver::RunResult& result);

  void nameFiles();
  std::string outputFile(int64_t sample, const std::string& output) const;

  RunOptions options_;
  const RunFeatures& features_;
  std::optional<EnergyModel> energy_;
  ProgressLine progress_;
  std::unique_ptr<Runner> runner_;
  std::unique_ptr<Runner> float_runner_;
  std::vector<std::string> sample_files_;            // parts of names of files, by sample
  std::map<std::string, std::string> output_files_;  // the same by output
  std::string reference_output_;
  std::optional<Tensor> reference_;
  RunReport report_;
};

/// The user has named one, or what is to run on it, or the module has been compiled for one.
bool RunTool::hasToHaveGpu() const {
  return !options_.gpu.empty() || features_.compiler == nullptr || features_.compiler->needsGpu() ||
         isModuleFile(options_.model);
}

/// Whether a GPU that was only offered is what failed: it is lost, full, busy for too long, or does
/// not take the code.
bool RunTool::mayGoOnWithoutGpu(const Status& status) const {
  constexpr StatusCode kOfDevices[] = {StatusCode::kDeviceFault, StatusCode::kResourceExhausted,
                                       StatusCode::kDeadlineExceeded};
  return options_.host == kGpuKind && !options_.remote_module && !hasToHaveGpu() &&
         std::ranges::find(kOfDevices, status.code()) != std::end(kOfDevices);
}

Status RunTool::run() {
  Status status = attempt();
  if (!mayGoOnWithoutGpu(status)) return status;
  RunOptions without = options_;
  without.host = kCpuKind;
  RunTool again(without, features_);
  again.report_.warnings.push_back(
      fmt::format("--host=gpu: operators stay on the CPU: {}", status.message()));
  return again.attempt();
}

/// A GPU that the user names has to be there and to work, also where nothing would run on it.
/// Without a name, the CPU takes over.
Status RunTool::checkHost() {
  if (options_.host != kGpuKind || options_.remote_module) return {};
  Status status = driver::openGpu(options_.gpu).status();
  if (status.ok() || hasToHaveGpu()) return status;
  report_.warnings.push_back(
      status.code() == StatusCode::kNotFound
          ? "--host=gpu: this machine has no GPU that this program can use, so operators stay on "
            "the CPU; vta-info says what is missing"
          : fmt::format("--host=gpu: operators stay on the CPU: {}", status.message()));
  options_.host = kCpuKind;
  return {};
}

Status RunTool::readReference() {
  if (options_.reference.empty()) return {};
  const auto& outputs = runner_->info().outputs;
  std::string path = options_.reference;
  reference_output_ = outputs.front().name;
  for (const PortInfo& port : outputs) {
    if (!path.starts_with(port.name + "=")) continue;
    reference_output_ = port.name;
    path = path.substr(port.name.size() + 1);
    break;
  }
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> file, readFile(path));
  auto tensor = parseNpy(file);
  if (!tensor.ok()) return tensor.status().withContext(fmt::format("'{}'", path));
  reference_ = *std::move(tensor);
  return {};
}

/// A file for each output of each sample.
void RunTool::nameFiles() {
  constexpr size_t kMostBytes = 120;  // file systems take 255 for both and the ending
  std::vector<std::string> samples, outputs;
  for (int64_t i = 0; i < runner_->samples().size(); ++i) {
    samples.push_back(std::filesystem::path(runner_->samples().name(i)).filename().string());
  }
  for (const PortInfo& port : runner_->info().outputs) outputs.push_back(port.name);
  sample_files_ = fileNamesFor(samples, kMostBytes);
  const std::vector<std::string> files = fileNamesFor(outputs, kMostBytes);
  for (size_t i = 0; i < outputs.size(); ++i) output_files_[outputs[i]] = files[i];
}

std::string RunTool::outputFile(int64_t sample, const std::string& output) const {
  const bool single = sample_files_.size() == 1;
  const std::string prefix = single ? "" : sample_files_[static_cast<size_t>(sample)] + ".";
  const std::filesystem::path folder = options_.output_dir;
  return (folder / (prefix + output_files_.at(output) + ".npy")).string();
}

Status RunTool::writeOutputs(int64_t sample, const driver::RunResult& result) {
  if (options_.output_dir.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(options_.output_dir, error);
  if (error) {
    return ioError(
        fmt::format("cannot create folder '{}': {}", options_.output_dir, error.message()));
  }
  for (const auto& [name, tensor] : result.outputs) {
    VTA_RETURN_IF_ERROR(writeFile(outputFile(sample, name), serializeNpy(tensor)));
  }
  return {};
}

Status RunTool::reportOutputs(const driver::RunResult& result) {
  for (const PortInfo& port : runner_->info().outputs) {
    const Tensor& tensor = result.outputs.at(port.name);
    OutputReport& output = report_.outputs.emplace_back();
    output.name = port.name;
    output.shape = tensor.shape;
    output.dtype = tensor.dtype;
    output.top = topClasses(tensor, options_.top);
    const auto names = static_cast<int64_t>(report_.labels.size());
    if (names > 0 && !output.top.empty() && names < tensor.elementCount()) {
      reportWarning(kRunTool, fmt::format("--labels has {} names, output '{}' has {} classes",
                                          names, port.name, tensor.elementCount()));
    }
    if (!options_.output_dir.empty()) output.file = outputFile(0, port.name);
    if (reference_ && port.name == reference_output_) {
      VTA_ASSIGN_OR_RETURN(output.difference, compareTensors(tensor, *reference_));
    }
  }
  return {};
}

void RunTool::reportParts(const LayerInfo& whole, const ExecutorInfo& machine,
                          const std::vector<double>& seconds) {
  for (size_t i = 0; i < seconds.size(); ++i) {
    const LayerPartInfo& part = whole.parts[i];
    const std::string& op = part.op.empty() ? whole.op : part.op;
    report_.parts.push_back({part.name, op, whole.where, whole.reason, part.macs, {}, {}});
    for (const ConvolutionInfo& convolution : whole.convolutions) {
      if (convolution.name == part.name) report_.parts.back().convolutions.push_back(convolution);
    }
    LayerReport& row = report_.layers.emplace_back();
    row.layer = &report_.parts.back();
    row.machine = &machine;
    row.begins_step = i == 0;
    row.seconds = seconds[i];
  }
}

void RunTool::reportLayers(const driver::RunResult& result) {
  const ModuleInfo& info = runner_->info();
  const auto energyOf = [&](const driver::StepProfile& launch) {
    return energy_ && launch.program != nullptr
               ? std::optional(
                     energy_->estimate(*launch.program, *runner_->hw(), launch.counters.cycles))
               : std::nullopt;
  };
  for (const driver::StepProfile& launch : result.profile) {
    report_.total += launch.counters;
    if (const auto energy = energyOf(launch)) addEnergy(*energy, report_.energy);
  }
  report_.shares_are_estimated = result.shares_are_estimated;
  // Without an accelerator the run does its steps one after the other, too, and with warm caches.
  const bool is_cpu_only = report_.hw == nullptr;
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const driver::StepProfile& step = is_cpu_only ? result.profile[i] : result.layers[i].alone;
    const StepInfo& first = info.steps[step.first_step];
    const LayerInfo& layer = info.layers[first.layer];
    const ExecutorInfo& machine = info.executorOf(first);
    if (!step.part_seconds.empty()) {
      reportParts(layer, machine, step.part_seconds);
      continue;
    }
    report_.layers.push_back({&layer, &machine, step.seconds, step.counters,
                              result.layers[i].cycles_in_run, energyOf(step), step.kernels,
                              step.copy_seconds});
  }
}

Status RunTool::writeTrace(const driver::RunResult& result) {
  if (options_.trace_file.empty()) return {};
  if (runner_->hw() == nullptr) {
    return invalidArgument("--trace: nothing of this model runs on the VTA; --profile says why");
  }
  ChromeTrace trace(*runner_->hw());
  for (const driver::StepProfile& profile : result.profile) {
    if (profile.trace) trace.addLaunch(*profile.trace, *profile.program);
  }
  return writeFile(options_.trace_file, trace.take());
}

Status RunTool::writeReport(const driver::RunResult& result) {
  if (options_.report_file.empty()) return {};
  if (runner_->hw() == nullptr) {
    return invalidArgument("--report: nothing of this model runs on the VTA; --profile says why");
  }
  return writeFile(options_.report_file, features_.html_report(report_, result));
}

Status RunTool::compareWithFloat(const std::string& name, const TensorMap& inputs,
                                 const std::vector<ClassScore>& top) {
  if (!float_runner_) return {};
  VTA_ASSIGN_OR_RETURN(const driver::RunResult result, float_runner_->run(inputs));
  const std::string& output = float_runner_->info().outputs.front().name;
  const std::vector<ClassScore> float_top = topClasses(result.outputs.at(output), 5);
  if (report_.batch.float_score) report_.batch.float_score->add(name, float_top);
  report_.batch.agreement.add(top, float_top);
  return {};
}

Status RunTool::takeSample(int64_t index, const TensorMap& inputs,
                           const driver::RunResult& result) {
  const std::string& name = runner_->samples().name(index);
  VTA_RETURN_IF_ERROR(writeOutputs(index, result));
  if (index == 0) {
    report_.input = name;
    VTA_RETURN_IF_ERROR(reportOutputs(result));
    reportLayers(result);
    if (options_.profile != ProfileDetail::kNone || !options_.report_file.empty()) {
      VTA_ASSIGN_OR_RETURN(
          report_.fast_rescaling_cycles,
          cyclesWithFastRescaling(options_, features_, *runner_, inputs, progress_));
    }
    VTA_RETURN_IF_ERROR(writeTrace(result));
    VTA_RETURN_IF_ERROR(writeReport(result));
    report_.seconds = runner_->seconds();
    report_.batch.seconds = result.seconds;
  }
  report_.verified_steps += result.verified_steps;
  BatchReport& batch = report_.batch;
  const std::string& output = runner_->info().outputs.front().name;
  std::vector<ClassScore> top = topClasses(result.outputs.at(output), std::max(5, options_.top));
  if (batch.score) batch.score->add(name, top);
  VTA_RETURN_IF_ERROR(compareWithFloat(name, inputs, top));
  top.resize(std::min<size_t>(top.size(), static_cast<size_t>(options_.top)));
  batch.entries.push_back({name, std::move(top)});
  return {};
}

Status RunTool::runSamples(int64_t count) {
  std::atomic<int64_t> num_done = 0;
  const auto show = [&] {
    const double done = static_cast<double>(num_done) + runner_->progress();
    progress_.update("run", std::min(done, static_cast<double>(count)), count);
  };
  const auto take = [&](int64_t index, const driver::Pipeline::Input& input,
                        const driver::RunResult& result) {
    num_done = index + 1;
    return takeSample(index, input.tensors, result);
  };
  Status ran;
  {
    const ProgressTicker ticker(progress_, show);
    ran = runner_->runSamples(take);
  }
  progress_.clear();
  return ran;
}

/// The module of --draft, on what the model runs on; null without the option.
Result<std::unique_ptr<Runner>> RunTool::openDraft() {
  if (options_.text.draft_model.empty()) return std::unique_ptr<Runner>();
  RunOptions options = options_;
  options.model = options_.text.draft_model;
  options.verify = false;
  RunFeatures features = features_;
  features.compiler = nullptr;  // its options are for the model
  std::vector<std::string> warnings;
  auto draft = isModuleFile(options.model)
                   ? Runner::create(options, features, CompileVariant::kAsAsked, progress_,
                                    warnings, runner_.get())
                   : invalidArgument("it is no module; make one with vta-compile");
  if (!draft.ok()) return draft.status().withContext(fmt::format("--draft '{}'", options.model));
  return draft;
}

Status RunTool::runText(const driver::Tokenizer& tokenizer) {
  VTA_ASSIGN_OR_RETURN(const std::unique_ptr<Runner> draft, openDraft());
  return makeText(options_, tokenizer, *runner_, draft.get(), report_.warnings);
}

Status RunTool::attempt() {
  VTA_RETURN_IF_ERROR(checkFiles(options_, features_));
  VTA_RETURN_IF_ERROR(checkHost());
  if (options_.needsSteps() && features_.energy_model != nullptr) {
    auto energy = features_.energy_model(options_.energy_table);
    if (!energy.ok()) return energy.status().withContext("--energy");
    energy_ = *std::move(energy);
    report_.energy_source = energy_->source;
  }
  if (!options_.labels_file.empty()) {
    VTA_ASSIGN_OR_RETURN(report_.labels, readLabels(options_.labels_file));
  }
  if (!options_.labels_csv.empty()) {
    VTA_ASSIGN_OR_RETURN(auto labels, readLabelsCsv(options_.labels_csv));
    report_.batch.score.emplace(labels);
    if (options_.compare_float) report_.batch.float_score.emplace(std::move(labels));
  }
  std::unique_ptr<driver::Tokenizer> tokenizer;  // before the model is compiled for minutes
  if (options_.text.isText()) {
    VTA_ASSIGN_OR_RETURN(tokenizer, features_.read_tokenizer(options_.text.tokenizer));
  }
  VTA_ASSIGN_OR_RETURN(runner_, Runner::create(options_, features_, CompileVariant::kAsAsked,
                                               progress_, report_.warnings));
  if (options_.compare_float) {
    std::vector<std::string> ignored;
    RunOptions plain = options_;
    plain.verify = plain.json = false;
    plain.profile = ProfileDetail::kNone;
    plain.profile_csv.clear();
    plain.trace_file.clear();
    plain.report_file.clear();
    if (!plain.dump_dir.empty()) plain.dump_dir += "/float";
    VTA_ASSIGN_OR_RETURN(float_runner_, Runner::create(plain, features_, CompileVariant::kFloat,
                                                       progress_, ignored));
  }
  for (const std::string& warning : report_.warnings) reportWarning(kRunTool, warning);
  if (tokenizer) return runText(*tokenizer);
  VTA_RETURN_IF_ERROR(readReference());
  report_.module = &runner_->info();
  report_.hw = runner_->hw();
  if (report_.hw != nullptr && features_.estimate_area != nullptr) {
    report_.area = features_.estimate_area(*report_.hw);
  }
  report_.device = runner_->deviceName();
  report_.has_cycles = runner_->hasCycles();
  report_.is_simulated =
      report_.hw != nullptr && driver::findDeviceKind(options_.device.name)->is_simulator;
  nameFiles();
  const int64_t count = runner_->samples().size();
  const auto start = std::chrono::steady_clock::now();
  VTA_RETURN_IF_ERROR(runSamples(count));
  if (count > 1) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    report_.batch.seconds = elapsed.count();
  }
  if (report_.batch.score && report_.batch.score->scored() == 0) {
    return invalidArgument(fmt::format(
        "no input has a line in '{}'; its first column is the file's name", options_.labels_csv));
  }
  report_.seconds.run = report_.batch.seconds / static_cast<double>(count);
  report_.peak_memory_bytes = peakMemoryBytes();
  if (const std::string warning = offloadWarning(report_); !warning.empty()) {
    reportWarning(kRunTool, warning);
  }
  if (!options_.profile_csv.empty()) {
    const std::string csv = profileCsv(report_);
    VTA_RETURN_IF_ERROR(writeFile(options_.profile_csv, std::as_bytes(std::span(csv))));
  }
  if (options_.json) {
    printRaw(jsonReport(report_));
  } else {
    printText(textReport(report_, options_));
  }
  return {};
}

}  // namespace

int runMain(int argc, char** argv, const RunFeatures& features) {
  const auto parse = [&](int count, char** values, RunOptions& options, int& exit_code) {
    return parseRunOptions(count, values, features, options, exit_code);
  };
  return runTool<RunOptions>(kRunTool, argc, argv, parse, [&](const RunOptions& options) {
    return RunTool(options, features).run();
  });
}

}  // namespace vta::tools
