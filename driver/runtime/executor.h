// Executor: runs the actions of one of a module's executors (docs/module-format.md). Kinds of
// executors register themselves, as kinds of devices do: docs/devices.md says how to add one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "driver/device.h"
#include "driver/memory_device.h"
#include "driver/runtime/loaded_module.h"
#include "driver/runtime/memory/copy_plan.h"
#include "driver/runtime/session.h"
#include "driver/runtime/session_memory.h"

namespace vta::driver {

/// What one action needs to run, ready to be used any number of times.
class PreparedAction {
 public:
  virtual ~PreparedAction() = default;

  /// Runs the action to its end: its tensors are where its machine looks for them, and the session
  /// copies its results. Adds what is known of it to `profile`, whose time is the session's to
  /// measure. Errors: faults and time-outs, naming the layer; the device's failures.
  virtual Status run(StepProfile& profile) = 0;

  /// The share of the action that is done, from 0 to 1, while it runs; else 0. From any thread.
  virtual double progress() const { return 0; }
};

/// What an executor works with. All of it outlives the executor.
struct ExecutorContext {
  const LoadedModule& module;
  const SessionOptions& options;
  SessionShare& share;
  MemoryDevice& host;
  uint32_t index = 0;              // of the executor in the module
  MemoryDevice* device = nullptr;  // bound to it; null: none
};

/// Prepares the actions of one executor. A session runs those that are in the background on a queue
/// of their own; a prepared action is used by one thread at a time. While one runs, nothing else
/// uses the executor's memory, unless that is the host's.
class Executor {
 public:
  virtual ~Executor() = default;

  /// Where its machine's tensors lie: context.host, or a memory of the machine's own.
  virtual MemoryDevice& memory() const = 0;

  /// What an action reads and writes: most often tensorsOfSteps. Errors: a corrupt entry; the
  /// message names the layer.
  virtual Result<ActionTensors> tensorsOf(const ActionInfo& action) const = 0;

  /// Errors: a corrupt entry, or one whose arguments do not fit; the message names the layer.
  virtual Result<std::unique_ptr<PreparedAction>> prepare(const ActionInfo& action,
                                                          const TensorPlaces& places) = 0;

  /// Which events its actions record from now on. Errors: kUnsupported where the machine has some
  /// and cannot.
  virtual Status setTracing(Tracing /*tracing*/) { return {}; }

  /// Has the code of `action` proved legal. `check` knows programs of VTAs.
  virtual Status checkCode(const ActionInfo& /*action*/, const ProgramCheck& /*check*/) const {
    return {};
  }

  /// By how much of the largest element of a float tensor a result of this machine may differ from
  /// its reference; 0: by nothing. Integers are equal everywhere.
  virtual double floatTolerance() const { return 0; }

  /// What options.explain has to say about a step whose result is wrong, or that has failed; its
  /// operands are on the host. Empty where it knows nothing of this machine.
  virtual std::string explain(const ActionInfo& /*action*/, const TensorPlaces& /*places*/,
                              bool /*has_failed*/) const {
    return {};
  }
};

/// Makes executors of one kind.
struct ExecutorFactory {
  std::string_view kind;  // ExecutorInfo::kind
  /// Errors: no device, or one that cannot run what the module has for it.
  Result<std::unique_ptr<Executor>> (*create)(const ExecutorContext& context) = nullptr;
  /// Operators in general may run there, and not only what is offloaded to it.
  bool runs_operators = false;
};

/// Adds a kind; true, so that it can initialise a variable. Called before main(). A second one of
/// the same kind is ignored.
bool registerExecutor(const ExecutorFactory& factory);

/// All that this program has, in the order of their kinds.
std::span<const ExecutorFactory> executorFactories();

/// The kinds on which operators in general may run.
std::vector<std::string> hostKinds();

/// The executor for `context.index`. Errors: a kind that this runtime does not have; those of its
/// create().
Result<std::unique_ptr<Executor>> createExecutor(const ExecutorContext& context);

/// The name of the layer of an action's first step.
const std::string& layerOf(const ModuleInfo& info, const ActionInfo& action);

}  // namespace vta::driver
