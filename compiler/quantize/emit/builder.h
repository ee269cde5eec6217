// Short names for the integer ops that quantisation emits, with the types worked out.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/dialects/graph/graph.h"
#include "compiler/quantize/plan/requantize.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace vta::compiler {

class EmitBuilder {
 public:
  /// Emits before `point`, with location `loc`.
  EmitBuilder(mlir::Location loc, mlir::Operation* point);
  /// Emits right after the definition of `value`.
  static EmitBuilder after(mlir::Value value);

  /// Channel constants broadcast along axis 1 of NCHW if `nchw`, else along the last axis of a
  /// matrix.
  void setChannelAxis(bool nchw) { nchw_ = nchw; }

  mlir::Value perChannel(const std::vector<int32_t>& values);
  mlir::Value scalar(int32_t value);
  /// An int8 image of `image_type`'s shape; all its channels have these values, row by row.
  mlir::Value perPixel(const std::vector<int8_t>& values, mlir::Type image_type);
  mlir::Value weights(const std::vector<int8_t>& values, mlir::Type float_type);
  mlir::Value weights(const std::vector<int8_t>& values, llvm::ArrayRef<int64_t> shape);

  /// A convolution of `input` with the window and groups of `like`, which counts as that.
  mlir::Value conv(graph::ConvOp like, mlir::Value input, mlir::Value weight, int64_t pad_value);
  mlir::Value matmul(mlir::Value lhs, mlir::Value rhs, mlir::Type float_result);
  /// [G, M, K] x [G, K, N]; `depth` of the K products of a sum are the layer's own.
  mlir::Value matmulOfBatches(mlir::Value lhs, mlir::Value rhs, int64_t depth);
  /// The sums along `axis`, which keeps an extent of 1.
  mlir::Value sumAlong(mlir::Value input, int64_t axis);
  mlir::Value reshape(mlir::Value input, llvm::ArrayRef<int64_t> shape);
  /// `copies` of `input`, then, along `axis`, tensors of its shape full of one int8 value each.
  mlir::Value joined(mlir::Value input, int64_t copies, llvm::ArrayRef<int8_t> values,
                     int64_t axis);
  mlir::Value sumPool(graph::AvgPoolOp like, mlir::Value input, int64_t pad_value);

  mlir::Value binary(graph::BinaryKind kind, mlir::Value lhs, mlir::Value rhs);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs);
  mlir::Value max(mlir::Value lhs, mlir::Value rhs);
  mlir::Value min(mlir::Value lhs, mlir::Value rhs);
  mlir::Value shr(mlir::Value input, mlir::Value amount);
  mlir::Value qmul(mlir::Value input, mlir::Value multiplier, int64_t shift);
  mlir::Value clip(mlir::Value input, const IntRange& range);
  /// `entries` for all elements, or 256 for each of the input's channels in turn.
  mlir::Value table(mlir::Value input, const std::vector<int8_t>& entries);
  mlir::Value widen(mlir::Value int8);    // to i32
  mlir::Value narrow(mlir::Value int32);  // to i8, low bits

  mlir::Value quantize(mlir::Value input, const QuantParams& params);
  mlir::Value dequantize(mlir::Value input, const QuantParams& params);

  /// A copy of `op` on the mapped int8 operands, with int8 results.
  mlir::Operation* cloneAsInt8(mlir::Operation* op, mlir::IRMapping& mapping,
                               mlir::ValueRange originals);

  /// A copy of the element-wise `op` on the mapped i32 operands, with an i32 result, which
  /// `mapping` gets. `originals` are what the op read when it was planned; those that are not
  /// mapped are constants with one whole number.
  mlir::Operation* cloneAsInt32(mlir::Operation* op, mlir::ValueRange originals,
                                mlir::IRMapping& mapping);

  /// Notes on the producer of `value` what its integers mean.
  void annotate(mlir::Value value, const QuantParams& params);

 private:
  EmitBuilder(mlir::Location loc, const mlir::OpBuilder& builder) : builder_(builder), loc_(loc) {}
  mlir::RankedTensorType withElement(mlir::Type like, mlir::Type element) const;

  mlir::OpBuilder builder_;
  mlir::Location loc_;
  bool nchw_ = true;
};

}  // namespace vta::compiler
