// Element types and constants as the runtime knows them.
#pragma once

#include <optional>

#include "base/tensor.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Types.h"

namespace vta::graph {

/// The DType of an element type; signless integers count as signed, i1 as boolean. None for others.
std::optional<DType> dtypeOf(mlir::Type element);

/// The element type of a DType; signed integers are signless.
mlir::Type elementTypeOf(DType dtype, mlir::MLIRContext& context);

/// The elements of a constant: splats expanded, booleans one byte each. None if it is neither dense
/// nor a resource that is there, or if its element type has no DType.
std::optional<Tensor> tensorOf(mlir::ElementsAttr elements);

}  // namespace vta::graph
