#include "driver/runtime/executor.h"

#include <fmt/format.h>

#include <string>

namespace vta::driver {
namespace {

/// One kind of executor. A new one is a row here.
struct ExecutorKind {
  std::string_view name;
  std::unique_ptr<Executor> (*create)(const ExecutorContext& context);
};

constexpr ExecutorKind kKinds[] = {{kCpuKind, createCpuExecutor}, {kVtaKind, createVtaExecutor}};

}  // namespace

Result<std::unique_ptr<Executor>> createExecutor(const ExecutorContext& context) {
  const ExecutorInfo& info = context.module.info().executors[context.index];
  std::string known;
  for (const ExecutorKind& kind : kKinds) {
    if (kind.name == info.kind) return kind.create(context);
    known += (known.empty() ? "" : ", ") + std::string(kind.name);
  }
  return unsupported(fmt::format("the module's executor '{}' is of kind '{}'; this runtime has: {}",
                                 info.name, info.kind, known));
}

const std::string& layerOf(const ModuleInfo& info, const ActionInfo& action) {
  return info.layers[info.steps[action.first_step].layer].name;
}

}  // namespace vta::driver
