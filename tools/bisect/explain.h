// What --verify says about a layer that differs on a device.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/status.h"
#include "driver/runtime/session.h"
#include "tools/bisect/bisect.h"
#include "tools/bisect/launch_image.h"

namespace vta::driver {

/// The layer's launch alone, with what its buffers hold. Errors: a corrupt program.
Result<LaunchImage> imageOf(const SuspectLayer& layer);

/// The files of vta-run --image for a launch (docs/images.md).
struct Reproducer {
  std::vector<std::byte> before;
  std::vector<std::byte> after;  // what the memory has to become
  std::string description;       // JSON
};

/// Errors: an image that the functional model refuses.
Result<Reproducer> reproducerOf(const LaunchImage& image);

/// Lines for people: the verdict, the tile and its instruction.
std::string describeVerdict(const Verdict& verdict, const LaunchImage& image);

}  // namespace vta::driver
