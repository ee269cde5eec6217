// Runner: makes or loads the module and runs samples on it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/compile.h"
#include "driver/device.h"
#include "driver/runtime/pipeline.h"
#include "tools/common/terminal.h"
#include "tools/inputs/sample_set.h"
#include "tools/vta_run/options.h"

namespace vta::tools {

struct PhaseSeconds {
  double import = 0, quantise = 0, compile = 0, load = 0, run = 0;
};

/// A module with what it runs on. The sessions end before their device.
class Runner {
 public:
  /// Compiles or loads options.model for `partition` and prepares its sessions. Warnings go to
  /// `warnings`. A runner of the same options lends the model that it has read.
  static Result<std::unique_ptr<Runner>> create(const RunOptions& options,
                                                compiler::Partition partition,
                                                ProgressLine& progress,
                                                std::vector<std::string>& warnings,
                                                const Runner* lender = nullptr);

  /// Runs all samples, two at a time where that pays, and hands the results on in order. Errors
  /// name the sample if there are several.
  Status runSamples(const driver::Pipeline::Sink& sink);
  Result<driver::RunResult> run(const TensorMap& inputs);

  const ModuleInfo& info() const { return pipeline_->module().info(); }

  /// The configuration that programs run on; none when nothing runs on a VTA.
  const HwConfig* hw() const { return device_ ? &device_->info().hw : nullptr; }
  std::string deviceName() const { return device_ ? device_->info().name : "cpu"; }
  bool hasCycles() const { return device_ && device_->info().capabilities.cycles; }

  const SampleSet& samples() const { return *samples_; }
  PhaseSeconds& seconds() { return seconds_; }
  const PhaseSeconds& seconds() const { return seconds_; }

 private:
  Result<std::shared_ptr<const driver::LoadedModule>> loadFile(const RunOptions& options);
  Result<std::shared_ptr<const driver::LoadedModule>> compile(const RunOptions& options,
                                                              compiler::Partition partition,
                                                              const HwConfig& hw,
                                                              ProgressLine& progress,
                                                              std::vector<std::string>& warnings);
  Status openSamples(const RunOptions& options, const std::vector<InputSpec>& inputs);

  std::shared_ptr<const compiler::Model> model_;  // null: loaded as a module
  std::optional<SampleSet> samples_;
  std::unique_ptr<driver::Device> device_;
  std::unique_ptr<driver::Pipeline> pipeline_;
  PhaseSeconds seconds_;
};

}  // namespace vta::tools
