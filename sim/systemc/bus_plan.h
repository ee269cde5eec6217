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
  uint64_t address = 0;      ///< of the first byte
  uint32_t size_bytes = 0;   ///< of the row, within one burst
  bool is_write = false;     ///< to DRAM
  uint32_t instruction = 0;  ///< whose data it moves; of fetch, the first that it brings
  BusMaster master = BusMaster::kFetch;  ///< the unit that asks
  int port = 0;                          ///< memory port
  uint64_t request_cycle = 0;            ///< in which the address is on the bus
  uint64_t response_cycle = 0;  ///< in which the last beat, or the response to a write, arrives
};

/// A step of a launch: a burst is requested, or the values of an instruction are computed.
struct BusEvent {
  enum class Kind : uint8_t { kTransfer, kExecute };
  uint64_t cycle = 0;           ///< of the launch
  Kind kind = Kind::kTransfer;  ///< what `index` means
  uint32_t index = 0;           ///< of the transfer, or the instruction
};

/// A launch as bursts and steps of calculation.
struct BusPlan {
  std::vector<BusTransfer> transfers;  ///< in the order of their requests
  std::vector<BusEvent> events;        ///< in the order of time; writes last in their cycle
};

/// `stream_address` and `stream_bytes` are those of the encoded stream; `recording` is that of its
/// launch of `cycles` cycles. A LOAD's values are computed when it retires, a STORE's when it
/// starts: all it stores has been computed by then, and none of it is on the bus.
BusPlan planBus(const Stream& stream, uint64_t stream_address, uint64_t stream_bytes,
                const BaseAddresses& bases, const HwConfig& hw, const Recording& recording,
                uint64_t cycles);

}  // namespace vta::sim
