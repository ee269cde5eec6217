#include "base/text/json_reason.h"

#include <gtest/gtest.h>

namespace vta {
namespace {

TEST(JsonReason, HasNoNumberOfTheLibrary) {
  EXPECT_EQ(jsonReason("[json.exception.type_error.302] type must be string, but is number"),
            "type must be string, but is number");
  EXPECT_EQ(jsonReason("[json.exception.out_of_range.403] key 'a]b' not found"),
            "key 'a]b' not found");
}

TEST(JsonReason, OtherTextsStay) {
  EXPECT_EQ(jsonReason("[1, 2] is no object"), "[1, 2] is no object");
  EXPECT_EQ(jsonReason("[json.exception."), "[json.exception.");
  EXPECT_EQ(jsonReason(""), "");
}

}  // namespace
}  // namespace vta
