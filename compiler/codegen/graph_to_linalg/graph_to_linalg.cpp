#include "compiler/codegen/graph_to_linalg/graph_to_linalg.h"

#include "compiler/codegen/graph_to_linalg/control.h"
#include "compiler/codegen/graph_to_linalg/own_operators.h"
#include "compiler/codegen/graph_to_linalg/patterns.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace vta::compiler {

#define GEN_PASS_DEF_CONVERTGRAPHTOLINALGPASS
#include "compiler/codegen/graph_to_linalg/passes.h.inc"

namespace {

using namespace mlir;
using namespace graph_to_linalg;

Type signless(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    return integer.isSignless() ? type : IntegerType::get(type.getContext(), integer.getWidth());
  }
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    return tensor.clone(signless(tensor.getElementType()));
  }
  return type;
}

/// Constants of unsigned types keep their bits.
class ConstantPattern : public OpConversionPattern<arith::ConstantOp> {
 public:
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                                ConversionPatternRewriter& rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(signless(op.getType()));
    if (!type) return failure();
    if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue())) {
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, dense.bitcast(type.getElementType()));
      return success();
    }
    return failure();
  }
};

class ConvertGraphToLinalgPass
    : public impl::ConvertGraphToLinalgPassBase<ConvertGraphToLinalgPass> {
 public:
  void runOnOperation() override {
    if (failed(convertGraphToLinalg(getOperation()))) signalPassFailure();
  }
};

}  // namespace

LogicalResult convertGraphToLinalg(Operation* root) {
  MLIRContext* context = root->getContext();
  context
      ->loadDialect<affine::AffineDialect, arith::ArithDialect, bufferization::BufferizationDialect,
                    func::FuncDialect, linalg::LinalgDialect, math::MathDialect,
                    memref::MemRefDialect, scf::SCFDialect, tensor::TensorDialect>();
  lowerControlFlow(root);
  lowerOwnOperators(root);
  declareBadIndex(root);
  TypeConverter types;
  types.addConversion(signless);

  RewritePatternSet patterns(context);
  addContractionPatterns(patterns, types);
  addPoolingPatterns(patterns, types);
  addReductionPatterns(patterns, types);
  addElementwisePatterns(patterns, types);
  addQuantizationPatterns(patterns, types);
  addMovementPatterns(patterns, types);
  addIndexPatterns(patterns, types);
  addSelectionPatterns(patterns, types);
  addSuppressionPatterns(patterns, types);
  patterns.add<ConstantPattern>(types, context);
  populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns, types);
  populateCallOpTypeConversionPattern(patterns, types);
  populateReturnOpTypeConversionPattern(patterns, types);

  ConversionTarget target(*context);
  target.addIllegalDialect<graph::GraphDialect>();
  target.addDynamicallyLegalOp<func::FuncOp>(
      [&](func::FuncOp op) { return types.isSignatureLegal(op.getFunctionType()); });
  target.markUnknownOpDynamicallyLegal([&](Operation* op) { return types.isLegal(op); });
  return applyPartialConversion(root, target, std::move(patterns));
}

}  // namespace vta::compiler
