// Element types of tensors as the runtime knows them.
#pragma once

#include <optional>

#include "isa/support/tensor.h"
#include "mlir/IR/Types.h"

namespace vta::graph {

/// The DType of an element type; signless integers count as signed, i1 as boolean. None for others.
std::optional<DType> dtypeOf(mlir::Type element);

}  // namespace vta::graph
