#include "explore/sweep/space/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vta::sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Expression, KnowsDottedNamesAndDevices) {
  auto expression = Expression::parse("fits(xc7z020) && gemm.block_in >= 2 * gemm.batch");
  ASSERT_TRUE(expression.ok()) << expression.status().message();
  EXPECT_THAT(expression->names(), ElementsAre("fits.xc7z020", "gemm.batch", "gemm.block_in"));
  EXPECT_EQ(*expression->evaluate({{"fits.xc7z020", 1}, {"gemm.batch", 2}, {"gemm.block_in", 4}}),
            1);
  EXPECT_EQ(*expression->evaluate({{"fits.xc7z020", 1}, {"gemm.batch", 2}, {"gemm.block_in", 3}}),
            0);
  EXPECT_EQ(*expression->evaluate({{"fits.xc7z020", 0}, {"gemm.batch", 1}, {"gemm.block_in", 4}}),
            0);
}

TEST(Expression, CanBeMovedAndEvaluatedAgain) {
  auto parsed = Expression::parse("2 * a + max(b, 3)");
  ASSERT_TRUE(parsed.ok());
  Expression expression = *std::move(parsed);
  EXPECT_EQ(*expression.evaluate({{"a", 1}, {"b", 5}}), 7);
  EXPECT_EQ(*expression.evaluate({{"a", 2}, {"b", 1}}), 7);
}

TEST(Expression, SaysWhereTheMistakeIs) {
  const auto expression = Expression::parse("lut < < 3");
  ASSERT_FALSE(expression.ok());
  EXPECT_THAT(expression.status().message(), HasSubstr("\"lut < < 3\" is no expression"));
  EXPECT_THAT(expression.status().message(), HasSubstr("column"));
  EXPECT_FALSE(Expression::parse("").ok());
}

TEST(Expression, NamesWhatIsUnknown) {
  const auto expression = Expression::parse("gemm.blockin > 3");
  ASSERT_TRUE(expression.ok());
  const std::vector<std::string> known = {"gemm.block_in", "lut"};
  EXPECT_THAT(expression->checkNames(known).message(),
              testing::AllOf(HasSubstr("unknown name gemm.blockin"), HasSubstr("gemm.block_in")));
}

TEST(Expression, RefusesWhatIsNoNumber) {
  auto expression = Expression::parse("1 / a");
  ASSERT_TRUE(expression.ok());
  EXPECT_FALSE(expression->evaluate({{"a", 0}}).ok());
  EXPECT_FALSE(expression->evaluate({}).ok());
}

}  // namespace
}  // namespace vta::sweep
