#include "tools/mlir_tool/nesting.h"

#include <gtest/gtest.h>

#include <string>

namespace vta::tools {
namespace {

TEST(Nesting, CountsAllBrackets) {
  EXPECT_EQ(nestingOf(""), 0u);
  EXPECT_EQ(nestingOf("func.func @f(%x: tensor<4xf32>) { return }"), 2u);
  EXPECT_EQ(nestingOf("([{<>}])()"), 4u);
  EXPECT_EQ(nestingOf(std::string(50'000, '[')), 50'000u);
}

TEST(Nesting, ArrowsAndRelationsCloseNothing) {
  EXPECT_EQ(nestingOf("<() -> (<>)>"), 3u);
  EXPECT_EQ(nestingOf("affine_set<(d0) : (d0 >= 0)> <<>>"), 2u);
}

TEST(Nesting, StringsAndCommentsHaveNone) {
  EXPECT_EQ(nestingOf("\"(((\\\"((\" ()"), 1u);
  EXPECT_EQ(nestingOf("// (((\n()"), 1u);
  EXPECT_EQ(nestingOf("\"("), 0u);
  EXPECT_EQ(nestingOf("// ("), 0u);
}

TEST(Nesting, WhatIsClosedTooOftenIsNone) { EXPECT_EQ(nestingOf(")))>>()"), 1u); }

}  // namespace
}  // namespace vta::tools
