// Pipeline: many inputs through one module, so that the host works on one while the device runs
// another.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "driver/runtime/session.h"

namespace vta::driver {

/// Lanes that take inputs in turn. Each has a session of its own, so memory for activations and
/// constants grows with their number; the device runs one launch at a time.
class Pipeline {
 public:
  /// As Session::create, `lanes` times. `options.share` is replaced.
  static Result<std::unique_ptr<Pipeline>> create(std::shared_ptr<const LoadedModule> module,
                                                  Device* device, const SessionOptions& options,
                                                  int lanes);

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

  const LoadedModule& module() const { return sessions_.front()->module(); }

 private:
  Pipeline() = default;
  std::vector<std::unique_ptr<Session>> sessions_;
};

}  // namespace vta::driver
