#include "tools/vta_run/full/onnx_compiler.h"

#include <fmt/format.h>

#include <utility>

#include "driver/gpu/gpu_registry.h"
#include "explore/tune/task/gemm_task.h"
#include "tools/inputs/calibration.h"
#include "tools/inputs/input_files.h"
#include "tools/vta_run/full/gpu_rates.h"

namespace vta::tools {
namespace {

/// What a text has room for without --context-length.
constexpr int64_t kUsualWords = 256;

/// The GPU that will run the module; empty: there is none, which is said when it is to run.
std::string gpuText(const std::string& choice) {
  const auto gpu = driver::openGpu(choice);
  if (!gpu.ok()) return "";
  return tune::TunedGpu{(*gpu)->info().name, (*gpu)->info().interface, {}}.text();
}

}  // namespace

void OnnxCompiler::addOptions(CLI::App& app) {
  addQuantization(app, quantization_);
  addPartition(app, partition_);
  addPlacement(app, placement_);
  addGpuPrecision(app, gpu_precision_);
  addSchedules(app, schedules_);
  addShapes(app, written_dimensions_);
  addContextLength(app, context_length_,
                   fmt::format("; default with --generate and --perplexity: {}", kUsualWords));
  addPromptChunk(app, prompt_chunks_);
  addKernels(app, kernels_);
  addDumpIr(app, dump_dir_);
  addNoCache(app, has_no_cache_);
}

std::string OnnxCompiler::checkOptions() {
  std::string problem = checkQuantization(quantization_);
  if (!problem.empty()) return problem;
  compiler::CompileOptions ignored;
  if (const Status status = applyPlacement(placement_, ignored); !status.ok()) {
    return status.message();
  }
  return parseDimensions(written_dimensions_, dimensions_).message();
}

std::string OnnxCompiler::givenOption() const {
  if (std::string name = givenQuantization(quantization_); !name.empty()) return name;
  const std::pair<bool, const char*> given[] = {
      {partition_ != compiler::Partition::kAuto, "--partition"},
      {!placement_.places.empty(), "--place"},
      {placement_.no_fallback, "--no-fallback"},
      {gpu_precision_ != codegen::GpuPrecision::kFloat32, "--gpu-precision"},
      {schedules_.is_given, "--schedules"},
      {!schedules_.tuned_file.empty(), "--tuned"},
      {!dimensions_.empty(), "--shape"},
      {context_length_ != 0, "--context-length"},
      {!prompt_chunks_.empty(), "--prompt-chunk"},
      {!kernels_.empty(), "--kernels"},
      {!dump_dir_.empty(), "--dump-ir"},
      {has_no_cache_, "--no-cache"}};
  for (const auto& [is_given, name] : given) {
    if (is_given) return name;
  }
  return "";
}

void OnnxCompiler::addPaths(PathUse& use) const {
  use.inputs.push_back({"--schedules", schedules_.file});
  use.inputs.push_back({"--tuned", schedules_.tuned_file});
  for (const std::string& file : quantization_.calibrate) {
    use.inputs.push_back({"--calibrate", pathOf(file)});
  }
  for (const std::string& file : kernels_) use.inputs.push_back({"--kernels", file});
  use.output_folders.push_back({"--dump-ir", dump_dir_});
}

/// A text needs caches that the module keeps.
int64_t OnnxCompiler::contextLength(const RunOptions& options) const {
  return context_length_ == 0 && options.text.isText() ? kUsualWords : context_length_;
}

/// Guesses are read in the run of the token in front of them.
std::vector<int64_t> OnnxCompiler::promptChunks(const RunOptions& options) const {
  return chunksOf(prompt_chunks_.empty() ? std::vector<int64_t>{1 + options.text.generate.speculate}
                                         : prompt_chunks_);
}

/// A text goes on behind the last token, unless there are guesses.
bool OnnxCompiler::needsLastScores(const RunOptions& options) {
  return !options.text.prompts.empty() && options.text.generate.speculate == 0;
}

Result<std::vector<InputSpec>> OnnxCompiler::readModel(const RunOptions& options) {
  if (!model_) {
    auto shapes = arrayShapes(options.inputs);
    for (auto& [name, shape] : shapes) {
      if (options.needsClasses() && shape.size() > 1) shape[0] = 1;
    }
    // Inputs that are run without data have the shapes of those for calibration.
    shapes.merge(sampleShapes(quantization_.calibrate));
    VTA_ASSIGN_OR_RETURN(
        model_, compiler::Model::loadChunks(options.model, dimensions_, shapes,
                                            quantization_.static_ranges, contextLength(options),
                                            promptChunks(options), needsLastScores(options)));
  }
  return inputsOf(model_->signature());
}

Status OnnxCompiler::applyPlaces(const RunOptions& options, CompileVariant variant,
                                 compiler::CompileOptions& compile_options,
                                 std::vector<std::string>& warnings) const {
  if (variant != CompileVariant::kFloat) {
    VTA_RETURN_IF_ERROR(applyPlacement(placement_, compile_options));
  }
  if (options.host != kGpuKind) return {};
  compile_options.placement.offered = kGpuKind;
  if (const auto rates = gpuRates(options.gpu, warnings)) {
    compile_options.placement.rates.emplace(kGpuKind, *rates);
  }
  return {};
}

bool OnnxCompiler::rescalesExactly() const {
  return model_ != nullptr && model_->signature().quantized && compiler::quantizes(partition_) &&
         quantization_.rescaling == compiler::Rescaling::kExact;
}

Result<std::shared_ptr<const driver::LoadedModule>> OnnxCompiler::compile(
    const RunOptions& options, const HwConfig& hw, CompileVariant variant, const SampleSet& samples,
    CompileProgress progress) {
  compiler::CompileOptions compile_options;
  compile_options.hw = hw;
  compile_options.partition = partitionOf(variant);
  VTA_ASSIGN_OR_RETURN(compile_options.kernels, readKernelFiles(kernels_));
  VTA_RETURN_IF_ERROR(applyPlaces(options, variant, compile_options, progress.warnings));
  applyGpuPrecision(gpu_precision_, compile_options);
  // Schedules are chosen for the memory that the device will have.
  const auto memory = options.device.options.find("dram");
  if (memory != options.device.options.end()) schedules_.memory = memory->second;
  const bool uses_gpu = needsGpu() || options.host == kGpuKind;
  if (uses_gpu && !schedules_.tuned_file.empty()) schedules_.gpu = gpuText(options.gpu);
  VTA_RETURN_IF_ERROR(applySchedules(schedules_, compile_options, progress.warnings));
  VTA_RETURN_IF_ERROR(applyQuantization(quantization_, compile_options.quantize));
  if (variant == CompileVariant::kFastRescaling) {
    compile_options.quantize.rescaling = compiler::Rescaling::kFast;
  }
  if (!has_no_cache_) compiler::keepCode(compile_options);
  compile_options.dump_directory = dump_dir_;
  hearProgress(compile_options, [&](const std::string& phase, int64_t done, int64_t total) {
    progress.line.update(phase, static_cast<double>(done), total);
  });
  if (compiler::quantizes(compile_options.partition)) {
    const CalibrationOptions calibration = {quantization_.calibrate, options.preprocess};
    VTA_ASSIGN_OR_RETURN(
        compile_options.quantize.samples,
        loadCalibration(calibration, model_->signature(), samples, progress.warnings));
    compile_options.quantize.has_random_samples =
        !quantization_.isCalibrated() && options.inputs.empty();
  }
  auto compiled = model_->compile(compile_options);
  progress.line.clear();
  if (!compiled.ok()) return compiled.status();
  const compiler::CompileReport& report = compiled->report;
  progress.seconds.import = report.import_seconds;
  progress.seconds.quantise = report.quantize_seconds;
  progress.seconds.compile = report.compile_seconds;
  progress.warnings.insert(progress.warnings.end(), report.warnings.begin(), report.warnings.end());
  return driver::LoadedModule::fromMemory(compiled->elf);
}

}  // namespace vta::tools
