// FairQueue: who may use a device next.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace vta::remote {

/// One client at a time has a device. When it is free, the client gets it that has had it for the
/// shortest time; who comes new, or comes back, begins with the time of the last one that got it.
/// All methods may be called on any thread.
class FairQueue {
 public:
  /// The right to use the device, until it is destroyed.
  class Turn {
   public:
    Turn(Turn&& other) noexcept
        : queue_(std::exchange(other.queue_, nullptr)),
          client_(std::move(other.client_)),
          start_(other.start_) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      if (queue_ != nullptr) queue_->release(client_, start_);
    }

   private:
    friend class FairQueue;
    using Time = std::chrono::steady_clock::time_point;
    Turn(FairQueue& queue, std::string client, Time start)
        : queue_(&queue), client_(std::move(client)), start_(start) {}

    FairQueue* queue_;
    std::string client_;
    Time start_;
  };

  /// Blocks until it is the client's turn. None when `is_gone` becomes true first.
  std::optional<Turn> take(const std::string& client, const std::function<bool()>& is_gone);

  /// Forgets a client that waits for nothing.
  void forget(const std::string& client);

  /// Clients that wait.
  size_t waiting() const;

 private:
  using Duration = std::chrono::steady_clock::duration;
  struct Waiter {
    std::string client;
  };

  void release(const std::string& client, std::chrono::steady_clock::time_point start);
  bool isNext(const Waiter& waiter) const;

  mutable std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  bool is_taken_ = false;
  std::list<Waiter> waiters_;  // in the order of arrival
  std::map<std::string, Duration> used_;
  Duration floor_{};  // what the last one that got a turn had used before
};

}  // namespace vta::remote
