// Operators on images whose channels are the last dimension, by those on channels that come first.
#pragma once

#include <initializer_list>

#include "compiler/frontend/onnx/compose.h"
#include "compiler/frontend/onnx/op_table.h"

namespace vta::compiler {

/// [N, ..., C] as [N, C, ...]. What a transpose the other way has just given is its input.
mlir::Value withChannelsFirst(Composer& c, mlir::Value image);
/// [N, C, ...] as [N, ..., C].
mlir::Value withChannelsLast(Composer& c, mlir::Value image);

/// Imports `node` by `import`, which knows channels first: `images`, the inputs that are images,
/// and the first output are transposed. Absent inputs are left out.
Status importWithChannelsLast(Node& node, ImportFunction import,
                              std::initializer_list<size_t> images = {0});

}  // namespace vta::compiler
