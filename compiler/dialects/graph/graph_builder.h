// Builds graph ops with inferred result types, checks them, and folds small constants on the way.
#pragma once

#include <optional>

#include "base/status.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/shapes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace vta::graph {

mlir::RankedTensorType tensorType(mlir::Value value);
ShapeRef shapeOf(mlir::Value value);
/// A copy of it; empty where `value` is null.
Shape optionalShape(mlir::Value value);
mlir::Type elementTypeOf(mlir::Value value);

/// The value of a constant, or null.
mlir::DenseElementsAttr constantOf(mlir::Value value);
/// True for the result of a constant op, of whatever kind.
bool isConstant(mlir::Value value);

/// What GraphBuilder does with ops whose operands are all constants.
enum class Folding : uint8_t {
  kNone,
  kSmall,  // results of shape arithmetic and the like become constants; reshapes always
  kAll,
};

/// One method per op. Each returns an error (without a location: the caller knows the node) if the
/// operands do not fit the op's rules. Folding is what makes shape arithmetic vanish.
class GraphBuilder {
 public:
  GraphBuilder(mlir::OpBuilder& builder, mlir::Location location, Folding folding)
      : builder_(builder), location_(location), folding_(folding) {}

  mlir::OpBuilder& builder() { return builder_; }
  mlir::Location location() const { return location_; }

  mlir::Value constant(mlir::DenseElementsAttr value);
  mlir::Value constant(llvm::ArrayRef<int64_t> values);  // 1-D i64
  /// A 0-D constant of an integer or float `type`.
  mlir::Value scalar(double value, mlir::Type type);

  Result<mlir::Value> conv(mlir::Value input, mlir::Value weight, mlir::Value bias,
                           const Window& window, int64_t group);
  Result<mlir::Value> convTranspose(mlir::Value input, mlir::Value weight, mlir::Value bias,
                                    const Window& window, ShapeRef output_padding, int64_t group);
  Result<mlir::Value> matmul(mlir::Value lhs, mlir::Value rhs);
  Result<mlir::Value> maxPool(mlir::Value input, const Window& window);
  Result<mlir::Value> avgPool(mlir::Value input, const Window& window, bool count_include_pad,
                              ShapeRef ceil_extra);
  Result<mlir::Value> batchNorm(mlir::Value input, llvm::ArrayRef<mlir::Value> parameters,
                                double epsilon);
  Result<mlir::Value> lrn(mlir::Value input, int64_t size, double alpha, double beta, double bias);
  Result<mlir::Value> softmax(mlir::Value input, int64_t axis, bool log);
  Result<mlir::Value> unary(UnaryKind kind, mlir::Value input, double alpha = 0, double beta = 0);
  Result<mlir::Value> binary(BinaryKind kind, mlir::Value lhs, mlir::Value rhs);
  Result<mlir::Value> where(mlir::Value condition, mlir::Value lhs, mlir::Value rhs);
  Result<mlir::Value> clip(mlir::Value input, double min, double max);
  Result<mlir::Value> cast(mlir::Value input, mlir::Type element_type);
  Result<mlir::Value> reshape(mlir::Value input, ShapeRef shape);
  Result<mlir::Value> transpose(mlir::Value input, ShapeRef permutation);
  /// See graph.interleave; a block of 1 x 1 gives the input itself.
  Result<mlir::Value> interleave(mlir::Value input, ShapeRef block, int64_t groups, bool repeat);
  Result<mlir::Value> expand(mlir::Value input, ShapeRef shape);
  Result<mlir::Value> concat(llvm::ArrayRef<mlir::Value> inputs, int64_t axis);
  Result<mlir::Value> slice(mlir::Value input, ShapeRef starts, ShapeRef steps, ShapeRef extents);
  Result<mlir::Value> pad(mlir::Value input, ShapeRef low, ShapeRef high, PadMode mode,
                          double value);
  Result<mlir::Value> gather(mlir::Value input, mlir::Value indices, int64_t axis);
  /// `node` is what an error at run time begins with.
  Result<mlir::Value> checkIndices(mlir::Value input, ShapeRef extents, llvm::StringRef node);
  Result<mlir::Value> scatter(mlir::Value input, mlir::Value indices, mlir::Value updates,
                              std::optional<BinaryKind> combine);
  /// See graph.compact, graph.top and graph.suppress.
  Result<mlir::Value> compact(mlir::Value mask);
  Result<mlir::Value> top(mlir::Value input, int64_t count, bool largest);
  /// `score_threshold` and `count` may be null. At most `most` boxes of each batch and class.
  Result<mlir::Value> suppress(mlir::Value boxes, mlir::Value scores, mlir::Value limit,
                               mlir::Value iou_threshold, mlir::Value score_threshold,
                               mlir::Value count, int64_t most, bool center);
  /// `axes` in increasing order.
  Result<mlir::Value> reduce(ReduceKind kind, mlir::Value input, ShapeRef axes, bool keep_dims);
  Result<mlir::Value> quantize(mlir::Value input, llvm::ArrayRef<float> scales,
                               ShapeRef zero_points, int64_t axis, mlir::Type element_type);
  Result<mlir::Value> dequantize(mlir::Value input, llvm::ArrayRef<float> scales,
                                 ShapeRef zero_points, int64_t axis);

 private:
  template <typename Op, typename... Args>
  Result<mlir::Value> create(Result<Shape> shape, mlir::Type element_type, Args&&... args);
  Result<mlir::Value> finish(mlir::Operation* op);

  mlir::OpBuilder& builder_;
  mlir::Location location_;
  Folding folding_;
};

}  // namespace vta::graph
