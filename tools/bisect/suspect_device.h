// A device under suspicion, with a launch image in its memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "driver/device.h"
#include "isa/program/program.h"
#include "tools/bisect/launch_image.h"

namespace vta::driver {

class SuspectDevice {
 public:
  /// Allocates room for the image and for copies. Both arguments must outlive the object. Errors:
  /// kResourceExhausted.
  static Result<SuspectDevice> create(Device& device, const LaunchImage& image);
  SuspectDevice(SuspectDevice&& other) noexcept;
  SuspectDevice& operator=(SuspectDevice&&) = delete;
  ~SuspectDevice();

  /// Puts `bytes` where the image lies, part by part, over their complement, which is written piece
  /// by piece: so a line that is not written back is recognised.
  Status write(std::span<const std::byte> bytes);

  /// Launches the first `count` instructions, then FINISH. The fault that tokens are left over, as
  /// they are behind a part of a program, is none.
  struct Outcome {
    std::optional<Fault> fault;
  };
  Result<Outcome> launch(uint32_t count);

  /// The image's memory, part by part; or piece by piece, which less goes wrong with.
  Result<std::vector<std::byte>> read();
  Result<std::vector<std::byte>> readPieces(uint64_t offset, uint64_t size_bytes);

  /// What the core reads in [offset, offset + size_bytes), rounded to whole elements of OUT: copied
  /// by the core, and read from the copy.
  Result<std::vector<std::byte>> readThroughCore(uint64_t offset, uint64_t size_bytes);

  /// All lanes of ACC, which are destroyed.
  Result<std::vector<int32_t>> readAccumulators();

  /// Empties the scratchpads.
  Status clearScratchpads();

 private:
  SuspectDevice(Device& device, const LaunchImage& image) : device_(&device), image_(image) {}
  Status writePieces(uint64_t offset, std::span<const std::byte> bytes);
  Status run(const Program& program, std::span<const uint64_t> addresses);

  Device* device_;
  const LaunchImage& image_;
  DeviceBuffer memory_;
  DeviceBuffer scratch_;
};

}  // namespace vta::driver
