// OnnxCompiler: ONNX models for vta-run.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "module/executor_kinds.h"
#include "tools/common/compilation/model_options.h"
#include "tools/common/compilation/quantization_options.h"
#include "tools/common/compilation/schedule_options.h"
#include "tools/vta_run/model_compiler.h"

namespace vta::tools {

class OnnxCompiler final : public ModelCompiler {
 public:
  void addOptions(CLI::App& app) override;
  std::string checkOptions() override;
  std::string givenOption() const override;
  void addPaths(PathUse& use) const override;
  bool hasImages() const override { return quantization_.isCalibrated(); }
  bool isFloat(CompileVariant variant) const override {
    return !compiler::quantizes(partitionOf(variant));
  }
  bool needsGpu() const override {
    return partition_ == Partition::kGpu || partition_ == Partition::kGpuQuantized ||
           std::ranges::any_of(placement_.places, [](const std::string& place) {
             return place.ends_with("=" + std::string(kGpuKind));
           });
  }
  bool rescalesExactly() const override;
  Result<std::vector<InputSpec>> readModel(const RunOptions& options) override;
  Result<std::shared_ptr<const driver::LoadedModule>> compile(const RunOptions& options,
                                                              const HwConfig& hw,
                                                              CompileVariant variant,
                                                              const SampleSet& samples,
                                                              CompileProgress progress) override;

 private:
  using Partition = compiler::Partition;

  Partition partitionOf(CompileVariant variant) const {
    return variant == CompileVariant::kFloat ? Partition::kCpu : partition_;
  }

  /// Sets in `compile_options` where layers go.
  Status applyPlaces(const RunOptions& options, CompileVariant variant,
                     compiler::CompileOptions& compile_options,
                     std::vector<std::string>& warnings) const;
  int64_t contextLength(const RunOptions& options) const;
  std::vector<int64_t> promptChunks(const RunOptions& options) const;
  static bool needsLastScores(const RunOptions& options);

  QuantizationOptions quantization_;
  Partition partition_ = Partition::kAuto;
  PlacementChoice placement_;
  codegen::GpuPrecision gpu_precision_ = codegen::GpuPrecision::kFloat32;
  std::vector<std::string> written_dimensions_;
  std::map<std::string, int64_t> dimensions_;
  int64_t context_length_ = 0;
  std::vector<int64_t> prompt_chunks_;
  ScheduleOptions schedules_;
  std::vector<std::string> kernels_;
  std::string dump_dir_;
  bool has_no_cache_ = false;
  std::shared_ptr<const compiler::Model> model_;  // null: not read yet
};

}  // namespace vta::tools
