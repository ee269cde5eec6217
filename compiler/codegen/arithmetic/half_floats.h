// Conversions of 16-bit floats by integer arithmetic, which every processor has.
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace vta::compiler {

/// `x`, an f16 or bf16, as f32: as halfToFloat and bfloatToFloat in base/half.h.
mlir::Value widenFloat(mlir::ImplicitLocOpBuilder& b, mlir::Value x);

/// The f32 `x` as `type`, f16 or bf16: as floatToHalf and floatToBfloat in base/half.h.
mlir::Value narrowFloat(mlir::ImplicitLocOpBuilder& b, mlir::Value x, mlir::Type type);

}  // namespace vta::compiler
