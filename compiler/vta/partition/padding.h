// Padding that LOAD cannot produce.
#pragma once

#include "isa/config/hw_config.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace vta::compiler {

/// Makes the padding of i8 convolutions and sum pools in `function` zero, or the least value where
/// kernels can supply it (convolutions need `pad_min`). Other padding becomes a graph.pad before
/// the op. Maximum pools need nothing: padding never wins.
void legalisePadding(mlir::func::FuncOp function, const HwConfig& hw);

}  // namespace vta::compiler
