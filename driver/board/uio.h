// Registers and interrupt of the core through the kernel's UIO.
#pragma once

#include <chrono>
#include <string>

#include "base/status.h"
#include "driver/board/board_options.h"
#include "driver/board/mapping.h"

namespace vta::driver {

/// The first kilobytes of the core's address range, which hold all registers.
inline constexpr uint64_t kRegisterBytes = 4096;

/// An open and locked UIO device. Sources: the kernel's Documentation/driver-api/uio-howto.rst.
class Uio {
 public:
  /// Finds, opens, locks and maps the device. Errors name what is missing in the set-up.
  static Result<Uio> open(const BoardOptions& options);

  /// The registers alone, through /dev/mem at options.registers_address.
  static Result<Uio> openPhysical(const BoardOptions& options);

  const MappedRegisters& registers() const { return registers_; }
  const std::string& path() const { return path_; }

  /// Whether the kernel delivers an interrupt.
  bool hasInterrupt() const { return has_interrupt_; }

  /// Lets the next interrupt through; the kernel blocks the line after each one. Errors: kIoError.
  Status enableInterrupt();

  /// Waits for an interrupt since the last call. False when none came in time. Errors: kIoError.
  Result<bool> waitInterrupt(std::chrono::microseconds timeout);

 private:
  std::string path_;
  OpenFile file_;
  Mapping mapping_;
  MappedRegisters registers_;
  bool has_interrupt_ = false;
};

}  // namespace vta::driver
