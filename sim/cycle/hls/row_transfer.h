// A LOAD of the HLS core: row after row, each after the one before.
#pragma once

#include <cstdint>
#include <optional>

#include "isa/spec/hls_timing.h"
#include "sim/cycle/hls/read_port.h"
#include "sim/cycle/hls/state.h"

namespace vta::sim::cycle::hls {

/// The costs of a LOAD of `type`.
const hls_timing::RowCosts& rowCosts(MemoryType type);

/// The rows of one LOAD at a time.
class RowTransfer {
 public:
  /// Both outlive the transfer.
  RowTransfer(const Context& context, RowPort& port) : context_(context), port_(port) {}

  /// The LOAD `mem` starts in `cycle`.
  void begin(const MemInsn& mem, uint64_t cycle);
  /// A LOAD has begun and is not complete.
  bool isActive() const { return mem_ != nullptr; }

  /// Goes on as far as it is known. When the last row is complete: the cycle in which a row behind
  /// it would start; then the transfer is over.
  std::optional<uint64_t> advance();

  /// Of the transfer that is over: cycles in which data was taken or padding written.
  uint64_t busyCycles() const { return busy_; }
  /// The same: bytes that were read.
  uint64_t bytes() const { return bytes_; }

 private:
  bool isPadded() const;
  uint64_t rows() const;
  void ask();

  const Context& context_;
  RowPort& port_;
  const MemInsn* mem_ = nullptr;
  uint64_t row_bytes_ = 0;
  uint64_t interval_ = 1;
  uint32_t row_ = 0;
  uint64_t row_start_ = 0;
  uint64_t busy_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace vta::sim::cycle::hls
