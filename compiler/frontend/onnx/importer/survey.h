// Which nodes of a model cannot be imported.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/status.h"
#include "compiler/frontend/refused_node.h"
#include "mlir/IR/MLIRContext.h"

namespace vta::compiler {

/// The nodes of the model's graph that the compiler does not take, in the order of the file. Each
/// node is looked at by itself: what a refused node gives has the type and the shape that the model
/// declares, so the nodes behind it may be taken. Symbolic dimensions get no usual values here:
/// nodes that read a value without a fixed shape are refused. Nodes that no output needs are left
/// out.
///
/// Errors: an unreadable or corrupt file, cycles, values that nothing defines.
Result<std::vector<RefusedNode>> surveyOnnx(const std::filesystem::path& path,
                                            mlir::MLIRContext& context);

}  // namespace vta::compiler
