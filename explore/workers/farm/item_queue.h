// ItemQueue: the items of one run of a farm, and what has become of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "explore/workers/worker/worker.h"

namespace vta::launcher {

/// What became of one item.
struct ItemResult {
  /// Whether `result` holds something.
  enum class State : uint8_t {
    kNotDone,  // the farm was stopped or has failed
    kDone,
    kLost,  // each attempt lost its worker
  };
  State state = State::kNotDone;
  Json result;       ///< of kDone: what the worker said
  int attempts = 0;  ///< how often it was handed out
};

/// Items have the numbers from 0. One that has lost a worker is handed out alone, so that one that
/// kills its worker takes no others with it.
class ItemQueue {
 public:
  /// An item is handed out at most `attempts` times.
  ItemQueue(size_t items, int attempts);

  /// Some wait to be handed out.
  bool hasWaiting() const { return !waiting_.empty(); }
  /// All are done or lost.
  bool isFinished() const { return open_ == 0; }

  /// At most `most` of those that wait, for one worker.
  std::vector<size_t> take(size_t most);
  /// Takes the result of an item. A second one, of a worker that was taken for lost, is dropped.
  void finish(size_t item, Json result);
  /// The worker of these items is lost: they wait again, or are lost with their last attempt.
  void giveBack(std::span<const size_t> items);

  /// One for each item. The queue is of no use then.
  std::vector<ItemResult> takeResults() { return std::move(results_); }

 private:
  int attempts_;
  std::vector<ItemResult> results_;
  std::deque<size_t> waiting_;
  size_t open_;  // neither done nor lost
};

}  // namespace vta::launcher
