// What the files of convert_graph_to_linalg*.cpp share. Private to them.
#pragma once

#include "compiler/dialects/graph/graph.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"

namespace vta::compiler::graph_to_linalg {

using Builder = mlir::ImplicitLocOpBuilder;
using ScalarBody = llvm::function_ref<mlir::Value(Builder&, mlir::ValueRange)>;

/// The type with unsigned element types made signless.
mlir::RankedTensorType signlessType(mlir::Type type);
inline mlir::RankedTensorType tensorType(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// Whether `type`, or its element type, is an integer whose values are never negative.
bool isUnsignedElement(mlir::Type type);

/// Scalar constant of an integer or float type.
mlir::Value constant(Builder& b, mlir::Type type, double value);
mlir::Value constantInt(Builder& b, mlir::Type type, int64_t value);

/// tensor.empty of `type`; the same filled with `value`.
mlir::Value emptyTensor(Builder& b, mlir::RankedTensorType type);
mlir::Value filledTensor(Builder& b, mlir::RankedTensorType type, mlir::Value value);

/// The least value of an element type (minus infinity for floats): the neutral element of max.
mlir::Value lowestValue(Builder& b, mlir::Type type, bool is_unsigned);
mlir::Value highestValue(Builder& b, mlir::Type type, bool is_unsigned);

/// linalg.generic that applies `body` to each element of `operands`, broadcast numpy-style to
/// `type`.
mlir::Value elementwise(Builder& b, mlir::ValueRange operands, mlir::RankedTensorType type,
                        ScalarBody body);

/// Broadcasting map from a result of `shape` to an operand of `operand_shape` (numpy rules).
mlir::AffineMap broadcastMap(mlir::MLIRContext* context, llvm::ArrayRef<int64_t> operand_shape,
                             llvm::ArrayRef<int64_t> shape);

/// The same elements with another shape.
mlir::Value reshape(Builder& b, mlir::Value value, llvm::ArrayRef<int64_t> shape);

/// Constant padding; negative amounts crop.
mlir::Value pad(Builder& b, mlir::Value value, llvm::ArrayRef<int64_t> low,
                llvm::ArrayRef<int64_t> high, mlir::Value pad_value);
/// Pads the last two dimensions of an NCHW tensor by [top, left, bottom, right].
mlir::Value padImage(Builder& b, mlir::Value value, llvm::ArrayRef<int64_t> pads,
                     mlir::Value pad_value);

/// [low, high] clamp of a float; NaN stays.
mlir::Value clampFloat(Builder& b, mlir::Value value, mlir::Value low, mlir::Value high);

/// Element-wise value of one `graph.unary` kind, or null if the kind does not exist for the type.
mlir::Value unaryScalar(Builder& b, graph::UnaryOp op, mlir::Value x);
/// Element-wise value of one `graph.binary` kind.
mlir::Value binaryScalar(Builder& b, graph::BinaryKind kind, mlir::Value x, mlir::Value y,
                         bool is_unsigned);

/// A pattern written as a function from the op and its converted operands to its new value. A null
/// value is a failure that the function has reported as a diagnostic.
template <typename Op>
class FunctionPattern : public mlir::OpConversionPattern<Op> {
 public:
  using Adaptor = typename mlir::OpConversionPattern<Op>::OpAdaptor;
  using Function = mlir::Value (*)(Builder&, Op, Adaptor);
  FunctionPattern(const mlir::TypeConverter& types, mlir::MLIRContext* context, Function function)
      : mlir::OpConversionPattern<Op>(types, context), function_(function) {}

  mlir::LogicalResult matchAndRewrite(Op op, Adaptor adaptor,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    mlir::Value value = function_(b, op, adaptor);
    if (!value) return mlir::failure();
    rewriter.replaceOp(op, value);
    return mlir::success();
  }

 private:
  Function function_;
};

/// Adds a FunctionPattern for `Op`.
template <typename Op>
void addPattern(mlir::RewritePatternSet& patterns, const mlir::TypeConverter& types,
                mlir::Value (*function)(Builder&, Op,
                                        typename mlir::OpConversionPattern<Op>::OpAdaptor)) {
  patterns.add<FunctionPattern<Op>>(types, patterns.getContext(), function);
}

/// The declaration of kBadIndexFunction, if `root` has ops that call it.
void declareBadIndex(mlir::Operation* root);

void addContractionPatterns(mlir::RewritePatternSet& patterns, const mlir::TypeConverter& types);
void addPoolingPatterns(mlir::RewritePatternSet& patterns, const mlir::TypeConverter& types);
void addReductionPatterns(mlir::RewritePatternSet& patterns, const mlir::TypeConverter& types);
void addElementwisePatterns(mlir::RewritePatternSet& patterns, const mlir::TypeConverter& types);
void addQuantizationPatterns(mlir::RewritePatternSet& patterns, const mlir::TypeConverter& types);
void addMovementPatterns(mlir::RewritePatternSet& patterns, const mlir::TypeConverter& types);
void addIndexPatterns(mlir::RewritePatternSet& patterns, const mlir::TypeConverter& types);
void addSelectionPatterns(mlir::RewritePatternSet& patterns, const mlir::TypeConverter& types);
void addSuppressionPatterns(mlir::RewritePatternSet& patterns, const mlir::TypeConverter& types);

}  // namespace vta::compiler::graph_to_linalg
