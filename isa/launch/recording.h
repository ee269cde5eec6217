// What happened when during one launch: times of instructions and of bursts, as the cycle simulator
// records them and traces and reports show them.
#pragma once

#include <cstdint>
#include <vector>

namespace vta {

/// Cycles of one instruction since the launch. An event that did not happen is kNever.
struct InstructionTimes {
  static constexpr uint64_t kNever = ~uint64_t{0};
  uint64_t dispatched = kNever;  // it entered its unit's queue
  uint64_t started = kNever;     // its tokens were popped
  uint64_t retired = kNever;     // its tokens were pushed
  /// Its first and last operation, or element moved into or out of a scratchpad. Before and between
  /// them it may wait. kNever where it has none.
  uint64_t work_from = kNever;
  uint64_t work_until = kNever;
  bool operator==(const InstructionTimes&) const = default;
};

/// Who moves data on the bus.
enum class BusMaster : uint8_t { kFetch = 0, kLoad = 1, kCompute = 2, kStore = 3 };

/// One burst on the bus, in cycles since the launch. Its beats need not be back to back.
struct BurstTimes {
  uint64_t first_beat_cycle = 0;
  uint64_t last_beat_cycle = 0;
  uint32_t beats = 0;
  BusMaster master = BusMaster::kFetch;
  uint64_t request_cycle = 0;   // read: the memory accepts it; write: it also has all beats
  uint64_t response_cycle = 0;  // read: the last beat; write: the response
  int port = 0;                 // memory port
};

/// Events of a launch. `instructions` is indexed by the instruction's number in the stream.
struct Recording {
  uint64_t cycles = 0;  // from the launch to its end
  /// The cycle in which a fault stopped the core. The model of the published HLS core leaves it
  /// out.
  uint64_t fault_cycle = InstructionTimes::kNever;
  std::vector<InstructionTimes> instructions;
  std::vector<BurstTimes> bursts;
  bool with_bursts = true;  // set before the launch; a long one has many bursts
};

}  // namespace vta
