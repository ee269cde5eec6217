// Command and token queues, as the times at which things passed them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/spec/timing.h"
#include "sim/common/stream.h"

namespace vta::sim::cycle {

/// A cycle that is not known, or never comes.
inline constexpr uint64_t kNever = ~uint64_t{0};

/// One unit's command queue. Instructions are named by their place in the unit's order.
class CommandQueue {
 public:
  /// `numbers` are the unit's instructions; it must outlive the queue. `depth` of them fit behind
  /// the head.
  CommandQueue(const std::vector<uint32_t>& numbers, uint32_t depth)
      : numbers_(numbers), depth_(depth) {
    dispatched_.reserve(numbers.size());
    started_.reserve(numbers.size());
  }

  /// The next instruction comes in `cycle`, not before roomFrom().
  void dispatch(uint64_t cycle) { dispatched_.push_back(cycle); }
  /// The next one starts in `cycle`, not before headFrom().
  void start(uint64_t cycle) { started_.push_back(cycle); }

  /// The first cycle in which the next instruction may be dispatched as far as room goes; kNever
  /// when an instruction has to start first.
  uint64_t roomFrom() const {
    const size_t next = dispatched_.size();
    if (next < depth_) return 0;
    const size_t moved = next - depth_;  // has to have moved to the head
    // "Command queues": m of the instruction that makes room.
    uint64_t cycle = dispatched_[moved] + timing::kQueueLatency - 1;
    if (moved > 0) {
      if (started_.size() < moved) return kNever;
      cycle = std::max(cycle, started_[moved - 1]);
    }
    return cycle + 1;
  }

  /// The first cycle in which the next instruction to start is at the head; kNever when it has not
  /// been dispatched.
  uint64_t headFrom() const {
    const size_t next = started_.size();
    if (next >= dispatched_.size()) return kNever;
    // "Command queues": h(k) = max(d(k) + QueueLatency, s(k-1) + 1).
    const uint64_t moved = dispatched_[next] + timing::kQueueLatency;
    return next == 0 ? moved : std::max(moved, started_[next - 1] + 1);
  }

  /// Number in the stream of the next instruction to start; only when headFrom() is a cycle.
  uint32_t headNumber() const { return numbers_[started_.size()]; }

  /// Instructions that have left the queue.
  size_t startedCount() const { return started_.size(); }
  /// Instructions that have come so far.
  size_t dispatchedCount() const { return dispatched_.size(); }
  /// All that have come have started.
  bool isEmpty() const { return started_.size() == dispatched_.size(); }

 private:
  const std::vector<uint32_t>& numbers_;
  uint32_t depth_;
  std::vector<uint64_t> dispatched_;
  std::vector<uint64_t> started_;
};

/// The four token queues. Pushes may lie in the future: units know when they will retire.
class TokenQueues {
 public:
  /// `depth` tokens fit into each queue.
  explicit TokenQueues(uint32_t depth) : depth_(depth) {}

  /// The first cycle in which all of `pops` (a set of queues) can be popped; kNever when a push is
  /// not known yet.
  uint64_t availableFrom(uint8_t pops) const {
    uint64_t cycle = 0;
    for (int q = 0; pops >> q != 0; ++q) {
      if ((pops >> q & 1) == 0) continue;
      const Queue& queue = queues_[q];
      if (queue.pops.size() >= queue.pushes.size()) return kNever;
      // "Tokens": a token that is pushed in t can be popped from t + 1 on.
      cycle = std::max(cycle, queue.pushes[queue.pops.size()] + 1);
    }
    return cycle;
  }

  /// Pops `pops` (a set of queues) in `cycle`, not before they can be popped.
  void pop(uint8_t pops, uint64_t cycle) {
    for (int q = 0; pops >> q != 0; ++q) {
      if ((pops >> q & 1) != 0) queues_[q].pops.push_back(cycle);
    }
  }

  /// Pushes in `cycle`, not before earlier pushes of the same queue.
  void push(uint8_t pushes, uint64_t cycle) {
    for (int q = 0; pushes >> q != 0; ++q) {
      if ((pushes >> q & 1) != 0) queues_[q].pushes.push_back(cycle);
    }
  }

  /// True when a queue may hold too many tokens at its last push, as far as pops are known now.
  bool mayOverflow(uint8_t pushes) const {
    for (int q = 0; pushes >> q != 0; ++q) {
      const Queue& queue = queues_[q];
      if ((pushes >> q & 1) != 0 && queue.pushes.size() > queue.pops.size() + depth_) return true;
    }
    return false;
  }

  /// True when a push of `pushes` in `cycle` finds a full queue. All pops up to `cycle` are known.
  bool overflowsAt(uint8_t pushes, uint64_t cycle) const {
    for (int q = 0; pushes >> q != 0; ++q) {
      if ((pushes >> q & 1) == 0) continue;
      const Queue& queue = queues_[q];
      const auto upTo = [cycle](const std::vector<uint64_t>& times) {
        return static_cast<size_t>(std::upper_bound(times.begin(), times.end(), cycle) -
                                   times.begin());
      };
      if (upTo(queue.pushes) > upTo(queue.pops) + depth_) return true;
    }
    return false;
  }

  /// True when a queue holds a token after everything that has happened.
  bool holdsAny() const {
    return std::any_of(queues_.begin(), queues_.end(),
                       [](const Queue& queue) { return queue.pushes.size() > queue.pops.size(); });
  }

 private:
  struct Queue {
    std::vector<uint64_t> pushes;
    std::vector<uint64_t> pops;
  };
  uint32_t depth_;
  std::array<Queue, kTokenQueueCount> queues_;
};

}  // namespace vta::sim::cycle
