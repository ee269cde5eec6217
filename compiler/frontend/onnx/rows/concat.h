// Concatenation of tensors of which a part is valid.
#pragma once

#include "compiler/frontend/onnx/compose.h"

namespace vta::compiler {

/// Stores the concatenation of `inputs`, at least one of which is counted, along `axis` as output
/// 0. Error: they are counted along different axes, or along another one by different numbers.
Status concatCounted(Composer& c, const std::vector<mlir::Value>& inputs, int64_t axis);

}  // namespace vta::compiler
