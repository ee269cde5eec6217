#include "driver/runtime/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace vta::driver {
namespace {

std::vector<ExecutorFactory>& executorRegistry() {
  static std::vector<ExecutorFactory> factories;
  return factories;
}

}  // namespace

bool registerExecutor(const ExecutorFactory& factory) {
  std::vector<ExecutorFactory>& all = executorRegistry();
  const auto place = std::ranges::lower_bound(all, factory.kind, {}, &ExecutorFactory::kind);
  if (place == all.end() || place->kind != factory.kind) all.insert(place, factory);
  return true;
}

std::span<const ExecutorFactory> executorFactories() { return executorRegistry(); }

std::vector<std::string> hostKinds() {
  std::vector<std::string> kinds;
  for (const ExecutorFactory& factory : executorFactories()) {
    if (factory.runs_operators) kinds.emplace_back(factory.kind);
  }
  return kinds;
}

Result<std::unique_ptr<Executor>> createExecutor(const ExecutorContext& context) {
  const ExecutorInfo& info = context.module.info().executors[context.index];
  std::string known;
  for (const ExecutorFactory& factory : executorFactories()) {
    if (factory.kind == info.kind) return factory.create(context);
    known += (known.empty() ? "" : ", ") + std::string(factory.kind);
  }
  return unsupported(fmt::format("the module's executor '{}' is of kind '{}'; this runtime has: {}",
                                 info.name, info.kind, known));
}

const std::string& layerOf(const ModuleInfo& info, const ActionInfo& action) {
  return info.layers[info.steps[action.first_step].layer].name;
}

}  // namespace vta::driver
