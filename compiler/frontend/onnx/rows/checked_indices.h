// Indices of which none may be outside of what they select from.
#pragma once

#include "compiler/frontend/onnx/compose.h"

namespace vta::compiler {

/// `indices`, which may be null, into dimensions of `extents`: one, or one for each position in the
/// last dimension. Constant ones outside are an error; computed ones make the run fail
/// (graph.check_indices). Behind the valid ones of a counted tensor the result has zeros.
mlir::Value checkedIndices(Composer& c, mlir::Value indices, const graph::Shape& extents);

}  // namespace vta::compiler
