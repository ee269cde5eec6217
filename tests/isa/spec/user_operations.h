// ALU operations of users for tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "isa/config/hw_config.h"
#include "isa/spec/user_operation.h"

namespace vta {

/// |x - y|, code 12.
inline UserOperationText absdiffText() {
  UserOperationText text;
  text.name = "absdiff";
  text.code = 12;
  text.meaning = "the distance of x and y";
  text.semantics =
      "func.func @absdiff(%x: i32, %y: i32) -> i32 {\n"
      "  %d = arith.subi %x, %y : i32\n"
      "  %zero = arith.constant 0 : i32\n"
      "  %n = arith.subi %zero, %d : i32\n"
      "  %z = arith.maxsi %d, %n : i32\n"
      "  return %z : i32\n"
      "}\n";
  return text;
}

/// PRELU as hardware with multipliers of 18 bits and accumulators of 32 computes it, code 13.
inline UserOperationText leakText() {
  UserOperationText text;
  text.name = "leak";
  text.code = 13;
  text.operand = AluOperand::kTensor;
  text.immediate = AluImmediate::kShift;
  text.semantics =
      "func.func @leak(%x: i32, %y: i32, %shift: i32) -> i32 {\n"
      "  %unused = arith.constant 14 : i32\n"
      "  %high = arith.shli %y, %unused : i32\n"
      "  %m = arith.shrsi %high, %unused : i32\n"
      "  %wx = arith.extsi %x : i32 to i64\n"
      "  %wm = arith.extsi %m : i32 to i64\n"
      "  %p = arith.muli %wx, %wm : i64\n"
      "  %s = arith.extui %shift : i32 to i64\n"
      "  %zero = arith.constant 0 : i64\n"
      "  %one = arith.constant 1 : i64\n"
      "  %unit = arith.shli %one, %s : i64\n"
      "  %half = arith.shrsi %unit, %one : i64\n"
      "  %negative = arith.cmpi slt, %p, %zero : i64\n"
      "  %below = arith.subi %half, %one : i64\n"
      "  %scales = arith.cmpi ne, %s, %zero : i64\n"
      "  %down = arith.select %scales, %below, %zero : i64\n"
      "  %rounding = arith.select %negative, %down, %half : i64\n"
      "  %sum = arith.addi %p, %rounding : i64\n"
      "  %q = arith.shrsi %sum, %s : i64\n"
      "  %least = arith.constant -2147483648 : i64\n"
      "  %most = arith.constant 2147483647 : i64\n"
      "  %raised = arith.maxsi %q, %least : i64\n"
      "  %bounded = arith.minsi %raised, %most : i64\n"
      "  %scaled = arith.trunci %bounded : i64 to i32\n"
      "  %none = arith.constant 0 : i32\n"
      "  %below_zero = arith.cmpi slt, %x, %none : i32\n"
      "  %z = arith.select %below_zero, %scaled, %x : i32\n"
      "  return %z : i32\n"
      "}\n";
  return text;
}

inline std::shared_ptr<const UserOperation> userOperation(UserOperationText text) {
  auto operation = makeUserOperation(std::move(text), "semantics.mlir");
  EXPECT_TRUE(operation.ok()) << operation.status().message();
  return *operation;
}

/// `params` with both operations.
inline HwConfig withUserOperations(HwParams params = {}) {
  params.operations.add(userOperation(leakText()));
  params.operations.add(userOperation(absdiffText()));
  return *HwConfig::create(params);
}

}  // namespace vta
