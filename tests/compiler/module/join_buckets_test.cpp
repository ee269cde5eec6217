#include "compiler/module/join_buckets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "module/executor_kinds.h"
#include "module/module_info_check.h"
#include "tests/module/two_machines.h"

namespace vta::compiler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint32_t kVta = test::kVtaExecutor;

std::vector<std::byte> bytesOf(size_t count, uint8_t value) {
  return std::vector<std::byte>(count, static_cast<std::byte>(value));
}

/// Reads `words` words of a text: a host step with a table of its own, and a program with weights
/// and a table that all have in common.
BuiltModule network(int64_t words, const std::string& prefix) {
  BuiltModule built;
  ModuleInfo& info = built.info;
  info.target_triple = "x86_64-pc-linux-gnu";
  test::addTwoMachines(info);
  info.executors[kCpuExecutor].features = {prefix + "feature"};
  const auto bytes = static_cast<uint64_t>(words) * 4;
  info.spaces[test::kHostSpace].size_bytes = static_cast<uint64_t>(words) * 128;
  info.spaces[test::kDeviceSpace].size_bytes = 256;
  info.spaces[test::kStateSpace].size_bytes = 128;
  info.tensors = {{"words", DType::kF32, {words}, test::kHostSpace, 0, bytes},
                  {"keys", DType::kF32, {3}, test::kStateSpace, 0, 12},
                  {"length", DType::kI64, {1}, test::kStateSpace, 64, 8},
                  {"own", DType::kI8, {64}, test::kConstantSpace, 0, 64},
                  {"weights", DType::kI8, {128}, test::kDeviceConstantSpace, 64, 128},
                  {"packed", DType::kI8, {64}, test::kDeviceSpace, 0, 64},
                  {"part", DType::kI8, {16}, test::kDeviceSpace, 32, 16, 5},
                  {"new keys", DType::kF32, {words}, test::kHostSpace, 64, bytes}};
  info.inputs = {{"words", 0}};
  info.outputs = {{"scores", 7}};
  info.layers = {{"pack", "pack", "cpu", "", 0}, {"product", "dense", "vta", "", 128}};
  info.functions = {prefix + "pack", prefix + "reference"};
  info.programs = {{kVta, {{"", 64, 10}}, {5, 4, 6, -1}}};
  info.steps = {{kCpuExecutor, 0, 0, {0, 1, 3, 7}, 1, -1}, {kVta, 1, 0, {5, 4, 6}, 1, 1}};
  info.actions = {{kCpuExecutor, 0, 1, 0, false, {}}, {kVta, 1, 1, 0, true, {{kVta, 0}}}};
  info.context = {3 + words, 2, {{1, 7, 0}}};
  built.contents.constants = bytesOf(64, static_cast<uint8_t>(words));
  const auto weights = bytesOf(128, 77);
  built.contents.constants.insert(built.contents.constants.end(), weights.begin(), weights.end());
  built.contents.programs = bytesOf(64, 0);
  const auto code = bytesOf(10, static_cast<uint8_t>(words));
  built.contents.programs.insert(built.contents.programs.end(), code.begin(), code.end());
  built.contents.host_objects = {bytesOf(3, static_cast<uint8_t>(words))};
  return built;
}

Result<BuiltModule> join(BuiltModule whole, BuiltModule bucket) {
  std::vector<BuiltModule> modules;
  modules.push_back(std::move(whole));
  modules.push_back(std::move(bucket));
  return joinBuckets(std::move(modules));
}

TEST(JoinBuckets, OneModuleStaysAsItIs) {
  std::vector<BuiltModule> one;
  one.push_back(network(4, ""));
  const auto joined = joinBuckets(std::move(one));
  ASSERT_TRUE(joined.ok());
  EXPECT_TRUE(joined->info.buckets.empty());
  EXPECT_EQ(joined->contents.constants, network(4, "").contents.constants);
  EXPECT_THAT(joinBuckets({}).status().message(), HasSubstr("no module to join"));
}

TEST(JoinBuckets, ConstantsAndStateAreThereOnce) {
  const auto joined = join(network(4, ""), network(1, "b_"));
  ASSERT_TRUE(joined.ok()) << joined.status().message();
  const ModuleInfo& info = joined->info;
  const ModuleContents& contents = joined->contents;
  EXPECT_TRUE(checkModuleInfo(info, contents.constants.size(), contents.programs.size()).ok());
  // Two tables of 64 bytes that differ, and weights of 128 that do not.
  EXPECT_EQ(contents.constants.size(), 64U + 128 + 64);
  ASSERT_EQ(info.buckets.size(), 1U);
  const BucketInfo& bucket = info.buckets[0];
  EXPECT_EQ(info.programs[bucket.steps[1].entry].buffers[1], 4);
  const TensorInfo& own = info.tensors[bucket.steps[0].arguments[2]];
  EXPECT_EQ(contents.constants[own.offset_bytes], std::byte{1});
  EXPECT_EQ(bucket.context.length, info.context.length);
  EXPECT_EQ(bucket.context.caches[0].tensor, info.context.caches[0].tensor);
  EXPECT_EQ(bucket.context.capacity, 4);
  EXPECT_EQ(info.tensors[bucket.context.caches[0].rows].shape, std::vector<int64_t>{1});
  EXPECT_EQ(info.spaces[test::kHostSpace].size_bytes, 512U);
}

TEST(JoinBuckets, EntriesHaveNumbersOfTheWhole) {
  const auto joined = join(network(4, ""), network(1, "b_"));
  ASSERT_TRUE(joined.ok()) << joined.status().message();
  const ModuleInfo& info = joined->info;
  const BucketInfo& bucket = info.buckets[0];
  EXPECT_THAT(info.functions, ElementsAre("pack", "reference", "b_pack", "b_reference"));
  EXPECT_EQ(info.functions[bucket.steps[0].entry], "b_pack");
  EXPECT_EQ(info.functions[static_cast<size_t>(bucket.steps[1].reference)], "b_reference");
  EXPECT_EQ(bucket.steps[1].entry, 1U);
  EXPECT_EQ(bucket.actions[1].entry, 1U);
  const CodeVariant& code = info.programs[1].variants[0];
  EXPECT_EQ(code.offset_bytes % kModuleAlignmentBytes, 0U);
  EXPECT_EQ(joined->contents.programs[code.offset_bytes], std::byte{1});
  const TensorInfo& part = info.tensors[static_cast<size_t>(info.programs[1].buffers[2])];
  EXPECT_EQ(part.part_of, info.programs[1].buffers[0]);
  EXPECT_EQ(joined->contents.host_objects.size(), 2U);
  EXPECT_THAT(info.executors[kCpuExecutor].features, ElementsAre("feature", "b_feature"));
}

TEST(JoinBuckets, ExecutorsThatTheWholeLacksAreAdded) {
  BuiltModule bucket = network(1, "b_");
  addExecutor(bucket.info, {"gpu", "gpu", findExecutorKind("gpu")->traits}, {"graphics"});
  const auto joined = join(network(4, ""), std::move(bucket));
  ASSERT_TRUE(joined.ok()) << joined.status().message();
  EXPECT_EQ(joined->info.executors.size(), 3U);
  EXPECT_EQ(joined->info.spaces.back().executor, 2U);
  const size_t constants = joined->contents.constants.size();
  EXPECT_TRUE(checkModuleInfo(joined->info, constants, joined->contents.programs.size()).ok());
}

TEST(JoinBuckets, OtherStateIsRefused) {
  BuiltModule renamed = network(1, "b_");
  renamed.info.tensors[1].name = "values";
  EXPECT_THAT(join(network(4, ""), std::move(renamed)).status().message(),
              HasSubstr("state 'values' of a bucket"));
  BuiltModule larger = network(1, "b_");
  larger.info.spaces[test::kStateSpace].size_bytes = 256;
  EXPECT_THAT(join(network(4, ""), std::move(larger)).status().message(),
              HasSubstr("state of 256 and of 128 bytes"));
  BuiltModule other = network(1, "b_");
  other.info.executors[kVta].kind = "npu";
  EXPECT_THAT(join(network(4, ""), std::move(other)).status().message(),
              HasSubstr("two executors"));
}

}  // namespace
}  // namespace vta::compiler
