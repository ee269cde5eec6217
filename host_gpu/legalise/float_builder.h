// Arithmetic of f32 in few words.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace vta::codegen {

/// Puts ops in front of the one that it is made for.
class FloatBuilder : public mlir::ImplicitLocOpBuilder {
 public:
  explicit FloatBuilder(mlir::Operation* op) : ImplicitLocOpBuilder(op->getLoc(), op) {}

  using Value = mlir::Value;
  Value real(float value) {
    return create<mlir::arith::ConstantFloatOp>(llvm::APFloat(value), getF32Type());
  }
  Value word(uint32_t value) {
    return create<mlir::arith::ConstantIntOp>(static_cast<int32_t>(value), 32);
  }
  Value add(Value x, Value y) { return create<mlir::arith::AddFOp>(x, y); }
  Value sub(Value x, Value y) { return create<mlir::arith::SubFOp>(x, y); }
  Value mul(Value x, Value y) { return create<mlir::arith::MulFOp>(x, y); }
  Value div(Value x, Value y) { return create<mlir::arith::DivFOp>(x, y); }
  Value neg(Value x) { return create<mlir::arith::NegFOp>(x); }
  Value abs(Value x) { return create<mlir::math::AbsFOp>(x); }
  /// Comparisons with NaN are false.
  Value less(Value x, Value y) {
    return create<mlir::arith::CmpFOp>(mlir::arith::CmpFPredicate::OLT, x, y);
  }
  Value atMost(Value x, Value y) {
    return create<mlir::arith::CmpFOp>(mlir::arith::CmpFPredicate::OLE, x, y);
  }
  Value equal(Value x, Value y) {
    return create<mlir::arith::CmpFOp>(mlir::arith::CmpFPredicate::OEQ, x, y);
  }
  Value isWhole(Value x) { return equal(create<mlir::math::FloorOp>(x), x); }
  Value both(Value x, Value y) { return create<mlir::arith::AndIOp>(x, y); }
  Value either(Value x, Value y) { return create<mlir::arith::OrIOp>(x, y); }
  Value isNot(Value x) {
    return create<mlir::arith::XOrIOp>(x, create<mlir::arith::ConstantIntOp>(1, 1));
  }
  Value choose(Value condition, Value x, Value y) {
    return create<mlir::arith::SelectOp>(condition, x, y);
  }
};

}  // namespace vta::codegen
