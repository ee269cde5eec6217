#include "compiler/common/current_node.h"

#include <gtest/gtest.h>

namespace vta::compiler {
namespace {

TEST(CurrentNode, TheInnermostWorkIsNamedWhereMemoryEnds) {
  const Status status = guardMemory([]() -> Status {
    const WorkingOn outer("node 'a' (Loop)");
    { const WorkingOn before("node 'b' (Relu)"); }
    const WorkingOn inner("node 'c' (Conv)");
    throw std::bad_alloc();
  });
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(), "node 'c' (Conv): there is not enough memory to compile it");
}

TEST(CurrentNode, WhereNoneIsKnownTheModelIsNamed) {
  const Result<int> result = guardMemory([]() -> Result<int> {
    { const WorkingOn before("node 'b' (Relu)"); }
    throw std::bad_alloc();
  });
  EXPECT_EQ(result.status().message(), "there is not enough memory to compile the model");
}

TEST(CurrentNode, WhatEndedBeforeIsForgotten) {
  try {
    const WorkingOn lost("node 'b' (Relu)");
    throw std::bad_alloc();
  } catch (const std::bad_alloc&) {
  }
  const Status status = guardMemory([]() -> Status { throw std::bad_alloc(); });
  EXPECT_EQ(status.message(), "there is not enough memory to compile the model");
}

TEST(CurrentNode, OtherResultsPass) {
  EXPECT_EQ(guardMemory([]() -> Result<int> { return 7; }).value(), 7);
  const Status wrong = guardMemory([] { return Status(StatusCode::kInvalidArgument, "wrong"); });
  EXPECT_EQ(wrong.message(), "wrong");
}

TEST(CurrentNode, LongLabelsAreCut) {
  const std::string label(5000, 'x');
  const Status status = guardMemory([&]() -> Status {
    const WorkingOn working_on(label);
    throw std::bad_alloc();
  });
  EXPECT_TRUE(status.message().starts_with("xxx"));
  EXPECT_LT(status.message().size(), 1000u);
}

}  // namespace
}  // namespace vta::compiler
