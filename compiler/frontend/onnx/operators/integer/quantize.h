// Quantisation with operands that may be computed, as element-wise arithmetic.
#pragma once

#include "compiler/frontend/onnx/compose.h"

namespace vta::compiler {

/// Scale and zero point, brought to shapes that broadcast to the tensor's. `zero_point` is null
/// where it is 0.
struct Affine {
  mlir::Value scale, zero_point;
};

/// saturate(round_half_even(input / scale) + zero_point) in `type`, an integer type of at most 16
/// bits.
mlir::Value quantizedBy(Composer& c, mlir::Value input, const Affine& affine,
                        mlir::IntegerType type);

/// Integers, or whole numbers, within [least, most]. Bounds that the type has anyway are left out.
mlir::Value within(Composer& c, mlir::Value value, double least, double most);

/// (input - zero_point) * scale.
mlir::Value dequantizedBy(Composer& c, mlir::Value input, const Affine& affine);

/// A tensor with the scale and the zero point (both scalars) that ONNX's DynamicQuantizeLinear
/// finds for it.
struct DynamicallyQuantized {
  mlir::Value output, scale, zero_point;
};
DynamicallyQuantized quantizedDynamically(Composer& c, mlir::Value input);

/// The product of 8-bit matrices less their zero points (null: 0), in i32: exact, wrapping.
mlir::Value integerProduct(Composer& c, mlir::Value lhs, mlir::Value rhs, mlir::Value lhs_zero,
                           mlir::Value rhs_zero);

}  // namespace vta::compiler
