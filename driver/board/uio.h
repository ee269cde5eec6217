// Registers and interrupt of the core through the kernel's UIO.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/status.h"
#include "driver/board/board_options.h"
#include "driver/board/mapping.h"

namespace vta::driver {

/// The first kilobytes of an address range, which hold all registers of a core, or of one of four
/// blocks.
inline constexpr uint64_t kRegisterBytes = 4096;

/// An open and locked UIO device. Sources: the kernel's Documentation/driver-api/uio-howto.rst.
class Uio {
 public:
  /// Finds, opens, locks and maps the device. Four blocks have a map each, in the order fetch,
  /// load, compute, store, or one map with all windows behind one another. Errors name what is
  /// missing in the set-up.
  static Result<Uio> open(const BoardOptions& options);

  /// The registers alone, through /dev/mem at options.register_addresses.
  static Result<Uio> openPhysical(const BoardOptions& options);

  /// The core's registers; with four blocks, those of the first.
  const MappedRegisters& registers() const { return windows_.front(); }
  /// One window, or four.
  const std::vector<MappedRegisters>& windows() const { return windows_; }
  const std::string& path() const { return path_; }

  /// Whether the kernel delivers an interrupt.
  bool hasInterrupt() const { return has_interrupt_; }

  /// Lets the next interrupt through; the kernel blocks the line after each one. Errors: kIoError.
  Status enableInterrupt();

  /// Waits for an interrupt since the last call. False when none came in time. Errors: kIoError.
  Result<bool> waitInterrupt(std::chrono::microseconds timeout);

 private:
  /// Maps registers from `offset` of the file on, `count` windows behind one another.
  Status map(uint64_t offset, size_t count = 1);

  std::string path_;
  Descriptor file_;
  std::vector<Mapping> mappings_;
  std::vector<MappedRegisters> windows_;
  bool has_interrupt_ = false;
};

}  // namespace vta::driver
