// gpu-widen-integers: integers of 8 and 16 bits in registers of 32 bits.
#include "host_gpu/legalise/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/DialectConversion.h"

namespace vta::codegen {

#define GEN_PASS_DEF_GPUWIDENINTEGERSPASS
#include "host_gpu/legalise/passes.h.inc"

namespace {

using namespace mlir;

constexpr unsigned kWide = 32;

bool isNarrow(Type type) { return type.isInteger(8) || type.isInteger(16); }

class WideTypes : public TypeConverter {
 public:
  WideTypes() {
    addConversion([](Type type) { return type; });
    addConversion([](IntegerType type) -> Type {
      return isNarrow(type) ? IntegerType::get(type.getContext(), kWide) : type;
    });
  }
};

Value number(OpBuilder& b, Location loc, int64_t value) {
  return b.create<arith::ConstantIntOp>(loc, value, kWide);
}

/// The signed number in the low bits of `value`.
Value wrapped(OpBuilder& b, Location loc, Value value, unsigned bits) {
  Value shift = number(b, loc, kWide - bits);
  return b.create<arith::ShRSIOp>(loc, b.create<arith::ShLIOp>(loc, value, shift), shift);
}

/// The unsigned number in the low bits of `value`.
Value masked(OpBuilder& b, Location loc, Value value, unsigned bits) {
  return b.create<arith::AndIOp>(loc, value, number(b, loc, (int64_t{1} << bits) - 1));
}

unsigned bitsOf(Value value) { return value.getType().getIntOrFloatBitWidth(); }

enum class Operands : uint8_t { kSigned, kUnsigned };
enum class Outcome : uint8_t { kFits, kWraps };

/// The same op on wide integers.
template <typename Op, Operands operands, Outcome outcome>
class WidenSame : public OpConversionPattern<Op> {
 public:
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter& rewriter) const override {
    if (!isNarrow(op.getType())) return failure();
    const unsigned bits = bitsOf(op.getResult());
    SmallVector<Value> values(adaptor.getOperands());
    if constexpr (operands == Operands::kUnsigned) {
      for (Value& value : values) value = masked(rewriter, op.getLoc(), value, bits);
    }
    Value result = rewriter.create<Op>(op.getLoc(), rewriter.getI32Type(), values);
    if constexpr (outcome == Outcome::kWraps) {
      result = wrapped(rewriter, op.getLoc(), result, bits);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

class WidenConstant : public OpConversionPattern<arith::ConstantOp> {
 public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                                ConversionPatternRewriter& rewriter) const override {
    auto value = dyn_cast<IntegerAttr>(op.getValue());
    if (!value || !isNarrow(op.getType())) return failure();
    rewriter.replaceOp(op, number(rewriter, op.getLoc(), value.getValue().getSExtValue()));
    return success();
  }
};

class WidenSelect : public OpConversionPattern<arith::SelectOp> {
 public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(arith::SelectOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter& rewriter) const override {
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, adaptor.getCondition(), adaptor.getTrueValue(),
                                                 adaptor.getFalseValue());
    return success();
  }
};

class WidenCompare : public OpConversionPattern<arith::CmpIOp> {
 public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter& rewriter) const override {
    using enum arith::CmpIPredicate;
    Value left = adaptor.getLhs(), right = adaptor.getRhs();
    const arith::CmpIPredicate predicate = op.getPredicate();
    if (predicate == ult || predicate == ule || predicate == ugt || predicate == uge) {
      const unsigned bits = bitsOf(op.getLhs());
      left = masked(rewriter, op.getLoc(), left, bits);
      right = masked(rewriter, op.getLoc(), right, bits);
    }
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, predicate, left, right);
    return success();
  }
};

/// From a narrow integer to another type: `Op` of its number in 32 bits.
template <typename Op, Operands operands>
class WidenFrom : public OpConversionPattern<Op> {
 public:
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter& rewriter) const override {
    Value value = adaptor.getIn();
    const Type type = this->getTypeConverter()->convertType(op.getType());
    if (operands == Operands::kUnsigned && isNarrow(op.getIn().getType())) {
      value = masked(rewriter, op.getLoc(), value, bitsOf(op.getIn()));
    }
    if (value.getType() != type) value = rewriter.create<Op>(op.getLoc(), type, value);
    if (isNarrow(op.getType()) && isa<IndexType>(op.getIn().getType())) {
      value = wrapped(rewriter, op.getLoc(), value, bitsOf(op.getOut()));
    }
    rewriter.replaceOp(op, value);
    return success();
  }
};

/// To a narrow integer.
class WidenTruncation : public OpConversionPattern<arith::TruncIOp> {
 public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(arith::TruncIOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter& rewriter) const override {
    Value value = adaptor.getIn();
    if (bitsOf(value) > kWide) {
      value = rewriter.create<arith::TruncIOp>(op.getLoc(), rewriter.getI32Type(), value);
    }
    if (isNarrow(op.getType())) {
      value = wrapped(rewriter, op.getLoc(), value, bitsOf(op.getResult()));
    } else if (value.getType() != op.getType()) {
      value = rewriter.create<arith::TruncIOp>(op.getLoc(), op.getType(), value);
    }
    rewriter.replaceOp(op, value);
    return success();
  }
};

template <typename Op>
class WidenFloatToInteger : public OpConversionPattern<Op> {
 public:
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter& rewriter) const override {
    Value value =
        rewriter.create<arith::FPToSIOp>(op.getLoc(), rewriter.getI32Type(), adaptor.getIn());
    rewriter.replaceOp(op, wrapped(rewriter, op.getLoc(), value, bitsOf(op.getResult())));
    return success();
  }
};

template <typename Op>
using SignedFits = WidenSame<Op, Operands::kSigned, Outcome::kFits>;
template <typename Op>
using SignedWraps = WidenSame<Op, Operands::kSigned, Outcome::kWraps>;
template <typename Op>
using UnsignedWraps = WidenSame<Op, Operands::kUnsigned, Outcome::kWraps>;

void addPatterns(RewritePatternSet& patterns, const TypeConverter& types) {
  patterns.add<
      SignedFits<arith::AndIOp>, SignedFits<arith::OrIOp>, SignedFits<arith::XOrIOp>,
      SignedFits<arith::MaxSIOp>, SignedFits<arith::MinSIOp>, SignedFits<arith::ShRSIOp>,
      SignedFits<arith::RemSIOp>, SignedWraps<arith::AddIOp>, SignedWraps<arith::SubIOp>,
      SignedWraps<arith::MulIOp>, SignedWraps<arith::ShLIOp>, SignedWraps<arith::DivSIOp>,
      SignedWraps<math::AbsIOp>, UnsignedWraps<arith::MaxUIOp>, UnsignedWraps<arith::MinUIOp>,
      UnsignedWraps<arith::ShRUIOp>, UnsignedWraps<arith::DivUIOp>, UnsignedWraps<arith::RemUIOp>,
      WidenConstant, WidenSelect, WidenCompare, WidenTruncation,
      WidenFloatToInteger<arith::FPToSIOp>, WidenFrom<arith::ExtSIOp, Operands::kSigned>,
      WidenFrom<arith::ExtUIOp, Operands::kUnsigned>, WidenFrom<arith::SIToFPOp, Operands::kSigned>,
      WidenFrom<arith::UIToFPOp, Operands::kUnsigned>,
      WidenFrom<arith::IndexCastOp, Operands::kSigned>,
      WidenFrom<arith::IndexCastUIOp, Operands::kUnsigned>>(types, patterns.getContext());
}

class GpuWidenIntegersPass : public impl::GpuWidenIntegersPassBase<GpuWidenIntegersPass> {
 public:
  void runOnOperation() override {
    WideTypes types;
    RewritePatternSet patterns(&getContext());
    addPatterns(patterns, types);
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([&](Operation* op) { return types.isLegal(op); });
    scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns, target);
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns)))) {
      signalPassFailure();
    }
  }
};

}  // namespace
}  // namespace vta::codegen
