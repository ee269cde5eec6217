#include "module/module_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "module/module_info_check.h"

namespace vta {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kConstantsBytes = 4096;
constexpr uint64_t kProgramsBytes = 512;

ModuleInfo makeInfo() {
  ModuleInfo info;
  info.model = "tiny \"quoted\" \xc3\xa9";
  info.sdk_version = "0.1.0";
  info.target_triple = "x86_64-pc-linux-gnu";
  info.hw_yaml = "name: default\n";
  info.host_arena_bytes = 1024;
  info.device_arena_bytes = 2048;
  info.tensors = {
      {"image", DType::kF32, {1, 4, 4, 4}, Storage::kHost, 0, 256},
      {"packed", DType::kI8, {1, 1, 4, 4, 1, 16}, Storage::kDevice, 64, 256},
      {"weight", DType::kI8, {1, 1, 1, 1, 16, 16}, Storage::kDeviceConstant, 128, 256},
      {"lut", DType::kI32, {3}, Storage::kConstant, 3072, 12},
      {"result", DType::kI8, {1, 1, 4, 4, 1, 16}, Storage::kDevice, 320, 256},
      {"part", DType::kI8, {1, 1, 1, 4, 1, 16}, Storage::kDevice, 344, 64, 4},
  };
  info.inputs = {{"image", 0}};
  info.outputs = {{"result", 4}};
  info.layers = {{"pack", "pack", "cpu", "layout", 0}, {"conv1", "conv", "vta", "", 4096}};
  info.programs = {{64, 300}};
  info.steps = {{StepInfo::Kind::kHost, 0, "host_0", {0, 3, 1}, 1, 0, {}},
                {StepInfo::Kind::kVta, 1, "ref_1", {1, 2, 4}, 1, 0, {1, 2, 4, -1}}};
  return info;
}

Status parse(const std::string& json) {
  const auto result = parseModuleInfo(json, kConstantsBytes, kProgramsBytes);
  return result.ok() ? Status() : result.status();
}

TEST(ModuleInfo, RoundTripsThroughJson) {
  const std::string json = toJson(makeInfo());
  const auto info = parseModuleInfo(json, kConstantsBytes, kProgramsBytes);
  ASSERT_TRUE(info.ok()) << info.status().message();
  EXPECT_EQ(toJson(*info), json);
  EXPECT_EQ(info->model, makeInfo().model);
  EXPECT_EQ(info->steps[1].buffers, makeInfo().steps[1].buffers);
  EXPECT_EQ(info->tensors[3].storage, Storage::kConstant);
}

TEST(ModuleInfo, NamesThatAreNotUtf8AreReplacedNotThrown) {
  ModuleInfo info = makeInfo();
  info.layers[0].name = "\xff\xfe";
  EXPECT_TRUE(parse(toJson(info)).ok());
}

TEST(ModuleInfo, RefusesMalformedJson) {
  EXPECT_THAT(parse("").message(), HasSubstr("not valid JSON"));
  EXPECT_THAT(parse("{\"model\": ").message(), HasSubstr("not valid JSON"));
  EXPECT_THAT(parse(std::string(1000000, '[')).message(), HasSubstr("not valid JSON"));
  EXPECT_THAT(parse("[]").message(), HasSubstr("is not an object"));
  EXPECT_THAT(parse("{}").message(), HasSubstr("'model' is missing"));
}

struct TextCase {
  const char* from;
  const char* to;
  const char* message;
};

TEST(ModuleInfo, RefusesWrongTypesAndValues) {
  const TextCase cases[] = {
      {"\"host_arena_bytes\":1024", "\"host_arena_bytes\":\"1024\"", "is not an integer"},
      {"\"host_arena_bytes\":1024", "\"host_arena_bytes\":-1", "is out of range"},
      {"\"host_arena_bytes\":1024", "\"host_arena_bytes\":1e300", "is not an integer"},
      {"\"sdk_version\":\"0.1.0\"", "\"sdk_version\":{}", "is not a string"},
      {"\"dtype\":\"float32\"", "\"dtype\":\"float31\"", "is not a known element type"},
      {"\"storage\":\"constant\"", "\"storage\":\"attic\"", "unknown value 'attic'"},
      {"\"tensor\":0", "\"tensor\":4294967296", "is out of range"},
      {"[0,3,1]", "[0,true,1]", "not an integer"},
      {"[0,3,1]", "7", "is not an array"},
  };
  const std::string json = toJson(makeInfo());
  for (const TextCase& test : cases) {
    std::string changed = json;
    const size_t at = changed.find(test.from);
    ASSERT_NE(at, std::string::npos) << test.from;
    changed.replace(at, std::string(test.from).size(), test.to);
    EXPECT_THAT(parse(changed).message(), HasSubstr(test.message)) << test.to;
  }
}

struct ChangeCase {
  std::function<void(ModuleInfo&)> change;
  const char* message;
};

TEST(ModuleInfo, RefusesEntriesOutOfRange) {
  const ChangeCase cases[] = {
      {[](ModuleInfo& m) { m.tensors[0].size_bytes = 255; }, "size of its shape"},
      {[](ModuleInfo& m) {
         m.tensors[0].shape = {-1, 4};
       },
       "size of its shape"},
      {[](ModuleInfo& m) {
         m.tensors[0].shape = {int64_t{1} << 62, 64};
       },
       "size of its shape"},
      {[](ModuleInfo& m) { m.tensors[0].offset_bytes = 1; }, "not aligned"},
      {[](ModuleInfo& m) { m.tensors[0].offset_bytes = 832; }, "outside its host memory"},
      {[](ModuleInfo& m) { m.tensors[1].offset_bytes = 1856; }, "outside its device memory"},
      {[](ModuleInfo& m) { m.tensors[2].offset_bytes = 3904; }, "outside its device_constant"},
      {[](ModuleInfo& m) { m.tensors[3].offset_bytes = ~uint64_t{63}; }, "outside its constant"},
      {[](ModuleInfo& m) { m.tensors[5].part_of = 6; }, "'part' is a part of tensor 6 of 6"},
      {[](ModuleInfo& m) { m.tensors[5].part_of = -2; }, "is a part of tensor -2 of 6"},
      {[](ModuleInfo& m) { m.tensors[5].part_of = 5; }, "cannot be a part of 'part'"},
      {[](ModuleInfo& m) { m.tensors[5].part_of = 0; }, "cannot be a part of 'image'"},
      {[](ModuleInfo& m) { m.tensors[5].offset_bytes = 319; }, "cannot be a part of 'result'"},
      {[](ModuleInfo& m) { m.tensors[5].offset_bytes = 513; }, "cannot be a part of 'result'"},
      {[](ModuleInfo& m) { m.tensors[3].part_of = 3; }, "cannot be a part of 'lut'"},
      {[](ModuleInfo& m) { m.device_arena_bytes = ~uint64_t{0}; }, "impossibly large"},
      {[](ModuleInfo& m) { m.inputs[0].tensor = 6; }, "names tensor 6 of 6"},
      {[](ModuleInfo& m) { m.inputs[0].tensor = 3; }, "is a constant"},
      {[](ModuleInfo& m) { m.outputs.push_back(m.outputs[0]); }, "two outputs are called"},
      {[](ModuleInfo& m) { m.programs[0].size_bytes = 449; }, "program 0 lies outside"},
      {[](ModuleInfo& m) { m.steps[0].layer = 2; }, "names layer 2 of 2"},
      {[](ModuleInfo& m) { m.steps[0].symbol = ""; }, "names no function"},
      {[](ModuleInfo& m) { m.steps[0].arguments = {9}; }, "uses tensor 9 of 6"},
      {[](ModuleInfo& m) { m.steps[0].num_results = 4; }, "4 results among 3"},
      {[](ModuleInfo& m) { m.steps[0].num_results = 2; }, "writes a constant"},
      {[](ModuleInfo& m) { m.steps[1].program = 1; }, "names program 1 of 1"},
      {[](ModuleInfo& m) { m.steps[1].buffers = {6}; }, "uses tensor 6 of 6"},
      {[](ModuleInfo& m) { m.steps[1].buffers = {-2}; }, "uses tensor -2"},
      {[](ModuleInfo& m) { m.steps[1].buffers = {0}; }, "not in device memory"},
      {[](ModuleInfo& m) { m.hw_yaml = ""; }, "no configuration"},
  };
  ASSERT_TRUE(checkModuleInfo(makeInfo(), kConstantsBytes, kProgramsBytes).ok());
  for (const ChangeCase& test : cases) {
    ModuleInfo info = makeInfo();
    test.change(info);
    EXPECT_THAT(parse(toJson(info)).message(), HasSubstr(test.message));
  }
}

TEST(ModuleInfo, SurvivesRandomDamage) {
  const std::string json = toJson(makeInfo());
  std::mt19937 random(7);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = json;
    for (int k = 0; k < 3; ++k) damaged[random() % damaged.size()] = static_cast<char>(random());
    if (i % 3 == 0) damaged.resize(random() % damaged.size());
    refused += !parse(damaged).ok();
  }
  EXPECT_GT(refused, 2000);
}

}  // namespace
}  // namespace vta
