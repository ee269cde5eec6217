// Rotary embeddings of positions: what the operators of ONNX and of com.microsoft have in common.
#pragma once

#include "compiler/frontend/onnx/compose.h"

namespace vta::compiler {

/// Which elements of a head are turned, and which of them are a pair.
struct RotaryForm {
  int64_t size = 0;          // the first elements of a head are turned, an even number
  bool interleaved = false;  // pairs are neighbours; else one from each half
};

/// `x` [batch, heads, length, size of a head] with pairs of elements turned by angles whose cosines
/// and sines are given: [batch or 1, length, form.size / 2 or more]. Errors: a size that is odd or
/// larger than a head.
mlir::Value rotated(Composer& c, mlir::Value x, mlir::Value cosines, mlir::Value sines,
                    const RotaryForm& form);

}  // namespace vta::compiler
