// Session: runs a loaded module on a device.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"
#include "driver/device.h"
#include "driver/runtime/loaded_module.h"
#include "isa/program/program.h"

namespace vta {
class HostThreads;
}

namespace vta::driver {

/// What sessions share that run at the same time, on threads of their own: machines, on each of
/// which actions take turns, and threads for the loops of host steps.
class SessionShare {
 public:
  explicit SessionShare(int num_threads);
  ~SessionShare();

  /// Held while the machine with this memory is used; if it copies beside its work, while it works.
  std::mutex& mutexOf(const MemoryDevice* memory);
  /// Held while such a machine copies.
  std::mutex& copyMutexOf(const MemoryDevice* memory);

  std::unique_ptr<HostThreads> threads;

 private:
  std::mutex mutex_;  // of what follows
  std::map<const MemoryDevice*, std::mutex> machines_, copies_;
};

/// Proves a program legal for a configuration, or says why it is not.
using ProgramCheck = std::function<Status(const Program&, const HwConfig&)>;

/// A layer whose result on a device is wrong, that the device reports a fault for, or that does not
/// end.
struct SuspectLayer {
  const LoadedModule& module;
  const ActionInfo& action;  // of one step
  Device& device;            // nothing runs on it
  /// By buffer of the program: what it holds on the host. Empty for micro-ops and outputs.
  std::vector<std::span<const std::byte>> contents;
  /// The launch did not end well, so the device may need a reset before it is used again.
  bool has_failed = false;
};

/// Says more about a suspect layer: lines, each with its end.
using LayerExplanation = std::function<std::string(const SuspectLayer&)>;

/// What a step has computed.
struct StepResult {
  uint32_t step = 0;    // of the module
  uint32_t tensor = 0;  // of the module
  std::span<const std::byte> bytes;
  /// With SessionOptions::verify, of a step of another machine than the CPU: its reference's.
  std::span<const std::byte> expected;
};

/// Sees results; an error ends the run.
using ResultObserver = std::function<Status(const StepResult&)>;

struct SessionOptions {
  /// Find out what each layer takes (RunResult::layers). Before the first run, every step runs once
  /// by itself on the same inputs; the run itself and its time are those of a session without this.
  bool per_layer = false;
  /// Before every run, run each step by itself on the same inputs; after every step of another
  /// machine than the CPU, run its reference on the host on the same operands and demand equal
  /// bytes. Then the run has to give the outputs of those steps. Implies per_layer.
  bool verify = false;
  /// With `verify`: called with every program that a run without it would launch, when the session
  /// is created. The verifier (isa/program/verify/verifier.h) is not part of the runtime; programs
  /// that have it pass it here.
  ProgramCheck check_program = {};
  /// With `verify`: called with the first layer that is wrong; the text goes into the error. It may
  /// use the device.
  LayerExplanation explain = {};
  /// Before every run, run each step by itself on the same inputs, and call this with each of its
  /// results, in the order of steps.
  ResultObserver observe = {};
  /// Run host steps beside launches that they do not depend on.
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

/// One kernel that a GPU has run, and the time that it took.
struct KernelProfile {
  std::string name;
  double seconds = 0;
};

/// Time and counters of steps [first_step, first_step + step_count): one host step, or the steps of
/// one launch on another machine. Only a VTA has counters; others are zero. Host steps that do not
/// depend on a launch may run while it does, so times can add up to more than the run's.
struct StepProfile {
  uint32_t first_step = 0;
  uint32_t step_count = 1;
  double seconds = 0;
  double copy_seconds = 0;  // of these: copies between the memories of the host and the machine
  LaunchCounters counters;
  bool is_launch = false;  // on another machine than the CPU
  /// With per_layer or verify, of a host step whose layer has parts: the time of each.
  std::vector<double> part_seconds{};
  /// With per_layer or verify, of a launch on a GPU that records times: its kernels, one after the
  /// other.
  std::vector<KernelProfile> kernels{};
  /// With SessionOptions::trace, of a launch: its events.
  std::shared_ptr<const Recording> trace;
  /// With trace, per_layer or verify, of a launch: its program, which lives as long as the session.
  const Program* program = nullptr;
};

/// What one step takes. A launch of several steps takes less than they do one after the other: they
/// overlap.
struct LayerProfile {
  /// The step in a launch of its own, or on the host with nothing beside it, without events.
  StepProfile alone;
  /// The step's share of its launch in the run: the cycles from the end of the steps before it to
  /// its own end. Shares add up to the cycles of the run.
  uint64_t cycles_in_run = 0;
};

struct RunResult {
  TensorMap outputs;
  /// Whose steps the profile names: the module's, or those of the bucket that has run. It lives as
  /// long as the module.
  const ModuleInfo* network = nullptr;
  std::vector<StepProfile> profile;  // in the order of execution
  /// With per_layer, of each step in their order, as the first run of the session found them; with
  /// verify, as this one did.
  std::vector<LayerProfile> layers;
  /// The device does not record when layers end: shares are in proportion to what layers take
  /// alone.
  bool shares_are_estimated = false;
  double seconds = 0;
  uint32_t verified_steps = 0;  // steps that were compared with their references
};

/// Which device each executor of a module runs on, by the executor's name: a Device for a VTA, what
/// its kind of executor wants for another machine.
using DeviceMap = std::map<std::string, MemoryDevice*>;

/// `device` for every executor of `info` but the CPU; it may be null.
DeviceMap oneDeviceFor(const ModuleInfo& info, MemoryDevice* device);

/// One execution of a module at a time; for several at once, make several sessions, on several
/// devices or with a SessionShare (runtime/pipeline.h). Buffers, relocated programs and threads are
/// set up once and used by every run. Tensors that a module keeps from run to run are zeros when
/// the session is created.
class Session {
 public:
  /// All devices must outlive the session. Errors: a kind of executor that this program does not
  /// have; an executor without a device, or with one that does not fit it (both are named); a
  /// device for an executor that the module does not have; no memory; corrupt programs, with
  /// `check_program` illegal ones.
  static Result<std::unique_ptr<Session>> create(std::shared_ptr<const LoadedModule> module,
                                                 const DeviceMap& devices,
                                                 const SessionOptions& options);

  /// The same with one device for all executors but the CPU. It may be null when the module runs
  /// everything on the CPU.
  static Result<std::unique_ptr<Session>> create(std::shared_ptr<const LoadedModule> module,
                                                 MemoryDevice* device,
                                                 const SessionOptions& options);
  virtual ~Session() = default;

  /// Runs the module on `inputs`, one tensor for each input: with the smallest of its buckets that
  /// they fit into. Of a module that reads several words of a text in a run (mostWordsOfRun in
  /// module/analysis/text_rows.h), the input may have fewer along dimension 1; outputs have all
  /// rows of the bucket, and those behind its words mean nothing. Errors: a
  /// missing or unknown input, a wrong shape or type; a fault of the device or a difference found
  /// by verification, naming the layer; kResourceExhausted where a text that the module keeps would
  /// be longer than it may be.
  virtual Result<RunResult> run(const TensorMap& inputs) = 0;

  /// The share of the current run that is done, from 0 to 1, by the multiplications of its layers;
  /// 0 between runs. May be called from any thread while another one is in run().
  virtual double progress() const = 0;

  /// Forgets what earlier runs have left: the tensors that live from run to run are zeros again.
  virtual Status clearState() = 0;

  /// The tensors that live from run to run, as bytes that `loadState` of any session of the same
  /// module takes. Errors: those of devices.
  virtual Result<std::vector<std::byte>> saveState() = 0;
  /// Errors: bytes that are not the state of this module; those of devices. The session's own state
  /// stays as it is then, but where a device fails.
  virtual Status loadState(std::span<const std::byte> state) = 0;

  /// Another session on the same devices, which goes on from where this one is.
  virtual Result<std::unique_ptr<Session>> fork() = 0;

  /// Words of the text that a module keeps (ModuleInfo::context); 0 if it keeps none.
  virtual int64_t textLength() const = 0;

  /// Forgets the words of that text from number `length` on, as if they had not been read. Errors:
  /// a text that is shorter; those of devices.
  virtual Status shortenText(int64_t length) = 0;

  virtual const LoadedModule& module() const = 0;
};

}  // namespace vta::driver
