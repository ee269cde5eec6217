#include "isa/lane/lane_terms.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "isa/lane/lane_parser.h"

namespace vta {
namespace {

LaneFunction function(const std::string& body) {
  return *parseLaneFunction("func.func @f(%x: i32, %y: i32) -> i32 {\n" + body + "}\n", "f");
}

/// Whether both have one canonical form.
bool areEqual(const std::string& a, const std::string& b) {
  LaneTerms terms;
  const LaneTerms::Term params[] = {terms.parameter(0), terms.parameter(1)};
  return terms.of(function(a), params) == terms.of(function(b), params);
}

const std::string kAbsdiff =
    "%d = arith.subi %x, %y : i32\n%o = arith.constant 0 : i32\n"
    "%n = arith.subi %o, %d : i32\n%z = arith.maxsi %d, %n : i32\nreturn %z : i32\n";

TEST(LaneTermsTest, FindsEqualComputations) {
  EXPECT_TRUE(areEqual(kAbsdiff,
                       "%d = arith.subi %x, %y : i32\n%e = arith.subi %y, %x : i32\n"
                       "%z = arith.maxsi %e, %d : i32\nreturn %z : i32\n"));
  EXPECT_TRUE(areEqual(kAbsdiff,
                       "%d = arith.subi %y, %x : i32\n%o = arith.constant 0 : i32\n"
                       "%n = arith.subi %o, %d : i32\n%c = arith.cmpi slt, %d, %o : i32\n"
                       "%z = arith.select %c, %n, %d : i32\nreturn %z : i32\n"));
  EXPECT_TRUE(areEqual(kAbsdiff,
                       "%d = arith.subi %x, %y : i32\n%o = arith.constant 0 : i32\n"
                       "%n = arith.subi %o, %d : i32\n%c = arith.cmpi sgt, %d, %o : i32\n"
                       "%z = arith.select %c, %d, %n : i32\nreturn %z : i32\n"));
}

// Where a difference wraps, these are not the same.
TEST(LaneTermsTest, KeepsApartWhatDiffersSomewhere) {
  EXPECT_FALSE(areEqual(kAbsdiff,
                        "%a = arith.maxsi %x, %y : i32\n%b = arith.minsi %x, %y : i32\n"
                        "%z = arith.subi %a, %b : i32\nreturn %z : i32\n"));
  EXPECT_FALSE(areEqual(kAbsdiff,
                        "%c = arith.cmpi slt, %x, %y : i32\n%d = arith.subi %x, %y : i32\n"
                        "%e = arith.subi %y, %x : i32\n"
                        "%z = arith.select %c, %e, %d : i32\nreturn %z : i32\n"));
  EXPECT_FALSE(areEqual("%z = arith.subi %x, %y : i32\nreturn %z : i32\n",
                        "%z = arith.subi %y, %x : i32\nreturn %z : i32\n"));
  EXPECT_FALSE(areEqual("%z = arith.minsi %x, %y : i32\nreturn %z : i32\n",
                        "%z = arith.minui %x, %y : i32\nreturn %z : i32\n"));
}

TEST(LaneTermsTest, KnowsWhatMultipliesAsItsOperands) {
  LaneTerms terms;
  const LaneTerms::Term params[] = {terms.parameter(0), terms.parameter(1)};
  const auto reach = [&](const std::string& body) {
    return terms.homogeneousReach(terms.of(function(body), params));
  };
  EXPECT_EQ(reach(kAbsdiff), 2);
  EXPECT_EQ(reach("%z = arith.minsi %x, %y : i32\nreturn %z : i32\n"), 1);
  EXPECT_EQ(reach("%z = arith.muli %x, %y : i32\nreturn %z : i32\n"), std::nullopt);
  EXPECT_EQ(reach("%c = arith.constant 3 : i32\n%z = arith.addi %x, %c : i32\nreturn %z : i32\n"),
            std::nullopt);
}

/// A random function of few steps over %x, %y and 0.
std::string randomBody(std::mt19937& rng) {
  constexpr const char* kOps[] = {"addi", "subi", "minsi", "maxsi"};
  std::vector<std::string> values = {"%x", "%y", "%o"};
  std::string body = "%o = arith.constant 0 : i32\n";
  const auto pick = [&] { return values[rng() % values.size()]; };
  for (int i = 0; i < 3; ++i) {
    const std::string name = "%v" + std::to_string(i);
    if (rng() % 4 == 0) {
      constexpr const char* kPredicates[] = {"slt", "sle", "sgt", "sge"};
      body += "%c" + std::to_string(i) + " = arith.cmpi " + kPredicates[rng() % 4] + ", " + pick() +
              ", " + pick() + " : i32\n" + name + " = arith.select %c" + std::to_string(i) + ", " +
              pick() + ", " + pick() + " : i32\n";
    } else {
      body += name + " = arith." + kOps[rng() % 4] + " " + pick() + ", " + pick() + " : i32\n";
    }
    values.push_back(name);
  }
  return body + "return " + values.back() + " : i32\n";
}

// Equal forms compute the same, also where sums wrap.
TEST(LaneTermsTest, EqualFormsAreEqualFunctions) {
  std::mt19937 rng(7);
  int equal = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string a = randomBody(rng), b = randomBody(rng);
    if (!areEqual(a, b)) continue;
    ++equal;
    const LaneFunction f = function(a), g = function(b);
    const int32_t ends[] = {
        INT32_MIN, INT32_MIN + 1, -1, 0, 1, INT32_MAX, static_cast<int32_t>(rng())};
    for (const int32_t x : ends) {
      for (const int32_t y : ends) {
        const std::vector<int32_t> params = {x, y};
        ASSERT_EQ(f.evaluate(params), g.evaluate(params)) << a << "\n" << b << x << " " << y;
      }
    }
  }
  EXPECT_GT(equal, 100);
}

}  // namespace
}  // namespace vta
