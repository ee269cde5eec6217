// What the bytes of device memory look like through an AXI port.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/common/dram.h"
#include "sim/rtl/model/vta_model.h"

namespace vta::sim {

inline constexpr uint8_t kRespOkay = 0;         ///< the codes of RRESP and BRESP
inline constexpr uint8_t kRespSlaveError = 2;   ///< an error of the memory itself
inline constexpr uint8_t kRespDecodeError = 3;  ///< nothing is at the address

/// Beats of `beat_bytes` bytes, aligned. Bytes outside all buffers read as zeros; a beat with none
/// inside a buffer, and a write to a byte outside, are decode errors and change nothing.
class AxiMemory {
 public:
  /// `dram` must outlive the object.
  AxiMemory(Dram& dram, uint32_t beat_bytes) : dram_(dram), beat_bytes_(beat_bytes) {}

  /// The width of the bus.
  uint32_t beatBytes() const { return beat_bytes_; }

  /// Fills `beat_bytes` bytes at `data`; returns the response.
  uint8_t read(uint64_t address, uint8_t* data) const;

  /// Writes the bytes whose strobe is set; returns the response.
  uint8_t write(uint64_t address, const uint8_t* data, const uint64_t* strobes);

 private:
  Dram& dram_;
  uint32_t beat_bytes_;
};

/// Checks what the core drives against the rules of AXI4: bursts that are INCR, full width, aligned
/// and inside 4 KiB; valid and payload stable until ready; WLAST on the last beat of each burst,
/// data in the order of addresses. Keeps the first violation.
class AxiMonitor {
 public:
  /// For a bus of `beat_bytes` bytes.
  explicit AxiMonitor(uint32_t beat_bytes) : beat_bytes_(beat_bytes) {}

  /// The core is in reset: nothing is in flight, and no violation is known.
  void reset();

  /// Looks at the settled ports of one cycle, in which the core is not in reset.
  void observe(const VtaAxiPort& ports);

  /// Empty when there was none.
  const std::string& violation() const { return violation_; }

 private:
  struct Address {
    bool waiting = false;  ///< valid in the cycle before, and not accepted
    uint64_t address = 0;
    uint8_t length = 0;
    uint8_t id = 0;
  };
  void checkAddress(const char* channel, const Address& now, uint8_t size, uint8_t burst);
  void checkStable(const char* channel, const Address& before, const Address& now, bool valid);
  void checkData(const VtaAxiPort& ports);
  void fail(std::string text);

  uint32_t beat_bytes_;
  Address read_;
  Address write_;
  bool data_waiting_ = false;
  bool data_last_ = false;
  std::string data_;
  uint32_t beats_of_burst_ = 0;  // of the burst whose data is under way
  // Lengths of accepted addresses and beats of complete data bursts that wait for each other.
  std::string lengths_;
  std::string unmatched_;
  std::string violation_;
};

}  // namespace vta::sim
