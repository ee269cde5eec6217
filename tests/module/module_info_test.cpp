#include "module/module_info.h"
#include "module/metadata_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "module/metadata.h"
#include "module/metadata_fields.h"
#include "module/metadata_json.h"
#include "module/module_info_check.h"
#include "tests/module/two_machines.h"

namespace vta {
namespace {

using test::kConstantSpace;
using test::kDeviceConstantSpace;
using test::kDeviceSpace;
using test::kHostSpace;
using test::kStateSpace;
using test::kVtaExecutor;
using ::testing::HasSubstr;

constexpr uint64_t kConstantsBytes = 4096;
constexpr uint64_t kProgramsBytes = 512;

ModuleInfo makeInfo() {
  ModuleInfo info;
  info.model = "tiny \"quoted\" \xc3\xa9";
  info.sdk_version = "0.1.0";
  info.target_triple = "x86_64-pc-linux-gnu";
  test::addTwoMachines(info);
  info.executors[kCpuExecutor].features = {"avx2"};
  info.spaces[kHostSpace].size_bytes = 1024;
  info.spaces[kDeviceSpace].size_bytes = 2048;
  info.spaces[kStateSpace].size_bytes = 64;
  info.sizes = {{"batch", 1, 4}};
  info.tensors = {
      {"image", DType::kF32, {1, 4, 4, 4}, kHostSpace, 0, 256},
      {"packed", DType::kI8, {1, 1, 4, 4, 1, 16}, kDeviceSpace, 64, 256},
      {"weight", DType::kI8, {1, 1, 1, 1, 16, 16}, kDeviceConstantSpace, 128, 256},
      {"lut", DType::kI32, {3}, kConstantSpace, 3072, 12},
      {"result", DType::kI8, {1, 1, 4, 4, 1, 16}, kDeviceSpace, 320, 256},
      {"part", DType::kI8, {1, 1, 1, 4, 1, 16}, kDeviceSpace, 344, 64, 4},
      {"cache", DType::kI8, {-1, 8}, kStateSpace, 0, 32},  // of size "batch"
  };
  info.inputs = {{"image", 0}};
  info.outputs = {{"result", 4}};
  info.layers = {{"pack", "pack", "cpu", "layout", 0, {{"stem", "tuned schedule"}}},
                 {"conv1", "conv", "vta", "", 4096, {}}};
  info.functions = {"host_0", "ref_1"};
  info.programs = {{kVtaExecutor, {{"", 64, 300}}, {1, 2, 4, -1}}};
  info.steps = {{kCpuExecutor, 0, 0, {0, 3, 1}, 1, -1}, {kVtaExecutor, 1, 0, {1, 2, 4}, 1, 1}};
  info.actions = {{kCpuExecutor, 0, 1, 0, false, {}},
                  {kVtaExecutor, 1, 1, 0, true, {{kVtaExecutor, 0}}}};
  return info;
}

Status decode(std::span<const std::byte> bytes) {
  return decodeMetadata(bytes, kConstantsBytes, kProgramsBytes).status();
}

TEST(ModuleInfo, RoundTripsThroughItsBinaryForm) {
  const std::vector<std::byte> bytes = encodeMetadata(makeInfo());
  const auto info = decodeMetadata(bytes, kConstantsBytes, kProgramsBytes);
  ASSERT_TRUE(info.ok()) << info.status().message();
  EXPECT_EQ(encodeMetadata(*info), bytes);
  EXPECT_EQ(toJson(*info), toJson(makeInfo()));
  EXPECT_EQ(info->model, makeInfo().model);
  EXPECT_EQ(info->programs[0].buffers, makeInfo().programs[0].buffers);
  EXPECT_EQ(info->tensors[3].space, kConstantSpace);
  EXPECT_EQ(info->hw()->summary(), HwConfig::makeDefault().summary());
  EXPECT_EQ(info->hostArenaBytes(), 1024u);
  EXPECT_EQ(info->deviceArenaBytes(), 2048u);
}

TEST(ModuleInfo, ProgramsMayUseTensorsOfOtherMachines) {
  ModuleInfo info = makeInfo();
  info.programs[0].buffers[0] = 0;  // of the CPU
  info.steps[1].arguments[0] = 0;
  const Status status = checkModuleInfo(info, kConstantsBytes, kProgramsBytes);
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(ModuleInfo, JsonNamesWhatNumbersMean) {
  ModuleInfo info = makeInfo();
  info.layers[0].name = "\xff\xfe";  // not UTF-8: replaced, not thrown
  const std::string json = toJson(info);
  EXPECT_THAT(json, HasSubstr("\"dtype\":\"float32\""));
  EXPECT_THAT(json, HasSubstr("\"contents\":\"state\""));
  EXPECT_THAT(json, HasSubstr("\"gemm.block_in\":16"));
}

TEST(ModuleInfo, RefusesEveryTruncationAndWhatIsTooLong) {
  std::vector<std::byte> bytes = encodeMetadata(makeInfo());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode(std::span(bytes).first(size)).ok()) << size;
  }
  bytes.push_back(std::byte{0});
  EXPECT_THAT(decode(bytes).message(), HasSubstr("longer than its contents"));
}

TEST(ModuleInfo, RefusesValuesThatDoNotExist) {
  ModuleInfo info = makeInfo();
  info.tensors[0].dtype = static_cast<DType>(metadata::kDTypeNames.size());
  EXPECT_THAT(decode(encodeMetadata(info)).message(), HasSubstr("'dtype' has the unknown value"));
  info = makeInfo();
  info.spaces[0].contents = static_cast<SpaceInfo::Contents>(3);
  EXPECT_THAT(decode(encodeMetadata(info)).message(), HasSubstr("'contents' has the unknown"));
  info = makeInfo();
  info.executors[0].traits.entries = static_cast<EntryTable>(2);
  EXPECT_THAT(decode(encodeMetadata(info)).message(), HasSubstr("'entries' has the unknown"));
}

// What others bring along needs no row in a table of ours.
TEST(ModuleInfo, KindsThatNobodyKnowsSayWhatTheyAre) {
  ModuleInfo info = makeInfo();
  ExecutorInfo gpu = {"gpu", "gpu0", {EntryTable::kPrograms, false, true}, {"int8"}};
  const uint32_t executor = addExecutor(info, gpu, {"gpu", 256});
  const auto cache = static_cast<uint32_t>(info.tensors.size());
  const auto state = info.findSpace(executor, SpaceInfo::Contents::kState);
  ASSERT_TRUE(state);
  info.spaces[*state].size_bytes = 512;
  info.tensors.push_back({"keys", DType::kF32, {-1, 16}, *state, 256, 256});  // of size "batch"
  info.programs.push_back({executor, {{"sm_90", 0, 10}, {"", 64, 20}, {"sm_80", 128, 30}}});
  info.programs.back().buffers = {static_cast<int32_t>(cache)};
  info.layers.push_back({"attend", "Attention", "gpu0", "", 0, {}});
  info.steps.push_back({executor, 2, 1, {cache, cache}, 1, -1});
  info.actions.push_back({executor, 2, 1, 1, true, {}});
  const std::vector<std::byte> bytes = encodeMetadata(info);
  const auto read = decodeMetadata(bytes, kConstantsBytes, kProgramsBytes);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(encodeMetadata(*read), bytes);
  EXPECT_EQ(read->findExecutor("gpu0"), executor);
  EXPECT_EQ(read->findExecutorOfKind("gpu"), executor);
  EXPECT_FALSE(read->findExecutor("gpu1"));
  EXPECT_EQ(read->executors[executor].traits, gpu.traits);
  EXPECT_EQ(read->executors[executor].features, gpu.features);
  EXPECT_EQ(read->hostFeatures(), std::vector<std::string>{"avx2"});  // not those of programs
  EXPECT_EQ(read->spaces[*state].alignment_bytes, 256u);
  EXPECT_EQ(read->tensors[cache].shape, (std::vector<int64_t>{-1, 16}));
  EXPECT_FALSE(read->callsFunction(read->steps[2]));

  info.steps[2].entry = 0;
  EXPECT_THAT(decode(encodeMetadata(info)).message(), HasSubstr("a program of another executor"));
  info.steps[2].entry = 2;
  EXPECT_THAT(decode(encodeMetadata(info)).message(), HasSubstr("names program 2 of 2"));
}

TEST(ModuleInfo, ADeviceTakesTheFirstOfItsTargets) {
  const ProgramInfo program = {0, {{"sm_90", 0, 10}, {"", 64, 20}, {"sm_80", 128, 30}}, {}};
  const std::string_view both[] = {"sm_80", "sm_90"};
  const std::string_view other[] = {"sm_75"};
  EXPECT_EQ(program.variantFor(both)->target, "sm_80");
  EXPECT_EQ(program.variantFor(std::span(both).last(1))->target, "sm_90");
  EXPECT_EQ(program.variantFor(other)->target, "");
  EXPECT_EQ(program.variantFor()->target, "");
  const ProgramInfo special = {0, {{"sm_90", 0, 10}}, {}};
  EXPECT_EQ(special.variantFor(other), nullptr);
  EXPECT_EQ(special.variantFor(), nullptr);
}

TEST(ModuleInfo, EveryKindOfTheTableHasAnExecutorThatPasses) {
  for (const ExecutorKind& kind : kExecutorKinds) {
    EXPECT_EQ(findExecutorKind(kind.name), &kind);
  }
  EXPECT_EQ(findExecutorKind("gpu9"), nullptr);
  EXPECT_EQ(vtaMemory(HwConfig::makeDefault()).alignment_bytes, 256u);
}

struct ChangeCase {
  std::function<void(ModuleInfo&)> change;
  const char* message;
};

TEST(ModuleInfo, RefusesEntriesOutOfRange) {
  const ChangeCase cases[] = {
      {[](ModuleInfo& m) { m.tensors[0].size_bytes = 255; }, "size of its shape"},
      {[](ModuleInfo& m) {
         m.tensors[0].shape = {-2, 4};
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
      {[](ModuleInfo& m) { m.tensors[3].offset_bytes = ~uint64_t{63}; },
       "outside its host_constant"},
      {[](ModuleInfo& m) { m.tensors[5].part_of = 7; }, "'part' is a part of tensor 7 of 7"},
      {[](ModuleInfo& m) { m.tensors[5].part_of = -2; }, "is a part of tensor -2 of 7"},
      {[](ModuleInfo& m) { m.tensors[5].part_of = 5; }, "cannot be a part of 'part'"},
      {[](ModuleInfo& m) { m.tensors[5].part_of = 0; }, "cannot be a part of 'image'"},
      {[](ModuleInfo& m) { m.tensors[5].offset_bytes = 319; }, "cannot be a part of 'result'"},
      {[](ModuleInfo& m) { m.tensors[5].offset_bytes = 513; }, "cannot be a part of 'result'"},
      {[](ModuleInfo& m) { m.tensors[3].part_of = 3; }, "cannot be a part of 'lut'"},
      {[](ModuleInfo& m) { m.spaces[kDeviceSpace].size_bytes = ~uint64_t{0}; }, "impossibly large"},
      {[](ModuleInfo& m) { m.tensors[0].space = 6; }, "lies in memory 6 of 6"},
      {[](ModuleInfo& m) { m.spaces[0].executor = 2; }, "names executor 2 of 2"},
      {[](ModuleInfo& m) { m.sizes[0].max = 0; }, "size 'batch' is from 1 to 0"},
      {[](ModuleInfo& m) { m.sizes[0].max = 5; }, "'cache' of 32 bytes does not have the size"},
      {[](ModuleInfo& m) { m.executors[0].kind = "gpu"; }, "first executor is not the CPU"},
      {[](ModuleInfo& m) { m.executors[1].name = "cpu"; }, "two executors are called 'cpu'"},
      {[](ModuleInfo& m) { m.inputs[0].tensor = 7; }, "names tensor 7 of 7"},
      {[](ModuleInfo& m) { m.inputs[0].tensor = 3; }, "is a constant"},
      {[](ModuleInfo& m) { m.inputs[0].index_extent = -1; }, "selects from -1 positions"},
      {[](ModuleInfo& m) { m.outputs.push_back(m.outputs[0]); }, "two outputs are called"},
      {[](ModuleInfo& m) { m.outputs[0].count = 7; }, "'result' is counted by tensor 7 of 7"},
      {[](ModuleInfo& m) { m.outputs[0].count = -2; }, "'result' is counted by tensor -2 of 7"},
      {[](ModuleInfo& m) { m.outputs[0].count = 0; }, "'image', which is not one int64"},
      {[](ModuleInfo& m) {
         m.tensors[3] = {"n", DType::kI64, {}, kConstantSpace, 3072, 8};
         m.outputs[0].count = 3;
         m.outputs[0].count_axis = 6;
       },
       "counted along dimension 6 of 6"},
      {[](ModuleInfo& m) {
         m.tensors[3] = {"n", DType::kI64, {}, kConstantSpace, 3072, 8};
         m.inputs[0].count = 3;
       },
       "is counted"},
      {[](ModuleInfo& m) { m.programs[0].variants[0].size_bytes = 449; }, "program 0 lies outside"},
      {[](ModuleInfo& m) { m.steps[0].layer = 2; }, "names layer 2 of 2"},
      {[](ModuleInfo& m) { m.steps[0].entry = 2; }, "names function 2 of 2"},
      {[](ModuleInfo& m) { m.steps[0].arguments = {9}; }, "uses tensor 9 of 7"},
      {[](ModuleInfo& m) { m.steps[0].num_results = 4; }, "4 results among 3"},
      {[](ModuleInfo& m) { m.steps[0].num_results = 2; }, "writes a constant"},
      {[](ModuleInfo& m) { m.steps[1].entry = 1; }, "names program 1 of 1"},
      {[](ModuleInfo& m) { m.programs[0].buffers = {7}; }, "uses tensor 7 of 7"},
      {[](ModuleInfo& m) { m.programs[0].buffers = {-2}; }, "uses tensor -2"},
      {[](ModuleInfo& m) { m.steps[1].reference = 2; }, "names function 2 of 2"},
      {[](ModuleInfo& m) { m.steps[1].executor = 2; }, "names executor 2 of 2"},
      {[](ModuleInfo& m) { m.programs[0].executor = 0; },
       "program 0 is of executor 'cpu', which runs none"},
      {[](ModuleInfo& m) { m.executors[1].hw.reset(); }, "no configuration"},
      {[](ModuleInfo& m) { m.executors[0].hw = m.executors[1].hw; }, "cpu has a VTA's"},
      {[](ModuleInfo& m) { m.executors[0].traits.runs_in_background = true; },
       "'cpu' of kind cpu has other properties than its kind"},
      {[](ModuleInfo& m) { m.executors[1].traits.entries = EntryTable::kFunctions; },
       "'vta' of kind vta has other properties than its kind"},
      {[](ModuleInfo& m) {
         m.executors.push_back({"dsp", "dsp", {EntryTable::kFunctions, true, false}});
       },
       "'dsp' of kind dsp links steps that are functions"},
      {[](ModuleInfo& m) { m.spaces[kStateSpace].contents = SpaceInfo::Contents::kConstants; },
       "'host_state' is the second one of executor 'cpu' for constants"},
      {[](ModuleInfo& m) { m.spaces[kHostSpace].alignment_bytes = 32; },
       "'host' is aligned to 32 bytes, which is no power of two from 64 to 1073741824"},
      {[](ModuleInfo& m) { m.spaces[kHostSpace].alignment_bytes = 192; }, "aligned to 192 bytes"},
      {[](ModuleInfo& m) { m.spaces[kHostSpace].alignment_bytes = uint64_t{1} << 31; },
       "is aligned to 2147483648 bytes"},
      {[](ModuleInfo& m) { m.spaces[kDeviceSpace].alignment_bytes = 128; },
       "'packed' is not aligned to 128 bytes"},
      {[](ModuleInfo& m) { m.programs[0].variants.clear(); }, "program 0 has no code"},
      {[](ModuleInfo& m) {
         m.programs[0].variants.push_back({"", 0, 0});
       },
       "program 0 has two variants for ''"},
      {[](ModuleInfo& m) { m.programs[0].variants[0].target = "other"; },
       "program 0 has no code for the configuration of 'vta'"},
      {[](ModuleInfo& m) {
         m.programs[0].variants.push_back({"other", 512, 1});
       },
       "program 0 lies outside its section of 512 bytes"},
      {[](ModuleInfo& m) { m.actions[0].in_background = true; },
       "action 0 is in the background, where 'cpu' runs nothing"},
      {[](ModuleInfo& m) {
         m.steps[1] = m.steps[0];
         m.actions = {{kCpuExecutor, 0, 2, 0, false, {}}};
       },
       "action 0 joins steps of 'cpu', which links none"},
      {[](ModuleInfo& m) { m.actions.pop_back(); }, "the actions lack steps"},
      {[](ModuleInfo& m) { m.actions[1].first_step = 0; }, "does not follow the steps"},
      {[](ModuleInfo& m) { m.actions[0].step_count = 3; }, "does not follow the steps"},
      {[](ModuleInfo& m) { m.actions[0].step_count = 2; }, "steps of another executor"},
      {[](ModuleInfo& m) { m.actions[1].entry = 1; }, "names program 1 of 1"},
      {[](ModuleInfo& m) { m.actions[1].waits[0].count = 1; }, "waits for what is not in front"},
  };
  ASSERT_TRUE(checkModuleInfo(makeInfo(), kConstantsBytes, kProgramsBytes).ok());
  for (const ChangeCase& test : cases) {
    ModuleInfo info = makeInfo();
    test.change(info);
    EXPECT_THAT(decode(encodeMetadata(info)).message(), HasSubstr(test.message));
  }
}

TEST(ModuleInfo, SurvivesRandomDamage) {
  const std::vector<std::byte> bytes = encodeMetadata(makeInfo());
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::byte> damaged = bytes;
    for (int k = 0; k < 3; ++k) damaged[random() % damaged.size()] = std::byte(random());
    if (i % 3 == 0) damaged.resize(random() % damaged.size());
    const auto info = decodeMetadata(damaged, kConstantsBytes, kProgramsBytes);
    if (!info.ok()) continue;
    EXPECT_EQ(encodeMetadata(*info), damaged);
  }
}

}  // namespace
}  // namespace vta
