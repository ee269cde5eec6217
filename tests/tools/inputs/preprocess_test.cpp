#include "tools/inputs/preprocess.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vta::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::HasSubstr;

constexpr const char* kGood =
    "color: BGR\nsize: [2, 1]\nresize: stretch\nscale: 0.5\nmean: [1, 2, 3]\nstd: [2, 4, 8]\n";

std::string messageOf(const std::string& yaml) {
  return parsePreprocess(yaml, "p.yaml").status().message();
}

TEST(Preprocess, ReadsEveryKey) {
  const auto preprocess = parsePreprocess(kGood, "p.yaml");
  ASSERT_TRUE(preprocess.ok()) << preprocess.status().message();
  EXPECT_EQ(preprocess->color, Preprocess::Color::kBgr);
  EXPECT_EQ(preprocess->size, std::pair(2, 1));
  EXPECT_EQ(preprocess->resize, Preprocess::Resize::kStretch);
  EXPECT_EQ(preprocess->scale, 0.5);
  EXPECT_THAT(preprocess->mean, ElementsAre(1, 2, 3));
  EXPECT_THAT(preprocess->std, ElementsAre(2, 4, 8));
}

TEST(Preprocess, ErrorsHavePlaceAndKey) {
  const std::string good = kGood;
  EXPECT_THAT(messageOf(good + "flip: 1\n"), HasSubstr("p.yaml:7:7: unknown key 'flip'"));
  EXPECT_THAT(messageOf("color: RGB\n"), HasSubstr("'resize' is missing"));
  EXPECT_THAT(messageOf("color: PINK\n"), HasSubstr("'color' is not one of BGR, GRAY, RGB"));
  EXPECT_THAT(messageOf("size: 5\n"), HasSubstr("not [height, width]"));
  EXPECT_THAT(messageOf("size: [0, 5]\n"), HasSubstr("from 1 to"));
  EXPECT_THAT(messageOf("scale: [1]\n"), HasSubstr("'scale' is not a number"));
  EXPECT_THAT(messageOf("scale: .nan\n"), HasSubstr("'scale' is not a number"));
  EXPECT_THAT(messageOf("mean: [1, 2]\n"), HasSubstr("list of 1 or 3 numbers"));
  EXPECT_THAT(messageOf("std: [0]\n"), HasSubstr("holds a zero"));
  EXPECT_THAT(messageOf("crop_fraction: 2\n"), HasSubstr("from 0.1 to 1"));
  EXPECT_THAT(messageOf("[1, 2]"), HasSubstr("not a mapping"));
  EXPECT_THAT(messageOf("color: ["), HasSubstr("p.yaml:1:"));
  EXPECT_THAT(messageOf(""), HasSubstr("not a mapping"));
  EXPECT_THAT(loadPreprocess("/no/such").status().message(),
              HasSubstr("neither imagenet nor none"));
}

TEST(Preprocess, NormalisesChannelsInTheirOrder) {
  const auto preprocess = parsePreprocess(kGood, "p.yaml");
  const Image image{2, 1, 3, {10, 20, 30, 40, 50, 60}};
  const auto tensor = imageToTensor(image, *preprocess, DType::kF32, {1, 3, 2, 1});
  ASSERT_TRUE(tensor.ok()) << tensor.status().message();
  // Blue first: (30 / 2 - 1) / 2 and so on.
  EXPECT_THAT(tensor->as<float>(), ElementsAre(FloatEq(7), FloatEq(14.5f), FloatEq(2),
                                               FloatEq(5.75f), FloatEq(0.25f), FloatEq(2.125f)));
}

TEST(Preprocess, ChannelsMayComeLast) {
  const auto preprocess = parsePreprocess(kGood, "p.yaml");
  const Image image{2, 1, 3, {10, 20, 30, 40, 50, 60}};
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{1, 2, 1, 3}, {2, 1, 3}}) {
    const auto tensor = imageToTensor(image, *preprocess, DType::kF32, shape);
    ASSERT_TRUE(tensor.ok()) << tensor.status().message();
    EXPECT_EQ(tensor->shape, shape);
    EXPECT_THAT(tensor->as<float>(), ElementsAre(FloatEq(7), FloatEq(2), FloatEq(0.25f),
                                                 FloatEq(14.5f), FloatEq(5.75f), FloatEq(2.125f)));
  }
  const Image gray{2, 4, 1, {1, 2, 3, 4, 5, 6, 7, 8}};
  const auto bytes = imageToTensor(gray, Preprocess{}, DType::kU8, {1, 2, 4, 1});
  ASSERT_TRUE(bytes.ok());
  EXPECT_THAT(bytes->as<uint8_t>(), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(Preprocess, KnowsImagesByTheirShape) {
  const auto form = [](std::vector<int64_t> shape) {
    const auto found = imageForm(shape);
    return found ? std::vector<int>{found->channels, found->height, found->width,
                                    static_cast<int>(found->channels_last)}
                 : std::vector<int>();
  };
  EXPECT_THAT(form({1, 3, 24, 32}), ElementsAre(3, 24, 32, 0));
  EXPECT_THAT(form({1, 24, 32, 3}), ElementsAre(3, 24, 32, 1));
  EXPECT_THAT(form({24, 32, 1}), ElementsAre(1, 24, 32, 1));
  EXPECT_THAT(form({1, 24, 32}), ElementsAre(1, 24, 32, 0));
  // What can be read both ways has its channels first.
  EXPECT_THAT(form({1, 3, 24, 3}), ElementsAre(3, 24, 3, 0));
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{2, 24, 32, 3}, {1, 24, 32, 4}, {24, 3}, {1, 20000, 32, 3}}) {
    EXPECT_THAT(form(shape), ElementsAre());
  }
  const auto chosen = choosePreprocess("", {{1, 24, 32, 3}});
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(chosen->crop_fraction, 0.875);
}

TEST(Preprocess, OneChannelIsGray) {
  const Image image{1, 2, 3, {255, 255, 255, 255, 0, 0}};
  const auto gray = imageToTensor(image, Preprocess{}, DType::kF32, {1, 1, 1, 2});
  ASSERT_TRUE(gray.ok());
  EXPECT_THAT(gray->as<float>(), ElementsAre(255.0f, 76.0f));
  const auto bytes = imageToTensor(image, Preprocess{}, DType::kU8, {1, 1, 1, 2});
  ASSERT_TRUE(bytes.ok());
  EXPECT_THAT(bytes->as<uint8_t>(), ElementsAre(255, 76));
}

TEST(Preprocess, CenterCropKeepsProportions) {
  Preprocess preprocess;
  preprocess.resize = Preprocess::Resize::kCenterCrop;
  // The left and right thirds are black: the middle remains.
  Image image{2, 6, 1, {0, 0, 9, 9, 0, 0, 0, 0, 9, 9, 0, 0}};
  const auto tensor = imageToTensor(image, preprocess, DType::kF32, {1, 1, 2, 2});
  ASSERT_TRUE(tensor.ok());
  EXPECT_THAT(tensor->as<float>(), ElementsAre(9, 9, 9, 9));
  preprocess = *loadPreprocess("imagenet");
  const Image gray_image{50, 80, 3, std::vector<uint8_t>(12000, 128)};
  EXPECT_TRUE(imageToTensor(gray_image, preprocess, DType::kF32, {1, 3, 32, 32}).ok());
}

TEST(Preprocess, RefusesShapesThatAreNoImages) {
  const Image image{2, 2, 3, std::vector<uint8_t>(12)};
  const auto messageFor = [&](DType dtype, std::vector<int64_t> shape, Preprocess preprocess = {}) {
    return imageToTensor(image, preprocess, dtype, shape).status().message();
  };
  EXPECT_THAT(messageFor(DType::kF32, {1, 10}), HasSubstr("cannot become 1x10 float32"));
  EXPECT_THAT(messageFor(DType::kF32, {2, 3, 2, 2}), HasSubstr("cannot become"));
  EXPECT_THAT(messageFor(DType::kI64, {1, 3, 2, 2}), HasSubstr("cannot become"));
  EXPECT_THAT(messageFor(DType::kF32, {1, 3, 4, 4}, *parsePreprocess(kGood, "p")),
              HasSubstr("images of 2x1, the model wants 4x4"));
  Preprocess gray;
  gray.color = Preprocess::Color::kGray;
  EXPECT_THAT(messageFor(DType::kF32, {1, 3, 2, 2}, gray), HasSubstr("grey images"));
}

}  // namespace
}  // namespace vta::tools
