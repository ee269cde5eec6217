#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "module/metadata.h"
#include "module/metadata_json.h"
#include "module/module_info_check.h"
#include "tests/module/two_machines.h"

namespace vta {
namespace {

using ::testing::HasSubstr;

/// Reads up to four words of a text in a run, or two, or one; one step each.
ModuleInfo makeBuckets() {
  ModuleInfo info;
  test::addTwoMachines(info);
  info.spaces[test::kHostSpace].size_bytes = 256;
  info.spaces[test::kStateSpace].size_bytes = 192;
  info.functions = {"read4", "read2", "read1"};
  info.tensors = {{"keys", DType::kF32, {5, 3}, test::kStateSpace, 0, 60},
                  {"length", DType::kI64, {1}, test::kStateSpace, 128, 8}};
  const auto network = [&](int64_t words, uint32_t function) {
    const auto first = static_cast<uint32_t>(info.tensors.size());
    const auto bytes = static_cast<uint64_t>(words) * 12;
    info.tensors.push_back({"words", DType::kF32, {words, 3}, test::kHostSpace, 0, bytes});
    info.tensors.push_back({"new keys", DType::kF32, {words, 3}, test::kHostSpace, 64, bytes});
    BucketInfo bucket;
    bucket.inputs = {{"words", first}};
    bucket.outputs = {{"scores", first + 1}};
    bucket.layers = {{"read", "read", "cpu", "", 0}};
    bucket.steps = {{kCpuExecutor, 0, function, {first, 0, first + 1}, 1, -1}};
    bucket.actions = {{kCpuExecutor, 0, 1, function, false, {}}};
    bucket.context = {5 + words, 1, {{0, first + 1, 0}}};
    return bucket;
  };
  BucketInfo whole = network(4, 0);
  info.inputs = whole.inputs;
  info.outputs = whole.outputs;
  info.layers = whole.layers;
  info.steps = whole.steps;
  info.actions = whole.actions;
  info.context = whole.context;
  info.buckets = {network(2, 1), network(1, 2)};
  return info;
}

std::string refusal(const ModuleInfo& info) {
  return decodeMetadata(encodeMetadata(info), 0, 0).status().message();
}

TEST(BucketCheck, RoundTripsThroughItsBinaryForm) {
  const std::vector<std::byte> bytes = encodeMetadata(makeBuckets());
  const auto info = decodeMetadata(bytes, 0, 0);
  ASSERT_TRUE(info.ok()) << info.status().message();
  ASSERT_EQ(info->buckets.size(), 2U);
  EXPECT_EQ(info->buckets[1].steps[0].entry, 2U);
  EXPECT_EQ(encodeMetadata(*info), bytes);
  EXPECT_THAT(toJson(*info), HasSubstr("\"buckets\":[{\"inputs\""));
}

TEST(BucketCheck, EveryTruncationIsRefused) {
  const std::vector<std::byte> bytes = encodeMetadata(makeBuckets());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decodeMetadata(std::span(bytes).first(size), 0, 0).ok()) << size;
  }
}

TEST(BucketCheck, OutlinesHaveNone) {
  const auto info = decodeWithoutBuckets(encodeWithoutBuckets(makeBuckets()), 0, 0);
  ASSERT_TRUE(info.ok()) << info.status().message();
  EXPECT_TRUE(info->buckets.empty());
}

TEST(BucketCheck, ABucketIsAModuleOfItsOwn) {
  const ModuleInfo info = makeBuckets();
  const ModuleInfo smallest = info.bucketOf(1);
  EXPECT_TRUE(smallest.buckets.empty());
  EXPECT_EQ(smallest.functions, info.functions);
  EXPECT_EQ(smallest.tensors.size(), info.tensors.size());
  EXPECT_EQ(smallest.tensors[smallest.inputs[0].tensor].shape[0], 1);
  EXPECT_EQ(smallest.context.capacity, 6);
}

TEST(BucketCheck, WhatCannotBeIsRefused) {
  struct Case {
    std::function<void(ModuleInfo&)> breaks;
    const char* message;
  };
  const Case cases[] = {
      {[](ModuleInfo& m) { m.buckets[0].inputs[0].tensor = 99; }, "bucket 0"},
      {[](ModuleInfo& m) { m.buckets[1].steps[0].entry = 3; }, "bucket 1: module metadata: step 0"},
      {[](ModuleInfo& m) { m.buckets[1].steps[0].layer = 1; }, "names layer 1 of 1"},
      {[](ModuleInfo& m) { m.buckets[1].steps[0].arguments[0] = 99; }, "uses tensor 99 of 8"},
      {[](ModuleInfo& m) { m.buckets[1].actions.clear(); },
       "bucket 1: module metadata: the actions"},
      {[](ModuleInfo& m) { m.buckets[0].actions[0].entry = 7; }, "names function 7 of 3"},
      {[](ModuleInfo& m) { m.buckets[0].inputs.clear(); }, "bucket 0, inputs has 0 of 1"},
      {[](ModuleInfo& m) { m.buckets[0].inputs[0].name = "other"; }, "'other' does not fit"},
      {[](ModuleInfo& m) { m.buckets[0].inputs[0].index_extent = 5; }, "'words' does not fit"},
      {[](ModuleInfo& m) { m.buckets[1].outputs.clear(); }, "bucket 1, outputs has 0 of 1"},
      {[](ModuleInfo& m) { std::swap(m.buckets[0], m.buckets[1]); }, "bucket 1, inputs: 'words'"},
      {[](ModuleInfo& m) { m.buckets[1] = m.buckets[0]; }, "bucket 1 is not smaller"},
      {[](ModuleInfo& m) { m.buckets[0].context = {}; }, "bucket 0 keeps something else"},
      {[](ModuleInfo& m) { m.buckets[0].context.capacity = 8; }, "do not fill the cache 'keys'"},
      {[](ModuleInfo& m) { m.context = {}; }, "bucket 0 keeps something else"},
      {[](ModuleInfo& m) { m.buckets[1].steps[0].arguments[2] = 0; }, "writes 'keys'"},
      {[](ModuleInfo& m) { m.steps[0].arguments[2] = 1; }, "writes 'length'"},
      {[](ModuleInfo& m) { m.buckets.resize(kMostBuckets + 1, m.buckets[0]); }, "65 buckets"},
  };
  ASSERT_EQ(refusal(makeBuckets()), "");
  for (const Case& one : cases) {
    ModuleInfo info = makeBuckets();
    one.breaks(info);
    EXPECT_THAT(refusal(info), HasSubstr(one.message));
  }
}

}  // namespace
}  // namespace vta
