// Host functions, called on the thread of the session.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "driver/runtime/executor.h"
#include "module/host/host_threads.h"

namespace vta::driver {
namespace {

class CpuAction final : public PreparedAction {
 public:
  /// `parts` of the function are timed; 0: none.
  CpuAction(VtaHostFunction function, const HostThreads& host, std::vector<void*> arguments,
            const std::string& layer, size_t parts)
      : function_(function),
        host_(host),
        arguments_(std::move(arguments)),
        layer_(layer),
        parts_(parts) {}

  Status run(StepProfile& profile) override {
    profile.part_seconds.assign(parts_, 0);
    const Status status = host_.call(function_, arguments_.data(), profile.part_seconds);
    return status.ok() ? status : status.withContext(fmt::format("layer '{}'", layer_));
  }

 private:
  VtaHostFunction function_;
  const HostThreads& host_;
  std::vector<void*> arguments_;
  const std::string& layer_;  // of the module
  size_t parts_;
};

class CpuExecutor final : public Executor {
 public:
  explicit CpuExecutor(const ExecutorContext& context) : context_(context) {}

  MemoryDevice& memory() const override { return context_.host; }

  Result<ActionTensors> tensorsOf(const ActionInfo& action) const override {
    return tensorsOfSteps(context_.module.info(), action);
  }

  Result<std::unique_ptr<PreparedAction>> prepare(const ActionInfo& action,
                                                  const TensorPlaces& places) override {
    const ModuleInfo& info = context_.module.info();
    const StepInfo& step = info.steps[action.first_step];
    std::vector<void*> arguments;
    for (const uint32_t tensor : step.arguments) arguments.push_back(places.hostPointer(tensor));
    const bool is_timed = context_.options.per_layer || context_.options.verify;
    return std::unique_ptr<PreparedAction>(new CpuAction(
        context_.module.function(action.entry), *context_.share.threads, std::move(arguments),
        layerOf(info, action), is_timed ? info.layers[step.layer].parts.size() : 0));
  }

 private:
  ExecutorContext context_;
};

Result<std::unique_ptr<Executor>> createCpuExecutor(const ExecutorContext& context) {
  return std::unique_ptr<Executor>(new CpuExecutor(context));
}

}  // namespace
}  // namespace vta::driver

// What the runtime's CMakeLists.txt names, so that the linker keeps it.
extern "C" {
extern const bool vta_executor_cpu;
const bool vta_executor_cpu =
    vta::driver::registerExecutor({vta::kCpuKind, vta::driver::createCpuExecutor, true});
}
