#include "compiler/kernel/schedule/schedule_file.h"

#include <gmock/gmock.h>

namespace vta::kernel::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

LayerSchedule unusualSchedule(const std::string& layer) {
  LayerSchedule unusual{layer, {}};
  unusual.schedule = {.tile_height = 14,
                      .tile_width = 7,
                      .tile_out_blocks = 4,
                      .tile_in_blocks = 2,
                      .tile_kernel_height = 1,
                      .tile_kernel_width = 3,
                      .virtual_threads = 1,
                      .order = Schedule::Order::kWeightsOuter,
                      .int8_through_gemm = false,
                      .skip_padding = true};
  return unusual;
}

/// A file with the default schedule for layer 'conv', after `change` from one text to another.
std::string fileWith(const std::string& from, const std::string& to) {
  const std::vector<LayerSchedule> layers = {{"conv", {}}};
  std::string text = schedulesToYaml(layers, HwConfig::makeDefault());
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string errorOf(const std::string& text) {
  const auto parsed = parseSchedules(text, "s.yaml", HwConfig::makeDefault());
  EXPECT_FALSE(parsed.ok());
  return parsed.status().message();
}

TEST(ScheduleFile, ReadsWhatItWrote) {
  const HwConfig hw = HwConfig::makeDefault();
  const std::vector<LayerSchedule> layers = {
      unusualSchedule("conv1"), {"a: 'b' #c", {}}, unusualSchedule("true"), {"", {}}};
  const auto read = parseSchedules(schedulesToYaml(layers, hw), "s.yaml", hw);
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->size(), layers.size());
  for (size_t i = 0; i < layers.size(); ++i) {
    EXPECT_EQ((*read)[i].layer, layers[i].layer);
    EXPECT_EQ((*read)[i].schedule, layers[i].schedule) << layers[i].layer;
  }
  EXPECT_EQ((*read)[0].place, "s.yaml:14:5");
}

TEST(ScheduleFile, HasEveryField) {
  // Does not compile when a schedule has another number of fields: the file needs them all, and so
  // does unusualSchedule.
  const auto [height, width, out, in, kernel_height, kernel_width, threads, order, int8, padding] =
      unusualSchedule("conv").schedule;
  const Schedule usual;
  EXPECT_TRUE(height != usual.tile_height && width != usual.tile_width);
  EXPECT_TRUE(out != usual.tile_out_blocks && in != usual.tile_in_blocks);
  EXPECT_TRUE(kernel_height != usual.tile_kernel_height);
  EXPECT_TRUE(kernel_width != usual.tile_kernel_width);
  EXPECT_TRUE(threads != usual.virtual_threads && order != usual.order);
  EXPECT_TRUE(int8 != usual.int8_through_gemm && padding != usual.skip_padding);
}

TEST(ScheduleFile, NoLayersAtAll) {
  const HwConfig hw = HwConfig::makeDefault();
  const auto read = parseSchedules(schedulesToYaml({}, hw), "s.yaml", hw);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_TRUE(read->empty());
}

TEST(ScheduleFile, LayersOfOneNameAreAListInTheirOrder) {
  const HwConfig hw = HwConfig::makeDefault();
  const std::vector<LayerSchedule> layers = {unusualSchedule("conv"), {"pool", {}}, {"conv", {}}};
  const auto read = parseSchedules(schedulesToYaml(layers, hw), "s.yaml", hw);
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->size(), 3U);
  EXPECT_EQ((*read)[0].schedule, layers[0].schedule);
  EXPECT_EQ((*read)[1].layer, "conv");
  EXPECT_EQ((*read)[1].schedule, Schedule());
  EXPECT_EQ((*read)[2].layer, "pool");
}

TEST(ScheduleFile, WhatIsNoSuchFile) {
  for (const char* text : {"", "7", "[1, 2]"}) {
    EXPECT_THAT(errorOf(text), HasSubstr("s.yaml: a file of schedules must be a map")) << text;
  }
  EXPECT_THAT(errorOf("hw: [\n"), HasSubstr("s.yaml:2:1: "));
  EXPECT_THAT(errorOf("layers: {}\n"), HasSubstr("key hw is missing"));
  EXPECT_THAT(errorOf("name: default\n"), HasSubstr("unknown key name; legal keys: hw, layers"));
  EXPECT_THAT(errorOf("hw: 3\nlayers: {}\n"), HasSubstr("s.yaml:1:5: hw must be a map"));
  EXPECT_THAT(errorOf(fileWith("layers:", "lairs:")), HasSubstr("unknown key lairs"));
  EXPECT_THAT(errorOf(fileWith("layers:", "more: 1\nlayers:")), HasSubstr("unknown key more"));
  EXPECT_THAT(errorOf(fileWith("  conv:", "  [a, b]:")), HasSubstr("must be a single value"));
  EXPECT_THAT(errorOf(fileWith("  conv:", "  conv2: 7\n  conv:")),
              HasSubstr("s.yaml:13:10: layer 'conv2' must be a map"));
  std::string list = schedulesToYaml({}, HwConfig::makeDefault());
  list.replace(list.find("{}"), 2, "[1]");
  EXPECT_THAT(errorOf(list), HasSubstr("s.yaml:13:3: layers must be a map"));
}

TEST(ScheduleFile, AnotherConfiguration) {
  EXPECT_THAT(errorOf(fileWith("name: default", "name: tiny")),
              AllOf(HasSubstr("s.yaml:4:9: "), HasSubstr("for the configuration 'tiny'"),
                    HasSubstr("not for 'default'")));
  EXPECT_THAT(errorOf(fileWith("block_in: 16", "block_in: 8")),
              HasSubstr("s.yaml:6:13: these schedules are for a configuration 'default' whose "
                        "block_in is 8, not 16"));
  EXPECT_THAT(errorOf(fileWith("acc_buf_bytes: 131072", "acc_buf_bytes: 1")),
              HasSubstr("acc_buf_bytes is 1, not 131072"));
  EXPECT_THAT(errorOf(fileWith("  batch: 1\n", "")), HasSubstr("key batch is missing"));
  EXPECT_THAT(errorOf(fileWith("  batch: 1\n", "  batch: 1\n  mhz: 5\n")),
              HasSubstr("unknown key mhz"));
}

TEST(ScheduleFile, FieldsOfASchedule) {
  EXPECT_THAT(errorOf(fileWith("tile_height: 1", "tile_height: 0")),
              HasSubstr("s.yaml:14:18: tile_height is 0; legal: at least 1"));
  EXPECT_THAT(errorOf(fileWith("tile_width: 1", "tile_width: 9999999999")),
              HasSubstr("tile_width is \"9999999999\"; it must be an integer"));
  EXPECT_THAT(errorOf(fileWith("tile_kernel_width: 0", "tile_kernel_width: -1")),
              HasSubstr("tile_kernel_width is -1; legal: at least 0"));
  EXPECT_THAT(errorOf(fileWith("virtual_threads: 2", "virtual_threads: 3")),
              HasSubstr("virtual_threads is 3; legal: 1 to 2"));
  EXPECT_THAT(errorOf(fileWith("order: weights_inner", "order: inner")),
              HasSubstr("order is \"inner\"; legal: weights_inner or weights_outer"));
  EXPECT_THAT(errorOf(fileWith("skip_padding: false", "skip_padding: 0")),
              HasSubstr("skip_padding is \"0\"; legal: false or true"));
  EXPECT_THAT(errorOf(fileWith("    tile_height: 1\n", "    tile_hight: 1\n")),
              AllOf(HasSubstr("s.yaml:14:5: unknown key tile_hight"), HasSubstr("tile_height")));
  EXPECT_THAT(errorOf(fileWith("    tile_height: 1\n", "")),
              HasSubstr("key tile_height is missing"));
  EXPECT_THAT(errorOf(fileWith("    tile_height: 1\n", "    tile_height: 1\n    tile_height: 2\n")),
              HasSubstr("key tile_height appears twice"));
}

TEST(ScheduleFile, LayersThatAppearTwice) {
  const std::string text = fileWith("  conv:", "  conv: []\n  conv:");
  EXPECT_THAT(errorOf(text),
              HasSubstr("s.yaml:14:3: layer 'conv' appears twice, first at s.yaml:13:3"));
}

TEST(GivenSchedules, EachLayerTakesItsOwn) {
  const std::vector<LayerSchedule> layers = {
      {"a", {}, "s.yaml:1:1"}, {"b", {}, "s.yaml:2:1"}, {"b", {}, "s.yaml:3:1"}};
  GivenSchedules given(layers);
  EXPECT_EQ(*given.take("b"), &layers[1]);
  EXPECT_EQ(*given.take("b"), &layers[2]);
  EXPECT_EQ(*given.take("c"), nullptr);
  EXPECT_EQ(*given.take("a"), &layers[0]);
  EXPECT_TRUE(given.checkAllTaken({}).ok());
  EXPECT_THAT(given.take("b").status().message(),
              HasSubstr("s.yaml:3:1: more than 2 layers are called 'b'"));
}

TEST(GivenSchedules, LayersThatDoNotExist) {
  const std::vector<LayerSchedule> layers = {{"a", {}, "s.yaml:1:1"}, {"b", {}, "s.yaml:2:1"}};
  GivenSchedules given(layers);
  ASSERT_TRUE(given.take("b").ok());
  const std::vector<std::string> some = {"b", "c"};
  EXPECT_THAT(given.checkAllTaken(some).message(),
              HasSubstr("s.yaml:1:1: no layer 'a' runs on the VTA; those that do: b, c"));
  EXPECT_THAT(given.checkAllTaken({}).message(), HasSubstr("those that do: none"));
  const std::vector<std::string> many(40, "x");
  EXPECT_THAT(given.checkAllTaken(many).message(), HasSubstr("x and 28 more"));
}

TEST(GivenSchedules, MoreThanLayers) {
  const std::vector<LayerSchedule> layers = {{"a", {}, "s.yaml:1:1"}, {"a", {}, "s.yaml:2:1"}};
  GivenSchedules given(layers);
  ASSERT_TRUE(given.take("a").ok());
  EXPECT_THAT(given.checkAllTaken({}).message(),
              HasSubstr("s.yaml:2:1: 2 schedules for layer 'a', but layers of this name: 1"));
}

}  // namespace
}  // namespace vta::kernel::testing
