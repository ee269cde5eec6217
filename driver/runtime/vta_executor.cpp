// Launches of programs on a VTA.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "driver/loaded_code.h"
#include "driver/runtime/executor.h"
#include "driver/runtime/module_programs.h"
#include "isa/spec/user_operation.h"

namespace vta::driver {
namespace {

class LaunchAction final : public PreparedAction {
 public:
  LaunchAction(Device& device, std::chrono::milliseconds timeout, LoadedCode code,
               uint32_t num_instructions)
      : device_(device),
        timeout_(timeout),
        code_(std::move(code)),
        num_instructions_(num_instructions) {}

  Status run(StepProfile& profile) override {
    is_on_device_ = true;
    auto launched = code_.execute(timeout_);
    is_on_device_ = false;
    VTA_RETURN_IF_ERROR(launched.status());
    profile.counters = launched->counters;
    profile.trace = std::move(launched->trace);
    profile.program = program_ ? &*program_ : nullptr;
    return {};
  }

  double progress() const override {
    if (!is_on_device_) return 0;
    return std::min(1.0, device_.executedInstructions() / num_instructions_);
  }

  void keepProgram(Program program) { program_ = std::move(program); }

 private:
  Device& device_;
  std::chrono::milliseconds timeout_;
  LoadedCode code_;
  double num_instructions_;
  std::atomic<bool> is_on_device_ = false;
  std::optional<Program> program_;  // for those who look into profiles
};

/// Tensors that a program reads before it writes them, and those that it writes.
ActionTensors tensorsOfProgram(const EncodedProgram& program, const std::vector<int32_t>& buffers) {
  ActionTensors tensors;
  const auto contains = [](const std::vector<uint32_t>& list, uint32_t tensor) {
    return std::ranges::find(list, tensor) != list.end();
  };
  // Buffers are in the order of the steps that use them.
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i] < 0) continue;
    const auto tensor = static_cast<uint32_t>(buffers[i]);
    const bool is_written = contains(tensors.writes, tensor);
    if (program.buffers[i].kind == BufferKind::kOutput) {
      if (!is_written) tensors.writes.push_back(tensor);
    } else if (!is_written && !contains(tensors.reads, tensor)) {
      tensors.reads.push_back(tensor);
    }
  }
  return tensors;
}

class VtaExecutor final : public Executor {
 public:
  VtaExecutor(const ExecutorContext& context, Device& device)
      : context_(context), info_(context.module.info()), device_(device) {}

  MemoryDevice& memory() const override { return device_; }

  Result<ActionTensors> tensorsOf(const ActionInfo& action) const override {
    auto program = viewLaunch(context_.module, action);
    if (!program.ok()) return inLayer(program.status(), action);
    return tensorsOfProgram(*program, info_.programs[action.entry].buffers);
  }

  Result<std::unique_ptr<PreparedAction>> prepare(const ActionInfo& action,
                                                  const TensorPlaces& places) override {
    auto prepared = prepareLaunch(action, places);
    if (prepared.ok()) return prepared;
    return inLayer(prepared.status(), action);
  }

  Status setTracing(Tracing tracing) override { return device_.setTracing(tracing); }

  Status checkCode(const ActionInfo& action, const ProgramCheck& check) const override {
    VTA_ASSIGN_OR_RETURN(const Program program, decodeLaunchInArena(context_.module, action));
    return check(program, *info_.executors[action.executor].hw);
  }

  std::string explain(const ActionInfo& action, const TensorPlaces& places,
                      bool has_failed) const override {
    if (!context_.options.explain) return {};
    SuspectLayer layer = {context_.module, action, device_, {}, has_failed};
    const StepInfo& step = info_.steps[action.first_step];
    for (const int32_t buffer : info_.programs[action.entry].buffers) {
      const bool is_result = buffer >= 0 && static_cast<uint32_t>(buffer) == step.arguments.back();
      layer.contents.emplace_back();
      if (buffer < 0 || is_result) continue;
      layer.contents.back() = {
          places.hostPointer(static_cast<uint32_t>(buffer)),
          static_cast<size_t>(info_.tensors[static_cast<size_t>(buffer)].size_bytes)};
    }
    return context_.options.explain(layer);
  }

 private:
  Status inLayer(const Status& status, const ActionInfo& action) const {
    return status.withContext(fmt::format("layer '{}'", layerOf(info_, action)));
  }

  Result<std::unique_ptr<PreparedAction>> prepareLaunch(const ActionInfo& action,
                                                        const TensorPlaces& places) {
    VTA_ASSIGN_OR_RETURN(const EncodedProgram program, viewLaunch(context_.module, action));
    std::vector<uint64_t> addresses;
    for (const int32_t tensor : info_.programs[action.entry].buffers) {
      addresses.push_back(tensor < 0 ? 0 : places.address(static_cast<uint32_t>(tensor)));
    }
    VTA_ASSIGN_OR_RETURN(LoadedCode code, LoadedCode::load(device_, program, addresses));
    const SessionOptions& options = context_.options;
    auto launch = std::make_unique<LaunchAction>(device_, options.timeout, std::move(code),
                                                 program.instruction_count);
    if (options.trace || options.per_layer || options.verify) {
      VTA_ASSIGN_OR_RETURN(Program decoded, decodeLaunch(context_.module, action));
      launch->keepProgram(std::move(decoded));
    }
    return std::unique_ptr<PreparedAction>(std::move(launch));
  }

  ExecutorContext context_;
  const ModuleInfo& info_;
  Device& device_;
};

Result<std::unique_ptr<Executor>> createVtaExecutor(const ExecutorContext& context) {
  const ExecutorInfo& executor = context.module.info().executors[context.index];
  Device* device = context.device == nullptr ? nullptr : context.device->asDevice();
  if (device == nullptr) {
    return invalidArgument(fmt::format(
        "the module needs a VTA device to run on, for its executor '{}'{}", executor.name,
        context.device == nullptr
            ? std::string()
            : fmt::format("; the device {} is none", context.device->name())));
  }
  const HwConfig& device_hw = device->info().hw;
  if (!executor.hw->isProgramCompatible(device_hw)) {
    return invalidArgument(fmt::format(
        "the module was built for configuration '{}', the device {} has '{}'{}; compile "
        "the model for that one\n  module: {}\n  device: {}",
        executor.hw->name(), device->info().name, device_hw.name(),
        lackingOperations(executor.hw->params(), device_hw.params()), executor.hw->summary(),
        device_hw.summary()));
  }
  return std::unique_ptr<Executor>(new VtaExecutor(context, *device));
}

}  // namespace
}  // namespace vta::driver

// What the runtime's CMakeLists.txt names, so that the linker keeps it.
extern "C" {
extern const bool vta_executor_vta;
const bool vta_executor_vta =
    vta::driver::registerExecutor({vta::kVtaKind, vta::driver::createVtaExecutor});
}
