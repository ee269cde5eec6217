#include "tools/inputs/image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tools/common/files.h"

namespace vta::tools {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Image, DecodesPng) {
  const auto file = readFile(VTA_SOURCE_DIR "/examples/digits/images/three-1.png");
  ASSERT_TRUE(file.ok());
  const auto image = decodeImage(*file);
  ASSERT_TRUE(image.ok()) << image.status().message();
  EXPECT_EQ(image->channels, 3);
  EXPECT_EQ(image->pixels.size(), size_t{3} * image->height * image->width);
  for (size_t size = 0; size < file->size(); size += 37) {
    EXPECT_FALSE(decodeImage(std::span(*file).first(size)).ok()) << size;
  }
  EXPECT_THAT(decodeImage({}).status().message(), HasSubstr("cannot decode"));
}

TEST(Image, GrayIsWeighted) {
  const Image image{1, 4, 3, {255, 255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 255}};
  EXPECT_THAT(toGray(image).pixels, ElementsAre(255, 76, 150, 29));
}

TEST(Image, ResizeKeepsConstantsAndIdentity) {
  const Image flat{5, 7, 3, std::vector<uint8_t>(105, 93)};
  EXPECT_THAT(resizeImage(flat, 3, 2).pixels, Each(93));
  EXPECT_THAT(resizeImage(flat, 11, 13).pixels, Each(93));
  const Image ramp{1, 4, 1, {0, 50, 100, 200}};
  EXPECT_EQ(resizeImage(ramp, 1, 4).pixels, ramp.pixels);
}

TEST(Image, ResizeByHand) {
  const Image row{1, 2, 1, {0, 100}};
  // Centres at 0.25, 0.75, 1.25, 1.75 source pixels, clamped at the ends.
  EXPECT_THAT(resizeImage(row, 1, 4).pixels, ElementsAre(0, 25, 75, 100));
  // Halving a row of four: a triangle of radius 2 around 1 and 3: weights 3/7, 3/7, 1/7.
  const Image four{1, 4, 1, {0, 70, 140, 210}};
  EXPECT_THAT(resizeImage(four, 1, 2).pixels, ElementsAre(50, 160));
  EXPECT_THAT(resizeImage({4, 1, 1, four.pixels}, 2, 1).pixels, ElementsAre(50, 160));
}

TEST(Image, CropTakesTheMiddle) {
  const Image image{3, 4, 1, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};
  EXPECT_THAT(cropCenter(image, 1, 2).pixels, ElementsAre(5, 6));
  EXPECT_EQ(cropCenter(image, 3, 4).pixels, image.pixels);
}

}  // namespace
}  // namespace vta::tools
