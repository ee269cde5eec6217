#include "tools/inputs/exif.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace vta::tools {
namespace {

using Bytes = std::span<const std::byte>;

constexpr int kUpright = 1;

/// `size` bytes at `at` as a number; nothing outside.
std::optional<uint32_t> numberAt(Bytes bytes, size_t at, size_t size, bool is_big_endian) {
  if (at > bytes.size() || bytes.size() - at < size) return std::nullopt;
  uint32_t value = 0;
  for (size_t i = 0; i < size; ++i) {
    const size_t from = is_big_endian ? i : size - 1 - i;
    value = value << 8 | static_cast<uint32_t>(bytes[at + from]);
  }
  return value;
}

/// The payload of the segment APP1 that holds Exif, after its identifier: a TIFF header and tables.
std::optional<Bytes> findTiff(Bytes file) {
  constexpr uint32_t kStartOfImage = 0xffd8;
  constexpr uint32_t kApp1 = 0xffe1;
  constexpr uint32_t kStartOfScan = 0xffda;
  constexpr std::string_view kExif("Exif\0\0", 6);
  if (numberAt(file, 0, 2, true) != kStartOfImage) return std::nullopt;
  size_t at = 2;
  while (true) {
    const auto marker = numberAt(file, at, 2, true);
    const auto length = numberAt(file, at + 2, 2, true);  // with its own two bytes
    if (!marker || !length || *length < 2 || *marker == kStartOfScan) return std::nullopt;
    if (file.size() - at - 2 < *length) return std::nullopt;
    const Bytes payload = file.subspan(at + 4, *length - 2);
    const std::string_view text(reinterpret_cast<const char*>(payload.data()), payload.size());
    if (*marker == kApp1 && text.starts_with(kExif)) return payload.subspan(kExif.size());
    at += 2 + *length;
  }
}

}  // namespace

int exifOrientation(std::span<const std::byte> file) {
  constexpr uint32_t kOrientationTag = 0x112;
  constexpr size_t kEntryBytes = 12;
  const auto tiff = findTiff(file);
  if (!tiff) return kUpright;
  const auto order = numberAt(*tiff, 0, 2, true);
  const bool is_big_endian = order == 0x4d4d;  // "MM"; else "II"
  const auto table = numberAt(*tiff, 4, 4, is_big_endian);
  const auto count = table ? numberAt(*tiff, *table, 2, is_big_endian) : std::nullopt;
  for (uint32_t i = 0; i < count.value_or(0); ++i) {
    const size_t entry = size_t{*table} + 2 + i * kEntryBytes;
    if (numberAt(*tiff, entry, 2, is_big_endian) != kOrientationTag) continue;
    const auto value = numberAt(*tiff, entry + 8, 2, is_big_endian);
    return value && *value >= 1 && *value <= 8 ? static_cast<int>(*value) : kUpright;
  }
  return kUpright;
}

Image uprightImage(Image image, int orientation) {
  if (orientation == kUpright) return image;
  // Exif 2.32, tag Orientation: where the first stored row and column belong.
  const bool swaps_axes = orientation >= 5;
  const bool from_right =
      orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool from_bottom =
      orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  Image upright{swaps_axes ? image.width : image.height,
                swaps_axes ? image.height : image.width,
                image.channels,
                {}};
  upright.pixels.reserve(image.pixels.size());
  for (int y = 0; y < upright.height; ++y) {
    for (int x = 0; x < upright.width; ++x) {
      const int row = swaps_axes ? x : y;
      const int column = swaps_axes ? y : x;
      const int from_row = from_bottom ? image.height - 1 - row : row;
      const int from_column = from_right ? image.width - 1 - column : column;
      const auto pixel =
          image.pixels.begin() + (int64_t{from_row} * image.width + from_column) * image.channels;
      upright.pixels.insert(upright.pixels.end(), pixel, pixel + image.channels);
    }
  }
  return upright;
}

}  // namespace vta::tools
