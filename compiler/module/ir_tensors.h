// MLIR tensor types and constants as the module format's.
#pragma once

#include <cstddef>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Types.h"

namespace vta::compiler {

/// The element type and shape of a ranked, static tensor type; `data` stays empty. Errors: any
/// other type.
Result<Tensor> describeType(mlir::Type type);

/// Dense bytes of a constant: splats expanded, booleans one byte each. Errors: not dense elements.
Result<Tensor> readConstant(mlir::Attribute value);

}  // namespace vta::compiler
