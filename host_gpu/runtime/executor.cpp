// GPU programs, run on a GPU.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "driver/gpu/gpu_device.h"
#include "driver/gpu/program_fit.h"
#include "driver/runtime/executor.h"
#include "module/analysis/float_tolerance.h"
#include "module/executor_kinds.h"
#include "module/gpu/gpu_program.h"

namespace vta::driver {
namespace {

class GpuAction final : public PreparedAction {
 public:
  GpuAction(const GpuDevice& device, std::unique_ptr<LoadedGpuProgram> program,
            std::vector<std::string> kernels, std::chrono::milliseconds timeout,
            const std::string& layer)
      : device_(device),
        program_(std::move(program)),
        kernels_(std::move(kernels)),
        timeout_(timeout),
        layer_(layer) {}

  Status run(StepProfile& profile) override {
    const Status status = program_->run(timeout_);
    if (!status.ok()) return explained(status).withContext(fmt::format("layer '{}'", layer_));
    profile.kernels.clear();
    const std::vector<double> seconds = program_->dispatchSeconds();
    for (size_t i = 0; i < seconds.size(); ++i) {
      profile.kernels.push_back({kernels_[i], seconds[i]});
    }
    return {};
  }

 private:
  /// `problem` with the GPU's name, and what to do.
  Status explained(const Status& problem) const {
    const std::string& name = device_.info().name;
    switch (problem.code()) {
      case StatusCode::kDeadlineExceeded:
        return {problem.code(),
                fmt::format("{} on GPU '{}'; a longer --timeout lets them take more",
                            problem.message(), name)};
      case StatusCode::kDeviceFault:
        return {problem.code(),
                fmt::format("GPU '{}': {}; update its driver, or choose another GPU "
                            "with --host gpu:N",
                            name, problem.message())};
      default:
        return problem.withContext(fmt::format("GPU '{}'", name));
    }
  }

  const GpuDevice& device_;
  std::unique_ptr<LoadedGpuProgram> program_;
  std::vector<std::string> kernels_;  // of each dispatch
  std::chrono::milliseconds timeout_;
  const std::string& layer_;  // of the module
};

/// Kernels may write whole vectors at the end of a tensor, where nothing else may lie.
Status checkEnds(const GpuProgram& program, size_t argument, const TensorInfo& tensor) {
  if (tensor.part_of < 0) return {};
  for (const GpuDispatch& dispatch : program.dispatches) {
    const std::vector<GpuAccess>& accesses = program.kernels[dispatch.kernel].bindings;
    for (size_t i = 0; i < accesses.size(); ++i) {
      const GpuBinding& binding = dispatch.bindings[i];
      const bool writes_argument = accesses[i] != GpuAccess::kRead &&
                                   binding.source == GpuBinding::Source::kArgument &&
                                   binding.argument == argument;
      if (writes_argument && binding.offset_bytes + binding.size_bytes > tensor.size_bytes) {
        return invalidArgument(fmt::format(
            "the GPU program writes behind the end of '{}', which is a part of another tensor",
            tensor.name));
      }
    }
  }
  return {};
}

class GpuExecutor final : public Executor {
 public:
  GpuExecutor(const ExecutorContext& context, GpuDevice& device)
      : context_(context), info_(context.module.info()), device_(device) {}

  MemoryDevice& memory() const override { return device_; }

  Result<ActionTensors> tensorsOf(const ActionInfo& action) const override {
    return tensorsOfSteps(info_, action);
  }

  Result<std::unique_ptr<PreparedAction>> prepare(const ActionInfo& action,
                                                  const TensorPlaces& places) override {
    auto prepared = load(action, places);
    if (prepared.ok()) return prepared;
    return prepared.status().withContext(fmt::format("layer '{}'", layerOf(info_, action)));
  }

  double floatTolerance() const override {
    return floatToleranceOf(info_.executors[context_.index]);
  }

 private:
  Result<std::vector<uint64_t>> placeArguments(const GpuProgram& program,
                                               const std::vector<int32_t>& tensors,
                                               const TensorPlaces& places) const {
    if (tensors.size() != program.argument_bytes.size()) {
      return invalidArgument(fmt::format("the GPU program has {} tensors, the module names {}",
                                         program.argument_bytes.size(), tensors.size()));
    }
    std::vector<uint64_t> addresses;
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i] < 0) return invalidArgument(fmt::format("tensor {} is none", i));
      const TensorInfo& tensor = info_.tensors[tensors[i]];
      if (program.argument_bytes[i] > tensor.size_bytes) {
        return invalidArgument(fmt::format("the GPU program needs {} bytes of '{}', which has {}",
                                           program.argument_bytes[i], tensor.name,
                                           tensor.size_bytes));
      }
      const uint64_t address = places.address(static_cast<uint32_t>(tensors[i]));
      if (address % kGpuAlignmentBytes != 0) {
        return invalidArgument(fmt::format("'{}' does not begin at a multiple of {} bytes",
                                           tensor.name, kGpuAlignmentBytes));
      }
      VTA_RETURN_IF_ERROR(checkEnds(program, i, tensor));
      addresses.push_back(address);
    }
    return addresses;
  }

  /// The program's first variant that the device can run where the tensors lie: what one binds at
  /// once may lie in two buffers. Errors: what is wrong with the last one, which needs least.
  Result<std::unique_ptr<PreparedAction>> load(const ActionInfo& action,
                                               const TensorPlaces& places) {
    Status last_problem;
    for (const CodeVariant& variant : info_.programs[action.entry].variants) {
      VTA_ASSIGN_OR_RETURN(const GpuProgram program,
                           parseGpuProgram(context_.module.programs().subspan(variant.offset_bytes,
                                                                              variant.size_bytes)));
      last_problem = chooseCodes(program, device_.info()).status();
      if (!last_problem.ok()) continue;
      auto prepared = loadVariant(program, action, places);
      if (prepared.status().code() != StatusCode::kUnsupported) return prepared;
      last_problem = prepared.status();
    }
    return last_problem;
  }

  Result<std::unique_ptr<PreparedAction>> loadVariant(const GpuProgram& program,
                                                      const ActionInfo& action,
                                                      const TensorPlaces& places) {
    VTA_ASSIGN_OR_RETURN(const std::vector<uint64_t> addresses,
                         placeArguments(program, info_.programs[action.entry].buffers, places));
    const SessionOptions& options = context_.options;
    const bool is_timed = options.per_layer || options.verify;
    VTA_ASSIGN_OR_RETURN(
        auto loaded,
        device_.load(program, addresses, is_timed ? GpuTimes::kDispatches : GpuTimes::kOff));
    std::vector<std::string> kernels;
    for (const GpuDispatch& dispatch : program.dispatches) {
      kernels.push_back(program.kernels[dispatch.kernel].name);
    }
    return std::unique_ptr<PreparedAction>(new GpuAction(
        device_, std::move(loaded), std::move(kernels), options.timeout, layerOf(info_, action)));
  }

  ExecutorContext context_;
  const ModuleInfo& info_;
  GpuDevice& device_;
};

Result<std::unique_ptr<Executor>> createGpuExecutor(const ExecutorContext& context) {
  GpuDevice* device = context.device == nullptr ? nullptr : context.device->asGpuDevice();
  if (device == nullptr) {
    return invalidArgument(
        fmt::format("the module needs a GPU to run on, for its executor '{}'{}",
                    context.module.info().executors[context.index].name,
                    context.device == nullptr
                        ? std::string()
                        : fmt::format("; the device {} is none", context.device->name())));
  }
  return std::unique_ptr<Executor>(new GpuExecutor(context, *device));
}

}  // namespace
}  // namespace vta::driver

// What the runtime's CMakeLists.txt names, so that the linker keeps it.
extern "C" {
extern const bool vta_executor_gpu;
const bool vta_executor_gpu =
    vta::driver::registerExecutor({vta::kGpuKind, vta::driver::createGpuExecutor, true});
}
