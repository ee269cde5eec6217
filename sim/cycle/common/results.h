// What a timing run reports: counters and, when asked, the times of instructions and bursts.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "isa/registers/counters.h"
#include "sim/common/fault.h"

namespace vta::sim {

using CycleCounters = LaunchCounters;

/// When things happened to one instruction, in cycles since the launch.
struct InstructionTimes {
  static constexpr uint64_t kNever = ~uint64_t{0};
  uint64_t dispatched = kNever;  // it entered its unit's queue
  uint64_t started = kNever;     // its tokens were popped
  uint64_t retired = kNever;     // its tokens were pushed
  bool operator==(const InstructionTimes&) const = default;
};

/// Who moves data on the bus.
enum class BusMaster : uint8_t { kFetch = 0, kLoad = 1, kCompute = 2, kStore = 3 };

/// One burst on the bus. Its beats need not be back to back.
struct BurstTimes {
  uint64_t first_beat = 0;
  uint64_t last_beat = 0;
  uint32_t beats = 0;
  BusMaster master = BusMaster::kFetch;
  uint64_t complete_request = 0;  // read: the memory accepts it; write: it also has all beats
  uint64_t response = 0;          // read: the last beat; write: the response
};

/// Events of a launch. `instructions` is indexed by the instruction's number in the stream.
struct Recording {
  std::vector<InstructionTimes> instructions;
  std::vector<BurstTimes> bursts;
};

struct TimingResult {
  CycleCounters counters;
  std::optional<Fault> fault;
};

}  // namespace vta::sim
