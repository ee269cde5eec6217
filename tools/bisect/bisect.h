// Why a launch on a device differs from the functional model: memory or arithmetic, and where.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "driver/device.h"
#include "driver/memory_difference.h"
#include "tools/bisect/launch_image.h"

namespace vta::driver {

enum class Suspect : uint8_t {
  kNone,        // the launch was right each time that it was repeated
  kMemory,      // bytes are not where they belong, or are old
  kStore,       // values change on the way from ACC to memory
  kArithmetic,  // one instruction computes something else
  kOrder,       // right one by one, wrong together
  kLaunch,      // it faults or does not end
};
std::string_view suspectName(Suspect suspect);  // "memory", ...

struct Verdict {
  Suspect suspect = Suspect::kNone;
  /// kMemory: what happened to which bytes.
  DifferenceKind memory_kind = DifferenceKind::kValues;
  std::string part;             // of the image, "instructions" for example
  uint64_t offset_in_part = 0;  // of the first wrong byte
  /// The instruction that is wrong, of kArithmetic on hardware that runs prefixes; else the STORE
  /// that writes the first wrong byte. -1: none.
  int64_t instruction = -1;
  int64_t tile = -1;        // number of the STORE that writes the first wrong byte, and
  int64_t tile_count = 0;   // how many there are
  std::string explanation;  // one or two sentences
  /// Whether the device's launch of the image is wrong each time.
  bool repeats = false;
};

/// Repeats the launch of `image` on `device`, which has to be free, and narrows down a difference:
/// the memory that the core reads and writes is looked at through the core itself, then prefixes of
/// the instructions are compared. A device that keeps tokens from launch to launch runs no
/// prefixes: of arithmetic, the verdict names the STORE alone. Errors: no room on the device; a
/// device that fails; an image that the functional model refuses.
Result<Verdict> bisectLaunch(Device& device, const LaunchImage& image);

}  // namespace vta::driver
