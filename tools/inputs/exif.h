// The orientation that a camera notes in its JPEG files.
#pragma once

#include <cstddef>
#include <span>

#include "tools/inputs/image.h"

namespace vta::tools {

/// Exif's orientation of a JPEG file, 1 (upright) to 8; 1 also when there is none or it is damaged.
int exifOrientation(std::span<const std::byte> file);

/// `image` turned and mirrored so that one stored with `orientation` stands upright.
Image uprightImage(Image image, int orientation);

}  // namespace vta::tools
