#include "explore/workers/farm/item_queue.h"

#include <numeric>

namespace vta::launcher {

ItemQueue::ItemQueue(size_t items, int attempts)
    : attempts_(attempts), results_(items), waiting_(items), open_(items) {
  std::iota(waiting_.begin(), waiting_.end(), size_t{0});
}

std::vector<size_t> ItemQueue::take(size_t most) {
  std::vector<size_t> items;
  while (items.size() < most && hasWaiting()) {
    const size_t item = waiting_.front();
    const bool has_lost_a_worker = results_[item].attempts > 0;
    if (has_lost_a_worker && !items.empty()) break;
    waiting_.pop_front();
    items.push_back(item);
    ++results_[item].attempts;
    if (has_lost_a_worker) break;
  }
  return items;
}

void ItemQueue::finish(size_t item, Json result) {
  results_[item].state = ItemResult::State::kDone;
  results_[item].result = std::move(result);
  --open_;
}

void ItemQueue::giveBack(std::span<const size_t> items) {
  for (const size_t item : items) {
    if (results_[item].attempts < attempts_) {
      waiting_.push_front(item);
    } else {
      results_[item].state = ItemResult::State::kLost;
      --open_;
    }
  }
}

}  // namespace vta::launcher
