// Pipeline: many inputs through one module, so that the host works on one while the device runs
// another.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "driver/runtime/session.h"

namespace vta::driver {

/// Where the time of one input goes.
struct InputSeconds {
  double outside = 0;  // making it, and taking what came of it
  double host = 0;     // the session's steps on the host, copies included
  double device = 0;
};

/// True when a second lane is worth its threads: of what one input takes, another one could hide a
/// fair share, and more than handing it from thread to thread costs.
bool secondLanePays(const InputSeconds& seconds);

/// Lanes that take inputs in turn. Each has a session of its own, so memory for activations and
/// constants grows with their number; the device runs one launch at a time.
class Pipeline {
 public:
  /// How many lanes: one; or a second as soon as an input has shown that it pays (secondLanePays),
  /// if there is memory for it.
  static constexpr int kMeasured = 0;

  /// As Session::create, `lanes` times, or once for a module that keeps state from run to run.
  /// `options.share` is replaced. With per_layer alone, layers are those of the first lane: the
  /// results of others have none, that of the first input has them.
  static Result<std::unique_ptr<Pipeline>> create(std::shared_ptr<const LoadedModule> module,
                                                  const DeviceMap& devices,
                                                  const SessionOptions& options, int lanes);
  /// The same with one device for all executors but the CPU; it may be null.
  static Result<std::unique_ptr<Pipeline>> create(std::shared_ptr<const LoadedModule> module,
                                                  MemoryDevice* device,
                                                  const SessionOptions& options, int lanes);

  struct Input {
    std::string name;  // for errors of its run; may be empty
    TensorMap tensors;
  };
  /// Makes input number `index`.
  using Source = std::function<Result<Input>(int64_t index)>;
  /// Takes what came of input number `index`.
  using Sink = std::function<Status(int64_t index, const Input& input, RunResult result)>;

  /// Runs inputs [0, count). `source` and `sink` are each called for one input at a time, from any
  /// thread, in the order of the inputs. Results are those of Session::run on each input.
  /// Errors: the first input's of those that fail in `source`, in the run or in `sink`; inputs
  /// before it have gone to `sink`, none behind it has.
  Status run(int64_t count, const Source& source, const Sink& sink);

  /// The inputs' worth of work that lanes have done of what they are at: from 0 to lanes(). May be
  /// called from any thread while another one is in run().
  double progress() const;

  /// Of a module that keeps a text, whose state lies in one session.
  Status shortenText(int64_t length) { return sessions_.front()->shortenText(length); }

  const LoadedModule& module() const { return sessions_.front()->module(); }
  int lanes() const { return static_cast<int>(sessions_.size()); }

 private:
  Pipeline(std::shared_ptr<const LoadedModule> module, DeviceMap devices, SessionOptions options)
      : module_(std::move(module)), devices_(std::move(devices)), options_(std::move(options)) {}
  Status addLane();

  std::shared_ptr<const LoadedModule> module_;
  DeviceMap devices_;
  SessionOptions options_;
  bool is_measuring_ = false;  // until inputs have shown how many lanes pay
  mutable std::mutex mutex_;   // of the list of sessions, for progress()
  std::vector<std::unique_ptr<Session>> sessions_;
};

}  // namespace vta::driver
