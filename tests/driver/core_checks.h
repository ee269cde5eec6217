// What every device with the core behind registers has to do, on a card or on a board.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "driver/check_programs.h"
#include "driver/device.h"
#include "driver/loader.h"

namespace vta::driver::test {

/// A program that copies `count` elements, its buffers on the device, and the bytes that it copies.
class Copy {
 public:
  explicit Copy(Device& device, uint32_t count = 512);
  ~Copy();
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  /// Copies new bytes; false when others arrive. Errors: the launch's.
  Result<bool> run(uint8_t seed,
                   std::chrono::milliseconds timeout = std::chrono::milliseconds(5000));

  const Launch& launch() const { return loaded_->launch(); }

 private:
  Device& device_;
  CopyCheck check_;
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
