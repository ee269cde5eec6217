#include "isa/spec/alu_operations.h"

#include <gtest/gtest.h>

#include <set>

#include "isa/spec/parameters.h"

namespace vta {
namespace {

TEST(AluOperations, AreFoundByCode) {
  for (const AluOperation& operation : kAluOperations) {
    EXPECT_EQ(findAluOperation(operation.opcode), &operation) << operation.name;
    EXPECT_EQ(aluOpcodeName(operation.opcode), operation.name);
  }
  EXPECT_EQ(findAluOperation(static_cast<AluOpcode>(7)), nullptr);
  EXPECT_EQ(aluOpcodeName(static_cast<AluOpcode>(7)), "illegal");
}

TEST(AluOperations, EachHasANameAndAMeaningOfItsOwn) {
  std::set<std::string_view> names;
  std::set<std::string_view> meanings;
  for (const AluOperation& operation : kAluOperations) {
    EXPECT_TRUE(names.insert(operation.name).second) << operation.name;
    EXPECT_TRUE(meanings.insert(operation.meaning).second) << operation.name;
    EXPECT_GT(operation.adds + operation.multiplies, 0) << operation.name << " costs nothing";
  }
}

TEST(AluOperations, PublishedHardwareHasNoExtensions) {
  for (const AluOperation& operation : kAluOperations) {
    EXPECT_FALSE(operation.is_published && operation.extension != nullptr) << operation.name;
  }
}

TEST(AluOperations, AreThereWhereTheConfigurationHasTheirExtension) {
  HwParams params;
  for (const IsaExtension& extension : isaExtensions()) params.*extension.member = false;
  for (const AluOperation& operation : kAluOperations) {
    EXPECT_EQ(hasAluOperation(params, operation), operation.extension == nullptr);
    if (operation.extension == nullptr) continue;
    HwParams with = params;
    with.*operation.extension = true;
    EXPECT_TRUE(hasAluOperation(with, operation)) << operation.name;
    EXPECT_NE(extensionName(operation.extension), "unknown") << operation.name;
  }
}

TEST(AluOperations, ByteRangesSurviveTheImmediate) {
  for (const int low : {-128, -1, 0, 127}) {
    for (const int high : {-128, -1, 0, 6, 127}) {
      const ByteRange range = byteRangeOf(byteRangeImmediate({low, high}));
      EXPECT_EQ(range.low, low);
      EXPECT_EQ(range.high, high);
    }
  }
}

}  // namespace
}  // namespace vta
