// Host functions, called on the thread of the session.
#include <utility>
#include <vector>

#include "base/clock.h"
#include "driver/runtime/executor.h"
#include "module/host_threads.h"

namespace vta::driver {
namespace {

class CpuAction final : public PreparedAction {
 public:
  CpuAction(VtaHostFunction function, const VtaHostContext* host, std::vector<void*> arguments)
      : function_(function), host_(host), arguments_(std::move(arguments)) {}

  Status run(StepProfile& profile) override {
    const Clock::time_point start = Clock::now();
    function_(host_, arguments_.data());
    profile.seconds = secondsSince(start);
    return {};
  }

 private:
  VtaHostFunction function_;
  const VtaHostContext* host_;
  std::vector<void*> arguments_;
};

class CpuExecutor final : public Executor {
 public:
  explicit CpuExecutor(const ExecutorContext& context) : context_(context) {}

  Result<std::unique_ptr<PreparedAction>> prepare(const ActionInfo& action) override {
    std::vector<void*> arguments;
    for (const uint32_t tensor : context_.module.info().steps[action.first_step].arguments) {
      arguments.push_back(context_.memory.hostPointer(tensor));
    }
    return std::unique_ptr<PreparedAction>(new CpuAction(context_.module.function(action.entry),
                                                         context_.share.threads->context(),
                                                         std::move(arguments)));
  }

 private:
  ExecutorContext context_;
};

}  // namespace

std::unique_ptr<Executor> createCpuExecutor(const ExecutorContext& context) {
  return std::make_unique<CpuExecutor>(context);
}

}  // namespace vta::driver
