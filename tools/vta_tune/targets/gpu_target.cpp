// Tuning of kernels for a GPU of this machine.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <thread>

#include "driver/gpu/gpu_registry.h"
#include "explore/tune/gpu/gpu_task.h"
#include "host_gpu/backend/options.h"
#include "host_gpu/backend/product_code.h"
#include "tools/common/main/stop_flag.h"
#include "tools/common/progress/progress_line.h"
#include "tools/vta_tune/compile_options.h"
#include "tools/vta_tune/target.h"
#include "tools/vta_tune/targets/measured.h"
#include "tools/vta_tune/targets/search.h"

namespace vta::tools {
namespace {

constexpr std::string_view kHostGpu = "gpu";

std::chrono::milliseconds timeoutOf(const TuneToolOptions& options) {
  return std::chrono::milliseconds(static_cast<int64_t>(options.timeout_seconds * 1e3));
}

tune::OpenGpu openerOf(const TuneToolOptions& options) {
  const size_t colon = options.host.find(':');
  const std::string choice = colon == std::string::npos ? "" : options.host.substr(colon + 1);
  return [choice] { return driver::openGpu(choice); };
}

/// The products that the model's code for `gpu` has. Errors: those of the compilation; there are
/// none.
Result<std::vector<tune::GemmTask>> gemmTasksOf(const TuneToolOptions& options,
                                                const tune::TunedGpu& gpu) {
  VTA_ASSIGN_OR_RETURN(const auto model, loadModel(options));
  const bool in_integers = options.partition == compiler::Partition::kGpuQuantized;
  VTA_ASSIGN_OR_RETURN(compiler::CompileOptions compile_options,
                       compileOptions(options, model->signature(),
                                      in_integers ? options.partition : compiler::Partition::kGpu));
  std::vector<tune::GemmTask> tasks;
  codegen::GpuOptions of_gpu;
  of_gpu.limits = gpu.limits;
  of_gpu.find_schedule =
      [&](const codegen::ProductLayer& layer) -> std::optional<codegen::GemmSchedule> {
    tune::addGemmTask(layer, gpu, tasks);
    return std::nullopt;
  };
  codegen::setGpuOptions(compile_options.build.code, std::move(of_gpu));
  ProgressLine progress;
  hearProgress(compile_options, [&](const std::string& phase, int64_t done, int64_t total) {
    progress.update(phase, static_cast<double>(done), total);
  });
  VTA_RETURN_IF_ERROR(model->compile(compile_options).status());
  progress.clear();
  if (!tasks.empty()) return tasks;
  return invalidArgument(
      fmt::format("'{}' has no product of matrices or convolution that a GPU computes in blocks: "
                  "there is nothing to tune for a GPU",
                  options.model));
}

Result<tune::TrialProgram> makeProduct(const tune::GemmTask& task,
                                       const std::optional<tune::GemmSchedule>& schedule) {
  VTA_ASSIGN_OR_RETURN(codegen::ProductProgram product,
                       codegen::productProgram(task.code, schedule, task.gpu.limits));
  return tune::TrialProgram{std::move(product.program), std::move(product.arguments)};
}

/// Tasks to search, with what measures them.
class GemmTargets {
 public:
  /// `tasks` must outlive it.
  GemmTargets(const std::vector<tune::GemmTask>& tasks, const TuneToolOptions& options)
      : measurer_(makeProduct, openerOf(options),
                  {.timeout = timeoutOf(options),
                   .compilers = options.workers > 0
                                    ? options.workers
                                    : static_cast<int>(std::thread::hardware_concurrency()),
                   .launches = options.launches}) {
    for (const tune::GemmTask& task : tasks) {
      tasks_.push_back(std::make_unique<tune::GpuTask>(task, measurer_));
      all_.push_back(tasks_.back().get());
    }
  }

  std::span<tune::TargetTask* const> all() const { return all_; }

 private:
  tune::GemmMeasurer measurer_;
  std::vector<std::unique_ptr<tune::GpuTask>> tasks_;
  std::vector<tune::TargetTask*> all_;
};

Status tuneForGpu(const TuneToolOptions& options, tune::Database& database) {
  VTA_ASSIGN_OR_RETURN(const tune::TunedGpu gpu,
                       tune::describeGpu(openerOf(options), timeoutOf(options)));
  VTA_ASSIGN_OR_RETURN(const std::vector<tune::GemmTask> tasks, gemmTasksOf(options, gpu));
  stopOnSignals();
  const GemmTargets targets(tasks, options);
  return searchMeasured({targets.all(), layerNames(tasks), {"gpu", gpu.text()}, "on " + gpu.text()},
                        options, database);
}

std::string checkGpuTarget(const TuneToolOptions& options) {
  const std::pair<bool, const char*> given[] = {
      {!options.hw_file.empty(), "--hw"},
      {!options.memories.empty(), "--dram"},
      {!options.cost_model.empty(), "--cost-model"},
      {!options.device.empty(), "--device: --host chooses the GPU"},
      {options.serve, "--serve-candidates"},
      {!options.farm.isLocal(), "--launcher"},
      {options.searcher == "exhaustive", "--searcher exhaustive: nothing is proven of a GPU"}};
  for (const auto& [is_given, name] : given) {
    if (is_given) {
      return fmt::format("--target gpu measures on a GPU of this machine; it takes no {}", name);
    }
  }
  const std::string_view host = options.host;
  const bool is_gpu = host.empty() || host == kHostGpu ||
                      (host.starts_with("gpu:") && host.size() > kHostGpu.size() + 1);
  return is_gpu ? "" : fmt::format("--host={}: write gpu, gpu:N or gpu:NAME", host);
}

const bool kGpuIsRegistered = registerTuneTarget(
    {.name = "gpu",
     .description = "products of matrices and convolutions of the code for a GPU of this machine, "
                    "in float, or with --partition=gpu-quantized in integers",
     .unit = "ns",
     .order = 2,
     .check = checkGpuTarget,
     .tune = tuneForGpu});

}  // namespace
}  // namespace vta::tools
