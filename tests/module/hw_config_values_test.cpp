#include "module/hw_config_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/isa/spec/user_operations.h"

namespace vta {
namespace {

TEST(HwConfigValuesTest, OperationsOfUsersComeBack) {
  const HwConfig hw = withUserOperations();
  const HwConfigValues values = valuesOf(hw);
  const auto again = hwConfigOf(values);
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(again->params(), hw.params());
  EXPECT_EQ(again->fingerprint(), hw.fingerprint());
  // Without any, the values are those of the parameters.
  EXPECT_LT(valuesOf(HwConfig::makeDefault()).values.size(), values.values.size());
  for (const HwConfigValue& value : valuesOf(HwConfig::makeDefault()).values) {
    EXPECT_FALSE(value.key.starts_with("operation.")) << value.key;
  }
}

/// What is said of the values with one of them changed.
std::string refusalWith(const std::string& key, const std::string& other, int64_t value) {
  HwConfigValues values = valuesOf(withUserOperations());
  const auto found = std::ranges::find_if(
      values.values, [&](const HwConfigValue& each) { return each.key.starts_with(key); });
  found->key = other;
  found->value = value;
  const auto hw = hwConfigOf(values);
  return hw.ok() ? "" : hw.status().message();
}

TEST(HwConfigValuesTest, AStrangersOperationIsChecked) {
  const auto expect = [](const std::string& message, const std::string& part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect(refusalWith("operation.semantics", "operation.semantics=func.func @absdiff() {", 0),
         "operation \"absdiff\":1:22: expected \"->\"");
  expect(refusalWith("operation.code", "operation.code", 2), "code is 2, which ADD has");
  expect(refusalWith("operation.code", "operation.code", int64_t{1} << 40),
         "operation.code is 1099511627776");
  expect(refusalWith("operation.operand", "operation.operand", 77), "operand is \"\"");
  expect(refusalWith("operation.name", "operation.name=min", 0), "name \"min\" is taken");
  expect(refusalWith("operation.meaning", "operation.other=1", 0),
         "'operation.other=1', which this build does not know");
}

}  // namespace
}  // namespace vta
