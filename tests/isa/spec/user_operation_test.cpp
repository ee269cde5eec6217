#include "isa/spec/user_operation.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "tests/isa/spec/user_operations.h"

namespace vta {
namespace {

std::string refusal(UserOperationText text) {
  const auto operation = makeUserOperation(std::move(text), "s.mlir");
  return operation.ok() ? "" : operation.status().message();
}

TEST(UserOperationTest, IsInTheTableOfItsHardwareOnly) {
  const HwConfig hw = withUserOperations();
  const auto code = static_cast<AluOpcode>(12);
  const AluOperation* const row = findAluOperation(hw.params(), code);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->name, "ABSDIFF");
  EXPECT_EQ(row->adds, 3);
  EXPECT_EQ(row->multiplies, 0);
  EXPECT_EQ(aluOperationName(hw.params(), code), "ABSDIFF");
  EXPECT_EQ(aluOperationName(HwParams(), code), "OP12");
  EXPECT_EQ(findAluOperation(HwParams(), code), nullptr);
  EXPECT_EQ(findAluOperation(hw.params(), AluOpcode::kMin)->name, "MIN");
  const auto all = aluOperations(hw.params());
  ASSERT_EQ(all.size(), 9u);  // 5 of the base, qmul, clip, and two
  EXPECT_EQ(all[7]->name, "ABSDIFF");
  EXPECT_EQ(all[8]->name, "LEAK");
}

TEST(UserOperationTest, LanesAreThatManyTimesOneLane) {
  const auto absdiff = userOperation(absdiffText());
  std::mt19937 rng(3);
  for (const size_t lanes :
       {size_t{0}, size_t{1}, kLanesAtOnce - 1, kLanesAtOnce, 3 * kLanesAtOnce + 5}) {
    std::vector<int32_t> x(lanes), y(lanes);
    for (size_t i = 0; i < lanes; ++i) {
      x[i] = static_cast<int32_t>(rng());
      y[i] = static_cast<int32_t>(rng());
    }
    std::vector<int32_t> tensor = x, immediate = x, itself = x;
    absdiff->evaluateLanes(tensor.data(), y.data(), lanes, 0);
    absdiff->evaluateLanes(immediate.data(), nullptr, lanes, -5);
    absdiff->evaluateLanes(itself.data(), itself.data(), lanes, 0);
    for (size_t i = 0; i < lanes; ++i) {
      const auto difference =
          static_cast<int32_t>(static_cast<uint32_t>(x[i]) - static_cast<uint32_t>(y[i]));
      ASSERT_EQ(tensor[i], difference < 0
                               ? static_cast<int32_t>(0u - static_cast<uint32_t>(difference))
                               : difference);
      ASSERT_EQ(tensor[i], absdiff->evaluate(x[i], y[i], 0));
      ASSERT_EQ(immediate[i], absdiff->evaluate(x[i], -5, -5));
      ASSERT_EQ(itself[i], 0);
    }
  }
}

TEST(UserOperationTest, ImmediateForms) {
  UserOperationText text;
  text.name = "bound";
  text.code = 7;
  text.operand = AluOperand::kImmediate;
  text.immediate = AluImmediate::kByteRange;
  text.semantics =
      "func.func @bound(%x: i32, %low: i32, %high: i32) -> i32 {\n"
      "  %a = arith.maxsi %x, %low : i32\n  %z = arith.minsi %a, %high : i32\n  return %z : "
      "i32\n}\n";
  const auto bound = userOperation(text);
  const int32_t imm = byteRangeImmediate({-3, 100});
  EXPECT_EQ(bound->evaluate(-50, 0, imm), -3);
  EXPECT_EQ(bound->evaluate(500, 0, imm), 100);

  text.name = "negate";
  text.immediate = AluImmediate::kZero;
  text.semantics =
      "func.func @negate(%x: i32) -> i32 {\n  %o = arith.constant 0 : i32\n"
      "  %z = arith.subi %o, %x : i32\n  return %z : i32\n}\n";
  EXPECT_EQ(userOperation(text)->evaluate(17, 0, 0), -17);
  // A shift by the immediate is in range for all that the field may hold.
  EXPECT_EQ(userOperation(leakText())->evaluate(-8, 3, 1), -12);
}

TEST(UserOperationTest, RefusesNamesAndCodesThatAreTaken) {
  UserOperationText text = absdiffText();
  text.name = "min";
  EXPECT_NE(refusal(text).find("name \"min\" is taken"), std::string::npos);
  for (const char* name : {"", "Abs", "1st", "a b", "a__b", "a_", "_a", "x;y"}) {
    text.name = name;
    EXPECT_NE(refusal(text).find("name is \""), std::string::npos) << name;
  }
  text.name = "op12";
  EXPECT_NE(refusal(text).find("name \"op12\" is taken"), std::string::npos);
  text = absdiffText();
  text.code = 8;
  EXPECT_EQ(refusal(text), "code is 8, which PRELU has; free: 7, 12, 13, 14, 15");
  for (const int code : {-1, 16, 255}) {
    text.code = code;
    EXPECT_NE(refusal(text).find("free: 7, 12, 13, 14, 15"), std::string::npos) << code;
  }
}

TEST(UserOperationTest, RefusesPartsThatDisagree) {
  UserOperationText text = absdiffText();
  text.operand = AluOperand::kTensor;
  EXPECT_NE(refusal(text).find(
                "operand is \"tensor\" and immediate \"number\", which do not go together"),
            std::string::npos);
  text = absdiffText();
  text.operand = AluOperand::kTensor;
  text.immediate = AluImmediate::kShift;
  EXPECT_NE(
      refusal(text).find("s.mlir:1: the function has 2 parameters; with operand \"tensor\" and "
                         "immediate \"shift\" it has 3: %x, %y, %shift"),
      std::string::npos);
  text = absdiffText();
  text.name = "other";
  EXPECT_NE(
      refusal(text).find("s.mlir:1: the function's name is @absdiff; the operation's is \"other\""),
      std::string::npos);
  text = absdiffText();
  text.latency_cycles = 4;
  EXPECT_NE(refusal(text).find("latency_cycles is 4; legal: 1 to 3"), std::string::npos);
  text = absdiffText();
  text.cost.luts = -1;
  EXPECT_NE(refusal(text).find("cost.luts is -1; legal: 0 to 100000"), std::string::npos);
}

// What arith leaves open would differ between machines.
TEST(UserOperationTest, RefusesShiftsWithoutAMeaning) {
  UserOperationText text = absdiffText();
  text.semantics =
      "func.func @absdiff(%x: i32, %y: i32) -> i32 {\n"
      "  %z = arith.shrsi %x, %y : i32\n  return %z : i32\n}\n";
  EXPECT_NE(
      refusal(text).find("s.mlir:2: arith.shrsi may shift 32 bits by -2147483648 to 2147483647, "
                         "and only amounts of 0 to 31 have a meaning"),
      std::string::npos);
  text.semantics =
      "func.func @absdiff(%x: i32, %y: i32) -> i32 {\n  %m = arith.constant 31 : i32\n"
      "  %a = arith.andi %y, %m : i32\n  %z = arith.shrsi %x, %a : i32\n  return %z : i32\n}\n";
  EXPECT_EQ(refusal(text), "");
}

TEST(UserOperationTest, TwoOfThemDoNotShareACodeOrAName) {
  HwParams params;
  params.operations.add(userOperation(absdiffText()));
  UserOperationText text = leakText();
  text.code = 12;
  params.operations.add(userOperation(text));
  auto hw = HwConfig::create(params);
  ASSERT_FALSE(hw.ok());
  EXPECT_NE(hw.status().message().find("with the same code 12; change one of the codes"),
            std::string::npos);
  params = {};
  params.operations.add(userOperation(absdiffText()));
  params.operations.add(userOperation(absdiffText()));
  hw = HwConfig::create(params);
  ASSERT_FALSE(hw.ok());
  EXPECT_NE(hw.status().message().find("operations has \"absdiff\" twice"), std::string::npos);
}

TEST(UserOperationTest, ProgramsForAnotherMeaningAreOthers) {
  HwParams params;
  const HwConfig plain = *HwConfig::create(params);
  params.operations.add(userOperation(absdiffText()));
  const HwConfig with = *HwConfig::create(params);
  EXPECT_FALSE(plain.isProgramCompatible(with));
  EXPECT_NE(plain.fingerprint(), with.fingerprint());
  EXPECT_NE(with.summary().find(" absdiff"), std::string::npos);
  EXPECT_EQ(lackingOperations(plain.params(), with.params()), "");
  EXPECT_EQ(lackingOperations(with.params(), plain.params()),
            "; it lacks the ALU operation absdiff, whose folder --extension names");

  UserOperationText text = absdiffText();
  text.semantics.replace(text.semantics.find("maxsi"), 5, "minsi");
  HwParams changed;
  changed.operations.add(userOperation(text));
  EXPECT_FALSE(HwConfig::create(changed)->isProgramCompatible(with));
  // Names of values and comments mean nothing.
  text = absdiffText();
  text.semantics.insert(0, "// the distance\n");
  text.cost.luts = 100;
  HwParams same;
  same.operations.add(userOperation(text));
  EXPECT_TRUE(HwConfig::create(same)->isProgramCompatible(with));
}

}  // namespace
}  // namespace vta
