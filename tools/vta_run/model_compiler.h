// ModelCompiler: what a vta-run that has a compiler adds to one that runs modules.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "driver/runtime/loaded_module.h"
#include "isa/config/hw_config.h"
#include "tools/common/output_paths.h"
#include "tools/common/progress/progress_line.h"
#include "tools/common/terminal.h"
#include "tools/inputs/sample_set.h"
#include "tools/vta_run/options.h"

namespace vta::tools {

struct PhaseSeconds {
  double import = 0, quantise = 0, compile = 0, load = 0, run = 0;
};

/// What is made of a model.
enum class CompileVariant : uint8_t {
  kAsAsked,        // by the options
  kFloat,          // in float, for the CPU
  kFastRescaling,  // by the options, and with --rescaling=fast
};

/// Where a compilation tells how it goes.
struct CompileProgress {
  ProgressLine& line;
  std::vector<std::string>& warnings;
  PhaseSeconds& seconds;
};

class ModelCompiler {
 public:
  virtual ~ModelCompiler() = default;

  /// Adds its options to the command line.
  virtual void addOptions(CLI::App& app) = 0;

  /// What is wrong with its options, once they have been parsed; empty when nothing is.
  virtual std::string checkOptions() = 0;

  /// One of its options that was given, so that it would be ignored for a module that is compiled
  /// already; empty when none was.
  virtual std::string givenOption() const = 0;

  /// The files that its options name, for checkFiles.
  virtual void addPaths(PathUse& use) const = 0;

  /// True when one of them is an image, or may be one.
  virtual bool hasImages() const = 0;

  /// True when compile(..., variant, ...) makes a model that computes in float alone.
  virtual bool isFloat(CompileVariant variant) const = 0;

  /// Whether its options say that operators run on a GPU.
  virtual bool needsGpu() const = 0;

  /// Whether the model that was read is quantised and its rescaling on the VTA is exact by the
  /// options.
  virtual bool rescalesExactly() const = 0;

  /// The inputs of the model in options.model.
  virtual Result<std::vector<InputSpec>> readModel(const RunOptions& options) = 0;

  /// Compiles that model. `samples` serve where no calibration data are given.
  virtual Result<std::shared_ptr<const driver::LoadedModule>> compile(const RunOptions& options,
                                                                      const HwConfig& hw,
                                                                      CompileVariant variant,
                                                                      const SampleSet& samples,
                                                                      CompileProgress progress) = 0;
};

}  // namespace vta::tools
