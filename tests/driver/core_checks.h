// What every device with the core behind registers has to do, on a card or on a board.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "driver/device.h"
#include "driver/loader.h"

namespace vta::driver::test {

/// A program that copies, its buffers on the device, and the bytes that it has to copy.
class Copy {
 public:
  static constexpr uint32_t kCount = 512;  // elements

  explicit Copy(Device& device);
  ~Copy();
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  /// Copies new bytes; false when others arrive. Errors: the launch's.
  Result<bool> run(uint8_t seed,
                   std::chrono::milliseconds timeout = std::chrono::milliseconds(5000));

 private:
  Device& device_;
  DeviceBuffer from_;
  DeviceBuffer to_;
  std::optional<LoadedProgram> loaded_;
};

/// A launch has cycles and the bytes that it wrote.
void expectCounters(Device& device);

/// A reset of a core that has run leaves zeros in its scratchpads.
void expectResetClearsScratchpads(Device& device);

/// What the host writes leaves alone what the core wrote beside it in the same cache line.
void expectWritesKeepTheLine(Device& device);

}  // namespace vta::driver::test
