// vta.pack and vta.unpack as graph ops, for the host.
#pragma once

#include "compiler/dialects/vta/vta.h"
#include "mlir/IR/Builders.h"

namespace vta::compiler {

/// What `op` computes from `input`, as pad, reshape and transpose. Lanes past the end hold zeros.
mlir::Value lowerPack(PackOp op, mlir::Value input, mlir::OpBuilder& builder);

/// What `op` computes from `input`, as transpose, reshape and slice.
mlir::Value lowerUnpack(UnpackOp op, mlir::Value input, mlir::OpBuilder& builder);

}  // namespace vta::compiler
