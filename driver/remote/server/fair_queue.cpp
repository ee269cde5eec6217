#include "driver/remote/server/fair_queue.h"

#include <algorithm>

namespace vta::remote {
namespace {

constexpr std::chrono::milliseconds kLookForGone{100};

}  // namespace

bool FairQueue::isNext(const Waiter& waiter) const {
  // The first of those with the least time.
  const auto next = std::ranges::min_element(
      waiters_, {}, [this](const Waiter& each) { return used_.at(each.client); });
  return &*next == &waiter;
}

std::optional<FairQueue::Turn> FairQueue::take(const std::string& client,
                                               const std::function<bool()>& is_gone) {
  std::unique_lock lock(mutex_);
  Duration& used = used_[client];
  used = std::max(used, floor_);
  const auto waiter = waiters_.insert(waiters_.end(), Waiter{client});
  bool gone = false;
  while (is_taken_ || !isNext(*waiter)) {
    changed_.wait_for(lock, kLookForGone);
    gone = is_gone != nullptr && is_gone();
    if (gone) break;
  }
  waiters_.erase(waiter);
  if (gone) {
    changed_.notify_all();
    return std::nullopt;
  }
  is_taken_ = true;
  floor_ = std::max(floor_, used_[client]);
  return Turn(*this, client, std::chrono::steady_clock::now());
}

void FairQueue::release(const std::string& client, std::chrono::steady_clock::time_point start) {
  {
    const std::lock_guard lock(mutex_);
    is_taken_ = false;
    const auto used = used_.find(client);
    if (used != used_.end()) used->second += std::chrono::steady_clock::now() - start;
  }
  changed_.notify_all();
}

void FairQueue::forget(const std::string& client) {
  const std::lock_guard lock(mutex_);
  const bool waits = std::ranges::find(waiters_, client, &Waiter::client) != waiters_.end();
  if (!waits) used_.erase(client);
}

size_t FairQueue::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiters_.size();
}

}  // namespace vta::remote
