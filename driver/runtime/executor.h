// Executor: runs the actions of one of a module's executors (docs/module-format.md).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "driver/device.h"
#include "driver/runtime/loaded_module.h"
#include "driver/runtime/session.h"
#include "driver/runtime/session_memory.h"

namespace vta::driver {

/// What one action needs to run, ready to be used any number of times.
class PreparedAction {
 public:
  virtual ~PreparedAction() = default;

  /// Runs the action to its end. Errors: faults and time-outs, naming the layer; the device's
  /// failures.
  virtual Status run(StepProfile& profile) = 0;

  /// The share of the action that is done, from 0 to 1, while it runs; else 0. From any thread.
  virtual double progress() const { return 0; }
};

/// Which tensors the host writes and reads, by index: what launches have to copy.
struct HostAccess {
  std::vector<bool> writes;  // by a host step, or an input
  std::vector<bool> reads;   // by a host step, a reference or an output
};

/// What an executor works with. All of it outlives the executor.
struct ExecutorContext {
  const LoadedModule& module;
  SessionMemory& memory;
  const SessionOptions& options;
  SessionShare& share;
  const HostAccess& host;
  uint32_t index = 0;        // of the executor in the module
  Device* device = nullptr;  // bound to it; null for the CPU
};

/// Prepares the actions of one executor. A session runs those that are in the background on a queue
/// of their own; a prepared action is used by one thread at a time.
class Executor {
 public:
  virtual ~Executor() = default;

  /// Errors: a corrupt entry, or one whose arguments do not fit; the message names the layer.
  virtual Result<std::unique_ptr<PreparedAction>> prepare(const ActionInfo& action) = 0;
};

/// The executor for `context.index`. Errors: a kind that this runtime does not have.
Result<std::unique_ptr<Executor>> createExecutor(const ExecutorContext& context);

std::unique_ptr<Executor> createCpuExecutor(const ExecutorContext& context);
std::unique_ptr<Executor> createVtaExecutor(const ExecutorContext& context);

/// The name of the layer of an action's first step.
const std::string& layerOf(const ModuleInfo& info, const ActionInfo& action);

}  // namespace vta::driver
