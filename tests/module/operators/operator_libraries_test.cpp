#include "module/operators/operator_libraries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <filesystem>

namespace vta {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = OperatorAttribute::Kind;

std::filesystem::path library(const std::string& name) {
  return std::filesystem::path(VTA_OWN_OPERATORS) / ("own_operators_" + name + ".so");
}

OperatorTensor floats(std::vector<int64_t> shape) { return {.shape = std::move(shape)}; }

OperatorNode scaleNode(float factor) {
  return {.domain = "test.own",
          .name = "Scale",
          .node = "layer",
          .attributes = {{.name = "factor",
                          .kind = Kind::kFloats,
                          .floats = {std::bit_cast<uint32_t>(factor)}}},
          .inputs = {floats({2, 3})},
          .outputs = {floats({2, 3})}};
}

class OwnOperatorsTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(loadOperatorLibrary(library("good")).ok()); }
};

TEST_F(OwnOperatorsTest, OperatorsAreFoundByDomainAndName) {
  EXPECT_NE(findOwnOperator("test.own", "Scale"), nullptr);
  EXPECT_EQ(findOwnOperator("", "Scale"), nullptr);
  EXPECT_EQ(findOwnOperator("test.own", "scale"), nullptr);
  EXPECT_TRUE(loadOperatorLibrary(library("good")).ok());  // once more
}

TEST_F(OwnOperatorsTest, WrongLibrariesAreRefusedWithTheReasonAndLeaveNothing) {
  const std::pair<const char*, const char*> wrong[] = {
      {"old_version", "version 2 of vta/operator.h, this program has version 1"},
      {"no_library", "null pointer"},
      {"no_name", "its operator 0 has no name"},
      {"no_function", "its operator 0 has no name, or lacks a function"},
      {"no_entry", "exports no function vta_operators"},
      {"twice", "two operators test.twice.Twin"},
      {"other", "test.own.Scale is already known from"},
      {"absent", "there is no file"},
  };
  for (const auto& [name, reason] : wrong) {
    const Status status = loadOperatorLibrary(library(name));
    EXPECT_THAT(status.message(), HasSubstr(reason)) << name;
    EXPECT_THAT(status.message(), HasSubstr(library(name).string()));
  }
  EXPECT_EQ(findOwnOperator("test.other", "Half"), nullptr);
  EXPECT_THAT(loadOperatorLibrary("/etc/hostname").message(), HasSubstr("cannot load it"));
  EXPECT_THAT(loadOperatorLibrary("/").message(), HasSubstr("cannot load it"));
}

TEST_F(OwnOperatorsTest, LibrariesSayWhatOutputsAre) {
  OperatorNode node{.domain = "test.own",
                    .name = "Rows",
                    .inputs = {{.dtype = DType::kU8, .shape = {5}}, {.dtype = DType::kI64}},
                    .outputs = {{}, {}}};
  const int64_t count = 3;
  const std::array constants = {static_cast<const std::byte*>(nullptr),
                                reinterpret_cast<const std::byte*>(&count)};
  const vta_operator& own = *findOwnOperator("test.own", "Rows");
  ASSERT_TRUE(inferOwnOperator(own, node, constants).ok());
  EXPECT_EQ(node.outputs[0].dtype, DType::kI64);
  EXPECT_THAT(node.outputs[0].shape, ElementsAre(3, 5));
  EXPECT_EQ(node.outputs[1].dtype, DType::kBool);
  EXPECT_THAT(node.outputs[1].shape, ElementsAre(3));
  const Status status = inferOwnOperator(own, node, std::array{constants[0], constants[0]});
  EXPECT_THAT(status.message(), HasSubstr("test.own.Rows of its library says: its count is no"));
}

TEST_F(OwnOperatorsTest, TypesThatAreNoneAreErrors) {
  const std::pair<const char*, const char*> wrong[] = {{"dtype", "the type 99"},
                                                       {"rank", "17 dimensions"},
                                                       {"negative", "-1"},
                                                       {"huge", "at most 2^40"},
                                                       {"silent", "error 3, without a message"},
                                                       {"long", "xxxxxxxxxxxxxxxxx"}};
  for (const auto& [what, reason] : wrong) {
    OperatorNode node{.domain = "test.own",
                      .name = "Broken",
                      .attributes = {{.name = "what", .kind = Kind::kText, .text = what}},
                      .inputs = {floats({4})},
                      .outputs = {{}}};
    const Status status = inferOwnOperator(*findOwnOperator("test.own", "Broken"), node,
                                           std::array<const std::byte*, 1>{});
    EXPECT_THAT(status.message(), HasSubstr(reason)) << what;
  }
  OperatorNode deep = scaleNode(1);
  deep.inputs = {floats(std::vector<int64_t>(VTA_OPERATOR_MAX_RANK + 1, 1))};
  const Status status = inferOwnOperator(*findOwnOperator("test.own", "Scale"), deep,
                                         std::array<const std::byte*, 1>{});
  EXPECT_THAT(status.message(), HasSubstr("an input has 17 dimensions"));
}

TEST_F(OwnOperatorsTest, NodesAreComputed) {
  std::array<float, 6> x = {1, -2, 3, 0.5, 0, 8}, y{};
  std::array<void*, 2> arguments = {x.data(), y.data()};
  ASSERT_TRUE(computeOwnOperator(scaleNode(2), arguments.data()).ok());
  EXPECT_THAT(y, ElementsAre(2, -4, 6, 1, 0, 16));
  // An input that is absent, or has no elements, is no argument.
  OperatorNode node = scaleNode(2);
  node.inputs.push_back({.is_absent = true});
  ASSERT_TRUE(computeOwnOperator(node, arguments.data()).ok());
  node.inputs.back() = floats({1});
  float offset = 10;
  std::array<void*, 3> with_offset = {x.data(), &offset, y.data()};
  ASSERT_TRUE(computeOwnOperator(node, with_offset.data()).ok());
  EXPECT_THAT(y, ElementsAre(12, 6, 16, 11, 10, 26));
}

TEST_F(OwnOperatorsTest, FailuresOfARunHaveTheLibrarysMessage) {
  std::array<float, 6> x{}, y{};
  std::array<void*, 2> arguments = {x.data(), y.data()};
  EXPECT_THAT(computeOwnOperator(scaleNode(-1), arguments.data()).message(),
              HasSubstr("its factor is below 0"));
  OperatorNode other = scaleNode(1);
  other.name = "Other";
  EXPECT_THAT(computeOwnOperator(other, arguments.data()).message(),
              HasSubstr("no library that is loaded has the operator test.own.Other"));
}

TEST_F(OwnOperatorsTest, ModulesSayWhichOperatorsTheyNeed) {
  const std::vector<std::string> features = {"avx2", featureOfOperator("test.own", "Scale"),
                                             featureOfOperator("test.own", "Other"),
                                             featureOfOperator("", "Fft")};
  EXPECT_THAT(missingOperators(features), ElementsAre("test.own.Other", "Fft"));
  EXPECT_FALSE(isOperatorFeature(features[0]));
  EXPECT_TRUE(isOperatorFeature(features[3]));
}

TEST(OperatorNodeTest, BytesAreReadBackAndEveryCutIsFound) {
  OperatorNode node = scaleNode(0.25F);
  node.attributes.push_back({.name = "text", .kind = Kind::kText, .text = std::string("a\0b", 3)});
  node.attributes.push_back({.name = "sizes", .integers = {-1, INT64_MAX}});
  node.inputs.push_back({.is_absent = true});
  node.outputs.push_back({.dtype = DType::kBool, .shape = {}});
  const std::vector<std::byte> bytes = encodeOperatorNode(node);
  const auto read = decodeOperatorNode(bytes);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(encodeOperatorNode(*read), bytes);
  EXPECT_EQ(read->attributes[1].text.size(), 3U);
  EXPECT_TRUE(read->inputs[1].is_absent);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decodeOperatorNode(std::span(bytes).first(size)).ok()) << size;
  }
}

}  // namespace
}  // namespace vta
