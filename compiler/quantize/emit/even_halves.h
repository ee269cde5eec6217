// Rescaling by a power of two with halves rounded to even, as quantised models round.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/quantize/emit/builder.h"

namespace vta::compiler {

/// How sum / 2^shift, which may lie half-way between two integers, is rounded.
struct EvenHalves {
  int shift = 0;
  int64_t offset = 0;  // makes every sum positive and flips the parity of its quotient
};

/// How to round sum * factor to even where it lies half-way, or nothing: where it never does, or
/// where the sums are too large for it. They are at most `largest` on either side of zero.
std::optional<EvenHalves> evenHalves(double factor, int64_t largest);

/// sum / 2^shift, half-way to even.
mlir::Value roundedToEven(EmitBuilder& build, mlir::Value sum, const EvenHalves& even);

}  // namespace vta::compiler
