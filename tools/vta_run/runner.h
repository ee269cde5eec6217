// Runner: makes or loads the module and runs samples on it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "driver/device.h"
#include "driver/generate/tokenizer.h"
#include "driver/gpu/gpu_device.h"
#include "driver/runtime/pipeline.h"
#include "tools/common/progress/progress_line.h"
#include "tools/common/terminal.h"
#include "tools/inputs/sample_set.h"
#include "tools/vta_run/features.h"
#include "tools/vta_run/options.h"
#include "tools/vta_run/tensors/dump_tensors.h"

namespace vta::tools {

/// A module with what it runs on, here or on a server. The sessions end before their device.
class Runner {
 public:
  /// Loads options.model, or compiles it, and prepares its sessions. Warnings go to `warnings`.
  /// What `beside` runs on is used, too, where it fits.
  static Result<std::unique_ptr<Runner>> create(const RunOptions& options,
                                                const RunFeatures& features, CompileVariant variant,
                                                ProgressLine& progress,
                                                std::vector<std::string>& warnings,
                                                const Runner* beside = nullptr);

  /// Runs all samples, two at a time where that pays, and hands the results on in order. Errors
  /// name the sample if there are several.
  Status runSamples(const driver::Pipeline::Sink& sink);
  Result<driver::RunResult> run(const TensorMap& inputs);
  /// Of a module that keeps a text, here.
  Status shortenText(int64_t length) { return pipeline_->shortenText(length); }
  /// See Pipeline::progress; 0 of a module on a server.
  double progress() const { return pipeline_ ? pipeline_->progress() : 0; }

  const ModuleInfo& info() const { return remote_ ? remote_->info() : pipeline_->module().info(); }

  /// The configuration that programs run on; none when nothing runs on a VTA.
  const HwConfig* hw() const {
    if (remote_) return &remote_->hw();
    return device_ ? &device_->info().hw : nullptr;
  }
  std::string deviceName() const {
    if (remote_) return remote_->deviceName();
    if (device_) return device_->info().name;
    return gpu_ ? gpu_->name() : "cpu";
  }
  bool hasCycles() const { return device_ && device_->info().capabilities.cycles; }

  const SampleSet& samples() const { return *samples_; }
  PhaseSeconds& seconds() { return seconds_; }
  const PhaseSeconds& seconds() const { return seconds_; }

 private:
  Result<std::shared_ptr<const driver::LoadedModule>> loadFile(const RunOptions& options,
                                                               const RunFeatures& features);
  Result<std::shared_ptr<const driver::LoadedModule>> compile(
      const RunOptions& options, const RunFeatures& features, const HwConfig& hw,
      CompileVariant variant, ProgressLine& progress, std::vector<std::string>& warnings);
  Status openRemote(const RunOptions& options, const RunFeatures& features);
  Result<driver::Pipeline::Input> sample(int64_t index);
  Status openSamples(const RunOptions& options, const std::vector<InputSpec>& inputs);
  Status createDevice(const RunOptions& options, const HwConfig& hw, ProgressLine& progress);
  /// Creates what the module runs on, by its executors.
  Result<driver::DeviceMap> createDevices(const RunOptions& options, const ModuleInfo& info,
                                          const std::optional<HwConfig>& hw,
                                          ProgressLine& progress);

  /// Has `session` show what steps compute, if that is wanted.
  Status dumpTensors(const RunOptions& options, const ModuleInfo& info,
                     driver::SessionOptions& session);

  std::optional<SampleSet> samples_;
  std::shared_ptr<driver::Device> device_;
  std::shared_ptr<driver::GpuDevice> gpu_;
  std::unique_ptr<TensorDump> dump_;
  std::unique_ptr<driver::Pipeline> pipeline_;
  std::unique_ptr<WholeModule> remote_;  // in place of all
  PhaseSeconds seconds_;
};

/// Whether the file exists and begins as modules do.
bool isModuleFile(const std::string& path);

/// Cycles of the network that `runner` has if it is compiled with --rescaling=fast: it is compiled
/// and timed once more, with `inputs`. Nothing where the option changes nothing, or where the
/// device is no simulator that counts cycles in a moment.
Result<std::optional<uint64_t>> cyclesWithFastRescaling(const RunOptions& options,
                                                        const RunFeatures& features,
                                                        const Runner& runner,
                                                        const TensorMap& inputs,
                                                        ProgressLine& progress);

/// --generate shows texts as they come, and then what they took; --perplexity reads one; with
/// --json all is one object. `draft` is the model of --draft, or null. `warnings` are those of
/// making the module. Errors: those of TextGenerator and DraftModel.
Status makeText(const RunOptions& options, const driver::Tokenizer& tokenizer, Runner& runner,
                Runner* draft, const std::vector<std::string>& warnings);

}  // namespace vta::tools
