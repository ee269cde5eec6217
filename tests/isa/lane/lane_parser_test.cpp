#include "isa/lane/lane_parser.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace vta {
namespace {

std::string functionOf(const std::string& body) {
  return "func.func @f(%x: i32, %y: i32) -> i32 {\n" + body + "}\n";
}

Result<LaneFunction> parsed(const std::string& body) {
  return parseLaneFunction(functionOf(body), "f.mlir");
}

std::string messageOf(const std::string& text) {
  const auto function = parseLaneFunction(text, "f.mlir");
  return function.ok() ? "" : function.status().message();
}

int32_t valueOf(const std::string& body, int32_t x, int32_t y = 0) {
  const auto function = parsed(body);
  EXPECT_TRUE(function.ok()) << function.status().message();
  return function.ok() ? function->evaluate(std::vector<int32_t>{x, y}) : -1;
}

TEST(LaneParser, ReadsNamesCommentsAndBlankLines) {
  const auto function = parseLaneFunction(
      "// a comment\n\nfunc.func @abs(%x: i32) -> i32 { // here too\n"
      "  %zero = arith.constant 0 : i32\n  %n = arith.subi %zero, %x : i32\r\n"
      "  %z = arith.maxsi %x, %n : i32\n\n  func.return %z : i32\n}\n",
      "f.mlir");
  ASSERT_TRUE(function.ok()) << function.status().message();
  EXPECT_EQ(function->name, "abs");
  EXPECT_EQ(function->num_params, 1u);
  ASSERT_EQ(function->steps.size(), 3u);
  EXPECT_EQ(function->steps[1].line, 5);
  EXPECT_EQ(function->evaluate(std::vector<int32_t>{-7}), 7);
  EXPECT_EQ(function->evaluate(std::vector<int32_t>{INT32_MIN}), INT32_MIN);
}

TEST(LaneParser, EachOperationComputesAsArithSays) {
  const struct {
    const char* step;
    int32_t x, y, result;
  } kCases[] = {
      {"arith.addi %x, %y : i32", INT32_MAX, 1, INT32_MIN},
      {"arith.subi %x, %y : i32", INT32_MIN, 1, INT32_MAX},
      {"arith.muli %x, %y : i32", 65537, 65537, 131073},
      {"arith.andi %x, %y : i32", -2, 7, 6},
      {"arith.ori %x, %y : i32", 8, -16, -8},
      {"arith.xori %x, %y : i32", -1, 5, -6},
      {"arith.minsi %x, %y : i32", -3, 2, -3},
      {"arith.maxsi %x, %y : i32", -3, 2, 2},
      {"arith.minui %x, %y : i32", -3, 2, 2},
      {"arith.maxui %x, %y : i32", -3, 2, -3},
  };
  for (const auto& c : kCases) {
    const std::string body = std::string("%z = ") + c.step + "\nreturn %z : i32\n";
    EXPECT_EQ(valueOf(body, c.x, c.y), c.result) << c.step;
  }
}

TEST(LaneParser, ShiftsAndConversions) {
  const std::string shifts = "%c = arith.constant 4 : i32\n%z = arith.";
  EXPECT_EQ(valueOf(shifts + "shrsi %x, %c : i32\nreturn %z : i32\n", -17), -2);
  EXPECT_EQ(valueOf(shifts + "shrui %x, %c : i32\nreturn %z : i32\n", -1), 0x0fffffff);
  EXPECT_EQ(valueOf(shifts + "shli %x, %c : i32\nreturn %z : i32\n", 0x18000001), -0x7ffffff0);
  EXPECT_EQ(valueOf("%w = arith.extsi %x : i32 to i64\n%p = arith.muli %w, %w : i64\n"
                    "%c = arith.constant 32 : i64\n%h = arith.shrsi %p, %c : i64\n"
                    "%z = arith.trunci %h : i64 to i32\nreturn %z : i32\n",
                    INT32_MIN),
            1 << 30);
  EXPECT_EQ(valueOf("%b = arith.trunci %x : i32 to i8\n%z = arith.extui %b : i8 to i32\n"
                    "return %z : i32\n",
                    -1),
            255);
  EXPECT_EQ(valueOf("%b = arith.trunci %x : i32 to i8\n%z = arith.extsi %b : i8 to i32\n"
                    "return %z : i32\n",
                    200),
            -56);
}

TEST(LaneParser, ComparisonsSelect) {
  const struct {
    const char* predicate;
    bool less, equal, greater;  // for -1 and 1, 1 and 1, 1 and -1
  } kCases[] = {{"eq", false, true, false},  {"ne", true, false, true},
                {"slt", true, false, false}, {"sle", true, true, false},
                {"sgt", false, false, true}, {"sge", false, true, true},
                {"ult", false, false, true}, {"ule", false, true, true},
                {"ugt", true, false, false}, {"uge", true, true, false}};
  for (const auto& c : kCases) {
    const std::string body = std::string("%c = arith.cmpi ") + c.predicate +
                             ", %x, %y : i32\n%one = arith.constant 1 : i32\n"
                             "%none = arith.constant 0 : i32\n"
                             "%z = arith.select %c, %one, %none : i32\nreturn %z : i32\n";
    EXPECT_EQ(valueOf(body, -1, 1), c.less) << c.predicate;
    EXPECT_EQ(valueOf(body, 1, 1), c.equal) << c.predicate;
    EXPECT_EQ(valueOf(body, 1, -1), c.greater) << c.predicate;
  }
  EXPECT_EQ(valueOf("%c = arith.cmpi slt, %x, %y : i32\n%z = arith.extui %c : i1 to i32\n"
                    "return %z : i32\n",
                    1, 2),
            1);
  EXPECT_EQ(
      valueOf("%t = arith.constant true\n%z = arith.extsi %t : i1 to i32\nreturn %z : i32\n", 0),
      -1);
}

TEST(LaneParser, SaysWhereAndWhatIsWrong) {
  const struct {
    std::string text, message;
  } kCases[] = {
      {"", "f.mlir:1:1: the file has no function"},
      {"module {", "f.mlir:1:1: expected \"func.func\""},
      {"func.func f", "f.mlir:1:11: expected the function's name"},
      {"func.func @f(%x: i64) -> i32 {", "f.mlir:1:18: parameter %x is i64; legal: i32"},
      {"func.func @f(%x: i32, %x: i32) -> i32 {", "f.mlir:1:23: %x is defined twice"},
      {"func.func @f(%a: i32, %b: i32, %c: i32, %d: i32, %e: i32) -> i32 {",
       "more than 4 parameters"},
      {"func.func @f(%x: i32) -> i8 {", "f.mlir:1:26: the result is i8"},
      {functionOf(""), "f.mlir:2:1: the function has no return"},
      {functionOf("%z = arith.divsi %x, %y : i32\n"),
       "f.mlir:2:6: unknown operation \"arith.divsi\"; legal: arith.constant, "},
      {functionOf("%z = llvm.inline_asm \"\"\n"), "unknown operation \"llvm.inline_asm\""},
      {functionOf("%z = arith.addi %x, %q : i32\n"), "f.mlir:2:21: %q is not defined above"},
      {functionOf("%z = arith.addi %x, %y : i16\n"),
       "f.mlir:2:26: an operand is i32, and the operation needs i16"},
      {functionOf("%z = arith.addi %x, %y : i65\n"),
       "f.mlir:2:26: expected a type before \"i65\"; legal: i1 to i64"},
      {functionOf("%z = arith.addi %x, %y overflow<nsw> : i32\n"),
       "overflow flags have no meaning here"},
      {functionOf("%z = arith.constant 300 : i8\n"), "f.mlir:2:21: 300 does not fit i8"},
      {functionOf("%z = arith.constant 99999999999999999999 : i64\n"),
       "expected an integer of 64 bits"},
      {functionOf("%z = arith.cmpi lt, %x, %y : i32\n"),
       "f.mlir:2:17: unknown comparison \"lt\"; legal: eq, ne, slt"},
      {functionOf("%z = arith.extsi %x : i32 to i32\n"),
       "arith.extsi from i32 to i32; the result has to be wider"},
      {functionOf("%z = arith.trunci %x : i32 to i64\n"), "the result has to be narrower"},
      {functionOf("%z = arith.select %x, %x, %y : i32\n"),
       "an operand is i32, and the operation needs i1"},
      {functionOf("%x = arith.addi %x, %y : i32\n"), "f.mlir:2:1: %x is defined twice"},
      {functionOf("%z = arith.addi %x, %y : i32 loc(1)\n"),
       "expected the end of the line before \"loc\""},
      {functionOf("return %x : i64\n"), "f.mlir:2:13: the result is i64; legal: i32"},
      {functionOf("return %x : i32\n") + "func.func @g()",
       "there is something behind the function"},
      {"func.func @f(%x: i32) -> i32 {\n  return %x : i32\n", "the function has no }"},
      {"func.func @f(%x: i32) -> i32 {\n", "the function has no return"},
  };
  for (const auto& c : kCases) {
    EXPECT_NE(messageOf(c.text).find(c.message), std::string::npos) << c.text << "\n"
                                                                    << messageOf(c.text);
  }
}

TEST(LaneParser, TakesSoManySteps) {
  std::string body;
  for (size_t i = 0; i < kMaxLaneSteps; ++i) {
    body += "%v" + std::to_string(i) + " = arith.addi %x, %y : i32\n";
  }
  EXPECT_TRUE(parsed(body + "return %v0 : i32\n").ok());
  const auto more = parsed(body + "%w = arith.addi %x, %y : i32\nreturn %w : i32\n");
  ASSERT_FALSE(more.ok());
  EXPECT_NE(more.status().message().find("f.mlir:258:1: more than 256 operations"),
            std::string::npos);
}

}  // namespace
}  // namespace vta
