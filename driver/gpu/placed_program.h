// A GPU program whose ranges have addresses: what is common to all driver interfaces.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "driver/memory_device.h"
#include "module/gpu/gpu_program.h"

namespace vta::driver {

/// A range of a device's memory that a kernel uses.
struct PlacedRange {
  uint64_t address = 0;
  uint64_t size_bytes = 0;
  GpuAccess access = GpuAccess::kRead;
};

struct PlacedDispatch {
  uint32_t kernel = 0;
  std::vector<PlacedRange> ranges;
  /// It uses what a dispatch behind the last wait writes, or writes what one of them uses.
  bool waits = false;
};

/// Owns the program's scratch memory and constants in the memory of the device.
class PlacedProgram {
 public:
  /// `program` has passed checkGpuProgram. Errors: another number of addresses than the program has
  /// arguments; those of the memory.
  static Result<PlacedProgram> create(const GpuProgram& program,
                                      std::span<const uint64_t> arguments, MemoryDevice& memory);

  const std::vector<PlacedDispatch>& dispatches() const { return dispatches_; }

 private:
  OwnedDeviceBuffer scratch_;
  OwnedDeviceBuffer constants_;
  std::vector<PlacedDispatch> dispatches_;
};

}  // namespace vta::driver
