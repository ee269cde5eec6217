// Brings addresses and data of write bursts together. Internal to this library.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/rtl/bus/axi_memory.h"

namespace vta::sim {

/// A burst all of whose beats are in memory.
struct FinishedWrite {
  uint8_t id = 0;                ///< AWID, which the response carries
  uint8_t response = kRespOkay;  ///< of the last beat that met an error, if any did
};

/// Takes the handshakes of AW and W, whichever comes first, and writes each beat to memory as soon
/// as its address is known.
class WriteCollector {
 public:
  /// Writes go to `memory`.
  explicit WriteCollector(AxiMemory memory) : memory_(memory) {}

  /// Forgets bursts that are not complete.
  void reset();

  /// The bursts that are complete with the handshakes of this cycle. Valid until the next call.
  const std::vector<FinishedWrite>& observe(const VtaAxiPort& ports);

 private:
  struct Burst {
    uint64_t address = 0;
    uint32_t beats_left = 0;
    FinishedWrite result;
  };
  struct Beat {
    std::array<uint8_t, VTA_MODEL_MAX_DATA_BYTES> data;
    std::array<uint64_t, VTA_MODEL_MAX_DATA_BYTES / 64> strobes;
  };

  AxiMemory memory_;
  std::deque<Burst> bursts_;
  std::deque<Beat> beats_;
  std::vector<FinishedWrite> finished_;
};

}  // namespace vta::sim
