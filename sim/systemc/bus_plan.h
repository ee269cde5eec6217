// What a launch does on the bus and when, from the cycle model's recording.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/config/hw_config.h"
#include "sim/common/dram.h"
#include "sim/common/stream.h"
#include "sim/cycle/common/results.h"

namespace vta::sim {

/// One burst with the bytes of its row that it moves. Cycles count from the launch.
struct BusTransfer {
  uint64_t address = 0;
  uint32_t size_bytes = 0;
  bool is_write = false;
  uint32_t instruction = 0;  // whose data it moves; of fetch, the first that it brings
  BusMaster master = BusMaster::kFetch;
  int port = 0;  // memory port
  uint64_t request_cycle = 0;
  uint64_t response_cycle = 0;
};

/// A step of a launch: a burst is requested, or the values of an instruction are computed.
struct BusEvent {
  enum class Kind : uint8_t { kTransfer, kExecute };
  uint64_t cycle = 0;
  Kind kind = Kind::kTransfer;
  uint32_t index = 0;  // of the transfer, or the instruction
};

struct BusPlan {
  std::vector<BusTransfer> transfers;
  std::vector<BusEvent> events;  // in the order of time; writes last in their cycle
};

/// `stream_address` and `stream_bytes` are those of the encoded stream; `recording` is that of its
/// launch of `cycles` cycles. A LOAD's values are computed when it retires, a STORE's when it
/// starts: all it stores has been computed by then, and none of it is on the bus.
BusPlan planBus(const Stream& stream, uint64_t stream_address, uint64_t stream_bytes,
                const BaseAddresses& bases, const HwConfig& hw, const Recording& recording,
                uint64_t cycles);

}  // namespace vta::sim
