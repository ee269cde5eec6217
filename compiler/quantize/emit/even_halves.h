// Rescaling by a power of two with halves rounded to even, as quantised models round.
#pragma once

#include <cstdint>

#include "compiler/quantize/emit/builder.h"

namespace vta::compiler {

/// (sum + bias) * factor, half-way to even; null where it never lies half-way between two integers,
/// or where the sums are too large for that. With the bias they are at most `largest` on either
/// side of zero.
mlir::Value roundedToEven(EmitBuilder& build, mlir::Value sum, int64_t bias, double factor,
                          int64_t largest);

}  // namespace vta::compiler
