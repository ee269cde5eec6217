#include "module/module_info_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "module/metadata.h"
#include "tests/module/two_machines.h"

namespace vta {
namespace {

using ::testing::HasSubstr;

/// A text of four words, with two caches of rows [2, 1, 3].
ModuleInfo makeTextInfo() {
  ModuleInfo info;
  test::addTwoMachines(info);
  info.spaces[test::kHostSpace].size_bytes = 128;
  info.spaces[test::kStateSpace].size_bytes = 320;
  info.spaces[test::kDeviceStateSpace].size_bytes = 128;
  info.tensors = {
      {"keys", DType::kF32, {2, 3, 3}, test::kStateSpace, 0, 72},
      {"values", DType::kF32, {2, 3, 3}, test::kStateSpace, 128, 72},
      {"length", DType::kI64, {1}, test::kStateSpace, 256, 8},
      {"new keys", DType::kF32, {2, 1, 3}, test::kHostSpace, 0, 24},
      {"new values", DType::kF32, {2, 1, 3}, test::kHostSpace, 64, 24},
      {"on the device", DType::kI64, {1}, test::kDeviceStateSpace, 0, 8},
  };
  info.context = {4, 2, {{0, 3, 1}, {1, 4, 1}}};
  return info;
}

TEST(ContextCheck, RoundTripsThroughItsBinaryForm) {
  const std::vector<std::byte> bytes = encodeMetadata(makeTextInfo());
  const auto info = decodeMetadata(bytes, 0, 0);
  ASSERT_TRUE(info.ok()) << info.status().message();
  EXPECT_EQ(info->context.capacity, 4);
  EXPECT_EQ(info->context.caches.size(), 2U);
  EXPECT_EQ(encodeMetadata(*info), bytes);
}

TEST(ContextCheck, AModuleThatKeepsNothingSaysNothing) {
  ModuleInfo info = makeTextInfo();
  info.context = {};
  EXPECT_TRUE(checkContext(info).ok());
}

TEST(ContextCheck, WhatCannotBeIsRefused) {
  struct Case {
    std::function<void(ModuleInfo&)> breaks;
    const char* message;
  };
  const Case cases[] = {
      {[](ModuleInfo& m) { m.context.capacity = 0; }, "without room"},
      {[](ModuleInfo& m) { m.context.capacity = -4; }, "without room"},
      {[](ModuleInfo& m) { m.context.length = -1; }, "no length"},
      {[](ModuleInfo& m) { m.context.length = 6; }, "no length"},
      {[](ModuleInfo& m) { m.context.caches.clear(); }, "no caches"},
      {[](ModuleInfo& m) { m.context.length = 5; }, "'on the device' is no length"},
      {[](ModuleInfo& m) { m.context.length = 0; }, "'keys' is no length"},
      {[](ModuleInfo& m) { m.context.caches[0].tensor = 9; }, "tensor 9 with rows 3 of 6"},
      {[](ModuleInfo& m) { m.context.caches[0].rows = 9; }, "tensor 0 with rows 9 of 6"},
      {[](ModuleInfo& m) { m.context.caches[0].tensor = 3; }, "'new keys' lies in a wrong memory"},
      {[](ModuleInfo& m) { m.context.caches[0].axis = 3; }, "along dimension 3"},
      {[](ModuleInfo& m) { m.context.caches[0].axis = 0; }, "along dimension 0"},
      {[](ModuleInfo& m) { m.context.capacity = 5; }, "do not fill the cache 'keys'"},
      {[](ModuleInfo& m) { m.tensors[3].dtype = DType::kI32; }, "do not fill the cache 'keys'"},
      {[](ModuleInfo& m) {
         m.tensors[3].shape = {2, 1};
       },
       "do not fill the cache 'keys'"},
      {[](ModuleInfo& m) {
         m.tensors[1].shape = {2, 2, 3};
         m.tensors[4].shape = {2, 2, 3};
       },
       "'values' gets another number of rows"},
  };
  for (const Case& one : cases) {
    ModuleInfo info = makeTextInfo();
    one.breaks(info);
    const Status status = checkContext(info);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr(one.message));
  }
}

}  // namespace
}  // namespace vta
