// Machines: the executors of a session with their memories, and the one place where data moves
// between them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "driver/runtime/executor.h"
#include "driver/runtime/loaded_module.h"
#include "driver/runtime/memory/copy_plan.h"
#include "driver/runtime/memory/host_memory.h"
#include "driver/runtime/session.h"
#include "driver/runtime/session_memory.h"

namespace vta::driver {

/// What a session does, one after the other, with the copies that it needs.
struct Action {
  ActionInfo info;
  ActionCopies copies;
  std::unique_ptr<PreparedAction> prepared;
};

/// Of one session. What it is given outlives it.
class Machines {
 public:
  /// `devices` by executor of the module; null: none. Errors: those of createExecutor.
  static Result<std::unique_ptr<Machines>> create(const LoadedModule& module,
                                                  std::span<MemoryDevice* const> devices,
                                                  const SessionOptions& options,
                                                  SessionShare& share);

  const Executor& executor(uint32_t index) const { return *executors_[index]; }

  /// Of all machines. Errors: the first one's; the others are set all the same.
  Status setTracing(Tracing tracing);

  /// The copies of `actions`. Those of each are followed by the host reading, of steps on another
  /// machine, all arguments, if `host_reads_arguments`. Errors: a corrupt entry.
  Result<CopyPlan> plan(std::span<const ActionInfo> actions, bool host_reads_arguments) const;

  /// Allocates what the plans need places for. Called once, before what follows. Errors: those of
  /// SessionMemory::create.
  Status allocate(std::span<const CopyPlan* const> plans);
  /// In place of it: works on what those of the same module, or of one of its buckets, have
  /// allocated for the plans of both.
  void shareMemoryOf(const Machines& other) { memory_ = other.memory_; }
  SessionMemory& memory() { return *memory_; }
  TensorPlaces placesOf(uint32_t executor) const {
    return {*memory_, memory_of_executor_[executor]};
  }

  /// Actions with their copies, by a plan of them. Errors: those of Executor::prepare.
  Result<std::vector<Action>> prepare(std::span<const ActionInfo> actions, const CopyPlan& plan);

  /// Makes the action's operands valid where its machine looks for them, runs it, and copies what
  /// others read of its results. Meanwhile no other session uses the machine. Errors: the
  /// machine's, with the layer's name.
  Status run(const Action& action, StepProfile& profile);

  /// The same in three parts, for machines that copy beside their work. Each part of an action
  /// comes behind the one before it, and behind the same part of the actions before it. `profile`
  /// is for one part at a time.
  bool copiesBesideWork(uint32_t executor) const;
  Status bring(const Action& action, StepProfile& profile);
  Status work(const Action& action, StepProfile& profile);
  Status fetch(const Action& action, StepProfile& profile);

 private:
  Machines(const LoadedModule& module, const SessionOptions& options, SessionShare& share)
      : module_(module), info_(module.info()), options_(options), share_(share) {}
  void addMemory(MemoryDevice& memory);
  MemoryDevice* machineOf(const Action& action) const;
  Status copyTo(const Action& action);
  Status copyFrom(const Action& action);
  std::string copyName(const Action& action, std::string_view direction) const;

  const LoadedModule& module_;
  const ModuleInfo& info_;
  const SessionOptions& options_;
  SessionShare& share_;
  HostMemory host_;
  std::vector<std::unique_ptr<Executor>> executors_;
  std::vector<MemoryDevice*> memories_;  // each once, the host's first
  std::vector<uint32_t> memory_of_executor_;
  std::shared_ptr<SessionMemory> memory_;
};

}  // namespace vta::driver
