#include "driver/runtime/background/staged_queue.h"

#include <utility>

namespace vta::driver {

StagedQueue::StagedQueue(size_t stages) {
  for (size_t i = 0; i < stages; ++i) queues_.push_back(std::make_unique<LaunchQueue>());
}

/// The threads of later stages wait for earlier ones, which end behind them.
StagedQueue::~StagedQueue() {
  while (!queues_.empty()) queues_.pop_back();
}

void StagedQueue::add(std::vector<std::function<Status()>> parts) {
  ++added_;
  queues_.front()->add(std::move(parts.front()));
  for (size_t stage = 1; stage < queues_.size(); ++stage) {
    LaunchQueue* const before = queues_[stage - 1].get();
    queues_[stage]->add([before, number = added_, part = std::move(parts[stage])] {
      Status status = before->wait(number);
      return status.ok() ? part() : status;
    });
  }
}

Status StagedQueue::finish() {
  added_ = 0;
  // The last one first: what is in it waits for the others.
  Status status = queues_.back()->finish();
  for (const auto& queue : queues_) {
    Status ended = queue->finish();
    if (status.ok()) status = std::move(ended);
  }
  return status;
}

}  // namespace vta::driver
