// Layers that several operators have in common: the plain one, the quantised one, the fused one.
#pragma once

#include "compiler/frontend/onnx/compose.h"

namespace vta::compiler {

/// A convolution with one to three spatial dimensions, with the attributes of `node`; `bias` may be
/// null. Operands are f32, or i8 without a bias, which gives i32.
Result<mlir::Value> convolution(Node& node, mlir::Value input, mlir::Value weight,
                                mlir::Value bias);

/// Average pooling with one to three spatial dimensions, with the attributes of `node`.
Result<mlir::Value> averagePool(Node& node, mlir::Value input);

/// alpha * a * b + beta * c, with the attributes of `node`; `addend` may be null.
Result<mlir::Value> gemm(Node& node, mlir::Value lhs, mlir::Value rhs, mlir::Value addend);

/// Matrix product as NumPy means it, vectors included.
Result<mlir::Value> matrixProduct(Node& node, mlir::Value lhs, mlir::Value rhs);

/// What a normalisation over some axes gives.
struct Normalized {
  mlir::Value output, mean, deviation;
};

/// (input - mean) / deviation over `axes`, where deviation is sqrt(variance + epsilon).
Result<Normalized> normalized(Node& node, mlir::Value input, graph::ShapeRef axes, double epsilon);

/// input / sqrt(mean of squares over `axes` + epsilon).
mlir::Value rootMeanSquareNormalized(Composer& c, mlir::Value input, const graph::Shape& axes,
                                     double epsilon);

/// The operator LayerNormalization, also of com.microsoft.
Status importLayerNormalization(Node& node);
/// The operator RMSNormalization, which ONNX Runtime calls SimplifiedLayerNormalization.
Status importRmsNormalization(Node& node);

/// The operator LSTM.
Status importLstm(Node& node);

/// Every element along `axis` plus all in front of it: log2(extent) additions of whole tensors.
mlir::Value prefixSums(Composer& c, mlir::Value input, int64_t axis);

/// x * sigmoid(alpha * x).
mlir::Value swish(Composer& c, mlir::Value input, double alpha);

/// Gelu, or with `fast` its approximation by tanh.
mlir::Value gelu(Composer& c, mlir::Value input, bool fast);

}  // namespace vta::compiler
