// Session: runs a loaded module on a device.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"
#include "driver/device.h"
#include "driver/runtime/loaded_module.h"
#include "program/program.h"

namespace vta::driver {

class ThreadPool;

/// What sessions share that run at the same time, on threads of their own: one device, on which
/// launches take turns, and threads for the loops of host steps.
struct SessionShare {
  explicit SessionShare(int num_threads);
  ~SessionShare();
  std::mutex device;
  std::unique_ptr<ThreadPool> threads;
};

struct SessionOptions {
  /// Launch every VTA step by itself, so that time and counters are known for each layer.
  bool per_layer = false;
  /// After every VTA step, run its reference on the host on the same operands and demand equal
  /// bytes. Implies per_layer. The linked programs that a run without it would launch are proved
  /// legal (program/verify/verifier.h) when the session is created.
  bool verify = false;
  /// Run host steps beside launches that they do not depend on. Without effect with per_layer or
  /// verify.
  bool overlap = true;
  /// Have the device record the events of every launch. create() fails on a device that cannot.
  bool trace = false;
  /// Threads of host steps; 0: one for each processor.
  int num_threads = 0;
  /// What it has in common with other sessions; null: nothing. Then num_threads counts.
  std::shared_ptr<SessionShare> share = {};
  /// How long one launch may take.
  std::chrono::milliseconds timeout = std::chrono::minutes(10);
};

/// Time and counters of steps [first_step, first_step + step_count): one host step, or the VTA
/// steps of one launch. The counters of a host step are zero. Host steps that do not depend on a
/// launch may run while it does, so times can add up to more than the run's; with per_layer or
/// verify nothing does.
struct StepProfile {
  uint32_t first_step = 0;
  uint32_t step_count = 1;
  double seconds = 0;
  Counters counters;
  /// With SessionOptions::trace, of a launch: its events, and the program whose instructions they
  /// are of, which lives as long as the session.
  std::shared_ptr<const LaunchTrace> trace;
  const Program* program = nullptr;
};

struct RunResult {
  TensorMap outputs;
  std::vector<StepProfile> profile;  // in the order of execution
  double seconds = 0;
  uint32_t verified_steps = 0;  // VTA steps that were compared with their references
};

/// One execution of a module at a time; for several at once, make several sessions, on several
/// devices or with a SessionShare (runtime/pipeline.h). Buffers, relocated programs and threads are
/// set up once and used by every run.
class Session {
 public:
  /// `device` may be null when the module runs nothing on a VTA; it must outlive the session.
  /// Errors: no device, or one whose configuration is not the module's (both are named); no memory;
  /// corrupt programs, with `verify` illegal ones.
  static Result<std::unique_ptr<Session>> create(std::shared_ptr<const LoadedModule> module,
                                                 Device* device, const SessionOptions& options);
  virtual ~Session() = default;

  /// Runs the module on `inputs`, one tensor for each input. Errors: a missing or unknown input, a
  /// wrong shape or type; a fault of the device or a difference found by verification, naming the
  /// layer.
  virtual Result<RunResult> run(const TensorMap& inputs) = 0;

  virtual const LoadedModule& module() const = 0;
};

}  // namespace vta::driver
