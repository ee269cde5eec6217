// The worker's side: takes batches of items from a farm and sends their results back.
//
// All texts are JSON objects.
//   farm:   {"setup": ...}                                  once, first
//   worker: {"ready": ...} or {"refused": "why"}
//   farm:   {"batch": 7, "context": ..., "items": [...]}    one at a time
//   worker: {"batch": 7, "results": [...]} or {"batch": 7, "refused": "why"}
//   farm:   {"end": true}
#pragma once

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/status.h"
#include "explore/workers/channel/channel.h"

namespace vta::launcher {

using Json = nlohmann::ordered_json;  ///< Keeps the order of keys

/// What a worker does. JSON that makes no sense may throw nlohmann's exceptions: the worker refuses
/// then.
class Work {
 public:
  virtual ~Work() = default;

  /// Called once, with what the farm says first. The result is what the farm has to know of this
  /// worker. Error: it cannot do this work.
  virtual Result<Json> setUp(const Json& setup) = 0;

  /// One result for each item. Error: it can do nothing any more, for example because its device
  /// has failed. What goes wrong with one item is a result.
  virtual Result<std::vector<Json>> process(const Json& context,
                                            const std::vector<Json>& items) = 0;
};

/// The refusal of a worker whose program is another than its farm's.
Status otherVersion(const std::string& worker, const std::string& farm);

/// When a worker ends by itself.
struct WorkerOptions {
  const std::atomic<bool>* stop = nullptr;  ///< set: end
  /// Without a sign of the farm for so long, the worker ends: nobody would read its results.
  std::chrono::seconds farm_lost_after{60};
};

/// Works until the farm says that it is over, or is gone, or *stop is set. `place` is a folder of a
/// spool, or "-": standard input and output, which are used for nothing else then. Errors: the
/// place is not there, the results cannot be sent, the work refuses.
Status serveWorker(const std::string& place, Work& work, const WorkerOptions& options = {});

/// The same with a channel.
Status serveChannel(Channel& channel, Work& work, const WorkerOptions& options = {});

}  // namespace vta::launcher
