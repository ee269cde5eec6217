#include "tools/inputs/exif.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace vta::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

/// The start of a JPEG file whose Exif table has one other entry and the orientation.
std::string jpegWith(char orientation, bool is_big_endian) {
  const auto number = [&](uint32_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) {
      const int shift = 8 * (is_big_endian ? bytes - 1 - i : i);
      text += static_cast<char>(value >> shift & 0xff);
    }
    return text;
  };
  std::string tiff = (is_big_endian ? "MM" : "II") + number(42, 2) + number(8, 4) + number(2, 2);
  tiff += number(0x10f, 2) + number(2, 2) + number(4, 4) + std::string("Cam\0", 4);
  tiff += number(0x112, 2) + number(3, 2) + number(1, 4);
  tiff += number(static_cast<uint32_t>(orientation), 2) + number(0, 2);
  const std::string payload = std::string("Exif\0\0", 6) + tiff;
  const auto segment = [](char marker, const std::string& data) {
    const size_t length = data.size() + 2;
    return std::string("\xff") + marker + static_cast<char>(length >> 8) +
           static_cast<char>(length & 0xff) + data;
  };
  return "\xff\xd8" + segment('\xe0', "JFIF") + segment('\xe1', payload);
}

int orientationOf(const std::string& file) {
  return exifOrientation(std::as_bytes(std::span(file)));
}

TEST(Exif, FindsTheOrientation) {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    EXPECT_EQ(orientationOf(jpegWith(static_cast<char>(orientation), true)), orientation);
    EXPECT_EQ(orientationOf(jpegWith(static_cast<char>(orientation), false)), orientation);
  }
}

TEST(Exif, IsUprightWithoutOne) {
  EXPECT_EQ(orientationOf(""), 1);
  EXPECT_EQ(orientationOf("\x89PNG"), 1);
  EXPECT_EQ(orientationOf(jpegWith(9, true)), 1);
  EXPECT_EQ(orientationOf(jpegWith(0, false)), 1);
}

TEST(Exif, SurvivesDamage) {
  const std::string file = jpegWith(6, false);
  for (size_t size = 0; size < file.size(); ++size) (void)orientationOf(file.substr(0, size));
  for (size_t at = 2; at < file.size(); ++at) {
    for (const char value : {'\0', '\x7f', '\xff'}) {
      std::string damaged = file;
      damaged[at] = value;
      const int orientation = orientationOf(damaged);
      EXPECT_TRUE(orientation >= 1 && orientation <= 8);
    }
  }
}

TEST(Exif, TurnsImagesUpright) {
  const Image stored{2, 3, 1, {1, 2, 3, 4, 5, 6}};
  const std::vector<uint8_t> upright[] = {
      {1, 2, 3, 4, 5, 6}, {3, 2, 1, 6, 5, 4}, {6, 5, 4, 3, 2, 1}, {4, 5, 6, 1, 2, 3},
      {1, 4, 2, 5, 3, 6}, {4, 1, 5, 2, 6, 3}, {6, 3, 5, 2, 4, 1}, {3, 6, 2, 5, 1, 4}};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Image image = uprightImage(stored, orientation);
    EXPECT_EQ(image.height, orientation >= 5 ? 3 : 2) << orientation;
    EXPECT_THAT(image.pixels, ElementsAreArray(upright[orientation - 1])) << orientation;
  }
  const Image colour{1, 2, 3, {1, 2, 3, 4, 5, 6}};
  EXPECT_THAT(uprightImage(colour, 2).pixels, ElementsAre(4, 5, 6, 1, 2, 3));
}

}  // namespace
}  // namespace vta::tools
