// Tuning of the code for this machine's CPU.
#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <memory>

#include "base/bytes/aligned_bytes.h"
#include "compiler/codegen/executable.h"
#include "explore/tune/cpu/cpu_task.h"
#include "host_cpu/backend/conv_code.h"
#include "host_cpu/backend/options.h"
#include "tools/common/main/stop_flag.h"
#include "tools/common/progress/progress_line.h"
#include "tools/common/terminal.h"
#include "tools/vta_tune/compile_options.h"
#include "tools/vta_tune/target.h"
#include "tools/vta_tune/targets/measured.h"
#include "tools/vta_tune/targets/search.h"

namespace vta::tools {
namespace {

/// A compiled convolution with its buffers.
struct LoadedConv {
  std::unique_ptr<codegen::Executable> code;
  std::vector<AlignedBytes> buffers;
  std::vector<void*> arguments;
};

/// Small numbers: denormal floats and infinities would change the time, and integers shift by some.
template <typename T>
Status fillBuffers(LoadedConv& conv, const std::vector<int64_t>& elements, T unit) {
  for (const int64_t count : elements) {
    AlignedBytes& buffer = conv.buffers.emplace_back(static_cast<size_t>(count) * sizeof(T));
    if (buffer.data() == nullptr) {
      return Status(StatusCode::kResourceExhausted, "not enough memory for the layer's tensors");
    }
    auto* values = reinterpret_cast<T*>(buffer.data());
    for (int64_t i = 0; i < count; ++i) values[i] = unit * static_cast<T>(i % 7 + 1);
    conv.arguments.push_back(values);
  }
  return {};
}

Result<tune::ConvCall> makeCall(const tune::ConvSpec& spec, const tune::ConvSchedule& schedule) {
  VTA_ASSIGN_OR_RETURN(const codegen::CompiledCode code, codegen::convCode(spec, schedule, {}));
  auto conv = std::make_shared<LoadedConv>();
  const std::vector<int64_t> elements = codegen::convBuffers(spec, schedule);
  VTA_ASSIGN_OR_RETURN(conv->code, codegen::Executable::load(
                                       code, {{codegen::kConvFunction, {elements.size(), 0}}}, 1));
  VTA_RETURN_IF_ERROR(spec.isInteger() ? fillBuffers<int32_t>(*conv, elements, 1)
                                       : fillBuffers<float>(*conv, elements, 0.01f));
  tune::ConvCall call;
  call.prepare = [conv, count = elements.front()] {
    volatile float sum = 0;
    const auto* values = static_cast<const float*>(conv->arguments.front());
    for (int64_t i = 0; i < count; i += 16) sum = sum + values[i];
  };
  call.run = [conv] {
    // The number of arguments is the only thing that could be wrong.
    static_cast<void>(conv->code->call(codegen::kConvFunction, conv->arguments));
  };
  return call;
}

/// The convolutions that the model's code for the CPU has. Errors: those of the compilation; there
/// are none.
Result<std::vector<tune::ConvTask>> convTasksOf(const TuneToolOptions& options) {
  VTA_ASSIGN_OR_RETURN(const auto model, loadModel(options));
  std::vector<codegen::blocked::ConvLayer> layers;
  const bool in_integers = options.partition == compiler::Partition::kCpuQuantized;
  VTA_ASSIGN_OR_RETURN(compiler::CompileOptions compile_options,
                       compileOptions(options, model->signature(),
                                      in_integers ? options.partition : compiler::Partition::kCpu));
  codegen::CpuOptions of_cpu;
  of_cpu.find_schedule = [&layers](const codegen::blocked::ConvLayer& layer)
      -> std::optional<codegen::blocked::ConvSchedule> {
    layers.push_back(layer);
    return std::nullopt;
  };
  codegen::setCpuOptions(compile_options.build.code, std::move(of_cpu));
  ProgressLine progress;
  hearProgress(compile_options, [&](const std::string& phase, int64_t done, int64_t total) {
    progress.update(phase, static_cast<double>(done), total);
  });
  VTA_RETURN_IF_ERROR(model->compile(compile_options).status());
  progress.clear();
  if (layers.empty()) {
    return invalidArgument(
        fmt::format("'{}' has no {} convolution or dense layer with constant weights: there is "
                    "nothing to tune for the CPU",
                    options.model, in_integers ? "int8" : "float"));
  }
  VTA_ASSIGN_OR_RETURN(const std::string cpu, codegen::cpuText({}));
  VTA_ASSIGN_OR_RETURN(const codegen::CpuTraits traits, codegen::traitsOf({}));
  return tune::makeConvTasks(layers, cpu, traits);
}

/// Tasks to search, with what measures them here.
class ConvTargets {
 public:
  /// `tasks` must outlive it.
  ConvTargets(const std::vector<tune::ConvTask>& tasks, const TuneToolOptions& options);

  std::span<tune::TargetTask* const> all() const { return all_; }

 private:
  tune::ConvMeasurer measurer_;
  std::vector<std::unique_ptr<tune::CpuTask>> tasks_;
  std::vector<tune::TargetTask*> all_;
};

ConvTargets::ConvTargets(const std::vector<tune::ConvTask>& tasks, const TuneToolOptions& options)
    : measurer_(makeCall, {.timeout = std::chrono::milliseconds(
                               static_cast<int64_t>(options.timeout_seconds * 1e3))}) {
  for (const tune::ConvTask& task : tasks) {
    tasks_.push_back(std::make_unique<tune::CpuTask>(task, measurer_));
    all_.push_back(tasks_.back().get());
  }
}

Status tuneForCpu(const TuneToolOptions& options, tune::Database& database) {
  VTA_ASSIGN_OR_RETURN(const std::vector<tune::ConvTask> tasks, convTasksOf(options));
  stopOnSignals();
  const ConvTargets targets(tasks, options);
  return searchMeasured(
      {targets.all(), layerNames(tasks), {"cpu", tasks.front().cpu}, "on one thread"}, options,
      database);
}

std::string checkCpuTarget(const TuneToolOptions& options) {
  const std::pair<bool, const char*> given[] = {
      {!options.hw_file.empty(), "--hw"},
      {!options.memories.empty(), "--dram"},
      {!options.cost_model.empty(), "--cost-model"},
      {!options.device.empty(), "--device"},
      {options.serve, "--serve-candidates"},
      {!options.farm.isLocal(), "--launcher"},
      {options.searcher == "exhaustive", "--searcher exhaustive: nothing is proven of a CPU"}};
  for (const auto& [is_given, name] : given) {
    if (is_given) return fmt::format("--target cpu measures on this machine; it takes no {}", name);
  }
  return "";
}

const bool kCpuIsRegistered = registerTuneTarget(
    {.name = "cpu",
     .description =
         "convolutions and dense layers of the code for this machine's CPU, in float, or "
         "with --partition=cpu-quantized in integers",
     .unit = "ns",
     .order = 1,
     .check = checkCpuTarget,
     .tune = tuneForCpu});

}  // namespace
}  // namespace vta::tools
