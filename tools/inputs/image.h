// Images: reading, resizing, cropping.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"

namespace vta::tools {

/// 8-bit pixels, rows from top to bottom, `channels` values each (1 grey, 3 RGB).
struct Image {
  int height = 0;
  int width = 0;
  int channels = 3;
  std::vector<uint8_t> pixels;
};

/// Decodes a JPEG or PNG file to RGB, upright as its Exif orientation says; transparency is
/// dropped. Errors: anything else, damage, more than 100 million pixels.
Result<Image> decodeImage(std::span<const std::byte> file);

/// Grey by the weights of ITU-R BT.601, as PIL's convert("L").
Image toGray(const Image& image);

/// Bilinear resize; when it shrinks, every pixel of the source counts (a triangle filter as wide as
/// a target pixel, like PIL's BILINEAR).
Image resizeImage(const Image& image, int height, int width);

/// The middle part of an image that is at least that large.
Image cropCenter(const Image& image, int height, int width);

}  // namespace vta::tools
