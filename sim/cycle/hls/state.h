// What the units of one launch of the published HLS core share (docs/timing.md, "The published HLS
// core").
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "isa/spec/hls_timing.h"
#include "sim/cycle/common/context.h"

namespace vta::sim::cycle::hls {

/// One unit's queue of instructions: register stages, a FIFO, register stages.
class InstructionQueue {
 public:
  /// `numbers` are the unit's instructions, of which `depth` fit into the FIFO.
  InstructionQueue(const std::vector<uint32_t>& numbers, int depth)
      : numbers_(numbers), room_(static_cast<size_t>(depth) + hls_timing::kQueueSlices) {}

  /// Fetch pushes the next instruction in `cycle`, not before roomFrom().
  void push(uint64_t cycle) { pushed_.push_back(cycle); }
  /// The unit takes the head in `cycle`, not before headFrom().
  void start(uint64_t cycle) { started_.push_back(cycle); }

  /// The first cycle in which there is room for another instruction; kNever when one has to start
  /// before.
  uint64_t roomFrom() const {
    if (pushed_.size() < room_) return 0;
    const size_t before = pushed_.size() - room_;
    return before < started_.size() ? started_[before] + hls_timing::kQueueRoomLatency : kNever;
  }
  /// The first cycle in which the unit sees the next instruction; kNever when it was not pushed.
  uint64_t headFrom() const {
    return isEmpty() ? kNever : pushed_[started_.size()] + hls_timing::kQueueLatency;
  }
  /// Nothing has been pushed that has not been started.
  bool isEmpty() const { return started_.size() == pushed_.size(); }
  /// Number in the stream; only when not empty.
  uint32_t headNumber() const { return numbers_[started_.size()]; }

 private:
  const std::vector<uint32_t>& numbers_;
  size_t room_;
  std::vector<uint64_t> pushed_;
  std::vector<uint64_t> started_;
};

/// The queues of a launch and what its units count.
struct State {
  /// Both outlive the state.
  State(Context& launch_context, const Stream& stream)
      : context(launch_context),
        queues{InstructionQueue(stream.queues[index(Unit::kLoad)], depth()),
               InstructionQueue(stream.queues[index(Unit::kCompute)], depth()),
               InstructionQueue(stream.queues[index(Unit::kStore)], depth())} {}

  /// Of load, compute or store.
  InstructionQueue& queue(Unit unit) { return queues[static_cast<size_t>(index(unit))]; }

  /// Pushes `tokens` in `cycle`.
  void push(uint8_t tokens, uint64_t cycle) {
    if (tokens != 0) context.tokens.push(tokens, cycle + hls_timing::kQueueLatency - 1);
  }

  Context& context;                     ///< shared with the model of our own core
  InstructionQueue queues[kUnitCount];  ///< by index(Unit)

 private:
  int depth() const { return context.hw.params().command_queue_depth; }
};

}  // namespace vta::sim::cycle::hls
