// What happened when during one launch, as a device with Capabilities::cycles records it.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/instruction/instruction.h"

namespace vta::driver {

/// Cycles of one instruction since the launch. An event that did not happen is kNever.
struct InstructionEvents {
  static constexpr uint64_t kNever = ~uint64_t{0};
  uint64_t dispatched = kNever;  // it entered its unit's queue
  uint64_t started = kNever;     // it took its tokens
  uint64_t retired = kNever;     // it pushed its tokens
};

/// Who moves data on the bus.
enum class BusMaster : uint8_t { kFetch, kLoad, kCompute, kStore };

/// A burst; its beats need not be back to back.
struct BurstEvents {
  uint64_t first_beat_cycle = 0;
  uint64_t last_beat_cycle = 0;
  uint32_t beats = 0;
  BusMaster master = BusMaster::kFetch;
};

/// Events of one launch; `instructions` by number in the stream.
struct LaunchTrace {
  uint64_t cycles = 0;
  std::vector<InstructionEvents> instructions;
  std::vector<BurstEvents> bursts;
};

}  // namespace vta::driver
