// Rescaling by a power of two with halves rounded to even, as quantised models round.
#pragma once

#include <cstdint>

#include "compiler/quantize/emit/builder.h"

namespace vta::compiler {

/// sum * factor, half-way to even; null where it never lies half-way between two integers, or where
/// the sums are too large for that. They are at most `largest` on either side of zero.
mlir::Value roundedToEven(EmitBuilder& build, mlir::Value sum, double factor, int64_t largest);

}  // namespace vta::compiler
