#include "tools/inputs/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tools/inputs/exif.h"
#include "tools/inputs/png_check.h"

// stb is one header: this file holds its implementation.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_JPEG
#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#include <stb/stb_image.h>
#pragma GCC diagnostic pop

namespace vta::tools {
namespace {

constexpr size_t kMostFileBytes = size_t{1} << 30;
constexpr int64_t kMostPixels = 100'000'000;

/// Contributions of source positions to one target position.
struct Taps {
  int first = 0;
  std::vector<float> weights;
};

/// As Pillow rounds, whose results this reproduces; lround goes away from zero at a half.
int roundHalfUp(double value) { return static_cast<int>(std::floor(value + 0.5)); }

std::vector<Taps> makeTaps(int source, int target) {
  std::vector<Taps> taps(target);
  const double scale = static_cast<double>(source) / target;
  const double radius = std::max(1.0, scale);
  for (int i = 0; i < target; ++i) {
    const double centre = (i + 0.5) * scale;
    const int first = std::max(0, roundHalfUp(centre - radius));
    const int end = std::min(source, roundHalfUp(centre + radius));
    double sum = 0;
    taps[i].first = first;
    for (int s = first; s < end; ++s) {
      const double weight = std::max(0.0, 1.0 - std::abs(s + 0.5 - centre) / radius);
      taps[i].weights.push_back(static_cast<float>(weight));
      sum += weight;
    }
    for (float& weight : taps[i].weights) weight = static_cast<float>(weight / sum);
  }
  return taps;
}

}  // namespace

Result<Image> decodeImage(std::span<const std::byte> file) {
  Image image;
  int file_channels = 0;
  const auto* bytes = reinterpret_cast<const stbi_uc*>(file.data());
  if (file.size() > kMostFileBytes) return invalidArgument("the image's file is over 1 GiB");
  const auto size_bytes = static_cast<int>(file.size());
  VTA_RETURN_IF_ERROR(checkPng(file));
  const auto undecodable = [] {
    const char* reason = stbi_failure_reason();
    const bool is_known = reason != nullptr && *reason != '\0';
    return invalidArgument(fmt::format("cannot decode the image as JPEG or PNG: {}",
                                       is_known ? reason : "it is damaged"));
  };
  // A small file may unpack to any size: the header is asked first.
  if (stbi_info_from_memory(bytes, size_bytes, &image.width, &image.height, &file_channels) == 0) {
    return undecodable();
  }
  if (int64_t{image.width} * image.height > kMostPixels) {
    return invalidArgument(fmt::format(
        "the image has {} x {} pixels; at most {} million are decoded, scale it down first",
        image.width, image.height, kMostPixels / 1'000'000));
  }
  stbi_uc* pixels = stbi_load_from_memory(bytes, size_bytes, &image.width, &image.height,
                                          &file_channels, image.channels);
  if (pixels == nullptr) return undecodable();
  const size_t count = static_cast<size_t>(image.height) * image.width * image.channels;
  image.pixels.assign(pixels, pixels + count);
  stbi_image_free(pixels);
  return uprightImage(std::move(image), exifOrientation(file));
}

Image toGray(const Image& image) {
  Image gray{image.height, image.width, 1, {}};
  gray.pixels.reserve(image.pixels.size() / 3);
  for (size_t i = 0; i + 2 < image.pixels.size(); i += 3) {
    const uint32_t sum = 19595u * image.pixels[i] + 38470u * image.pixels[i + 1] +
                         7471u * image.pixels[i + 2] + 0x8000u;
    gray.pixels.push_back(static_cast<uint8_t>(sum >> 16));
  }
  return gray;
}

Image resizeImage(const Image& image, int height, int width) {
  const std::vector<Taps> across = makeTaps(image.width, width);
  const std::vector<Taps> down = makeTaps(image.height, height);
  const int channels = image.channels;
  std::vector<float> rows(static_cast<size_t>(image.height) * width * channels, 0.0f);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < width; ++x) {
      float* target = &rows[(static_cast<size_t>(y) * width + x) * channels];
      for (size_t k = 0; k < across[x].weights.size(); ++k) {
        const size_t at = (static_cast<size_t>(y) * image.width + across[x].first + k) * channels;
        for (int c = 0; c < channels; ++c) target[c] += across[x].weights[k] * image.pixels[at + c];
      }
    }
  }
  Image resized{height, width, channels, {}};
  resized.pixels.resize(static_cast<size_t>(height) * width * channels);
  for (int y = 0; y < height; ++y) {
    for (int i = 0; i < width * channels; ++i) {
      float sum = 0;
      for (size_t k = 0; k < down[y].weights.size(); ++k) {
        sum += down[y].weights[k] * rows[(down[y].first + k) * width * channels + i];
      }
      resized.pixels[static_cast<size_t>(y) * width * channels + i] =
          static_cast<uint8_t>(std::clamp(std::lround(sum), 0L, 255L));
    }
  }
  return resized;
}

Image cropCenter(const Image& image, int height, int width) {
  const int top = (image.height - height) / 2;
  const int left = (image.width - width) / 2;
  Image cropped{height, width, image.channels, {}};
  for (int y = 0; y < height; ++y) {
    const auto row = image.pixels.begin() +
                     (static_cast<int64_t>(top + y) * image.width + left) * image.channels;
    cropped.pixels.insert(cropped.pixels.end(), row, row + int64_t{width} * image.channels);
  }
  return cropped;
}

}  // namespace vta::tools
